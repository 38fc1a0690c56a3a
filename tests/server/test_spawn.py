"""`spawn`: creatures beside whoever asks, and from outside at a tile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.creatures import KINDS
from tests.kit.office import Office
from world.content import MobileTemplate
from world.heading import apart
from world.mobile import Access, Mobile

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    office = await Office().open(nursery)
    content = office.world.content
    wolf = MobileTemplate("wolf", "a wolf", hits=40, notoriety=3, creature=True, fights=KINDS["wolf"])
    office.world.content = attrs.evolve(content, mobiles={**content.mobiles, "wolf": wolf})
    return office


def wolves(office: Office) -> list[Mobile]:
    return [mobile for mobile in office.world.mobiles.values() if mobile.template.key == "wolf"]


async def test_from_outside_it_prints_one_serial_a_line(office: Office, autojump_clock: MockClock) -> None:
    answer = await office.commands.run("test", "spawn wolf 3 plain 20 12")
    assert answer.ok
    found = wolves(office)
    assert answer.lines == [str(mobile.serial) for mobile in found]
    assert (found[0].x, found[0].y, len(found)) == (20, 12, 3)
    info = json.loads((await office.commands.run("test", f"info {found[0].serial}")).lines[0])
    assert (info["kind"], info["name"], info["level"], info["hits"]) == ("creature", "a wolf", 1, 40)
    assert (await office.commands.run("test", "residents")).lines == []
    assert [line for line in office.audited if "spawn" in str(line)]


async def test_a_client_has_them_beside_itself(office: Office, autojump_clock: MockClock) -> None:
    client, mobile = await office.player("Alric", Access.GAME_MASTER)
    await office.order(client, "spawn wolf")
    await office.order(client, 'spawn "a wolf" 2')
    assert [apart(mobile, wolf) for wolf in wolves(office)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("spawn wolff 1 plain 20 12", "there is no creature wolff, did you mean 'wolf'?"),
        ("spawn healer 1 plain 20 12", "there is no creature healer"),
        ("spawn wolf 1 nowhere 20 12", "there is no realm nowhere; there are plain, cave"),
        ("spawn wolf 1 plain 99 12", "Nobody can stand there."),
        ("spawn wolf 0 plain 20 12", "At least one has to come."),
        ("spawn wolf 253 plain 20 12", "There is no room for so many: 252 are the most in a realm."),
        ("spawn wolf 1 plain 20", "a realm, and the tile in it: spawn KIND COUNT REALM X Y"),
        ("spawn wolf 1 plain x 12", "x is no number"),
        ("spawn wolf", "only a character in the world can do that"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    office: Office, autojump_clock: MockClock, line: str, words: str
) -> None:
    before = list(office.audited)
    answer = await office.commands.run("test", line)
    assert (answer.ok, "\n".join(answer.lines)) == (False, words)
    assert wolves(office) == []
    assert office.audited == before
