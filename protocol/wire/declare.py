"""One declaration per packet: an annotated class that compiles to `decode` and `encode`.

    @packet(0x22, header=..., length=3)
    class MoveAck(Packet):
        \"\"\"The step was taken.\"\"\"
        sequence: U8
        notoriety: Annotated[U8, "colours the health bar"]

Runs of fixed-size fields fold into one `struct.Struct`; the functions are compiled once per class with
`exec`, as attrs and cattrs do, which makes a declaration as fast as the same code written by hand. The
generated text stays on the class as `SOURCE` and in `linecache`, so that tracebacks show it. This is the only
module that generates code.

A declaration is refused when it is made, not when it is used: a field without a wire type, with a name that
the class or its base has already, or one that begins with an underscore, as the names of the generated code
do. What does not fit its field is an EncodeError that names both. A frame is taken if it is that packet to
its last byte; `trailing` says of packets that real clients send more.

The same declaration yields the documentation (`protocol.wire.describe`) and, in the tests, a Hypothesis
strategy.
"""

from __future__ import annotations

import inspect
import linecache
import struct
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Protocol,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

import attrs

from protocol.endings import WireError
from protocol.wire.fields import Constant, Field, FixedText, Integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

C = TypeVar("C", bound=type)
V = TypeVar("V")


class EncodeError(ValueError):
    """A value does not fit its field; the message names packet and field."""


@attrs.frozen
class Header:
    """Bytes before the fields of every message of a game. `prefix` are the bytes in front of the first field,
    with zeros where the length will stand; `length_at` is the offset of the big-endian u16 that counts the
    whole message, None if this message does not carry it."""

    prefix: bytes
    length_at: int | None = None

    def fits(self, frame: bytes) -> bool:
        """Whether a frame begins with it, whatever its length."""
        at = self.length_at
        if at is None:
            return frame.startswith(self.prefix)
        return frame.startswith(self.prefix[:at]) and frame.startswith(self.prefix[at + 2 :], at + 2)


@attrs.frozen
class Layout:
    """One layout of a declared class on the wire: its reader and writer, and the members they were made
    from."""

    members: tuple[Member, ...]
    read: Callable[[bytes, int], tuple[Any, int]]
    """One of the class at an offset, and the offset behind it."""
    write: Callable[[Any, bytearray], None]
    """Append it."""
    source: str = attrs.field(repr=False)


@attrs.frozen
class Member:
    """One declared field: its attribute name, its type and the notes of its annotation."""

    name: str
    field: Field
    notes: tuple[str, ...] = ()
    marks: tuple[object, ...] = ()
    """What else its annotation says: a game's own, for layouts of which not all have this member."""


class Struct:
    """Base of declared classes without a header: the elements of lists."""

    __slots__ = ()

    MEMBERS: ClassVar[tuple[Member, ...]] = ()
    SOURCE: ClassVar[str] = ""

    @classmethod
    def read(cls, data: bytes, at: int) -> tuple[Self, int]:
        """One element at offset `at`, and the offset behind it. Raises WireError."""
        raise NotImplementedError

    def write(self, out: bytearray) -> None:
        """Append this element."""
        raise NotImplementedError


class Packet(Struct):
    """Base of declared packets."""

    __slots__ = ()

    opcode: ClassVar[int] = -1
    header: ClassVar[Header] = Header(b"")
    length: ClassVar[int | None] = None
    """Bytes of the whole message if it never varies."""
    minimum: ClassVar[int] = 0
    maximum: ClassVar[int | None] = None
    droppable: ClassVar[bool] = False
    """Whether a slow client may lose it (its loss leaves no wrong belief)."""
    secret: ClassVar[bool] = False
    """Whether it tells its receiver a key, so that nobody may write it down."""
    trailing: ClassVar[bool] = False
    """Whether more may follow behind the last field, which is not read."""

    @classmethod
    def decode(cls, frame: bytes) -> Self:
        """The packet in `frame` (header included). Raises WireError, never anything else: for another packet,
        too, and for what does not end with its last field."""
        header = cls.header
        if not header.fits(frame):
            raise WireError(f"{cls.__name__}: is another packet, {frame[:8].hex()}")
        try:
            decoded, end = cls.read(frame, len(header.prefix))
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            raise WireError(f"{cls.__name__}: {error}") from None
        if end < len(frame) and not cls.trailing:
            raise WireError(f"{cls.__name__}: {len(frame) - end} bytes behind its end")
        return decoded

    def encode(self) -> bytes:
        """The message, header included, written into one buffer. Raises EncodeError."""
        out = bytearray(self.header.prefix)
        try:
            self.write(out)
        except NOT_FITTING as error:
            raise misfit(self, self.MEMBERS, error) from None
        at = self.header.length_at
        if at is not None:
            out[at : at + 2] = len(out).to_bytes(2, "big")
        return bytes(out)


