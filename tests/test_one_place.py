"""Rules stand in `world/` and nowhere else: read from the syntax trees of `protocol/`.

A handler decodes, makes one call into the world, and turns `Cannot` into its game's refusal. So nothing under
`protocol/` assigns to what belongs to the world, marks a change, or looks through what happened this turn.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from world.item import Item
from world.mobile import Gait, Mobile, Viewport
from world.realm import Realm
from world.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "protocol").rglob("*.py"))

EVERYTHING = [*FILES, *sorted((ROOT / "world").rglob("*.py")), *sorted((ROOT / "server").rglob("*.py"))]

MONEY = frozenset({"gold", "GOLD"})
"""The one kind of thing that everybody knows."""

OF_THEIR_OWN = frozenset({"self", "cls", "session", "client", "info", "line", "server"})
"""Names of what is no thing of the world and has attributes that are called like one's."""

WORLDS_OWN = frozenset({"events", "dirty", "listeners", "gags", "mobiles", "items"})
"""Registries of `world.world.World` that nobody else changes."""

CHANGING = frozenset({"append", "add", "clear", "discard", "extend", "insert", "pop", "remove", "update"})


def attributes() -> frozenset[str]:
    """Everything that can be assigned to things, realms and eyes."""
    found: set[str] = set(Viewport.__slots__)
    for kind in (Thing, Mobile, Item, Gait, Realm):
        found |= {field.name for field in attrs.fields(kind)}
        found |= {name for name, value in vars(kind).items() if isinstance(value, property)}
    return frozenset(name for name in found if not name.startswith("_"))


ATTRIBUTES = attributes()


def offences(source: str) -> Iterator[str]:
    """What a module does that only the world may."""
    for node in ast.walk(ast.parse(source)):
        for target in _assigned(node):
            base = target.value
            is_own = isinstance(base, ast.Name) and base.id in OF_THEIR_OWN
            if target.attr in ATTRIBUTES | WORLDS_OWN and not is_own:
                yield f"line {target.lineno}: assigns to {ast.unparse(target)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _changes(node.func):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Attribute) and _looks_back(node):
            yield f"line {node.lineno}: looks at {ast.unparse(node)}"


def _looks_back(node: ast.Attribute) -> bool:
    """Whether it is what happened this turn: `world.events` is the module."""
    whose = ast.unparse(node.value)
    return node.attr == "take_changes" or (node.attr == "events" and whose.endswith(".world"))


def _changes(called: ast.Attribute) -> bool:
    """Whether a call marks something, or changes a registry of the world's."""
    if called.attr in ("mark", "touch"):
        return True
    return called.attr in CHANGING and isinstance(called.value, ast.Attribute) and _is_worlds(called.value)


def _is_worlds(registry: ast.Attribute) -> bool:
    return registry.attr in WORLDS_OWN and ast.unparse(registry.value).endswith("world")


def _assigned(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a statement assigns to, or whose elements it does."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif isinstance(target, ast.Subscript | ast.Starred):
            targets.append(target.value)
        elif isinstance(target, ast.Attribute):
            yield target


def test_no_game_changes_the_world_by_itself() -> None:
    found = {str(file.relative_to(ROOT)): list(offences(file.read_text("utf-8"))) for file in FILES}
    assert len(found) > 300
    assert {file: lines for file, lines in found.items() if lines} == {}


def turns(source: str) -> bool:
    """Whether a module turns somebody without asking: `motion.turn` is the world's own, `motion.face` is for
    players."""
    if "motion.turn" not in source:
        return False
    called = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return "motion.turn" in map(ast.unparse, called)


def test_players_turn_by_the_rule_of_the_world() -> None:
    assert turns("motion.turn(mobile, 3)")
    assert [str(file.relative_to(ROOT)) for file in FILES if turns(file.read_text("utf-8"))] == []


def kinds_compared(source: str) -> Iterator[str]:
    """Where a template's key is compared with a name that is written there."""
    if "template.key" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        names = [side.value for side in sides if isinstance(side, ast.Constant)]
        names += [side.id for side in sides if isinstance(side, ast.Name) and side.id.isupper()]
        if any(ast.unparse(side).endswith("template.key") for side in sides) and set(names) - MONEY:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_what_somebody_does_is_a_role_and_no_kind() -> None:
    found = {
        str(file.relative_to(ROOT)): list(kinds_compared(file.read_text("utf-8"))) for file in EVERYTHING
    }
    assert len(found) > 600
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_a_kind_that_is_asked_for_is_found() -> None:
    line = 'if mobile.template.key == "healer" or HEALER == thing.template.key: pass'
    assert len(list(kinds_compared(line))) == 2
    assert list(kinds_compared('item.template.key == "gold" or item.template.key == template')) == []


@pytest.mark.parametrize(
    "line",
    [
        "mobile.war = True",
        "session.mobile.x += 1",
        "mobile.gait.walk_ms, y = 1, 2",
        "mobile.worn[3] = item",
        "del container.contents[item.serial]",
        "mobile.mark(1)",
        "item.touch()",
        "for moment in mobile.world.events: pass",
        "session.world.gags.pop(1)",
        "session.world.mobiles.clear()",
    ],
)
def test_what_only_the_world_may_do_is_found(line: str) -> None:
    assert len(list(offences(line))) == 1


def test_what_everybody_may_do_is_not() -> None:
    lines = ("session.account = None", "self.x = 1", "from world.events import Said", "x = mobile.hits")
    assert [list(offences(line)) for line in lines] == [[]] * len(lines)


def test_who_is_looked_for_by_name_is_found_by_the_one_rule() -> None:
    """Staff that hides is nowhere to players: `world.presence` knows, and the registry of names does not."""
    asked = [path.name for path in FILES if "online_by_name(" in path.read_text()]
    assert not asked, "call presence.by_name, or presence.hearer for words"
