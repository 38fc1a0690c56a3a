"""What every view declares: nothing is forgotten, and the page says the same."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.games import GAMES
from protocol.rendering import FLAGS, KINDS, LeftOut, Renderings, Shown
from protocol.requests import DONE, Request, listed
from protocol.wishes import Idle, Unmet, Wish
from server import exits
from server.__main__ import main
from server.content.families import build_families
from server.content.loading import ContentError
from server.content.reference import requests, views
from server.operate.check import check
from tests.kit.town import shipped_content
from tests.kit.worlds import person, plain_world
from world import events
from world.delta import MobileDelta, flags_of
from world.events import Event, Said, Speech, Stepped, Turned

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.outgoing import Outgoing
    from tests.kit.toys import ToyView
    from world.mobile import Mobile, Viewport

ROOT = Path(__file__).parents[1]


# Nothing is forgotten


@pytest.mark.parametrize("game", GAMES)
def test_every_view_declares_every_kind_of_event_and_every_flag(game: str) -> None:
    (family,) = build_families(shipped_content(), [game]).values()
    declared = family.view.declared
    assert declared.missing() == []
    for declaration in declared.events.values():
        assert (declaration.because if isinstance(declaration, LeftOut) else declaration.how).strip()


def test_every_class_of_events_is_one_of_the_kinds() -> None:
    """A new class that somebody forgets to add to `Moment` would be asked of no view."""
    written: set[type[Event]] = set()
    for value in vars(events).values():
        if isinstance(value, type) and issubclass(value, Event) and "__attrs_attrs__" in vars(value):
            written.add(value)
    assert written == set(KINDS)
    assert len(KINDS) == len(set(KINDS)) >= 18


def test_what_a_view_forgets_is_named() -> None:
    declared: Renderings[ToyView, Hashable] = Renderings()
    everything = declared.missing()
    assert len(everything) == len(KINDS) + sum(len(flags_of(flags)) for flags in FLAGS.values())
    declared.leaves_out(Stepped, because="it is a test")
    declared.changes(MobileDelta, {MobileDelta.HITS: Shown("not at all")})
    left = declared.missing()
    assert "its view says nothing of events of the kind Turned" in left
    assert "its view says nothing of MobileDelta.NAME" in left
    assert not any("Stepped" in line or "MobileDelta.HITS" in line for line in left)


def test_a_server_with_a_view_that_forgets_does_not_start_and_the_check_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = build_families(shipped_content(), ["eo"])["eo"].view.declared
    monkeypatch.delitem(view.events, Turned)
    monkeypatch.delitem(view.flags[MobileDelta], MobileDelta.HITS)
    expected = [
        "eo: its view says nothing of events of the kind Turned",
        "eo: its view says nothing of MobileDelta.HITS",
    ]
    with pytest.raises(ContentError) as refused:
        build_families(shipped_content(), ["uo", "eo"])
    assert refused.value.problems == expected
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\nstate_dir = "{tmp_path}"\n[database]\nurl = "sqlite:///{tmp_path}/w.db"\n')
    assert [problem for problem in check(config, GAMES).problems if "its view" in problem] == expected


# The registry


def test_a_kind_is_declared_once_and_says_how_it_is_shown() -> None:
    declared: Renderings[ToyView, Hashable] = Renderings()

    @declared.renders(Stepped)
    def stepped(view: ToyView, event: Stepped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """A packet, to
        others. More of it here.

        And here.
        """
        return []

    assert declared.events[Stepped] == Shown("A packet, to others")
    with pytest.raises(ValueError, match="Stepped has been declared before"):
        declared.leaves_out(Stepped, because="it is a test")

    def turned(view: ToyView, event: Turned, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        return []

    with pytest.raises(ValueError, match="turned does not say how it shows Turned"):
        declared.renders(Turned)(turned)
    with pytest.raises(ValueError, match="MobileDelta has no 0x3"):
        declared.changes(MobileDelta, {MobileDelta.NAME | MobileDelta.FLAGS: Shown("both")})


def test_a_handler_of_another_kind_is_a_type_error() -> None:
    """Held by the type checker: it reports an ignored error that is none."""
    declared: Renderings[ToyView, Hashable] = Renderings()

    @declared.renders(Turned)  # type: ignore[arg-type]
    def said(view: ToyView, event: Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Words."""
        return []

    assert Turned in declared.handlers


# Words


@attrs.define
class TreeFell(Event):
    """A kind that a script defines."""

    thing: Mobile | None
    viewers: Sequence[Viewport] = ()


def test_an_event_says_itself() -> None:
    alric = person(plain_world())
    assert TreeFell(alric).words(own=True) == "Alric: tree fell."
    assert TreeFell(None).words(own=False) == "Tree fell."
    died = events.Died(alric, ())
    assert died.words(own=False) == "Alric dies."
    assert died.words(own=True) == events.YOU_DIED
    assert Stepped(alric, 1, 1, 2, 1, 2, False, (), ()).words(own=False) is None
    assert Said(alric, Speech.SAY, "Hail", (), "Alric").words(own=False) == "Alric: Hail"
    assert not died.anywhere


# The page


def test_the_page_has_what_the_views_declare(capsys: pytest.CaptureFixture[str]) -> None:
    families = build_families(shipped_content(), list(GAMES))
    page = (ROOT / "docs/views.md").read_text(encoding="utf-8")
    written = page.partition("<!-- causeway views -->\n")[2].partition("<!-- end views -->")[0]
    assert written == views(families), "run `causeway views --into docs/views.md`"
    for kind in KINDS:
        assert f"\n| {kind.__name__} | " in written
    asked = page.partition("<!-- causeway requests -->\n")[2].partition("<!-- end requests -->")[0]
    assert asked == requests(families), "run `causeway views --into docs/views.md`"
    assert main(["views"]) == exits.GOOD
    assert capsys.readouterr().out == f"{written}\n{asked}"


def test_the_program_writes_its_part_of_the_page(tmp_path: Path) -> None:
    page, whole = tmp_path / "views.md", (ROOT / "docs/views.md").read_text(encoding="utf-8")
    page.write_text(whole.replace("| Stepped |", "| Forgotten |"), encoding="utf-8")
    assert main(["views", "--into", str(page)]) == exits.GOOD
    assert page.read_text(encoding="utf-8") == whole
    page.write_text("nothing of it", encoding="utf-8")
    assert main(["views", "--into", str(page)]) == exits.REFUSED


def test_a_request_is_listed_once_by_what_comes_of_it() -> None:
    bank, ping = Request("0x24", "Open", Unmet(Wish.POST)), Request("0x73", "Ping", Idle("it is alive"))
    assert list(listed([ping, bank, Request("Sit", "Sit", DONE)]))[2:] == [
        "| the deed, or the game's own refusal | Sit |",
        f"| “{Wish.POST.value}” | Open (0x24) |",
        "| nothing: it is alive | Ping (0x73) |",
    ]
    with pytest.raises(ValueError, match="0x24 is Open and Shut"):
        list(listed([bank, Request("0x24", "Shut", DONE)]))


# What is kept of a thing


def test_views_keep_what_they_work_out_where_a_change_empties_it() -> None:
    """Through `Thing.kept`, and not in what stands behind it."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.attr}"
        for path in sorted((ROOT / "protocol").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"rendered", "delta"}
    ]
    assert found == []
    alric = person(plain_world())
    alric.kept()["test"] = 1
    assert alric.kept() == {"test": 1}
    alric.name = "Otto"
    assert alric.kept() == {}