@dataclass_transform()
def element(cls: C) -> C:
    """Declare the element of a list."""
    return _declare(cls)


@dataclass_transform()
def packet(
    opcode: int,
    *,
    header: Header,
    length: int | None = None,
    droppable: bool = False,
    trailing: bool = False,
) -> Callable[[C], C]:
    """Declare a packet. `length` is the whole fixed size, checked against the fields at import; `trailing`:
    real clients send more than the fields.

    Raises TypeError at import when the declaration contradicts itself.
    """

    def decorate(cls: C) -> C:
        declared = cast("Any", _declare(cls))
        declared.opcode, declared.header, declared.droppable = opcode, header, droppable
        declared.trailing = trailing
        declared.minimum = len(header.prefix) + sum(m.field.minimum for m in declared.MEMBERS)
        most = [m.field.maximum for m in declared.MEMBERS]
        if None not in most:
            declared.maximum = len(header.prefix) + sum(cast("list[int]", most))
        if length is not None:
            if declared.maximum != length or declared.minimum != length:
                raise TypeError(f"{cls.__name__} declares {length} bytes, its fields take {declared.maximum}")
            declared.length = length
        return cast("C", declared)

    return decorate


NOT_FITTING: Final = (struct.error, OverflowError, ValueError, TypeError, AttributeError)
"""What fields raise for what they cannot write."""


def misfit(value: object, members: Iterable[Member], error: Exception) -> EncodeError:
    """The error for a message that could not be written: which field it was, and what it held."""
    name = type(value).__name__
    for member in members:
        if isinstance(member.field, Constant):
            continue
        given = getattr(value, member.name, None)
        try:
            _write_one(member.field, given)
        except NOT_FITTING as why:
            return EncodeError(f"{name}.{member.name}: {_shortened(given)}: {why}")
    return EncodeError(f"{name}: {error}")


def _write_one(field: Any, value: object) -> None:
    if not field.code:
        field.write(bytearray(), value)
        return
    if isinstance(field, FixedText):
        value = field.encode(cast("str", value))
    struct.pack((_order(field) or "=") + field.code, value)


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


LONGEST_SHOWN: Final = 40


def _declare(cls: C) -> C:
    members = tuple(_members(cls))
    for member in members:
        if isinstance(member.field, Constant):
            cls.__annotations__.pop(member.name, None)
        else:
            _refuse_reserved(cls, member.name)
    defined: Any = attrs.define(slots=True, eq=True, repr=True)(cls)
    defined.MEMBERS = members
    if "read" not in cls.__dict__:
        made = layout(defined, members)
        defined.SOURCE = made.source
        defined.read = staticmethod(made.read)
        defined.write = made.write
    return cast("C", defined)


def _refuse_reserved(cls: type, name: str) -> None:
    if name.startswith("_") or name == "self" or any(hasattr(base, name) for base in cls.__bases__):
        raise TypeError(f"{cls.__name__}.{name}: no field may be called so")


def layout(cls: type[Struct], members: tuple[Member, ...], title: str = "") -> Layout:
    """The layout of a declared class that has these of its members; what it lacks reads as the attribute's
    default. `title` tells it from others of the class in tracebacks."""
    source, scope = _compile(cls, members)
    name = f"<declared {cls.__module__}.{cls.__qualname__}{title and ' ' + title}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), scope)
    return Layout(members, scope["read"], scope["write"], source)


class Condition(Protocol):
    """A mark of a member that not all versions of a game have."""

    def holds(self, version: Any) -> bool:
        """Whether a version has it."""


