"""Handlers and when they are asked: `protocol.dispatch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.dispatch import Registry, Rows, Table, Where
from protocol.session import Phase, Session
from tests.kit.toys import brook
from tests.kit.worlds import person, plain_world
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.services import Services
    from world.mobile import Mobile


@attrs.frozen
class Wave:
    """A packet of no game."""

    hand: int = 1


class Player(Session):
    """Remembers what it was refused."""

    def begin(self) -> None:
        self.refusals: list[tuple[Mobile, Refusal]] = []

    def refuse_wish(self, mobile: Mobile, cannot: Cannot) -> None:
        self.refusals.append((mobile, cannot.why))


def player() -> Player:
    family = brook()
    services: Services = None  # type: ignore[assignment] # nothing is asked of it
    codec = None  # as with the services
    return Player(
        number=1,
        family=family,
        door="game",
        peer="127.0.0.1",
        local="127.0.0.1:1",
        codec=codec,  # type: ignore[arg-type]
        services=services,
    )


def table() -> Table[Player]:
    return Table(opcode_of_frame=lambda _: 7, opcode_of_class=lambda _: 7, decode=lambda cls: lambda _: cls())


def waves(registry: Registry[Player], done: list[tuple[Player, Mobile, Wave]]) -> None:
    @registry.while_playing(Wave)
    def wave(session: Player, mobile: Mobile, packet: Wave) -> None:
        if mobile.dead:
            raise Cannot(Refusal.DEAD)
        done.append((session, mobile, packet))


def test_whoever_plays_no_mobile_means_nothing_and_what_the_world_refuses_is_told() -> None:
    done: list[tuple[Player, Mobile, Wave]] = []
    made, session = table(), player()
    waves(made, done)
    (entry,) = made
    assert entry.phases == {Phase.IN_WORLD}
    assert entry.where is Where.WORLD
    entry.handler(session, Wave())
    assert done == []
    session.mobile = mobile = person(plain_world())
    session.loading = True
    entry.handler(session, Wave())
    assert done == []
    session.loading = False
    entry.handler(session, Wave(2))
    assert done == [(session, mobile, Wave(2))]
    mobile.dead = True
    entry.handler(session, Wave())
    assert session.refusals == [(mobile, Refusal.DEAD)]


def test_rows_fill_a_table_once_its_opcodes_are_known() -> None:
    rows: Rows[Player] = Rows()
    waves(rows, [])

    @rows.on(int, during=Phase.MENU, every=0.5)
    async def count(session: Player, packet: int) -> None:
        """A packet of another kind."""

    made = Table[Player](
        opcode_of_frame=lambda _: 7,
        opcode_of_class=lambda cls: 7 if cls is Wave else 8,
        decode=lambda cls: lambda _: cls(),
    )
    rows.into(made)
    assert [(entry.opcode, entry.name, entry.where, entry.every) for entry in made] == [
        (7, "Wave", Where.WORLD, 0.0),
        (8, "int", Where.HERE, 0.5),
    ]
    with pytest.raises(ValueError, match="already has a handler: Wave"):
        rows.into(made)
