"""What everybody can do by word, whatever game it is played from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.commands.staff import TABLE
from server.commands.verbs import TABLE as VERBS
from tests.kit.office import Office
from tests.kit.worlds import person, rename
from world import dialogs, hands, holding, life, newcomers, residents
from world.content import ItemTemplate, Remedy, Resident
from world.dialogs import Button, Number, Reply
from world.events import Gestured, Said, Speech
from world.mobile import Access, Posture
from world.parts import Lock
from world.space import Sight

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.item import Item
    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


class Hero:
    """Somebody with what newcomers have, and what it does by word."""

    def __init__(self, office: Office, client: Client, mobile: Mobile) -> None:
        self.world = office.world
        self.mobile = mobile
        self.said: list[Said] = []
        self.gestures: list[str] = []
        self._office, self._client = office, client

    def does(self, *lines: str, after: float = 5.0) -> list[str]:
        """Type commands, so many seconds after one another; the lines it is answered."""
        told: list[str] = []
        for line in lines:
            self.world.begin(self.world.now + after)
            self.world.events.clear()
            self._office.commands.in_game(self._client, line)
            for one in self.world.events:
                if isinstance(one, Said) and one.how is Speech.SYSTEM:
                    told += [one.text] if one.viewers == [self.mobile.viewport] else []
                elif isinstance(one, Said):
                    self.said.append(one)
                elif isinstance(one, Gestured):
                    self.gestures.append(one.gesture)
        return told

    def has(self, key: str) -> int:
        """How many of a kind are in its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        return sum(item.amount for item in pack.contents.values() if item.template.key == key)


@pytest.fixture
async def hero(office: Office) -> Hero:
    client, mobile = await office.player("Alric", x=20, y=20)
    newcomers.outfit(mobile)
    office.world.register(mobile)
    return Hero(office, client, mobile)


def lying(world: World, key: str, x: int, y: int, *, amount: int = 1) -> Item:
    item = holding.make(world, key, amount=amount, stored=False)
    world.enter(item, world.realms["plain"], x, y)
    return item


def somebody(world: World, name: str, x: int, y: int = 20) -> Mobile:
    mobile = person(world, name, x, y)
    mobile.online = True
    return mobile


def resident(world: World, template: str, x: int, y: int = 20) -> Mobile:
    return residents.place(world, world.realms["plain"], Resident(template, x, y))


# Who may


def test_verbs_are_for_everybody_and_no_audit() -> None:
    names = {row.name for row in VERBS}
    assert names == {
        *("all", "yell", "whisper", "tell", "emote", "sit", "stand", "use", "look", "take", "drop", "wear"),
        "put",
        *("unwear", "attack", "talk", "page", "read", "answer", "town", "lock", "stop", "points"),
        *("quests", "gather", "giveup"),
    }
    assert {(row.access, row.audited) for row in VERBS} == {(Access.PLAYER, False)}
    assert names < {row.name for row in TABLE}


def test_no_name_is_there_twice() -> None:
    with pytest.raises(ValueError, match="all is there twice"):
        VERBS.include(VERBS)


async def test_the_console_is_nobody_in_the_world(office: Office, autojump_clock: MockClock) -> None:
    answer = await office.commands.run("test", "sit")
    assert not answer.ok
    assert answer.lines == ["only a character in the world can do that"]


# Words


async def test_words_to_everybody(hero: Hero, office: Office, autojump_clock: MockClock) -> None:
    _, berta = await office.player("Berta", x=50)
    assert hero.does("all  hello   you") == ["[Alric] hello   you"]
    assert [(one.how, one.text, one.viewers) for one in hero.said] == [
        (Speech.GLOBAL, "hello   you", [berta.viewport])
    ]
    assert hero.does("all \x07") == []
    assert len(hero.said) == 1