def layouts(
    cls: type[Struct],
    versions: Iterable[V],
    make: Callable[[type[Struct], tuple[Member, ...], str], Layout] = layout,
) -> dict[V, Layout]:
    """The layout of a declared class in each version: that of the members of which all conditions hold.
    Versions with the same members share one."""
    made: dict[tuple[Member, ...], Layout] = {}
    found: dict[V, Layout] = {}
    for version in versions:
        members = tuple(member for member in cls.MEMBERS if _is_in(member, version))
        if members not in made:
            made[members] = make(cls, members, str(version))
        found[version] = made[members]
    return found


def _is_in(member: Member, version: object) -> bool:
    return member.field.holds(version) and all(
        mark.holds(version) for mark in member.marks if hasattr(mark, "holds")
    )


def _members(cls: type) -> list[Member]:
    members: list[Member] = []
    for name, hint in inspect.get_annotations(cls, eval_str=True).items():
        if hint is cast("Any", ClassVar) or cast("Any", get_origin(hint)) is ClassVar:
            value = cls.__dict__.get(name)
            if isinstance(value, Constant):
                members.append(Member(name, value))
            continue
        extras = get_args(hint)[1:]
        field = next((extra for extra in extras if isinstance(extra, Field)), None)
        if field is None:
            raise TypeError(f"{cls.__name__}.{name} names no wire type")
        notes = tuple(extra for extra in extras if isinstance(extra, str))
        marks = tuple(extra for extra in extras if not isinstance(extra, str | Field))
        members.append(Member(name, field, notes, marks))
    return members


def _order(field: Field) -> str:
    """ "<" or ">" where the byte order matters, "" where it does not."""
    if isinstance(field, Integer) and field.size > 1:
        return "<" if field.little else ">"
    return ""


def _runs(members: tuple[Member, ...]) -> list[list[Member]]:
    """Neighbouring fixed fields of one byte order together, every variable field alone."""
    runs: list[list[Member]] = []
    order = ""
    open_run = False
    for member in members:
        fixed = bool(member.field.code)
        wants = _order(member.field)
        if fixed and open_run and not (wants and order and wants != order):
            runs[-1].append(member)
            order = order or wants
        else:
            runs.append([member])
            order, open_run = wants, fixed
    return runs


def _compile(cls: Any, members: tuple[Member, ...]) -> tuple[str, dict[str, Any]]:
    # Whatever is not a field begins with an underscore, as no field does.
    scope: dict[str, Any] = {"_cls": cls}
    read = ["def read(_data, _at):"]
    write = ["def write(self, _out):"]
    names = [m.name for m in members if not isinstance(m.field, Constant)]
    for number, run in enumerate(_runs(members)):
        if not run[0].field.code:
            field = run[0].field
            scope[f"_f{number}"] = field
            read.append(f"    {run[0].name}, _at = _f{number}.read(_data, _at)")
            write.append(f"    _f{number}.write(_out, self.{run[0].name})")
            continue
        order = next((_order(m.field) for m in run if _order(m.field)), ">")
        codes, targets, values, after = "", [], [], []
        for member in run:
            field = member.field
            if isinstance(field, Constant) and any(field.value):
                codes += f"{len(field.value)}s"
                targets.append("_")
                values.append(repr(field.value))
                continue
            codes += field.code
            if isinstance(field, Constant):
                continue
            targets.append(member.name)
            if isinstance(field, FixedText):
                scope[f"_t_{member.name}"] = field
                after.append(f"    {member.name} = _t_{member.name}.decode({member.name})")
                values.append(f"_t_{member.name}.encode(self.{member.name})")
            else:
                values.append(f"self.{member.name}")
        layout = struct.Struct(order + codes)
        scope[f"_s{number}"] = layout
        if targets:
            read.append(f"    {', '.join(targets)}, = _s{number}.unpack_from(_data, _at)")
        else:
            read.append(f"    _s{number}.unpack_from(_data, _at)")
        read.append(f"    _at += {layout.size}")
        read.extend(after)
        write.append(f"    _out += _s{number}.pack({', '.join(values)})")
    if len(members) < len(cls.MEMBERS):
        names = [f"{name}={name}" for name in names]
    read.append(f"    return _cls({', '.join(names)}), _at")
    if len(write) == 1:
        write.append("    pass")
    return "\n".join([*read, "", *write, ""]), scope
