"""The commands of who writes content, as they are typed: `causeway looks`, `new npc` and `dialog`."""

from __future__ import annotations

import io
import tomllib
from typing import TYPE_CHECKING

import pytest

from protocol.games import GAMES
from server import exits
from server.__main__ import main
from server.content.families import DATA
from server.operate import writing
from server.operate.rehearsal import RehearsalError, play
from server.operate.writing import WritingError
from tests.kit.in_memory import wild_shipped_content

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped content is read once for all of these."""
    monkeypatch.setattr(writing, "load", lambda _: wild_shipped_content())


@pytest.mark.usefixtures("shipped")
def test_looks_tell_of_each_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["looks", "wolf"]) == exits.GOOD
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "wolf: a wolf"
    assert [row.strip().split(":")[0] for row in rows] == [game.title for game in GAMES.values()]
    assert main(["looks"]) == exits.GOOD
    beings, things = capsys.readouterr().out.splitlines()
    assert beings.startswith("beings: ")
    assert "greta" in beings
    assert "bread" in things


@pytest.mark.usefixtures("shipped")
def test_an_unknown_kind_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["looks", "wolff"]) == exits.REFUSED
    assert capsys.readouterr().err == "no kind 'wolff', did you mean 'wolf'?\n"


@pytest.mark.usefixtures("shipped")
def test_a_new_being_stands_where_one_can_and_is_never_written_over(tmp_path: Path) -> None:
    assert main(["new", "npc", "Old Berta", "--data", str(tmp_path)]) == exits.GOOD
    file = tmp_path / "people" / "old_berta.toml"
    row = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (row["name"], row["kind"]) == ("Old Berta", "villager")
    place = row["place"][0]
    assert wild_shipped_content().charts[place["realm"]].stands(place["x"], place["y"])
    file.write_text("mine", encoding="utf-8")
    assert main(["new", "npc", "Old Berta", "--data", str(tmp_path)]) == exits.REFUSED
    assert file.read_text(encoding="utf-8") == "mine"
    with pytest.raises(WritingError):
        writing.new_npc("../x", tmp_path)


QUESTS = """
name = "Berta"
kind = "villager"
[dialog.start]
text = "Well, {name}?"
answers = [
    { text = "Work?", if = { quest = "bread_for_edwin", state = "ready" }, do = [
        { start_quest = "bread_for_edwin" },
    ] },
    { text = "Here.", if = { quest = "bread_for_edwin", step = "bring" } },
    { text = "It is done.", if = { quest = "bread_for_edwin", state = "done" } },
    { text = "Bye." },
]
"""


@pytest.mark.parametrize(
    ("given", "offered"),
    [("", "Work?"), ("quest=bread_for_edwin", "Here."), ("quest=bread_for_edwin:done", "It is done.")],
)
def test_a_dialog_is_played_as_somebody_with_a_quest(tmp_path: Path, given: str, offered: str) -> None:
    file = tmp_path / "berta.toml"
    file.write_text(QUESTS, encoding="utf-8")
    out = io.StringIO()
    play(file, given, io.StringIO("0\n"), out, data_dir=DATA)
    labels = [line.split(". ", 1)[1] for line in out.getvalue().splitlines() if ". " in line]
    assert sorted(labels) == sorted([offered, "Bye."])


def test_a_player_that_cannot_be_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "berta.toml"
    file.write_text(QUESTS, encoding="utf-8")
    with pytest.raises(RehearsalError, match="no 'brin', did you mean 'bring'"):
        play(file, "quest=bread_for_edwin:brin", io.StringIO(), io.StringIO(), data_dir=DATA)
