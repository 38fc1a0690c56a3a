"""Numbers by which clients know kinds: on disk for good, and before anybody is given one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from protocol import eo
from server.content import renewing
from server.content.families import numbers_of, with_numbers
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit.eo_desk import small_content
from tests.kit.in_memory import shipped_content
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import trio
    from trio.testing import MockClock

    from protocol.family import Family
    from world.content import Content

FIRST = {"eo": {"npcs": {"healer": 1, "crier": 2}, "items": {"gold": 1}}}


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database file that is up to date."""
    found = f"sqlite:///{tmp_path / 'world.db'}"
    upgrade(found, tmp_path / "backups")
    return found


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url)
    yield database
    database.close()


def test_what_was_given_is_there_at_the_next_start_and_belongs_to_nobody_else(url: str) -> None:
    database = Database(url)
    assert database.kind_numbers() == {}
    database.keep_kind_numbers(FIRST)
    database.keep_kind_numbers({"eo": {"npcs": {"crier": 2, "baker": 3}}})
    for wrong in ({"smith": 4, "miller": 3}, {"crier": 5}):
        with pytest.raises(IntegrityError):
            database.keep_kind_numbers({"eo": {"npcs": wrong}})
    database.close()
    again = Database(url)
    assert again.kind_numbers() == {
        "eo": {"npcs": {"healer": 1, "crier": 2, "baker": 3}, "items": {"gold": 1}}
    }
    again.close()


def with_npc(content: Content, key: str) -> Content:
    one = attrs.evolve(content.mobiles["baker"], key=key, look={"eo": {"graphic": 21, "type": "Shop"}})
    return attrs.evolve(content, mobiles={**content.mobiles, key: one})


def test_a_restart_without_somebody_leaves_its_number_free(database: Database) -> None:
    def starts(content: Content) -> dict[str, Family]:
        families = with_numbers(content, {"eo": eo.family(content)}, database.kind_numbers())
        database.keep_kind_numbers(numbers_of(families))
        return families

    first = starts(with_npc(small_content(), "smith"))["eo"].numbers["npcs"]
    starts(small_content())
    later = starts(with_npc(small_content(), "miller"))["eo"].numbers["npcs"]
    assert later == {**first, "miller": first["smith"] + 1}


@cache
def changed() -> Content:
    """The content that comes with the program, and one kind of being and of thing more."""
    content = shipped_content()
    villager, bread = content.mobiles["villager"], content.items["bread"]
    row = {name: value for name, value in bread.look["eo"].items() if name != "id"}
    cake = attrs.evolve(bread, key="cake", name="cake", look={**bread.look, "eo": row})
    smith = attrs.evolve(
        villager, key="smith", look={**villager.look, "eo": {"graphic": 21, "type": "Quest"}}
    )
    return attrs.evolve(
        content,
        items={**content.items, "cake": cake},
        mobiles={**content.mobiles, "smith": smith},
    )


async def test_a_number_is_on_disk_before_a_client_can_be_given_it(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = Town(nursery, games=("eo",))
    await town.open()
    monkeypatch.setattr(renewing, "load", lambda _: changed())
    written: list[dict[str, dict[str, dict[str, int]]]] = []
    adopt = renewing.Renewed.adopt

    def adopted(self: renewing.Renewed, *args: object) -> object:
        written.append(town.database.kind_numbers())
        return adopt(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(renewing.Renewed, "adopt", adopted)
    keep = Database.keep_kind_numbers

    def fails(*_: object) -> None:
        raise OperationalError("insert", {}, Exception("disk full"))

    monkeypatch.setattr(Database, "keep_kind_numbers", fails)
    answer = await town.app.commands.run("test", "reload content")
    assert (answer.ok, written) == (False, [])
    assert answer.lines == ["nothing was changed: the storage cannot be used: disk full"]
    assert "cake" not in town.app.world.content.items

    monkeypatch.setattr(Database, "keep_kind_numbers", keep)
    answer = await town.app.commands.run("test", "reload content")
    assert answer.ok, answer.lines
    looks = town.families["eo"].view.figures.looks  # type: ignore[attr-defined]
    (on_disk,) = written
    assert on_disk["eo"] == {name: dict(numbers) for name, numbers in looks.numbers.items()}
    assert on_disk["eo"]["items"]["cake"] == looks.items["cake"].id
    assert on_disk["eo"]["npcs"]["smith"] == looks.npcs["smith"].id

    # Gone again, and another in its place: it gets a number of its own.
    items = dict(changed().items)
    items["pie"] = attrs.evolve(items.pop("cake"), key="pie")
    later = attrs.evolve(changed(), items=items)
    monkeypatch.setattr(renewing, "load", lambda _: later)
    assert (await town.app.commands.run("test", "reload content")).ok
    looks = town.families["eo"].view.figures.looks  # type: ignore[attr-defined]
    assert looks.items["pie"].id == looks.items["cake"].id + 1
    assert town.database.kind_numbers()["eo"]["items"]["pie"] == looks.items["pie"].id
