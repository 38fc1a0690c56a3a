"""Scripts hear what happens; what goes wrong in one costs that call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from server.content import scripts
from server.content.scripts import read_scripts
from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import holding, life, residents, speech, using
from world.content import Resident
from world.daytime import HOUR_SECONDS
from world.events import Said
from world.renewal import prepare, renew
from world.scripting import ScriptError, said
from world.space import Sight

if TYPE_CHECKING:
    from world.scripting import Hooks
    from world.world import World

SCRIPTS = Path(__file__).parents[2] / "data" / "scripts"


def written(tmp_path: Path, text: str) -> tuple[Hooks, list[str]]:
    (tmp_path / "scripts").mkdir(exist_ok=True)
    (tmp_path / "scripts" / "one.py").write_text(text, encoding="utf-8")
    problems: list[str] = []
    return read_scripts(tmp_path, problems), problems


def scripted(tmp_path: Path, text: str) -> World:
    hooks, problems = written(tmp_path, "from world import speech\nfrom world.scripting import *\n" + text)
    assert problems == []
    return plain_world(attrs.evolve(plain_content(), scripts=hooks))


def told(world: World) -> list[str]:
    return [event.text for event in world.take_changes().events if isinstance(event, Said)]


def test_every_occasion_is_heard(tmp_path: Path) -> None:
    world = scripted(
        tmp_path,
        "seen = []\n"
        "@entered\ndef a(mobile): mobile.title = 'entered'\n"
        "@said('Wool')\ndef b(mobile, text): mobile.title = text\n"
        "@used('bread')\ndef c(mobile, item): mobile.title = item.template.key\n"
        "@died\ndef d(mobile, killer): mobile.title = f'killed by {killer.name}'\n"
        "@every(1)\ndef e(world): world.dawn += 1\n"
        "@command('dance', 'you dance')\ndef f(mobile, rest): mobile.title = rest\n",
    )
    mobile, other = person(world, x=10, y=10), person(world, x=11, y=10)
    world.scripts.entered(mobile)
    assert mobile.title == "entered"
    speech.say(mobile, "Any woollen things?")
    assert mobile.title == "Any woollen things?"
    assert world.scripts.order(mobile, 0, "Dance a jig")
    assert mobile.title == "a jig"
    assert not world.scripts.order(mobile, 0, "sing")
    dawn = world.dawn
    goes_on(world, 10)
    assert 8 <= world.dawn - dawn <= 10
    life.kill(mobile, other)
    assert mobile.title == f"killed by {other.name}"
    assert not world.scripts.problems


def test_what_was_used_is_told_when_it_was(tmp_path: Path) -> None:
    world = scripted(tmp_path, "@used('backpack')\ndef c(mobile, item): mobile.title = item.label\n")
    mobile = person(world, x=10, y=10)
    pack = holding.make(world, "backpack")
    world.enter(pack, world.realms["plain"], 11, 10)
    using.use(mobile, pack)
    assert mobile.title == "backpack"


def test_an_exception_costs_the_call_and_is_told_with_file_and_line(tmp_path: Path) -> None:
    world = scripted(
        tmp_path,
        "@entered\ndef a(mobile):\n    mobile.hits = 1 // 0\n"
        "@entered\ndef b(mobile):\n    mobile.title = 'b'\n",
    )
    mobile = person(world, x=10, y=10)
    world.scripts.entered(mobile)
    assert mobile.title == "b"
    (line,) = world.scripts.problems
    assert line == "scripts/one.py:5: ZeroDivisionError: integer division or modulo by zero"


def test_a_script_does_not_answer_itself(tmp_path: Path) -> None:
    world = scripted(tmp_path, "@said('wool')\ndef a(mobile, text):\n    speech.say(mobile, 'Wool? Wool!')\n")
    mobile = person(world, x=10, y=10)
    mobile.access = 1
    world.open_viewport(mobile, 1, Sight(18))
    speech.say(mobile, "Any wool?")
    speech.say(mobile, "More wool?")
    assert told(world) == ["Any wool?", "Wool? Wool!", "More wool?", "Wool? Wool!"]
    assert not world.scripts.problems


def test_a_script_that_asks_the_server_to_end_ends_its_own_call(tmp_path: Path) -> None:
    world = scripted(tmp_path, "@entered\ndef a(mobile):\n    raise SystemExit(3)\n")
    world.scripts.entered(person(world, x=10, y=10))
    assert [*world.scripts.problems] == ["scripts/one.py:5: SystemExit: 3"]


def test_a_call_that_takes_long_is_named(tmp_path: Path) -> None:
    world = scripted(tmp_path, "@entered\ndef slow(mobile):\n    mobile.title = 'b'\n")
    times = iter((0.0, 0.051))
    world.stopwatch = lambda: next(times)
    world.scripts.entered(person(world, x=10, y=10))
    assert [*world.scripts.problems] == ["scripts/one.py:3: took 51 ms"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def a(:\n", "scripts/one.py:1: invalid syntax"),
        ("\nimport os\n", "scripts/one.py:2: import os: a script imports from `world` alone"),
        ("from server import logs\n", "scripts/one.py:1: import server: a script imports from"),
        ("\n\nopen('x')\n", "scripts/one.py:3: NameError: name 'open' is not defined"),
        ("x = {}\nx['a']\n", "scripts/one.py:2: KeyError: 'a'"),
        (
            "from world.scripting import every\n@every(0)\ndef a(world): pass\n",
            "scripts/one.py:2: ScriptError: every: must be 0.1 to 2592000 seconds, is 0",
        ),
        (
            "from world.scripting import every\n@every\ndef a(world): pass\n",
            "scripts/one.py:2: ScriptError: every: needs a number of seconds, as in every(60)",
        ),
        (
            "from world.scripting import said\n@said('x')\ndef a(mobile): pass\n",
            "scripts/one.py:2: ScriptError: said: is called as a(mobile, text): a does not take that",
        ),
        (
            "from world.scripting import entered\n@entered\nasync def a(mobile): pass\n",
            "scripts/one.py:2: ScriptError: entered: a: must be a plain function",
        ),
        ("raise SystemExit\n", "scripts/one.py:1: SystemExit"),
        (
            "from world import speach\n",
            "scripts/one.py:1: ImportError: cannot import name 'speach' from 'world', did",
        ),
        ("x = 1\nwhile x:\n    x = 2\n", "scripts/one.py:"),
        (
            "from world.scripting import command\n@command('No', 'x')\ndef a(m, r): pass\n",
            "scripts/one.py:2: ScriptError: command: 'No'",
        ),
    ],
)
def test_a_wrong_script_costs_a_line_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: str
) -> None:
    monkeypatch.setattr(scripts, "LONGEST", 0.02)
    _, (told_line,) = written(tmp_path, text)
    assert told_line.startswith(line)


def test_only_a_script_can_ask_for_calls() -> None:
    with pytest.raises(ScriptError):
        said("wool")(unheard)


def unheard(mobile: object, text: str) -> None:
    """Nobody calls it."""


def test_a_reload_replaces_the_hooks_and_ends_their_timers(tmp_path: Path) -> None:
    world = scripted(tmp_path, "@every(1)\ndef e(world): world.dawn += 1\n")
    hooks, _ = written(
        tmp_path, "from world.scripting import *\n@every(1)\ndef e(world): world.dawn += 100\n"
    )
    renew(world, prepare(world.content, attrs.evolve(world.content, scripts=hooks)))
    goes_on(world, 10)
    assert world.dawn % 100 == 0
    assert world.dawn > 0
    before = world.dawn
    renew(world, prepare(world.content, attrs.evolve(plain_content())))
    goes_on(world, 5)
    assert world.dawn == before


def test_the_crier_calls_the_hour_and_answers_who_asks() -> None:
    problems: list[str] = []
    hooks = read_scripts(SCRIPTS.parent, problems)
    assert problems == []
    content = attrs.evolve(plain_content(residents=(Resident("crier", 20, 20),)), scripts=hooks)
    world = plain_world(content)
    residents.settle(world)
    mobile = person(world, x=21, y=20)
    world.open_viewport(mobile, 1, Sight(18))
    goes_on(world, 2.5)
    assert told(world) == []
    world.dawn += HOUR_SECONDS
    goes_on(world, 2.5)
    assert any(text.endswith("o'clock, and all is well!") for text in told(world))
    assert world.scripts.order(mobile, 0, "hour")
    assert any(text.startswith("It is ") for text in told(world))
    assert not world.scripts.problems