async def test_questions_are_answered(hero: Hero, autojump_clock: MockClock) -> None:
    replies: list[Reply] = []
    number = Number("many", "How many?", 1, 9)
    buttons = (Button(1, "Buy."), Button(0, "Leave."))
    dialogs.ask(
        hero.mobile,
        "Shop",
        title="Shop",
        text="Well?",
        buttons=buttons,
        inputs=(number,),
        answered=lambda _, reply: replies.append(reply),
    )
    assert hero.does("answer 77") == ["A number from 1 to 9, please."]
    assert hero.does("answer 7") == ["Shop", "How many? 7", "answer 1: Buy.", "answer 0: Leave."]
    assert hero.does("answer buy") == []
    assert replies == [Reply(1, {"many": 7})]
    assert hero.does("answer") == ["Nobody asks you anything."]


async def test_words_near(hero: Hero, autojump_clock: MockClock) -> None:
    assert hero.does("yell help", "whisper psst", "emote *yawns*", "emote BOW") == []
    assert [(one.how, one.text) for one in hero.said] == [
        (Speech.YELL, "help"),
        (Speech.WHISPER, "psst"),
        (Speech.EMOTE, "yawns"),
    ]
    assert hero.gestures == ["bow"]


async def test_words_to_one(hero: Hero, office: Office, autojump_clock: MockClock) -> None:
    _, berta = await office.player("Berta", x=50)
    assert hero.does("tell berta come here") == ["You tell Berta: come here"]
    assert [(one.how, one.text, one.viewers) for one in hero.said] == [
        (Speech.TELL, "come here", [berta.viewport])
    ]
    rename(berta, "John Smith")
    assert hero.does('tell "john smith" hello') == ["You tell John Smith: hello"]
    assert hero.does("tell nobody come") == ["There is nobody of that name here."]
    assert hero.does("tell berta") == ["usage: tell NAME TEXT..."]


async def test_who_is_gagged_reads_why(hero: Hero, autojump_clock: MockClock) -> None:
    hero.world.gags[hero.mobile.account] = 1e9
    for line in ("all x", "yell x", "whisper x", "emote yawns"):
        assert hero.does(line) == ["You have been silenced."], line
    assert hero.said == []


async def test_who_floods_is_told_so_once(hero: Hero, autojump_clock: MockClock) -> None:
    answers = hero.does(*["all x"] * 5, after=2.0)
    assert answers == [*["[Alric] x"] * 3, "Not so fast: let the others speak, too."]
    assert len(hero.said) == 3


# Where one stands


async def test_sitting_and_standing(hero: Hero, autojump_clock: MockClock) -> None:
    assert hero.does("sit") == ["You sit down."]
    assert hero.mobile.posture == Posture.FLOOR
    assert hero.does("sit", "stand", "stand") == [
        "You have to stand up first.",
        "You stand up.",
        "You are standing already.",
    ]
    assert hero.mobile.posture == Posture.STANDING


async def test_skills_and_attributes_are_locked(hero: Hero, autojump_clock: MockClock) -> None:
    hero.mobile.endow()
    learner = hero.mobile.learner
    assert learner is not None
    assert hero.does("lock magery fixed", "lock STR down", "lock dex Fixed", "lock ma fixed") == [
        "Your magery stays as it is now.",
        "Your strength may fall now.",
        "Your dexterity stays as it is now.",
        "That skill cannot be learned here yet.",
    ]
    assert {name: skill.lock for name, skill in learner.skills.items()} == {"magery": Lock.FIXED}
    locks = (learner.strength_lock, learner.dexterity_lock, learner.intelligence_lock)
    assert locks == (Lock.DOWN, Lock.FIXED, Lock.UP)
    assert hero.does("lock magery up", "lock dancing up", "lock magery sideways", "lock magery") == [
        "Your magery may rise now.",
        "That skill cannot be learned here yet.",
        "It goes up or down, or stays fixed.",
        "usage: lock SKILL WAY",
    ]


# Things


