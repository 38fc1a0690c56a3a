"""Declarations of the web client's messages: each an annotated frozen class with a name.

    @message("walk")
    class Walk(Message):
        \"\"\"One step.\"\"\"
        sequence: int = whole(0, 0xFFFF)
        heading: int = whole(0, 7)
        run: bool = False

On the wire it is one line of JSON, {"t":"walk","sequence":3,"heading":2}: `t` is the name, and fields that
have their default are left out. Nothing is coerced (1.0 and "1" are not 1, true is not 1); an unknown field,
a number out of its range and a text longer than its field says are errors of the wire as with every other
game. What is wrong is told without what was said: it may have been a password.

Half of a surrogate pair is no error: a browser whose text is cut at so many UTF-16 units says one. It is read
as U+FFFD, which nothing keeps (`world.speech.clean`) and no password may hold.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, dataclass_transform
from zlib import crc32

import attrs
import cattrs
import msgspec
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from protocol.endings import WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

C = TypeVar("C", bound="type[Message]")

TAG: Final = "t"
"""The key of a message's name."""

SERIAL: Final = 0xFFFF_FFFF
"""The highest serial of a thing."""


class Message:
    """Base of all messages; `message` fills in the class attributes."""

    tag: ClassVar[str]
    opcode: ClassVar[int]
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it, see `protocol.wire.body.Body`."""
    secret: ClassVar[bool] = False

    def encode(self) -> bytes:
        """The line, without its newline."""
        fields = _CONVERTER.unstructure(self)
        return _written({TAG: self.tag, **fields})

    @classmethod
    def decode(cls, line: bytes) -> Self:
        """From such a line. Raises WireError."""
        found = parse(line)
        if found.pop(TAG) != cls.tag:
            raise WireError(f"is no {cls.tag}")
        try:
            return _CONVERTER.structure(found, cls)
        except Exception as error:  # cattrs wraps whatever a hook or a validator raises
            raise WireError(f"{cls.tag}: {_first_of(error)}") from None


def whole(low: int, high: int, *, default: int | None = None) -> int:
    """A field that is a whole number of a range, both ends included."""

    def check(_: object, attribute: attrs.Attribute[int], value: int) -> None:
        if not low <= value <= high:
            raise ValueError(f"{attribute.name} must be from {low} to {high}")

    form = {"form": f"{low} to {high}"}
    if default is None:
        return attrs.field(validator=check, metadata=form)
    return attrs.field(validator=check, default=default, metadata=form)


def text(longest: int, *, default: str | None = None) -> str:
    """A field that is a text of at most so many letters."""

    def check(_: object, attribute: attrs.Attribute[str], value: str) -> None:
        if len(value) > longest:
            raise ValueError(f"{attribute.name} must have at most {longest} letters")

    form = {"form": f"text of at most {longest}"}
    if default is None:
        return attrs.field(validator=check, metadata=form)
    return attrs.field(validator=check, default=default, metadata=form)


def one_of(words: Sequence[str], *, default: str) -> str:
    """A field that is one of some words."""

    def check(_: object, attribute: attrs.Attribute[str], value: str) -> None:
        if value not in words:
            raise ValueError(f"{attribute.name} must be one of {', '.join(words)}")

    return attrs.field(validator=check, default=default, metadata={"form": f"one of {', '.join(words)}"})


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field, whole, text, one_of))
def message(name: str, *, droppable: bool = False, secret: bool = False) -> Callable[[C], C]:
    """Declare a message of that name; see the module."""

    def declare(cls: C) -> C:
        made = attrs.frozen(cls)
        made.tag, made.opcode = name, opcode_of_name(name)
        made.droppable, made.secret = droppable, secret
        return made

    return declare


def opcode_of_name(name: str) -> int:
    """A number for a name: tables know messages by numbers."""
    return crc32(name.encode()) & 0x7FFF_FFFF


def name_of_line(line: bytes) -> str:
    """The name in a line. Raises WireError."""
    return str(parse(line)[TAG])


def parse(line: bytes) -> dict[str, object]:
    """A line as an object with a name. Raises WireError for everything else."""
    return _parse(line).copy()


@lru_cache(maxsize=1)
def _parse(line: bytes) -> dict[str, object]:
    """A line is looked at by the codec, for its opcode and to be decoded, one right after the other."""
    try:
        found = _read(line)
    except (ValueError, RecursionError):
        found = _with_halves(line)
    if not isinstance(found, dict) or not isinstance(found.get(TAG), str):
        raise WireError(f'is no object with a name in "{TAG}"')
    return found


_read: Final = msgspec.json.Decoder().decode
_write: Final = msgspec.json.Encoder().encode


def _with_halves(line: bytes) -> object:
    """A line that msgspec cannot read, because it holds half of a surrogate pair. Raises WireError if it is
    for another reason."""
    try:
        if b"\\u" in line:
            return json.loads(line.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        pass
    raise WireError("is no line of JSON")


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is no number")


def _written(fields: Mapping[str, object]) -> bytes:
    try:
        return _write(fields)
    except UnicodeEncodeError:  # half of a surrogate pair, which only a bot would say
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")


def _first_of(error: BaseException) -> str:
    """The first thing that is wrong, in words that hold nothing of what was said."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case ForbiddenExtraKeysError():
            return "has a field that it does not know"
        case KeyError():
            return f"lacks {error}"
        case ValueError():
            return str(error)
        case _:
            return "cannot be read"


_WORDS: Final = {int: "a whole number", str: "a text", bool: "true or false"}


def _strictly(kind: type) -> Callable[[object, type], object]:
    def structure(value: object, _: type) -> object:
        if type(value) is not kind:
            raise ValueError(f"something in it is not {_WORDS[kind]}")
        return _whole_text(value) if isinstance(value, str) else value

    return structure


def _whole_text(value: str) -> str:
    """A text without halves of surrogate pairs."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def _structure(cls: type) -> Callable[[Mapping[str, object], type], object]:
    return make_dict_structure_fn(cls, _CONVERTER, _cattrs_forbid_extra_keys=True)


def _unstructure(cls: type) -> Callable[[object], dict[str, object]]:
    return make_dict_unstructure_fn(cls, _CONVERTER, _cattrs_omit_if_default=True)


_CONVERTER: Final = cattrs.Converter(forbid_extra_keys=True, omit_if_default=True, detailed_validation=True)
for _kind in (int, str, bool):
    _CONVERTER.register_structure_hook(_kind, _strictly(_kind))
