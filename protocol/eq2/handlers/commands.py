"""Slash commands: the client sends the place of a word in a list that we gave it, and what was typed behind
it.

The client knows no words of its own here: what is not in the list it refuses by itself. So the numbers are
ours; they stay what they are, and new words go to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from protocol.eq2.handlers.table import on, playing
from protocol.eq2.packets import RemoteCmd
from protocol.requests import DONE, Request
from protocol.session import Phase
from protocol.wishes import Unmet, Wish, tell
from world import speech

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

ORDER: Final = "causeway"
"""The word before an order to the server: `/causeway where`."""

_WORDS: Final = (
    *("say", "shout", "ooc", "tell", "emote", "who", "target", "camp", "quit", "use_ability", "inventory"),
    *("ready_for_takeoff", "sit", "stand", "take", "drop", "open", "wear", "remove", "answer", ORDER, "hail"),
    "answer_typed",
)

_LATER: Final = ("autoattack", "use", "groupsay", "gsay", "g", "guildsay", "gu")

_MEANT: Final[Mapping[Wish, Sequence[str]]] = {
    Wish.CASTING: ("use_ability", "useability"),
    Wish.TRAVEL: ("ready_for_takeoff",),
    Wish.LOOT: ("loot", "lootcorpse"),
    Wish.PARTY: ("invite", "acceptinvite", "declineinvite", "leavegroup", "disband", "kickfromgroup"),
    Wish.TRADE: ("start_trade", "add_trade_item", "accept_trade", "reject_trade", "cancel_trade"),
    Wish.SHOP: ("start_merchant", "buy_from_merchant", "sell_to_merchant", "buyback_from_merchant"),
    Wish.BANK: ("bank_deposit", "bank_withdraw"),
    Wish.FRIENDS: ("friend", "friends"),
    Wish.DEAFNESS: ("ignore",),
    Wish.FOLLOWING: ("follow",),
    Wish.INSPECTING: ("inspect",),
    Wish.DUELS: ("duel",),
    Wish.DICE: ("random",),
    Wish.AWAY: ("afk",),
    Wish.STRENGTH: ("consider",),
    Wish.UNASKED: ("accept_resurrection", "decline_resurrection"),
}
WISHES: Final = {name: wish for wish, names in _MEANT.items() for name in names}
"""Words of which there is only a line; names as in EQ2Emulator's table of commands."""

NAMES: Final = (
    *(*_WORDS, *sorted(speech.EMOTES), *_LATER, "attack"),
    *(name for name in WISHES if name not in _WORDS),
    "select_junction",
)
"""All words, each at its number. The world's gestures are words of their own, as in the game."""

Command: TypeAlias = "Callable[[Eq2Session, Mobile, str], None]"
"""What a word does; the text is what was typed behind it, trimmed."""

_COMMANDS: Final[dict[str, Command]] = {}


def command(*names: str) -> Callable[[Command], Command]:
    """Register what some words do."""

    def register(run: Command) -> Command:
        for name in names:
            if name not in NAMES or name in _COMMANDS or name in WISHES:
                raise ValueError(f"/{name} has no number, or is taken")
            _COMMANDS[name] = run
        return run

    return register


def number_of(name: str) -> int:
    """The number of a word."""
    return NAMES.index(name)


def without_meaning() -> set[str]:
    """Words that do nothing; a mistake of ours."""
    return set(NAMES) - _COMMANDS.keys() - WISHES.keys()


def requests() -> Iterator[Request]:
    """Every word, for the page of them, and the numbers that have none."""
    for name in NAMES:
        yield Request(f"/{name}", f"/{name}", Unmet(WISHES[name]) if name in WISHES else DONE)
    yield Request("/?", "any other number of a word", Unmet(Wish.UNKNOWN))


def _may_hold_password(packet: RemoteCmd) -> bool:
    """Whether it is an order, which may hold a password, or was meant to be one and was mistyped."""
    if packet.index >= len(NAMES) or NAMES[packet.index] == ORDER:
        return True
    words = packet.arguments.lstrip("/ ").split(maxsplit=1)
    return bool(words) and words[0].lower() == ORDER


@on(RemoteCmd, during=Phase.IN_WORLD, secret=_may_hold_password)
def run_command(session: Eq2Session, packet: RemoteCmd) -> None:
    """RemoteCmd: the player typed a slash command, or something that stands for one."""
    mobile = playing(session)
    if mobile is None:
        return
    run_word(
        session, mobile, NAMES[packet.index] if packet.index < len(NAMES) else "", packet.arguments.strip()
    )


def run_word(session: Eq2Session, mobile: Mobile, name: str, text: str = "") -> None:
    """Do what a word means, with what stands behind it; or say that there is no such thing."""
    run = _COMMANDS.get(name)
    if run is None:
        tell(session, WISHES.get(name, Wish.UNKNOWN))
    else:
        run(session, mobile, text)


@command(ORDER)
def order(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Something for the server, not for the world."""
    if text:
        session.services.command(session, text)
    else:
        speech.notice(mobile, f"Type /{ORDER} help.")
