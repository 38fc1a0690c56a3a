"""Quests as this game's client can show ours: words, a sound, and an arrow to where the next step is done.

Names and steps of its own window of quests are in the client's files, so that window stays empty; the journal
is a page (`world.quests.show_journal`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2 import words
from protocol.l2.packets import PlaySound, Radar, RadarControl
from world.errands import Change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.l2.packets import Message
    from protocol.l2.places import Places
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from world.events import QuestChanged

SOUNDS: Final[Mapping[Change, str]] = {
    Change.BEGUN: "ItemSound.quest_accept",
    Change.ADVANCED: "ItemSound.quest_itemget",
    Change.STEP: "ItemSound.quest_middle",
    Change.FINISHED: "ItemSound.quest_finish",
    Change.GIVEN_UP: "ItemSound.quest_giveup",
}
"""The client's own, by the names that public servers play them by."""

ARROW: Final = 2
"""The mark that points there; 1 is a flag on the map."""


def changed(event: QuestChanged, version: L2Version, places: Places) -> Sequence[Outgoing]:
    """Say what is to be done now, and point there. Of one thing more of several the way stays the same."""
    told: list[Message] = [PlaySound(0, SOUNDS[event.what])]
    if event.what is not Change.ADVANCED:
        told.append(RadarControl(Radar.FORGET, ARROW, 0, 0, 0))
        realm, x, y = event.entry.place or ("", 0, 0)
        if places.has(realm):
            told.append(RadarControl(Radar.SHOW, ARROW, *places.named(realm).spot(x, y, 0)))
    return *words.own(event, version), *version.bodies(*told)
