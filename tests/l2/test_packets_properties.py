"""Every message of Lineage II there and back, and garbage."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.l2 import packets as l2
from protocol.l2.packets import CLIENT_MESSAGES, SERVER_MESSAGES, Message, Parameter, ParameterKind
from protocol.l2.packets.base import Float, One, Several
from protocol.wire.fields import Constant, Listed, Numbers, Optional
from tests.kit.l2_recorded import VERSION
from tests.kit.l2_versions import written
from tests.kit.strategies import mutated, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.wire.declare import Struct
    from protocol.wire.fields import Field


def values(field: Field) -> st.SearchStrategy[object]:
    """What an attribute of that wire type may be."""
    match field:
        case Float():
            return st.floats(allow_nan=False)
        case Several(number=number):
            return st.tuples(*[st.integers(-(1 << 31), (1 << 31) - 1)] * number)
        case Listed(element=element, limit=limit):
            return st.lists(structures(cast("type[Struct]", element)), max_size=min(limit, 4)).map(tuple)
        case Numbers(size=size):
            return st.lists(st.integers(0, (1 << size * 8) - 1), max_size=4).map(tuple)
        case One(element=element):
            return structures(cast("type[Struct]", element))
        case Optional(inner=inner):
            return values_of(inner)
        case _:
            return values_of(field)


def parameters() -> st.SearchStrategy[Parameter]:
    """Whatever may stand in a text."""
    numbers = st.integers(-(1 << 31), (1 << 31) - 1)
    words = st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=20)
    counts = {ParameterKind.SKILL_NAME: 2, ParameterKind.ZONE_NAME: 3}
    return st.sampled_from(ParameterKind).flatmap(
        lambda kind: (
            words
            if kind in (ParameterKind.TEXT, ParameterKind.PLAYER_NAME)
            else st.tuples(*[numbers] * counts.get(kind, 1))
        ).map(lambda value: Parameter(kind, value))
    )


def structures(cls: type[Struct]) -> st.SearchStrategy[object]:
    """Any structure of a class that its declaration allows."""
    if cls in OWN_LAYOUTS:
        return OWN_LAYOUTS[cls]
    parts = {m.name: values(m.field) for m in cls.MEMBERS if not isinstance(m.field, Constant)}
    return st.builds(cast("Callable[[], object]", cls), **parts)


def shortcuts() -> st.SearchStrategy[l2.ShortCutEntry]:
    """Shortcuts; only one of a skill has a level."""
    numbers = st.integers(0, 1 << 30)
    skills = st.builds(l2.ShortCutEntry, st.just(l2.ShortCutType.SKILL), numbers, numbers, numbers)
    others = st.sampled_from([kind for kind in l2.ShortCutType if kind != l2.ShortCutType.SKILL])
    return skills | st.builds(l2.ShortCutEntry, others, numbers, numbers)


OWN_LAYOUTS: Final[Mapping[object, st.SearchStrategy[object]]] = {
    Parameter: parameters(),
    l2.ShortCutEntry: shortcuts(),
}


def messages(classes: tuple[type[Message], ...]) -> st.SearchStrategy[Message]:
    """Any message of these classes."""
    return st.one_of([cast("st.SearchStrategy[Message]", structures(cls)) for cls in classes])


@settings(max_examples=150)
@given(messages(CLIENT_MESSAGES))
def test_client_messages_survive_the_wire(message: Message) -> None:
    assert VERSION.decode_client(written(message)) == message
    assert VERSION.role_of(written(message)) == type(message).role
    assert VERSION.decoder(type(message))(written(message)) == message


@settings(max_examples=150)
@given(messages(SERVER_MESSAGES))
def test_server_messages_survive_the_wire(message: Message) -> None:
    assert VERSION.decode_server(written(message)) == message


@settings(max_examples=150)
@given(mutated(messages(CLIENT_MESSAGES).map(written)))
def test_broken_client_messages_are_read_or_refused(frame: bytes) -> None:
    role = VERSION.role_of(frame)
    with contextlib.suppress(WireError):
        assert type(VERSION.decode_client(frame)).role == role


@settings(max_examples=150)
@given(mutated(messages(SERVER_MESSAGES).map(written)))
def test_broken_server_messages_are_read_or_refused(frame: bytes) -> None:
    with contextlib.suppress(WireError):
        VERSION.decode_server(frame)


@given(messages(CLIENT_MESSAGES).map(written), st.data())
def test_every_cut_of_a_plain_request_is_read(frame: bytes, data: st.DataObject) -> None:
    cut = frame[: data.draw(st.integers(0, len(frame)))]
    role = VERSION.role_of(cut)
    with contextlib.suppress(WireError):
        assert type(VERSION.decode_client(cut)).role == role


def test_fixed_requests_cut_anywhere_are_read() -> None:
    for cls in CLIENT_MESSAGES:
        if any(isinstance(member.field, Listed) for member in cls.MEMBERS):
            continue
        number = VERSION.number_of(cls)
        opcode = (
            bytes([number]) if number <= 0xFF else bytes([number >> 16, number & 0xFF, number >> 8 & 0xFF])
        )
        for size in range(40):
            assert type(VERSION.decode_client(opcode + b"\xff" * size)) is cls
