"""Beings in files of their own: what they become, and every mistake with file, key and the nearest word."""

# ruff: noqa: E501 # a row of a table is a line

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eo.looks import compile_looks
from server.content.families import DATA
from server.content.loading import ContentError, load
from server.content.mobiles import MobileReader
from server.content.tables import Tables
from tests.kit.datadir import edit
from world import fixtures, newcomers, residents, spawners
from world.content import Resident
from world.offers import Lesson, Ware
from world.serials import Serials
from world.talks import START
from world.world import World

if TYPE_CHECKING:
    from pathlib import Path

    from world.content import Content

WHOLE = """
name = "Berta"
title = "the gardener"
kind = "villager"
female = true
says = "Good day, {name}: {2 apple}?"
look.eo = { graphic = 83 }
[[place]]
realm = "confluence"
x = 51
y = 57
heading = "east"
[role.merchant]
sells = [{ item = "apple", price = 1, stock = 3 }, { item = "bread", price = 5, restock = 10 }]
buys = [{ item = "hide", price = 3 }]
[role.trainer]
teaches = [{ skill = "swords", most = 30, price = 2 }]
[role.talker]
hears = [{ words = ["tree"], says = "{me} likes {bread}." }]
[role.innkeeper]
price = 4
home = true
[dialog.start]
text = "{name}?"
answers = [{ text = "Work", to = "work", if = { level = 2, item = "bread", amount = 3 } }, { text = "Bye" }]
[dialog.work]
text = "{1 gold} and {5 gold}"
answers = [{ text = "Back", do = ["shop", { say = "{bread}!" }], to = "start" }]
"""


def written(broken: Path, text: str, name: str = "berta") -> Path:
    path = broken / "people" / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return broken


def problems_of(text: str, content: Content, folder: Path) -> list[str]:
    """What is wrong with a being among the shipped kinds, without reading the realms once more."""
    (folder / "berta.toml").write_text(text, encoding="utf-8")
    tables = Tables(DATA, [])
    reader = MobileReader(tables, content.items, (folder / "berta.toml",))
    reader.mobiles()
    reader.check(reader.placed(content.charts), content.quests)
    return tables.problems


def test_a_being_has_the_looks_of_its_kind_and_what_it_says_itself(broken: Path) -> None:
    content = load(written(broken, WHOLE))
    berta, villager = content.mobiles["berta"], content.mobiles["villager"]
    assert berta.look == {**villager.look, "eo": {"graphic": 83}}
    assert (berta.name, berta.female, berta.worn) == ("Berta", True, villager.worn)
    assert berta.roles == ("merchant", "trainer", "innkeeper")
    assert berta.offers.shop is not None
    assert berta.offers.shop.sells == (Ware("apple", 1, 3), Ware("bread", 5, None, 10.0))
    assert berta.offers.shop.buys == {"apple": 1, "bread": 2, "hide": 3}
    assert berta.offers.lessons == (Lesson("swords", 300, 2),)
    assert (berta.offers.bed, berta.offers.home) == (4, True)
    assert berta.says == "Good day, {name}: 2 apples?"
    assert berta.hears[0].says == "{me} likes bread loaf."
    assert berta.talk is not None
    assert berta.talk.passages["work"].text == "1 gold coin and 5 gold coins"
    assert [len(answer.needs) for answer in berta.talk.passages[START].answers] == [2, 0]
    assert Resident("berta", 51, 57, heading=2) in content.charts["confluence"].residents


