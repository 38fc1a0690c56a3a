"""What of a session goes along into another world: somebody has decided that of each of its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import attrs
import pytest

from protocol import carriers, carrying
from protocol.carriers import PLAIN, NotPlain, Plain, listed, mapped, named, optional, record, sequence
from protocol.endings import Ending
from protocol.wire.args import CodecArgs, Role
from server.settings.config import parse
from tests.kit.border import plain
from tests.kit.in_memory import families_of, shipped_content
from tests.kit.town import CONFIG, listening
from world import passage
from world.mobile import Mobile
from world.parts import Caster, Fighter, Learner
from world.snapshot import CHARACTER, PART_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Family
    from protocol.services import Services
    from protocol.session import Session

DOORS: Final = {
    "uo": "game",
    "eo": "game",
    "eq2": "world",
    "co": "game",
    "l2": "game",
    "web": "http",
}
"""Through which one plays; at the others nobody comes into the world."""


def family_of(game: str) -> Family:
    return families_of(shipped_content(), [game])[game]


def session_of(game: str, services: Services | None = None) -> Session:
    family = family_of(game)
    door = listening(parse(CONFIG), family, DOORS[game])
    assert door is not None
    codec = door.door.codec(CodecArgs(Role.SERVER, bytes, door.settings))
    return door.door.session(
        number=1,
        family=family,
        door=DOORS[game],
        peer="127.0.0.1",
        local="127.0.0.1:1",
        codec=codec,
        services=services,  # type: ignore[arg-type] # nobody asks
    )


def attributes(thing: object) -> set[str]:
    """All that an object has, in slots or in its dictionary."""
    slots = {name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())}
    return {*slots, *getattr(thing, "__dict__", {})} - {"__dict__", "__weakref__"}


@pytest.mark.parametrize("game", DOORS)
def test_of_each_attribute_somebody_has_decided(game: str) -> None:
    session, declared = session_of(game), family_of(game).carrying
    assert declared is not None
    decided = [*carrying.GOES, *carrying.ANEW, *declared.goes, *declared.anew]
    assert len(decided) == len(set(decided)), "one is decided twice"
    assert attributes(session) ^ set(decided) == set()
    assert all({**carrying.ANEW, **declared.anew}.values()), "one begins anew without a reason"


def test_each_attribute_of_a_character_is_stored_or_goes_or_stays_for_a_reason() -> None:
    stored = {column.name for column in CHARACTER}
    stored |= {column.name for table in PART_TABLES for column in table.columns}
    fields = {
        field.name.lstrip("_") for kind in (Mobile, Fighter, Learner, Caster) for field in attrs.fields(kind)
    }
    fields -= {"owner", "changed", "skills", "casting", "reuse"}  # of parts: see `passage.STAYS`
    decided = [*passage.GOES, *passage.TIMES, *passage.TOLD, *passage.STAYS]
    assert len(decided) == len(set(decided))
    assert fields - stored - set(decided) == set()
    assert set(decided) - fields == set()
    assert set(decided) & stored == set()


def test_carriers_give_back_what_they_were_given() -> None:
    @attrs.frozen
    class Pair:
        first: int
        second: tuple[int, ...]

    for carrier, value in (
        (PLAIN, 7),
        (PLAIN, None),
        (listed(into=tuple), (1, "two", b"3")),
        (listed(into=set), {3, 4}),
        (mapped(), {5: "five"}),
        (named(Ending), Ending.KICKED),
        (optional(named(Ending)), None),
        (record(Pair, second=listed(into=tuple)), Pair(1, (2, 3))),
        (sequence(PLAIN, listed()), (1, [2])),
    ):
        packed: Plain = carrier.pack(value)
        plain({"it": packed})
        assert carrier.unpack(packed) == value


def test_what_no_message_can_carry_is_refused() -> None:
    with pytest.raises(NotPlain):
        PLAIN.pack(object())
    with pytest.raises(TypeError, match="has no"):
        record(carriers.Carrier, nothing=PLAIN)


def test_tokens_are_equal_as_long_as_the_same_would_be_written() -> None:
    @attrs.define
    class Bag:
        owner: str
        things: dict[int, int]

    bag, several = Bag("anna", {1: 2}), [1, 2]
    written = carriers.Carrier(lambda bag: cast("Bag", bag).owner, str)
    bags, hers, why = {7: bag}, {"bag": bag}, {"ending": Ending.KICKED}
    changes: tuple[tuple[carriers.Carrier, object, Callable[[], object]], ...] = (
        (listed(), several, lambda: several.append(3)),
        (record(Bag, things=mapped()), bag, lambda: bag.things.update({1: 3})),
        (mapped(value=record(Bag, things=mapped())), bags, lambda: bag.things.update({4: 1})),
        (optional(mapped(value=record(Bag, things=mapped()))), hers, lambda: setattr(bag, "owner", "bert")),
        (mapped(value=named(Ending)), why, lambda: why.update(ending=Ending.BANNED)),
        (mapped(), bag.things, lambda: bag.things.update({1: bag.things.pop(1)})),
        (sequence(PLAIN, listed()), (1, several), lambda: several.append(4)),
        (written, bag, lambda: setattr(bag, "owner", "carl")),
    )
    for carrier, value, change in changes:
        before, packed = carrier.token(value), carrier.pack(value)
        assert carrier.token(value) == before
        change()
        assert carrier.pack(value) != packed
        assert carrier.token(value) != before


@pytest.mark.parametrize("game", DOORS)
def test_a_schema_that_is_not_known_is_refused(game: str) -> None:
    family = family_of(game)
    assert "'uo 99' is not known here" in carrying.refused(
        family, {"game": game, "schema": "uo 99", "own": {}}
    )
    assert carrying.refused(family, {"game": "toy", "schema": carrying.carrying_of(family).schema})
    with pytest.raises(carrying.Unknown, match="not known here"):
        carrying.resume(session_of(game), {"game": game, "schema": "uo 99"})
