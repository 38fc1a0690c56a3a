"""Commands about whoever and whatever is in the world, as tools outside give them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio

from server.commands.machinery import CommandError, CommandTable
from tests.kit.office import Office
from world import hands, holding, newcomers, residents
from world.containers import MOST_IN_CONTAINER, MOST_IN_STACK
from world.content import Resident
from world.item import Layer
from world.mobile import Access, Mobile
from world.sheet import FIELDS

if TYPE_CHECKING:
    from trio.testing import MockClock

KEYS = [
    *("kind", "serial", "name", "realm", "x", "y", "level", "experience", "hits", "hits_max", "mana"),
    *("mana_max", "stamina", "stamina_max", "gold", "bank_gold", "dead", "war", "target", "party", "skills"),
]


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


async def run(office: Office, line: str) -> str:
    """A command from outside that succeeds."""
    answer = await office.commands.run("test", line)
    assert answer.ok, answer
    return "\n".join(answer.lines)


async def refused(office: Office, line: str) -> str:
    """One that is refused, and leaves nothing in the audit."""
    before = list(office.audited)
    answer = await office.commands.run("test", line)
    assert not answer.ok, answer
    assert office.audited == before
    return "\n".join(answer.lines)


async def dressed(office: Office, name: str = "Alric", access: int = Access.PLAYER) -> Mobile:
    """A player with what newcomers have."""
    _, mobile = await office.player(name, access)

    def dress(_: object) -> None:
        newcomers.outfit(mobile, stored=False)
        office.world.register(mobile)

    await office.in_world(None, dress)
    return mobile


async def settled(office: Office) -> dict[str, Mobile]:
    """Residents by template: a banker and a sheep of "plain", and a healer."""
    people = [Resident("banker", 20, 20), Resident("sheep", 22, 20), Resident("healer", 40, 40)]

    def move_in(_: object) -> dict[str, Mobile]:
        realm = office.world.realms["plain"]
        return {one.template: residents.move_in(office.world, realm, one) for one in people}

    return await office.in_world(None, move_in)


# Asking


async def test_info_has_every_key_in_order(office: Office, autojump_clock: MockClock) -> None:
    mobile, people = await dressed(office), await settled(office)
    told = json.loads(await run(office, "info alric"))
    assert list(told) == KEYS
    assert told == {
        **dict.fromkeys(KEYS),
        "kind": "player",
        "serial": mobile.serial,
        "name": "Alric",
        "realm": "plain",
        "x": 10,
        "y": 10,
        "level": 0,
        "experience": 0,
        "hits": 50,
        "hits_max": 50,
        "mana": 50,
        "mana_max": 50,
        "stamina": 50,
        "stamina_max": 50,
        "gold": 100,
        "bank_gold": 0,
        "dead": False,
        "war": False,
    }
    kinds = {"banker": "resident", "sheep": "creature"}
    for template, kind in kinds.items():
        told = json.loads(await run(office, f"info {people[template].serial}"))
        assert (list(told), told["kind"], told["name"]) == (KEYS, kind, people[template].name)
    purse = next(hands.carried_items(mobile, "gold"))
    told = json.loads(await run(office, f"info {purse.serial:#x}"))
    assert told == {
        **dict.fromkeys(KEYS),
        "kind": "item",
        "serial": purse.serial,
        "name": "gold coin",
        "realm": "plain",
        "x": 10,
        "y": 10,
    }
    assert office.audited == []


async def test_info_tells_at_whom_somebody_aims_while_that_one_is_there(
    office: Office, autojump_clock: MockClock
) -> None:
    mobile, people = await dressed(office), await settled(office)
    sheep = people["sheep"]
    mobile.target = sheep.serial
    assert json.loads(await run(office, "info Alric"))["target"] == sheep.serial
    await run(office, f"kill {sheep.serial}")
    assert json.loads(await run(office, "info Alric"))["target"] is None


async def test_info_about_nobody(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    assert await refused(office, "info") == "only a character in the world can do that"
    assert await refused(office, "info Nobody") == "Nobody is not online"
    assert await refused(office, "info 99999") == "nothing has the serial 99999"
    mobile.online = False
    assert json.loads(await run(office, "info Alric"))["name"] == "Alric", "it lingers"


async def test_residents_are_listed_and_creatures_are_not(office: Office, autojump_clock: MockClock) -> None:
    await dressed(office)
    people = await settled(office)
    banker, healer = people["banker"], people["healer"]
    rows = [
        f"{banker.serial}\tbanker\tOsric\tbanker\tplain\t20\t20",
        f"{healer.serial}\thealer\tAnna\thealer\tplain\t40\t40",
    ]
    assert await run(office, "residents") == "\n".join(rows)
    assert await run(office, "residents healer") == rows[1]
    assert await run(office, "residents crier") == ""
    assert "there is no role baker" in await refused(office, "residents baker")
    assert office.audited == []


async def test_a_player_reads_it_as_lines(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Berta", Access.COUNSELOR)
    text = await office.order(client, "info")
    for part in ('"kind": "player"', '"name": "Berta"', '"stamina_max": 50', '"skills": null'):
        assert part in text.replace("\n", " "), text
    await settled(office)
    assert "banker  Osric  banker  plain  20  20" in await office.order(client, "residents banker")
    player, _ = await office.player("Carla")
    assert "there is no such command" in await office.order(player, "info")


# Life and death


async def test_whoever_has_a_serial_can_be_killed(office: Office, autojump_clock: MockClock) -> None:
    mobile, people = await dressed(office), await settled(office)
    banker = people["banker"]
    assert await run(office, f"kill {banker.serial}") == "Osric had 50 hits, is dead"
    assert await run(office, "residents banker") == ""
    assert "nothing has the serial" in await refused(office, f"kill {banker.serial}")
    assert await run(office, f"kill {mobile.serial:#x}") == "Alric had 50 hits, is dead"
    assert await refused(office, "kill alric") == "Alric is dead already"
    dagger = next(hands.carried_items(mobile, "dagger"))
    assert "is dagger" in await refused(office, f"kill {dagger.serial}")
    await trio.sleep(65)
    assert "Osric" in await run(office, "residents banker")


async def test_healing(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    await run(office, "set alric hits 5")
    assert await run(office, "heal alric") == "Alric had 5 hits, 50 mana and 50 stamina, has 50, 50 and 50"
    assert office.audited[-1] == (
        "test",
        "heal",
        "character='alric' -> Alric had 5 hits, 50 mana and 50 stamina, has 50, 50 and 50",
    )
    await run(office, "kill alric")
    assert await refused(office, "heal alric") == "Alric is dead"
    assert mobile.hits == 0
    assert await run(office, "resurrect alric") == "Alric was dead, lives with 10 hits"


# Numbers


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("hits", 1, 50),
        ("mana", 0, 50),
        ("stamina", 0, 50),
        ("level", 1, 60),
        ("experience", 0, 2**31 - 1),
        *((name, 10, 125) for name in ("strength", "dexterity", "intelligence", "vitality")),
    ],
)
async def test_numbers_are_set_within_their_bounds(
    office: Office, autojump_clock: MockClock, field: str, least: int, most: int
) -> None:
    mobile = await dressed(office)
    read = FIELDS[field].read
    for value in (most, least):
        before = read(mobile)
        assert await run(office, f"set Alric {field} {value}") == f"Alric had {field} {before}, has {value}"
        assert read(mobile) == value
        assert office.audited[-1][2].endswith(f"-> Alric had {field} {before}, has {value}")
    for value in (least - 1, most + 1):
        text = await refused(office, f"set alric {field} {value}")
        assert text == f"{field} of Alric may be {least} to {most}, not {value}"
        assert read(mobile) == least
    for word in ("x", "1.5", "", "--1", "9" * 30):
        await refused(office, f"set alric {field} {word}")
        assert read(mobile) == least


async def test_a_skill_is_set_in_points_up_to_what_the_level_allows(
    office: Office, autojump_clock: MockClock
) -> None:
    alric = await dressed(office)
    alric.endow()
    alric.level = 1
    assert await run(office, "skill alric swords 36.1") == "Alric had swords 0.0, has 36.1"
    assert await run(office, "skill alric Swords 5") == "Alric had swords 36.1, has 5.0"
    assert json.loads(await run(office, "info alric"))["skills"]["swords"] == 5.0
    most = "swords of Alric may be 0 to 36.1 at level 1, not 36.2"
    assert await refused(office, "skill alric swords 36.2") == most
    assert (await refused(office, "skill alric knitting 5")).startswith(
        "there is no skill knitting; there are"
    )
    for word in ("x", "-1", "1.55", "1e1", "1000"):
        assert await refused(office, f"skill alric swords {word}") == (
            f"{word} is no number of points, 0 to 100"
        )
    assert alric.learner is not None
    assert alric.learner.skills["swords"].value == 50


async def test_level_and_experience_go_together(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    await run(office, "set alric level 7")
    assert (mobile.level, mobile.experience) == (7, round(133.1 * 7**3))
    await run(office, f"set alric experience {round(133.1 * 8**3)}")
    assert mobile.level == 8


async def test_what_cannot_be_set(office: Office, autojump_clock: MockClock) -> None:
    await dressed(office)
    text = await refused(office, "set alric charisma 10")
    assert text.startswith("there is no field charisma; there are hits, mana, stamina, level, experience,")
    assert (await refused(office, "set alric hits")).startswith("usage: set CHARACTER FIELD VALUE")
    await run(office, "kill alric")
    assert await refused(office, "set alric hits 10") == "Alric is dead"


async def test_gold_is_set_to_the_coin(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    for amount in (250, 3 * MOST_IN_STACK + 7, 5, 0, 61_000):
        before = holding.gold(mobile)
        assert await run(office, f"set alric gold {amount}") == f"Alric had gold {before}, has {amount}"
        assert holding.gold(mobile) == amount
        stacks = [item.amount for item in hands.carried_items(mobile, "gold")]
        assert max(stacks, default=0) <= MOST_IN_STACK
        assert all(office.world.items.get(item.serial) is item for item in hands.carried_items(mobile))
    most = FIELDS["gold"].most(mobile)
    assert "may be 0 to" in await refused(office, f"set alric gold {most + 1}")
    assert holding.gold(mobile) == 61_000
    await run(office, f"set alric gold {most}")
    assert len(list(hands.carried_items(mobile))) == MOST_IN_CONTAINER


# Things


async def test_making(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    for line, answer in (
        ("make bread for alric", "Alric had 2 bread, has 3"),
        ('make "loaf of bread" 4 for Alric', "Alric had 3 bread, has 7"),
        ("make dagger 2 for alric", "Alric had 1 dagger, has 3"),
        (f"make gold {MOST_IN_STACK} for alric", f"Alric had 100 gold, has {MOST_IN_STACK + 100}"),
    ):
        assert await run(office, line) == answer
        assert office.audited[-1][2].endswith(f"-> {answer}")
    kinds = [item.template.key for item in hands.carried_items(mobile)]
    assert (kinds.count("bread"), kinds.count("dagger"), kinds.count("gold")) == (1, 3, 2)
    carried = hands.carried(mobile)
    for line, reason in (
        ("make bread", "only a character in the world can do that"),
        ("make dragon for alric", "there is no item dragon"),
        ("make bread 0 for alric", "there have to be 1 of them at least, not 0"),
        ("make bread -5 for alric", "-5 is no number"),
        ("make dagger 200 for alric", "there is no room for that in the pack of Alric"),
        ("make bread 3 for nobody", "nobody is not online"),
        ("make bread 3 to alric", "usage: make ITEM [AMOUNT] [for CHARACTER]"),
        ("make bread 3 for", "usage: make ITEM [AMOUNT] [for CHARACTER]"),
        ('make "bread 3 for alric', "quotation marks come in pairs, around a name"),
    ):
        assert await refused(office, line) == reason
    assert hands.carried(mobile) == carried
    named = {"item": "bread", "amount": "3", "character": "Alric"}
    assert (await office.commands.run("test", "make", named)).ok
    client, master = await office.player("Berta", Access.GAME_MASTER)
    assert "has no pack" in await office.order(client, "make bread 2")
    assert master.backpack is None


async def test_removing(office: Office, autojump_clock: MockClock) -> None:
    mobile, people = await dressed(office), await settled(office)
    pack, shirt = mobile.worn[Layer.BACKPACK], mobile.worn[Layer.SHIRT]
    dagger = next(hands.carried_items(mobile, "dagger"))
    await office.in_world(None, lambda _: hands.lift(mobile, dagger))
    for item in (shirt, dagger):
        answer = await run(office, f"remove {item.serial}")
        assert answer == f"1 {item.label} was in plain 10 10, is gone"
        assert "nothing has the serial" in await refused(office, f"remove {item.serial}")
    assert mobile.hand is None
    assert Layer.SHIRT not in mobile.worn
    assert "dagger" not in hands.carried(mobile)
    assert await refused(office, f"remove {pack.serial}") == "that is the pack of Alric"
    assert "somebody's character" in await refused(office, f"remove {mobile.serial}")
    assert await refused(office, "remove alric") == "alric is no serial"
    sheep = people["sheep"]
    assert await run(office, f"remove {sheep.serial}") == "a sheep was in plain 22 20, is gone"
    await trio.sleep(100)
    assert not [one for one in office.world.mobiles.values() if one.template.key == "sheep"]


# Silence


async def test_gagging(office: Office, autojump_clock: MockClock) -> None:
    mobile = await dressed(office)
    gags, now = office.world.gags, office.world.now
    assert await run(office, "gag alric") == "Alric could speak, is silenced for 10 minutes"
    assert gags[mobile.account] == pytest.approx(now + 600, abs=5)
    assert "was silenced for 10 minutes more, is silenced for 3" in await run(office, "gag alric 3")
    assert "may speak" in await run(office, "ungag alric")
    assert mobile.account not in gags
    assert await refused(office, "ungag alric") == "Alric is not silenced"
    for minutes in ("0", "100000", "x"):
        await refused(office, f"gag alric {minutes}")
    assert gags == {}
    client, _ = await office.player("Berta", Access.GAME_MASTER)
    mobile.access = Access.ADMIN
    assert "not below you" in await office.order(client, "gag alric")


# The line


def test_words_in_quotation_marks_are_one() -> None:
    table = CommandTable()
    for usage in ("tell WHOM [AMOUNT] [TEXT...]", "put WHAT [AMOUNT] [for WHOM]"):
        table.command(usage, access=0, about="")(lambda context, args: [])

    def parse(line: str) -> dict[str, str]:
        return dict(table.parse(line, 0)[1])

    assert parse('tell "John Smith" 3 a "quoted" word') == {
        "whom": "John Smith",
        "amount": "3",
        "text": 'a "quoted" word',
    }
    assert parse("put bread for bob") == {"what": "bread", "whom": "bob"}
    assert parse('PUT "loaf of bread" 2 For "John Smith"') == {
        "what": "loaf of bread",
        "amount": "2",
        "whom": "John Smith",
    }
    for line in ('tell "John', 'tell ""', 'tell "John"Smith', "put bread bob", "put bread for bob now"):
        with pytest.raises(CommandError):
            parse(line)
