"""Carriers write state as plain values, for a session that goes on in another world (`protocol.carrying`).

A carrier turns one kind of value into what a message between two processes can carry (None, bool, int, float,
str, bytes, and lists and dictionaries of these), and back. There are few kinds, and a game's declaration puts
them together at the attribute. (To read annotations instead, as a library would, was not taken: a session's
attributes hold mobiles, timers and functions as well, and which of them may go is the decision.)
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

import attrs

if TYPE_CHECKING:
    import enum
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from world.mobile import Mobile

Plain: TypeAlias = "bool | int | float | str | bytes | Sequence[Plain] | Mapping[str, Plain] | None"
"""What a message can carry."""

S = TypeVar("S")
V = TypeVar("V")


class NotPlain(TypeError):
    """A value that no message can carry."""


def _same(value: object) -> object:
    return value


@attrs.frozen
class Carrier:
    """Writes one kind of value as plain ones, and reads it."""

    pack: Callable[[object], Plain] = attrs.field(repr=False)
    unpack: Callable[[Plain], object] = attrs.field(repr=False)
    token: Callable[[object], object] = attrs.field(repr=False)
    """Make something that is equal to what was made of the same value before only if `pack` would write the
    same. Whoever writes a value again and again asks this first, because it costs less."""

    @token.default
    def _pack(self) -> Callable[[object], object]:
        return self.pack


def _plain(value: object) -> Plain:
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        return cast("Plain", value)
    for plain in (int, str):  # members of enumerations that are numbers or words as well
        if isinstance(value, plain):
            return plain(value)
    raise NotPlain(f"{type(value).__name__} is no plain value")


PLAIN: Final = Carrier(_plain, lambda value: value, _same)
"""None, a number, text or bytes, as it is. Raises NotPlain for anything else."""


def listed(each: Carrier = PLAIN, into: Callable[[Iterable[object]], object] = list) -> Carrier:
    """A carrier of a collection: `into` is list, tuple, set or whatever else is made of what it holds."""
    return Carrier(
        lambda values: [each.pack(one) for one in cast("Iterable[object]", values)],
        lambda values: into([each.unpack(one) for one in cast("list[Plain]", values)]),
        _tokens_of(each),
    )


def _tokens_of(each: Carrier) -> Callable[[object], object]:
    """Tokens of a collection (`Carrier.token`)."""
    if each.token is _same:
        return lambda values: tuple(cast("Iterable[object]", values))
    return lambda values: tuple(map(each.token, cast("Iterable[object]", values)))


def mapped(key: Carrier = PLAIN, value: Carrier = PLAIN) -> Carrier:
    """A carrier of a dictionary, in its order."""
    keys, values = _tokens_of(key), _tokens_of(value)
    return Carrier(
        lambda held: [
            [key.pack(one), value.pack(other)] for one, other in cast("Mapping[object, object]", held).items()
        ],
        lambda held: {
            key.unpack(one): value.unpack(other) for one, other in cast("list[tuple[Plain, Plain]]", held)
        },
        lambda held: (keys(held), values(cast("Mapping[object, object]", held).values())),
    )


def optional(of: Carrier) -> Carrier:
    """A carrier of a value, or of None."""
    return Carrier(
        lambda value: None if value is None else of.pack(value),
        lambda value: None if value is None else of.unpack(value),
        _same if of.token is _same else lambda value: None if value is None else of.token(value),
    )


def named(kind: type[enum.Enum]) -> Carrier:
    """A carrier of the members of an enumeration, by name."""
    return Carrier(lambda value: cast("enum.Enum", value).name, lambda name: kind[cast("str", name)], _same)


def record(kind: type, **parts: Carrier) -> Carrier:
    """A carrier of an attrs record: the values of its attributes in order, each as `parts` says or plain.
    Raises TypeError for a part that it does not have."""
    fields = [(one.name, parts.get(one.name, PLAIN)) for one in attrs.fields(kind) if one.init]
    if unknown := parts.keys() - {name for name, _ in fields}:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return Carrier(
        lambda value: [carrier.pack(getattr(value, name)) for name, carrier in fields],
        lambda values: kind(
            *(carrier.unpack(one) for (_, carrier), one in zip(fields, _list(values), strict=True))
        ),
        tokens(dict(fields)),
    )


def tokens(parts: Mapping[str, Carrier]) -> Callable[[object], object]:
    """Make one token of several attributes (`Carrier.token`). Raises TypeError without any."""
    values = attrgetter(*parts)
    made = [carrier.token for carrier in parts.values()]
    if len(made) == 1:
        (make,) = made
        return lambda thing: make(values(thing))
    if all(make is _same for make in made):
        return values
    return lambda thing: [make(value) for make, value in zip(made, values(thing), strict=True)]


def sequence(*parts: Carrier) -> Carrier:
    """A carrier of a tuple of that many values."""
    return Carrier(
        lambda values: [
            carrier.pack(one) for carrier, one in zip(parts, cast("Sequence[object]", values), strict=True)
        ],
        lambda values: tuple(carrier.unpack(one) for carrier, one in zip(parts, _list(values), strict=True)),
        lambda values: [
            carrier.token(one) for carrier, one in zip(parts, cast("Sequence[object]", values), strict=True)
        ],
    )


def _list(values: Plain) -> list[Plain]:
    return cast("list[Plain]", values)


@attrs.frozen
class Carrying:
    """Declares which state of a game's sessions goes along when their world changes.

    Every attribute of its session class is in one of two tables: a new one belongs to neither until somebody
    decides (`tests.protocol.test_carrying`).
    """

    schema: str
    """Name and number of what goes: another world that knows another one refuses the session."""
    speaks: Callable[[object], Plain]
    """Write the version that a client is of (`Session.dialect`)."""
    spoken: Callable[[object, Plain], None]
    """Set a new session to that version, and the codec's twin of another world as well."""
    goes: Mapping[str, Carrier]
    """Attributes that go along, and how."""
    anew: Mapping[str, str]
    """Attributes that begin anew, and why nobody misses them."""
    leave: Callable[[object], None]
    """Queue what tells the client that what stays behind is gone: windows, landmarks, aims. Its character
    still stands there."""
    beside: Callable[[object], Plain]
    """Write what the view knows of its character, and the world does not."""
    arrive: Callable[[object, Mobile, Plain], None]
    """Bind a session to the other world's own tables, with what was written `beside` it, and set its timers.
    Its character stands there."""
    gone: Callable[[object], None]
    """Forget a session that goes on in another world."""
    light: frozenset[str]
    """Those attributes that a client whose world is gone without a word does without (`lost`)."""
    sees: Callable[[object], Plain]
    """Write what its client sees, as `lost` needs it."""
    lost: Callable[[object, Plain], None]
    """Queue what tells a client, whose world is gone without a word, that what it saw there is: what `sees`
    wrote last, some seconds ago. Its session has its character by then, and is as old."""
    refused: Callable[[object, Mapping[str, Plain]], str]
    """Ask another world's view why a session with such attributes cannot come; empty if it can."""
    divide: Callable[[object, int, int], None]
    """Have a view hand out, of all numbers that clients have for themselves, only those of the world that
    is number so many of so many."""
    kept: Mapping[str, Carrier] = attrs.field(init=False, repr=False)
    """Those that `goes` has and `light` has not."""

    @kept.default
    def _kept(self) -> Mapping[str, Carrier]:
        return {name: carrier for name, carrier in self.goes.items() if name not in self.light}

    @classmethod
    def of(
        cls,
        schema: str,
        *,
        speaks: Callable[[S], Plain],
        spoken: Callable[[S, Plain], None],
        goes: Mapping[str, Carrier],
        anew: Mapping[str, str],
        leave: Callable[[S], None],
        arrive: Callable[[S, Mobile, Plain], None],
        beside: Callable[[S], Plain] = lambda session: None,
        gone: Callable[[S], None] = lambda session: None,
        light: Iterable[str] = (),
        sees: Callable[[S], Plain] = lambda session: None,
        lost: Callable[[S, Plain], None] = lambda session, saw: None,
        refused: Callable[[V, Mapping[str, Plain]], str] = lambda view, state: "",
        divide: Callable[[V, int, int], None] = lambda view, number, of: None,
    ) -> Carrying:
        """The declaration of a game with sessions and a view of its own. The casts hold because it is asked
        about no others."""
        return cls(
            schema,
            cast("Callable[[object], Plain]", speaks),
            cast("Callable[[object, Plain], None]", spoken),
            goes,
            anew,
            cast("Callable[[object], None]", leave),
            cast("Callable[[object], Plain]", beside),
            cast("Callable[[object, Mobile, Plain], None]", arrive),
            cast("Callable[[object], None]", gone),
            frozenset(light),
            cast("Callable[[object], Plain]", sees),
            cast("Callable[[object, Plain], None]", lost),
            cast("Callable[[object, Mapping[str, Plain]], str]", refused),
            cast("Callable[[object, int, int], None]", divide),
        )
