"""Tables of TOML: reads one row into a typed record, and finds every mistake in it instead of the first.

An operator wrote the rows: a misspelt key must be an error with the nearest right name, and a number in
quotes must not quietly become a number. cattrs does the walking, with its conversions made strict.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import TypeVar, cast, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn

T = TypeVar("T")

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class _WrongTypeError(Exception):
    """A value is not of the type that the table asks for."""


def _strict(value: object, kind: type[T]) -> T:
    # bool is an int to Python, but `walkable = 1` is a mistake in a table.
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return cast("T", float(value))  # 60 is a number as well as 60.0
    raise _WrongTypeError(f"must be {_WORDS[kind]}, is {value!r}")


def _table_first(kind: type[T], converter: Converter) -> Callable[[object, object], T]:
    inner = make_dict_structure_fn(
        kind, converter, _cattrs_forbid_extra_keys=True, _cattrs_detailed_validation=True
    )

    def structure(value: object, _: object) -> T:
        if not isinstance(value, Mapping):
            raise _WrongTypeError(f"must be a table in {{ }}, is {value!r}")
        return inner(value, kind)

    return structure


def _is_list(kind: object) -> bool:
    return get_origin(kind) in (tuple, Sequence) and get_args(kind)[1:] in ((), (Ellipsis,))


def _list_first(kind: type[T], converter: Converter) -> Callable[[object, object], T]:
    whole = cast("type[tuple[object, ...]]", GenericAlias(tuple, (get_args(kind)[0], ...)))
    inner = homogenous_tuple_structure_factory(whole, converter)

    def structure(value: object, _: object) -> T:
        if not isinstance(value, list | tuple):
            how = "in [ ]" if not isinstance(value, Mapping) else "in [ ], or each its table in [[ ]]"
            raise _WrongTypeError(f"must be a list {how}, is {value!r}")
        return cast("T", inner(value, kind))

    return structure


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind in _WORDS:
        converter.register_structure_hook(kind, _strict)
    # Of a text each letter would be an element, and what is no table would be asked for keys.
    converter.register_structure_hook_factory(attrs.has, _table_first)
    converter.register_structure_hook_factory(_is_list, _list_first)
    # Whoever says `object` looks at it himself.
    converter.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    return converter


_CONVERTER = _converter()


def nearest(word: str, known: Iterator[str] | list[str], alike: float = 0.6) -> str:
    """ ", did you mean ...?" with the most similar of the known words, or nothing. `alike`: how
    similar it has to be, 1 being the same (difflib)."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=alike)
    return f", did you mean {close[0]!r}?" if close else ""


def unknown(field: str, word: str, known: Collection[str]) -> list[str]:
    """A line about a word that is none of those known, or nothing."""
    return [] if word in known else [f"{field}: no {word!r}{nearest(word, list(known))}"]


def _messages(error: BaseException, path: str) -> Iterator[str]:
    if isinstance(error, ClassValidationError | IterableValidationError):
        for inner in error.exceptions:
            step = path
            for note in getattr(inner, "__notes__", ()):
                if isinstance(note, AttributeValidationNote):
                    step = f"{path}.{note.name}" if path else note.name
                elif isinstance(note, IterableValidationNote):
                    step = f"{path} {int(note.index) + 1}"
            yield from _messages(inner, step)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [field.name for field in attrs.fields(error.cl)]
        where = f"{path}: " if path else ""
        for key in sorted(error.extra_fields):
            yield f"{where}unknown key {key!r}{nearest(key, known)}"
    elif isinstance(error, KeyError):
        yield f"{path}: is missing"
    else:
        yield f"{path}: {error}" if path else str(error)


def read(cls: type[T], row: object, where: str, problems: list[str]) -> T | None:
    """Read a row as a record of class `cls`; returns None, and adds one line per mistake to `problems`, if it
    has any.

    Every line begins with `where` (file and key). Tuples and mappings of the record may hold what TOML holds.
    """
    if not isinstance(row, Mapping):
        problems.append(f"{where}: must be a table, is {row!r}")
        return None
    try:
        return _CONVERTER.structure(row, cls)
    except (ClassValidationError, IterableValidationError) as error:
        problems.extend(f"{where}: {message}" for message in _messages(error, ""))
        return None


class LookError(Exception):
    """A game cannot draw what the look tables say. `problems` has one line for each mistake."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
