"""The map of the program: rooms of server/, one shape for all games, and files one can read at a sitting.

Whoever exceeds a figure finds another room for what is new, or says in a docstring why it has to be so large.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from protocol.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = ("server", "protocol", "world")
BESIDE: Final = ("tests", "bench", "data")
"""Read as often as the program. Migrations are not: each is a list of columns, and stays as released."""

EVERYWHERE: Final = (
    *("__init__", "seam", "listener", "codec", "looks", "figures", "session"),
    *("view", "words", "dialogs", "requests"),
)
"""Modules of each game; ARCHITECTURE says what they hold, and which others a game may have."""

HANDLERS_EVERYWHERE: Final = (
    *("__init__", "table", "login", "characters", "entering"),
    *("motion", "talk", "things", "looking", "dialogs"),
)

OTHER_WORDS: Final = frozenset(
    ("appearance", "builds", "dialect", "keepsakes", "patches", "profiles", "speech", "talking", "tolerated")
)
"""Names that one game had for what all have."""

MOST_LINES: Final = 500
MOST_LINES_OF_A_FUNCTION: Final = 60
FLAT: Final = 8
"""Modules beside the rooms of server/."""


def modules(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / folder).glob("*.py")}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_the_shape_of_all_games(game: str) -> None:
    top, handlers = modules(f"protocol/{game}"), modules(f"protocol/{game}/handlers")
    assert [name for name in EVERYWHERE if name not in top] == []
    assert [name for name in HANDLERS_EVERYWHERE if name not in handlers] == []
    assert {"__init__", "base"} <= modules(f"protocol/{game}/packets")
    assert (top | handlers | modules(f"protocol/{game}/packets")) & OTHER_WORDS == set()


def test_names_are_shared() -> None:
    games: dict[str, set[str]] = {}
    for game in GAMES:
        for path in (ROOT / "protocol" / game).rglob("*.py"):
            games.setdefault(path.name, set()).add(game)
    shared = Counter(len(having) for having in games.values())
    assert shared[5] + shared[6] >= 20
    assert shared[1] <= 80


def test_the_rooms_of_the_server_say_what_happens_there() -> None:
    assert len(modules("server")) <= FLAT
    for room in sorted(path.parent for path in (ROOT / "server").glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
        assert text, f"{room.name} does not say what happens there"
        assert len(text.splitlines()) >= 3, room.name


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below: a function is in no expression, and most of a tree is expressions."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for below in getattr(node, field, ()):
            yield below
            yield from statements(below)


def long_functions(path: Path) -> Iterator[str]:
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION and "why" not in (ast.get_docstring(node) or ""):
                yield f"{path.relative_to(ROOT)}: {node.name} has {lines} lines"


def test_files_and_functions_can_be_read_at_a_sitting() -> None:
    long: list[str] = []
    for folder in (*PROGRAM, *BESIDE):
        for path in sorted((ROOT / folder).rglob("*.py")):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MOST_LINES:
                long.append(f"{path.relative_to(ROOT)} has {lines} lines")
            if lines > MOST_LINES_OF_A_FUNCTION:
                long += long_functions(path)
    assert long == []


# Rings of modules, those that only annotations make among them


def imports() -> dict[str, set[str]]:
    """What each module of the program imports of it."""
    paths = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in program()}
    names = {name.removesuffix(".__init__"): path for path, name in paths.items()}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        found[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found[name].add(inner if inner in names else node.module)
        found[name] = {other for other in found[name] if other in names and other != name}
    return found


def program() -> Iterator[Path]:
    for folder in PROGRAM:
        yield from (ROOT / folder).rglob("*.py")


def rings(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import one another in rings: what can be reached from one and reaches it."""
    reach = {name: reached(graph, name) for name in graph}
    found: list[list[str]] = []
    left = set(graph)
    while left:
        name = left.pop()
        ring = {other for other in reach[name] if name in reach[other]} | {name}
        left -= ring
        if len(ring) > 1:
            found.append(sorted(ring))
    return found


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def test_rings_of_modules_are_few_and_small() -> None:
    found = rings(imports())
    assert len(found) <= 3, found
    assert [ring for ring in found if len(ring) > 4] == []


def test_a_ring_is_found() -> None:
    assert rings({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
