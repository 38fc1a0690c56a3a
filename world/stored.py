"""Columns of a character in the store, declared once, at the attribute.

    _hits: int = attrs.field(default=50, metadata=stored())

says all there is to say. Rows are read from the declared slots and written back into them, in the order of
their declaration; the columns of the tables are made from the same (`server.store.tables`), a test compares
these with what the migrations build, and another takes every declared attribute to the store and back. So a
new number is one line here and one migration.

A row is a plain tuple, which a storage thread may keep. This module knows no SQL, and no class that it
describes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, TypeAlias

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Value: TypeAlias = bool | int | float | str | None

_KEY: Final = "stored"
_KINDS: Final[Mapping[object, type]] = {"bool": bool, "int": int, "float": float, "str": str}


@attrs.frozen
class Column:
    """One column of a table. `path` is where the value is read, dots and all (without a value if the first is
    None and the column nullable); `kind` is its type."""

    name: str
    path: str
    kind: type
    nullable: bool = False
    fixed: bool = False
    """Whether it is written when the character is made and never again."""
    wide: bool = False
    """Whether a whole number may have more than 32 bits."""
    length: int | None = None
    """Of a text, the most letters; None for any number."""
    reference: bool = False
    """Whether it is the key of something that the world knows: it cannot be written back as it is."""
    refers: str = ""
    """Of a number, the table whose row it names: `character`, `item`, or that of a record."""


@attrs.frozen
class _Declared:
    path: str
    kind: type | None
    nullable: bool
    fixed: bool
    wide: bool
    length: int | None
    refers: str
    late: bool


def stored(
    path: str = "",
    kind: type | None = None,
    *,
    nullable: bool = False,
    fixed: bool = False,
    wide: bool = False,
    length: int | None = None,
    refers: str = "",
    late: bool = False,
) -> Mapping[str, object]:
    """The metadata of an attribute that the store keeps. With `path` and `kind` the row has what is read
    there in its place: the key of a template, the name of a realm. What is `late`
    in a record is written with the next change of anything else in it."""
    return {_KEY: _Declared(path, kind, nullable, fixed, wide, length, refers, late)}


def columns(cls: type[attrs.AttrsInstance]) -> tuple[Column, ...]:
    """The declared attributes of a class, in the order of their declaration."""
    found = []
    for field in attrs.fields(cls):
        declared = field.metadata.get(_KEY)
        if isinstance(declared, _Declared):
            found.append(
                Column(
                    field.name.lstrip("_"),
                    declared.path or field.name,
                    declared.kind or _KINDS[field.type],
                    declared.nullable,
                    declared.fixed,
                    declared.wide,
                    declared.length,
                    reference=bool(declared.path),
                    refers=declared.refers,
                )
            )
    return tuple(found)


def is_noted(metadata: Mapping[object, object]) -> bool:
    """Whether the store has to hear of each change of the attribute of this metadata."""
    declared = metadata.get(_KEY)
    return isinstance(declared, _Declared) and not declared.late


def reader(read: Iterable[Column]) -> Callable[[object, object], tuple[object, ...]]:
    """A function that takes these columns' values from an object, with another value behind them. It is
    compiled: every save goes through it, in the world's own time."""
    values = ", ".join(map(_expression, read))
    made: Callable[[object, object], tuple[object, ...]] = eval(f"lambda thing, last: ({values}, last)")
    return made


def _expression(column: Column) -> str:
    first, dot, _ = column.path.partition(".")
    value = f"thing.{column.path}"
    return f"(None if thing.{first} is None else {value})" if dot and column.nullable else value


def put(thing: object, names: Sequence[Column], values: Sequence[object]) -> None:
    """Write values back into the slots they were read from, without marking a change."""
    for column, value in zip(names, values, strict=True):
        if not column.reference:
            setattr(thing, column.path, value)


class Row(tuple[object, ...]):
    """A row whose values can be asked for by name; the subclass names them. (`typing.NamedTuple` wants its
    fields written down, which would be a second declaration.)"""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    @classmethod
    def _make(cls, values: Iterable[object]) -> Self:
        return cls(values)

    def __getattr__(self, name: str) -> object:
        try:
            return self[self._fields.index(name)]
        except ValueError:
            raise AttributeError(name) from None

    def _replace(self, **changes: object) -> Self:
        return self._make(changes.pop(name, self[at]) for at, name in enumerate(self._fields))

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))
