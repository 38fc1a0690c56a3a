"""Pings and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import Ending
from protocol.refusals import refused_in_words
from protocol.session import ANY_PHASE, AUTHENTICATED
from protocol.uo.handlers.table import on, while_playing
from protocol.uo.packets.dialogs import Tip, TipRequest
from protocol.uo.packets.misc import Disconnecting, LogoutAnswer, LogoutRequest, Ping, Pong
from protocol.uo.packets.people import AnimateRequest
from protocol.uo.packets.things import EquipMacro, UnequipMacro
from world import hands, speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.uo.session import UoSession

TIPS: Final = (
    "Not everybody here plays the same game as you. You see one another all the same.",
    "Talk to the people of the town: a click with the context menu shows what they can be asked.",
    "Type .help for all you can do by word, and .page with a few words to call for the staff.",
    "Who has died looks for a healer: healers hear ghosts.",
    "The chat window shows what players of all games say to everybody.",
)
"""For the tip window, by number."""

TIP: Final = 0

GESTURES: Final = {32: "bow", 33: "salute"}
"""Movements of people by number, as far as others see them (ServUO, Server/Mobile.cs, Animate)."""


@on(Ping, during=ANY_PHASE)
def ping(session: UoSession, packet: Ping) -> None:
    """Say the same back."""
    session.send(Pong(packet.number))


@on(LogoutRequest, during=AUTHENTICATED)
def logout(session: UoSession, packet: LogoutRequest) -> None:
    """The player leaves: confirm, and end."""
    session.send(LogoutAnswer(1))
    session.end(Ending.CLIENT_LEFT, "logged out")


@on(Disconnecting, during=ANY_PHASE)
async def disconnecting(session: UoSession, packet: Disconnecting) -> None:
    """The client says that the end of the connection, which follows, is meant. Noted here and now: that end
    may come in the same breath."""
    session.hang_up_means = Ending.CLIENT_LEFT


@while_playing(TipRequest)
def tip(session: UoSession, packet: TipRequest) -> None:
    """Show the next tip, or the one before; behind the last comes the first."""
    number = (packet.tip + (1 if packet.forward else -1)) % len(TIPS)
    session.send(Tip(TIP, number, TIPS[number]))


@while_playing(AnimateRequest)
def animate(session: UoSession, packet: AnimateRequest) -> None:
    """Bow and salute."""
    with refused_in_words(session.player):
        speech.gesture(session.player, GESTURES.get(packet.action, ""))


@while_playing(EquipMacro)
def equip_macro(session: UoSession, packet: EquipMacro) -> None:
    """Put on what is listed, piece by piece, until something stands against it."""
    player = session.player
    with refused_in_words(player):
        for serial in _numbers(packet.rest, 4):
            item = session.world.items.get(serial)
            if item is None or item.root is not player:
                raise Cannot(Refusal.GONE)
            if item.parent is not player:
                hands.exchange(player, item)


@while_playing(UnequipMacro)
def unequip_macro(session: UoSession, packet: UnequipMacro) -> None:
    """Put what is worn there into the pack, piece by piece, until something stands against it."""
    with refused_in_words(session.player):
        for layer in _numbers(packet.rest, 2):
            hands.take_off(session.player, layer)


def _numbers(data: bytes, size: int) -> Sequence[int]:
    """A list that its number of elements precedes, in one byte, as far as it is there."""
    ends = range(1 + size, min(len(data), 1 + size * data[0]) + 1, size) if data else ()
    return [int.from_bytes(data[end - size : end], "big") for end in ends]