async def test_taking_the_nearest_and_dropping(hero: Hero, autojump_clock: MockClock) -> None:
    far, near = lying(hero.world, "bread", 22, 20, amount=3), lying(hero.world, "bread", 21, 20, amount=5)
    assert hero.does("take BREAD") == ["You take 5 loaf of bread."]
    assert near.serial not in hero.world.items
    assert hero.has("bread") == 7
    assert hero.does("take loaf of bread") == ["You take 3 loaf of bread."]
    assert far.serial not in hero.world.items
    assert hero.does("take bread") == ["There is nothing called so here."]
    assert hero.does("drop loaf 4", "drop gold coins") == [
        "You drop 4 loaf of bread.",
        "You drop gold coin.",
    ]
    assert (hero.has("bread"), hero.has("gold")) == (6, 99)
    there = {thing.template.key: thing.amount for thing in hero.world.items.values() if thing.realm}
    assert there == {"bread": 4, "gold": 1}
    assert hero.does("drop bread 7", "drop bread 0", "drop dagger 2") == ["There are not that many."] * 3


async def test_what_lies_too_far_is_refused(hero: Hero, autojump_clock: MockClock) -> None:
    lying(hero.world, "bread", 23, 20)
    lying(hero.world, "dagger", 45, 20)
    assert hero.does("take bread") == ["That is too far away."]
    assert hero.does("take dagger") == ["There is nothing called so here."], "it is out of sight"


async def test_chests_are_looked_into_and_emptied(hero: Hero, autojump_clock: MockClock) -> None:
    chest = lying(hero.world, "backpack", 21, 20)
    holding.put(chest, holding.make(hero.world, "gold", amount=20, stored=False))
    hero.world.register(chest)
    assert hero.mobile.backpack is not None
    hero.mobile.backpack.name = "my pack"
    assert hero.does("look backpack") == ["In my pack: 100 gold coins, dagger, candle, 2 loaf of bread."]
    hero.world.delete(hero.mobile.backpack)
    assert hero.does("look backpack", "use back") == ["In backpack: 20 gold coins."] * 2


async def test_taking_out_of_a_chest(hero: Hero, autojump_clock: MockClock) -> None:
    chest = lying(hero.world, "backpack", 21, 20)
    holding.put(chest, holding.make(hero.world, "gold", amount=20, stored=False))
    hero.world.register(chest)
    assert hero.does("take gold") == ["You take 20 gold coins."]
    assert hero.has("gold") == 120
    assert chest.contents == {}


async def test_a_closed_pack_of_somebody_else_is_not_meant(hero: Hero, autojump_clock: MockClock) -> None:
    other = somebody(hero.world, "Berta", 21)
    newcomers.outfit(other)
    assert hero.does("take dagger") == ["There is nothing called so here."]


async def test_looking_at_things_and_using_them(hero: Hero, autojump_clock: MockClock) -> None:
    lying(hero.world, "gold", 30, 20, amount=7)
    assert hero.does("look bread", "look nothing") == [
        "You see 2 loaf of bread.",
        "There is nothing called so here.",
    ]
    assert hero.does("use bread") == ["You cannot think of a use for loaf of bread."]
    assert hero.does("use dagger") == ["You put on dagger."]
    assert hero.has("dagger") == 0


async def test_reading_the_nearest_sign(hero: Hero, autojump_clock: MockClock) -> None:
    assert hero.does("read") == ["There is nothing to read near you."]


async def test_eating(hero: Hero, autojump_clock: MockClock) -> None:
    items = hero.world.content.items
    assert isinstance(items, dict)
    items["cake"] = ItemTemplate("cake", "cake", remedy=Remedy("eat", hits=3))
    hands.take(hero.mobile, lying(hero.world, "cake", 20, 20))
    assert hero.does("use cake") == ["You do not need cake now."]
    hero.mobile.hits -= 10
    before = hero.mobile.hits
    assert hero.does("use cake") == ["You eat cake."]  # of the hits each view tells
    assert hero.mobile.hits == before + 3
    assert hero.has("cake") == 0


