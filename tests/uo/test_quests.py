"""The journal and the arrow to the next step (facts/uo-play.md, section 11; facts/uo.md, 0xBF and 0xD7)."""

from __future__ import annotations

import pytest

from protocol.uo.packets.dialogs import ArrowClicked, JournalRequest
from protocol.uo.view import Viewer
from tests.kit.uo_stage import NEWEST, PLAIN, Scene, happened, lines, written
from world.errands import Change, Entry, Kind, Quest, State, Step
from world.events import Asked, QuestChanged


@pytest.mark.parametrize("version", [NEWEST, (7, 0, 0, 0)])
def test_an_arrow_points_to_the_step_while_it_is_in_this_realm(version: tuple[int, int, int, int]) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile, version)
    step = Step("mill", Kind.GO, "Go to the mill.")
    quest = Quest("flour", "Flour", "", "baker", (step,))
    tail = bytes(4) if version == NEWEST else b""
    there = (PLAIN["x"] + 7).to_bytes(2, "big") + (PLAIN["y"] + 9).to_bytes(2, "big")
    for place, shown in (
        (("plain", 7, 9), b"\xba\1" + there),
        (("cave", 7, 9), b"\xba\0" + b"\xff" * 4),
        (None, b"\xba\0" + b"\xff" * 4),
    ):
        entry = Entry(quest, State.OPEN, step, 0, "Go to the mill.", 0, place)
        event = QuestChanged(mobile, entry, Change.BEGUN, ())
        told = written(scene.view.event(event, Viewer.SELF, session.dialect), session)
        assert lines(told) == ["New quest: Flour. Go to the mill."]
        assert told[1] == shown + tail
    assert scene.send(session, ArrowClicked.decode(bytes.fromhex("bf 0006 0007 01"))) == [
        b"\xba\0" + b"\xff" * 4 + tail
    ]


def test_the_journal_opens_by_its_button_and_by_the_arrow() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    button = JournalRequest.decode(b"\xd7\0\x0a" + mobile.serial.to_bytes(4, "big") + b"\0\x32\x0a")
    for packet in (button, ArrowClicked(right=False)):
        scene.send(session, packet)
        asked = happened(scene, Asked)
        assert isinstance(asked, Asked)
        assert asked.dialog.title == "Your quests"
