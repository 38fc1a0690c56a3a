"""Dialogs as gumps: their layout, and that they open and close."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from protocol.uo.versions import (
    VersionNumber,
    version_of,
)
from protocol.uo.view import Viewer
from tests.kit.uo_client import UoClient
from tests.kit.uo_stage import NEWEST, Scene, happened, written
from world import dialogs
from world.events import (
    Asked,
    Closed,
)

if TYPE_CHECKING:
    from world.mobile import Mobile

NOW = version_of(NEWEST)


@pytest.mark.parametrize("version", [NEWEST, (4, 0, 11, 0)])
def test_a_dialog_opens_is_answered_and_closes(version: VersionNumber) -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile, version)
    answers: list[int] = []

    def answered(_: Mobile, reply: dialogs.Reply) -> None:
        answers.append(reply.button)

    buttons = (dialogs.Button(1, "CONTINUE"), dialogs.Button(0, "CANCEL"))
    dialogs.ask(mobile, "Test", title="Title", text="Körper?", buttons=buttons, answered=answered)
    client = UoClient(version)
    asked = happened(scene, Asked)
    [frame] = written(scene.view.event(asked, Viewer.SELF, session.dialect))
    assert frame[0] == (0xDD if version == NEWEST else 0xB0)
    client._take(frame)
    [gump] = client.gumps.values()
    assert gump.texts == ("Title", "Körper?", "CONTINUE", "CANCEL")
    assert " 1 0 1 }" in gump.layout
    assert isinstance(asked, Asked)
    dialogs.withdraw(mobile, asked.dialog)
    [closing] = written(scene.view.event(happened(scene, Closed), Viewer.SELF, session.dialect))
    client._take(closing)
    assert not client.gumps
    assert not answers


def test_a_form_is_laid_out_on_sheets() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile, NEWEST)
    bread = scene.world.content.items["bread"]
    options = tuple(dialogs.Option(n, f"Ware {n}", bread, 3) for n in range(1, 11))
    dialogs.ask(
        mobile,
        "Test",
        title="Shop",
        text="Welcome.",
        more=("Look around.",),
        inputs=(
            dialogs.Choice("ware", "What?", options),
            dialogs.Number("many", "How many?", 1, 9, 2),
        ),
        buttons=(dialogs.Button(5, "Buy."), dialogs.Button(0, "Leave.")),
        answered=lambda *_: None,
    )
    client = UoClient(NEWEST)
    [frame] = written(scene.view.event(happened(scene, Asked), Viewer.SELF, session.dialect))
    client._take(frame)
    [gump] = client.gumps.values()
    sheets = gump.layout.split("{ page ")[2:]
    assert [sheet.split(" ", 1)[0] for sheet in sheets] == ["1", "2", "3"]
    assert [sheet.count("radio") for sheet in sheets] == [0, 6, 4]
    assert [sheet.count("tilepic") for sheet in sheets] == [0, 6, 4]
    assert [sheet.count("textentry") for sheet in sheets] == [0, 0, 1]
    turned = [sorted(re.findall(r"button \d+ \d+ \d+ \d+ 0 (\d) 0", sheet)) for sheet in sheets]
    assert turned == [["2"], ["1", "3"], ["2"]]
    assert [len(re.findall(r" 1 0 \d+ }", sheet)) for sheet in sheets] == [0, 0, 2]
    assert "Ware 10 (3 gold coins)" in gump.texts
    assert gump.texts.count("Look around.") == 2
    numbers = re.findall(r"radio \d+ \d+ \d+ \d+ 0 (\d+)", gump.layout)
    assert len(set(numbers)) == 10