async def test_wearing(hero: Hero, autojump_clock: MockClock) -> None:
    assert hero.does("wear dagger", "unwear shirt") == ["You put on dagger.", "You take off shirt."]
    assert {item.template.key for item in hero.mobile.worn.values()} == {
        *("backpack", "dagger", "pants", "shoes"),
    }
    assert hero.does("wear shirt", "wear bread", "wear shirt", "unwear backpack") == [
        "You put on shirt.",
        "That cannot be worn there.",
        *["There is nothing called so here."] * 2,
    ]


# Others


async def test_striking_is_refused_in_words(hero: Hero, autojump_clock: MockClock) -> None:
    somebody(hero.world, "Berta", 21)
    somebody(hero.world, "Carla", 25)
    hidden = somebody(hero.world, "Dora", 21)
    hidden.hidden = True
    assert hero.does("attack berta", "attack carla", "attack dora", "attack alric") == [
        "Who is new to the world is left in peace.",
        "That is too far away.",
        "There is nobody of that name here.",
        "You cannot do that to yourself.",
    ]


async def test_points_are_spent_by_word_or_by_choice(hero: Hero, autojump_clock: MockClock) -> None:
    mobile = hero.mobile
    mobile.endow()
    assert hero.does("points") == ["You have no points to spend."]
    assert mobile.learner is not None
    mobile.learner.points = 4
    assert hero.does("points strength 2", "points beauty", "points vitality 9", "points vitality 0") == [
        "Your strength is now 12.",
        "That is no attribute.",
        "You have 2 points to spend.",
        "You have 2 points to spend.",
    ]
    hero.does("points")
    (dialog,) = mobile.dialogs.values()
    assert [button.label for button in dialog.buttons] == [
        "Strength (12)",
        "Dexterity (10)",
        "Intelligence (10)",
        "Vitality (10)",
        "Not now",
    ]
    assert "Your dexterity is now 11." in hero.does("answer 2")
    assert "Your intelligence is now 11." in hero.does("answer 3")
    assert (mobile.learner.points, mobile.dialogs) == (0, {})


async def test_stopping_keeps_the_peace(hero: Hero, autojump_clock: MockClock) -> None:
    hero.mobile.war = True
    assert hero.does("stop") == ["You keep the peace."]
    assert not hero.mobile.war


async def test_talking_to_residents(hero: Hero, autojump_clock: MockClock) -> None:
    assert hero.does("talk") == ["There is nobody near who has something to say."]
    somebody(hero.world, "Berta", 21)
    otto = resident(hero.world, "crier", 22)
    hero.does("talk")
    assert [dialog.asker for dialog in hero.mobile.dialogs.values()] == [otto]
    dialogs.forget_all(hero.mobile)
    for line in ("talk otto", "talk CRIER"):
        hero.does(line)
        assert [dialog.asker for dialog in hero.mobile.dialogs.values()] == [otto], line
    assert hero.does("talk berta") == ["There is nobody of that name here."]


async def test_residents_far_off_do_not_hear(hero: Hero, autojump_clock: MockClock) -> None:
    hero.world.set_sight(hero.mobile, Sight(18))
    resident(hero.world, "crier", 37)
    assert hero.does("talk otto", "talk") == ["That is too far away."] * 2
    assert hero.mobile.dialogs == {}


async def test_a_ghost_does_nothing_by_word_either(hero: Hero, autojump_clock: MockClock) -> None:
    lying(hero.world, "bread", 21, 20)
    somebody(hero.world, "Berta", 21)
    life.kill(hero.mobile)
    for line in (
        "sit",
        "use dagger",
        "look backpack",
        "take bread",
        "drop bread",
        "wear dagger",
        "attack berta",
    ):
        assert hero.does(line) == ["You are dead and cannot do that."], line
    assert hero.does("emote bow") == ["You are dead and cannot do that."]
    assert hero.gestures == []
