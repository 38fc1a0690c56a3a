"""Docstrings: what each must begin with, name and explain.

A docstring begins with a verb or a noun, so that it can be read alone in a list of names; "What ...", "Who
..." and the like need the code beside them. A public function that raises an exception names its class. A
module over 250 lines begins with its theory: the problem, the idea, and what was not done.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[1]

PROGRAM: Final = ("world", "protocol", "server")

HEADS: Final = frozenset(
    {
        *("What", "Whatever", "Who", "Whom", "Whoever", "Whose", "Which", "Whichever"),
        *("How", "Where", "Wherever", "When", "Whenever"),
    }
)
"""First words of relative clauses. "Whether" may stay: it is a predicate's."""

LONG_MODULE: Final = 250
"""Lines beyond which a module's docstring has to be a theory."""

LEAST_THEORY: Final = 3
"""Sentences, or lines, of a theory."""

UNNAMED: Final = frozenset({"NotImplementedError", "AssertionError", "AttributeError", "StopIteration"})
"""Exceptions by which a function keeps to a protocol of Python's own, or of an abstract base."""


def complaints(source: str, where: str = "") -> Iterator[str]:
    """Yield a line for everything in a module's text that breaks one of the rules."""
    module = ast.parse(source)
    text = ast.get_docstring(module) or ""
    if _has_bad_head(text):
        yield f"{where}: the module's docstring begins with {text.split()[0]}"
    lines = len(source.splitlines())
    if lines > LONG_MODULE and _size(text) < LEAST_THEORY:
        yield f"{where}: {lines} lines, and no theory in its docstring"
    yield from _complaints_within(module, where)


def _complaints_within(node: ast.Module | ast.ClassDef, where: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if child.name.startswith("_") and not child.name.startswith("__"):
            continue
        name = f"{where}:{child.lineno} {child.name}"
        text = ast.get_docstring(child) or ""
        if _has_bad_head(text):
            yield f"{name} begins with {text.split()[0]}"
        if isinstance(child, ast.ClassDef):
            yield from _complaints_within(child, where)
        elif not child.name.startswith("_"):
            yield from (
                f"{name} does not say that it raises {error}"
                for error in sorted(_raised(child))
                if not _names(text, error)
            )


def _has_bad_head(text: str) -> bool:
    head = re.match(r"\w+", text)
    return head is not None and head[0] in HEADS


def _size(text: str) -> int:
    """Sentences or lines, whichever are more."""
    return max(
        len(re.findall(r"[.:?!](?:\s|$)", text)), sum(bool(line.strip()) for line in text.splitlines())
    )


def _names(text: str, error: str) -> bool:
    return re.search(rf"\b[Rr]aises?\b.*\b{error}\b", text, re.DOTALL) is not None


def _raised(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names of the exception classes that a function raises itself; functions within it do so on their own
    behalf. `raise` alone and `raise error` pass on what something else raised."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(raised).rpartition(".")[2]
            if name[:1].isupper() and name not in UNNAMED:
                names.add(name)
        waiting += ast.iter_child_nodes(node)
    return names


def test_docstrings_keep_the_rules() -> None:
    modules = sorted(path for folder in PROGRAM for path in (ROOT / folder).rglob("*.py"))
    assert len(modules) > 300
    found = [
        line for path in modules for line in complaints(path.read_text("utf-8"), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("head", sorted(HEADS))
@pytest.mark.parametrize(
    "snippet",
    [
        '"""{} it is."""',
        'class Thing:\n    """{} it is."""',
        'def act():\n    """{} it is."""',
        'class Thing:\n    async def act(self):\n        """{} it is."""',
        'class Thing:\n    def __len__(self):\n        """{} many."""',
    ],
)
def test_a_relative_clause_at_the_head_is_found(head: str, snippet: str) -> None:
    assert len(list(complaints(snippet.format(head)))) == 1
    assert len(list(complaints(snippet.format(f"{head},")))) == 1  # whatever stands behind the word


@pytest.mark.parametrize(
    "snippet",
    [
        '"""Whether it is."""',
        '"""Whatnots of the world."""',
        'def act():\n    """Act. What follows is free."""',
        'def _act():\n    """What private things say is their own business."""',
        "def act(): ...",
    ],
)
def test_other_heads_are_fine(snippet: str) -> None:
    assert not list(complaints(snippet))


@pytest.mark.parametrize(
    ("text", "raised", "count"),
    [
        ("Act.", "ValueError()", 1),
        ("Act. Raises ValueError if it cannot.", "ValueError()", 0),
        ("Act. Raises ValueError if it cannot.", "ValueError", 0),
        ("Act. Raises KeyError if it cannot.", "ValueError()", 1),
        ("Act with ValueErrors. Raises much.", "ValueError()", 1),
        ("Act on a ValueError.", "ValueError()", 1),
        ("Check. Raises Cannot(DEAD)\n    or Denied.", "errors.Denied(1)", 0),
        ("Act.", "NotImplementedError", 0),
        ("Act.", "error", 0),
        ("Act.", "misfit(error)", 0),
    ],
)
def test_raised_exceptions_are_named(text: str, raised: str, count: int) -> None:
    body = f'"""{text}"""\n    if True:\n        raise {raised}'
    assert len(list(complaints(f"def act():\n    {body}"))) == count
    assert not list(complaints(f"def _act():\n    {body}"))


def test_a_function_within_raises_on_its_own_behalf() -> None:
    assert not list(complaints("def act():\n    def inner():\n        raise ValueError\n    return inner"))
    assert list(complaints("def act():\n    raise ValueError"))


@pytest.mark.parametrize(
    ("text", "lines", "count"),
    [
        ("Short.", LONG_MODULE, 0),
        ("Short.", LONG_MODULE + 1, 1),
        ("One. Two.", LONG_MODULE + 1, 1),
        ("One. Two. Three.", LONG_MODULE + 1, 0),
        ("One\ntwo\nthree.", LONG_MODULE + 1, 0),
    ],
)
def test_long_modules_need_a_theory(text: str, lines: int, count: int) -> None:
    head = f'"""{text}"""\n'
    source = head + "x = 1\n" * (lines - head.count("\n"))
    assert len(source.splitlines()) == lines
    assert len(list(complaints(source))) == count