def test_each_being_is_a_record_of_its_own_in_endless_online(broken: Path) -> None:
    content = load(written(broken, WHOLE))
    npcs = compile_looks(content).npcs
    assert sorted(npc.id for npc in npcs.values()) == list(range(1, len(npcs) + 1))
    last = [npcs[key].id for key in ("berta", "godwin", "greta", "tilda")]
    assert last == list(range(len(npcs) - 3, len(npcs) + 1)), "beings in data/people come last"
    # A click opens the dialog of who has one; else the type is that of the service.
    assert npcs["berta"].type.name == "Quest"
    silent = attrs.evolve(content.mobiles["berta"], talk=None)
    plain = attrs.evolve(content, mobiles={**content.mobiles, "berta": silent})
    assert compile_looks(plain).npcs["berta"].type.name == "Shop"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('kind = "villager"', 'kind = "vilager"', "kind: no 'vilager', did you mean 'villager'?"),
        ('kind = "villager"', "", "kind: is missing"),
        ('kind = "villager"', 'kind = "wolf"', "kind: nobody can look like 'wolf' but itself"),
        ('name = "Berta"', 'nmae = "Berta"', "unknown key 'nmae', did you mean 'name'?"),
        ("[role.trainer]", "[role.trianer]", "role: unknown key 'trianer', did you mean 'trainer'?"),
        ('realm = "confluence"', 'realm = "confluense"', "place 1: realm: no 'confluense', did you mean"),
        ("[[place]]", "[place]", "place: must be a list in [ ], or each its table in [[ ]], is"),
        ("price = 1, stock", 'price = "1", stock', "role.merchant.sells 1.price: must be a whole number, is '1'"),
        ('{ item = "hide", price = 3 }', '"hide"', "role.merchant.buys 1: must be a table in { }, is 'hide'"),
        ('words = ["tree"]', 'words = "tree"', "role.talker.hears 1.words: must be a list in [ ], is 'tree'"),
        ("female = true", 'worn = [{ item = "robe", hue = 70000 }]', "worn: hue: must be 0 to 3000, is 70000"),
        ('{ say = "{bread}!" }', '{ give = "notice_board" }', "dialog.work: answer 1: do: "),
        ("x = 51", "x = 5100", "place 1: nobody can stand at 5100, 57 of confluence"),
        ('"east"', '"eastt"', "place 1: heading: no 'eastt', did you mean 'east'?"),
        ('{ item = "apple"', '{ item = "aple"', "role.merchant: sells: item: no 'aple', did you mean 'apple'?"),
        ("price = 1,", "price = 0,", "role.merchant: sells: apple: price: must be 1 to 1000000, is 0"),
        ('{ item = "hide", price = 3', '{ item = "bread", price = 6', "role.merchant: buys: bread: price: 6 is"),
        ('{ item = "hide", price = 3', '{ item = "torch", price = 6', "role.merchant: buys: torch: price: 6 is more than the 5 it is sold for in people/greta.toml: whoever"),
        ('{ item = "bread", price = 5', '{ item = "bread", price = 10', "role.merchant: sells: bread: price: 10: half of it, 5, is paid for one, which is more than the 4 it is sold for in people/greta.toml"),
        ('{ item = "hide"', '{ item = "gold"', "role.merchant: buys: gold: that is nothing to trade in"),
        ('"swords"', '"sword"', "role.trainer: teaches: skill: no 'sword', did you mean 'swords'?"),
        ("{2 apple}", "{2 aple}", "says: no 'aple' to be named in braces, did you mean 'apple'?"),
        ('"{name}?"', '"{name?"', "dialog.start: text: a brace without its other half"),
        ('to = "work"', 'to = "wrok"', "dialog.start: answer 1: to: no passage 'wrok', did you mean 'work'?"),
        ('to = "work", ', "", "dialog.work: no answer leads here"),
        ('{ text = "Bye" }', '{ text = "Bye", if = { gold = 1 } }', "dialog.start: there is no way out of it"),
        ("Bye", "B" * 81, "dialog.start: answer 2: text: must have 80 characters at most, has 81"),
        ("[dialog.start]", "[dialog.begin]", "dialog: there must be a [dialog.start]"),
        ('item = "bread", amount', 'item = "bred", amount', "dialog.start: answer 1: if: item: no 'bred', did"),
        ("level = 2", "levle = 2", "dialog.start: answer 1: if: unknown key 'levle', did you mean 'level'?"),
        ("level = 2", "not = { skil = 2 }", "if: unknown key 'skil', did you mean 'skill'?"),
        ("level = 2", 'time = { after = "25:00" }', "if: time: after: must be a time like \"20:30\", is '25:00'"),
        ("amount = 3", "amount = 0", "dialog.start: answer 1: if: amount: must be 1 to 60000, is 0"),
        ('"shop"', '"shpo"', "dialog.work: answer 1: do: no 'shpo', did you mean 'shop'?"),
        ('"shop"', '"bank"', "dialog.work: answer 1: do: that is for who has [role.banker]"),
        ('"shop", {', '"shop", { take = "bread" }, {', "do: a service stands beside marks and words only"),
        ("level = 2", 'quest = "bread_for_edwn"', "if: quest: no 'bread_for_edwn', did you mean 'bread_for_edwin'"),
        ("level = 2", 'quest = "bread_for_edwin", step = "brng"', "if: step: no 'brng', did you mean 'bring'?"),
        ("level = 2", 'quest = "bread_for_edwin", state = "opn"', "if: state: no 'opn', did you mean 'open'?"),
        ("level = 2", 'quest = "bread_for_edwin", state = "done", step = "bring"', "if: step: only an open quest"),
        ('"shop"', '{ start_quest = "rats" }', "do: start_quest: no 'rats'"),
        ('"shop"', '{ finish_step = "bread_for_edwin", step = "brin" }', "do: step: no 'brin', did you mean 'bring'?"),
        ('"shop"', '{ finish_step = "bread_for_edwin" }', "do: step: is missing"),
        ('"shop", ', '"shop", { start_quest = "bread_for_edwin" }, ', "do: a service stands beside marks and words"),
        ('"shop"', '{ start_quest = "bread_for_edwin" }, { finish_step = "bread_for_edwin", step = "bring" }', "do: one thing at a time with a quest"),
        ("[role.innkeeper]", '[role.questgiver]\nquests = ["bread_for_edwi"]\n[role.innkeeper]', "role.questgiver: quests: no 'bread_for_edwi', did you mean 'bread_for_edwin'?"),
        ('"shop"', '{ teleport = "confluence", x = 0, y = -1 }', "to: whoever is teleported hears no more"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_line(content: Content, tmp_path: Path, old: str, new: str, line: str) -> None:
    assert problems_of(WHOLE, content, tmp_path) == []
    assert old in WHOLE
    problems = problems_of(WHOLE.replace(old, new, 1), content, tmp_path)
    assert [one for one in problems if one.startswith("people/berta.toml: ") and line in one]


def test_merchants_do_not_pay_more_than_others_ask(broken: Path) -> None:
    """The cheaper one is the new one: the line is about who pays too much."""
    cheap = WHOLE.replace('item = "bread", price = 5', 'item = "bread", price = 1')
    with pytest.raises(ContentError) as caught:
        load(written(broken, cheap))
    (line,) = caught.value.problems
    assert line.startswith(
        "people/greta.toml: role.merchant: sells: bread: price: 4: half of it, 2, is paid "
    )
    assert "the 1 it is sold for in people/berta.toml:" in line


def test_a_dialog_knows_what_it_does_with_quests(broken: Path) -> None:
    does = 'do = [{ start_quest = "rats_in_the_field" }, { finish_step = "bread_for_edwin", step = "bring" }]'
    berta = load(written(broken, WHOLE.replace('do = ["shop", { say = "{bread}!" }]', does))).mobiles["berta"]
    assert berta.talk is not None
    assert berta.talk.leads == {("rats_in_the_field", ""), ("bread_for_edwin", "bring")}


def test_a_quest_that_is_wrong_is_told_once(broken: Path) -> None:
    edit(broken / "quests.toml", "level = 2", 'level = "two"')
    asks = '"Work", to = "work", if = { quest = "names_of_the_dead" } '
    with pytest.raises(ContentError) as caught:
        load(
            written(
                broken,
                WHOLE.replace('"Work", to = "work", if = { level = 2, item = "bread", amount = 3 } ', asks),
            )
        )
    assert caught.value.problems == [
        "quests.toml: names_of_the_dead: level: must be a whole number, is 'two'"
    ]


def test_the_same_keys_are_allowed_among_the_kinds(broken: Path, content: Content) -> None:
    path = broken / "mobiles.toml"
    rows = '\n[ida]\nname = "Ida"\nkind = "villager"\n[ida.role.healer]\nprice = 5\n[[ida.place]]\n'
    rows += 'realm = "confluence"\nx = 51\ny = 57\n'
    path.write_text(path.read_text(encoding="utf-8") + rows, encoding="utf-8")
    ida = load(broken).mobiles["ida"]
    assert (ida.roles, ida.offers.healing, ida.drawn_as) == (("healer",), 5, "villager")
    assert ida.look == content.mobiles["villager"].look


def test_two_of_one_name_are_a_mistake(broken: Path) -> None:
    with pytest.raises(ContentError, match=r"there is a 'farmer' in mobiles\.toml already"):
        load(written(broken, 'name = "Edwin"\nkind = "villager"\n', "farmer"))


def test_a_world_that_has_some_realms_has_who_lives_there_and_nobody_else(content: Content) -> None:
    world = World(content, Serials(), chance=random.Random(1), realms={"undercroft"})
    residents.settle(world)
    spawners.populate(world)
    fixtures.settle(world)
    assert [*world.realms] == ["undercroft"]
    assert not world.has_all
    lying = [*world.mobiles.values(), *world.items.values()]
    assert {thing.realm.name for thing in lying if thing.realm is not None} == {"undercroft"}
    assert newcomers.spawn_place(world)[0] is world.realms["undercroft"]
