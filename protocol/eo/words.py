"""Words and gestures of the world as this game's packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    Emote,
    EmotePlayerServerPacket,
    NpcPlayerServerPacket,
    NpcUpdateChat,
    TalkAnnounceServerPacket,
    TalkMsgServerPacket,
    TalkOpenServerPacket,
    TalkPlayerServerPacket,
    TalkRequestServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
)

from protocol.eo.figures import NAMING
from protocol.eo.packets import bodies, body
from world.events import Speech
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eo.figures import Figures
    from protocol.outgoing import Outgoing
    from world.events import Event, Gestured, Said

EMOTES: Final = {
    "happy": Emote.Happy,
    "depressed": Emote.Depressed,
    "sad": Emote.Sad,
    "angry": Emote.Angry,
    "confused": Emote.Confused,
    "surprised": Emote.Surprised,
    "laugh": Emote.Playful,
    "love": Emote.Hearts,
    "moon": Emote.Moon,
    "suicidal": Emote.Suicidal,
    "embarrassed": Emote.Embarrassed,
    "drunk": Emote.Drunk,
}
"""EO's picture for the world's gestures; for the others there are words."""

GESTURES: Final = {emote: gesture for gesture, emote in EMOTES.items()}
"""The world's gesture for each that a player can make; what only the game itself makes (trade, level up) is
missing."""

_WORDS: Final = {
    "bow": "*bows*",
    "salute": "*salutes*",
    "wave": "*waves*",
    "dance": "*dances*",
    "kneel": "*kneels*",
    "pose": "*strikes a pose*",
}


def said(figures: Figures, event: Said, *, own: bool) -> Sequence[Outgoing]:
    """Words as a packet of their kind of chat; `own`: for who says them."""
    name, text, thing = NAMING.speaker(event).lower(), event.text, event.thing
    match event.how:
        case Speech.SYSTEM:
            return line(text)
        case Speech.ANNOUNCE:
            return bodies(TalkAnnounceServerPacket(player_name=name, message=text))
        case Speech.GLOBAL:
            return bodies(TalkMsgServerPacket(player_name=name, message=text))
        case Speech.EMOTE:
            text = f"*{text}*"
        case Speech.TELL:
            return bodies(TalkTellServerPacket(player_name=name, message=text))
    if own:
        return ()
    if event.how is Speech.GUILD:
        return bodies(TalkRequestServerPacket(player_name=name, message=text))
    if event.how is Speech.ALLIANCE:  # of which this game knows nothing
        return line(f"[alliance] {event.name}: {text}")
    if isinstance(thing, Mobile):
        if event.how is Speech.PARTY:
            return bodies(TalkOpenServerPacket(player_id=figures.player_id(thing), message=text))
        return _spoken(figures, thing, text)
    return line(f"{NAMING.speaker(event)}: {text}")


def gestured(figures: Figures, event: Gestured) -> Sequence[Outgoing]:
    """A gesture as a picture, or as words if there is none."""
    emote = EMOTES.get(event.gesture)
    if emote is None or figures.is_npc(event.thing):
        return _spoken(figures, event.thing, _WORDS.get(event.gesture, f"*{event.gesture}*"))
    packet = EmotePlayerServerPacket(player_id=figures.player_id(event.thing), emote=emote)
    return (body(packet, droppable=True),)


def told(event: Event) -> Sequence[Outgoing]:
    """A line with an event's own words to its own player; nothing if it has none."""
    words = event.words(own=True)
    return () if words is None else line(words)


def line(text: str) -> Sequence[Outgoing]:
    """A line of the server's."""
    return bodies(TalkServerServerPacket(message=text))


def _spoken(figures: Figures, mobile: Mobile, text: str) -> Sequence[Outgoing]:
    if figures.is_npc(mobile):
        chat = NpcUpdateChat(npc_index=figures.npc_index(mobile), message=text)
        return bodies(NpcPlayerServerPacket(positions=[], attacks=[], chats=[chat]))
    return bodies(TalkPlayerServerPacket(player_id=figures.player_id(mobile), message=text))
