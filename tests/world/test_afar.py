"""Words and news between worlds: who hears what, by the rules of the one that hears."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import plain_world
from tests.world.test_speech import hearer
from world import afar, friends, news, presence, speech
from world.companions import Party
from world.elsewhere import GRACE, Elsewhere, Person
from world.events import FriendStirred, Said, Speech
from world.guild import Guild
from world.ignoring import ignore
from world.mobile import Access
from world.presence import person_of
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.mobile import Mobile
    from world.world import World

ZOE = Person(900, "Zoe of Afar", "Zoeofafar", game="uo", level=3, realm="plain")
YVES = Person(901, "Yves", "Yvesy", game="l2", realm="plain")
BOSS = Person(902, "Boss", "Bossy", game="eo", access=Access.GAME_MASTER, hidden=True, realm="cave")


class Noted:
    """Ways that lead into a list; words to one are answered when the test does."""

    def __init__(self, *, open_: bool = True) -> None:
        self.said: list[tuple[object, ...]] = []
        self.answers: list[Callable[[str, str], None]] = []
        self._open = open_

    def to_all(self, speaker: Person, text: str, *, announce: bool) -> None:
        self.said.append(("all", speaker.name, text, announce))

    def to_one(
        self,
        speaker: Person,
        hearer: Person,
        text: str,
        answered: Callable[[str, str], None],
        *,
        answers: bool,
    ) -> bool:
        self.said.append(("one", speaker.name, hearer.name, text, answers))
        self.answers.append(answered)
        return self._open

    def invite(
        self,
        asker: Person,
        hearer: Person,
        loot: str,
        answered: Callable[[str, str], None],
        *,
        joins: bool = False,
    ) -> bool:
        self.said.append(("join" if joins else "invite", asker.name, hearer.name, loot))
        self.answers.append(answered)
        return self._open

    def to_company(
        self, speaker: Person, kind: str, members: Sequence[int], guilds: Sequence[int], text: str, hue: int
    ) -> None:
        self.said.append((kind, speaker.name, list(members), list(guilds), text))


@pytest.fixture
def world() -> World:
    made = plain_world()
    made.elsewhere.ways = Noted()
    afar.meet(made, 2, [ZOE, YVES, BOSS])
    return made


def said(world: World) -> list[Said]:
    return [event for event in world.take_changes().events if isinstance(event, Said)]


def heard(world: World) -> list[tuple[str, Speech, str, list[str]]]:
    """Who said what and how, and who heard it."""
    return [
        (one.name, one.how, one.text, [viewport.mobile.name for viewport in one.viewers])
        for one in said(world)
    ]


def ways(world: World) -> Noted:
    found = world.elsewhere.ways
    assert isinstance(found, Noted)
    return found


# Hearing


def test_global_chat_of_another_world_is_heard_by_those_who_listen_and_do_not_ignore() -> None:
    world = plain_world()
    names = ("Alric", "Berta", "Carl")
    alric, berta, carl = (hearer(world, name, 20 + at) for at, name in enumerate(names))
    afar.meet(world, 2, [ZOE])
    ignore(berta, "Zoe of Afar")
    speech.listen_to_all(carl, False)
    world.take_changes()
    afar.hear_all(world, ZOE, "hello\n")
    (line,) = said(world)
    assert (line.how, line.text, line.name, line.thing) == (Speech.GLOBAL, "hello", "Zoe of Afar", None)
    assert line.afar == ZOE
    assert line.spoken
    assert [viewport.mobile for viewport in line.viewers] == [alric]
    afar.hear_all(world, attrs.evolve(ZOE, access=Access.GAME_MASTER), "staff is heard by all")
    assert [viewport.mobile for viewport in said(world)[0].viewers] == [alric, berta]


def test_announcements_of_another_world_are_those_of_staff(world: World) -> None:
    hearer(world, "Alric", 20)
    afar.hear_all(world, ZOE, "buy my swords", announce=True)
    assert heard(world) == []
    afar.hear_all(world, BOSS, "we close", announce=True)
    assert heard(world) == [("Boss", Speech.ANNOUNCE, "we close", ["Alric"])]


def test_words_to_one_are_heard_by_that_one_who_can_answer(world: World) -> None:
    alric, _ = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    afar.hear_one(world, ZOE, alric.serial, "psst")
    assert heard(world) == [("Zoe of Afar", Speech.TELL, "psst", ["Alric"])]
    assert alric.heard_from == ZOE.serial
    assert [(one.name, one.text, one.to) for one in world.heard] == [("Zoe of Afar", "psst", (alric.serial,))]


@pytest.mark.parametrize("case", ["away", "lingers", "ignores", "hides"])
def test_words_to_one_are_refused_as_here(world: World, case: str) -> None:
    alric, why = hearer(world, "Alric", 20), Refusal.NOBODY
    serial = alric.serial
    match case:
        case "away":
            serial = 77
        case "lingers":
            alric.online = False
        case "ignores":
            ignore(alric, "Zoe of Afar")
            why = Refusal.IGNORED
        case _:
            alric.access, alric.hidden = Access.COUNSELOR, True
    with pytest.raises(Cannot) as refused:
        afar.hear_one(world, ZOE, serial, "psst")
    assert refused.value.why is why
    assert heard(world) == []
    if case == "hides":
        afar.hear_one(world, ZOE, serial, "I know you", answers=True)
        afar.hear_one(world, attrs.evolve(YVES, access=Access.COUNSELOR), serial, "so do I")
        assert len(heard(world)) == 2


def test_companies_are_heard_by_their_members_alone(world: World) -> None:
    alric, berta, carl = (hearer(world, name, 20 + at) for at, name in enumerate(("Alric", "Berta", "Carl")))
    for mobile, number in ((alric, 7), (berta, 8)):
        mobile.guild = Guild(name="G", tag="GG")
        mobile.guild.number = number
    world.take_changes()
    afar.hear_company(world, ZOE, Speech.GUILD, [berta.serial], [7], "guild")
    afar.hear_company(world, ZOE, Speech.ALLIANCE, [], [7, 8], "allies")
    afar.hear_company(world, ZOE, Speech.PARTY, [carl.serial, ZOE.serial, 55], [7], "party", 3)
    afar.hear_company(world, ZOE, Speech.GUILD, [carl.serial, berta.serial], [7], "whose guild nobody knows")
    carl.party = Party(leader=carl.serial, members=[carl.serial, 55])
    afar.hear_company(world, ZOE, Speech.PARTY, [carl.serial], [], "of another party")
    ignore(berta, "Zoe of Afar")
    afar.hear_company(world, ZOE, Speech.GUILD, [], [8], "nobody hears")
    assert heard(world) == [
        ("Zoe of Afar", Speech.GUILD, "guild", ["Alric"]),
        ("Zoe of Afar", Speech.ALLIANCE, "allies", ["Alric", "Berta"]),
        ("Zoe of Afar", Speech.PARTY, "party", ["Carl"]),
        ("Zoe of Afar", Speech.GUILD, "whose guild nobody knows", ["Alric", "Carl"]),
    ]


def test_words_from_afar_are_cleaned_and_masked_here(world: World) -> None:
    hearer(world, "Alric", 20)
    afar.hear_all(world, ZOE, "\x00\u202e ")
    assert heard(world) == []
    afar.hear_all(world, ZOE, "x" * 500)
    assert heard(world)[0][2] == "x" * speech.LONGEST


# Saying


def test_what_is_said_to_all_goes_to_other_worlds_once(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    speech.to_all(world, "hello", speaker=alric)
    speech.to_all(world, "the server goes down", announce=True)  # this one's alone
    alric.access = Access.GAME_MASTER
    speech.to_all(world, "a feast!", speaker=alric, announce=True)
    assert ways(world).said == [("all", "Alric", "hello", False), ("all", "Alric", "a feast!", True)]


def test_who_is_told_elsewhere_is_told_when_that_world_says_so(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    told: list[str] = []
    speech.tell(alric, "zoeofafar", "hi", lambda one: told.append(one.name))
    assert ways(world).said == [("one", "Alric", "Zoe of Afar", "hi", False)]
    assert told == []
    ways(world).answers[0]("", "")
    assert told == ["Zoe of Afar"]
    assert heard(world) == []


def test_what_another_world_refuses_is_said_with_the_reason(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    speech.tell(alric, "Zoe of Afar", "hi")
    ways(world).answers[0]("IGNORED", "")
    (line,) = said(world)
    assert (line.how, line.text, line.means) == (Speech.SYSTEM, Refusal.IGNORED.value, Refusal.IGNORED)
    refused: list[Cannot] = []
    speech.tell(alric, "Zoe of Afar", "hi", refused=refused.append)
    ways(world).answers[1]("A_REASON_OF_LATER_VERSIONS", "in its own words")
    assert [(one.why, str(one)) for one in refused] == [(Refusal.NOBODY, "in its own words")]
    speech.tell(alric, "Zoe of Afar", "hi", refused=refused.append)
    world.close_viewport(alric)
    ways(world).answers[2]("IGNORED", "")
    assert len(refused) == 1


def test_without_a_way_nobody_elsewhere_is_online(world: World) -> None:
    world.elsewhere.ways = Noted(open_=False)
    with pytest.raises(Cannot) as refused:
        speech.tell(hearer(world, "Alric", 20), "Zoe of Afar", "hi")
    assert refused.value.why is Refusal.NOBODY


def test_hidden_staff_elsewhere_is_found_by_staff_and_by_whom_it_wrote_to(world: World) -> None:
    alric, carl = hearer(world, "Alric", 20), hearer(world, "Carl", 22)
    carl.access = Access.COUNSELOR
    with pytest.raises(Cannot):
        speech.tell(alric, "boss", "hello?")
    speech.tell(carl, "boss", "hello")
    afar.hear_one(world, BOSS, alric.serial, "I am watching")
    speech.tell(alric, "boss", "who are you?")
    assert [line[-1] for line in ways(world).said] == [False, True]
    assert "Boss" in news.who(carl)
    assert "Boss" not in news.who(alric)
    assert not friends.is_here(world, BOSS.serial)


def test_companies_are_told_elsewhere_only_if_one_of_them_is_there(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    alric.party = Party(leader=alric.serial, members=[alric.serial, 55])
    speech.to_company(alric, Speech.PARTY, "alone")
    alric.party.members.append(YVES.serial)
    speech.to_company(alric, Speech.PARTY, "all")
    assert ways(world).said == [("party", "Alric", [YVES.serial], [], "all")]


def test_who_speaks_too_fast_does_so_to_other_worlds_as_well(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    for _ in range(speech.TO_ONE.lines):
        speech.tell(alric, "Yves", "again")
    with pytest.raises(Cannot) as refused:
        speech.tell(alric, "Yves", "again")
    assert refused.value.why is Refusal.FLOODING
    assert len(ways(world).said) == speech.TO_ONE.lines


# Who is there


def test_lists_of_who_is_here_name_those_elsewhere(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    assert news.who(alric) == "About today: Yves, Zoe of Afar."
    assert news.whereabouts(alric, "zoe of afar") == "Zoe of Afar is in The Plain."
    assert news.whereabouts(alric, "boss") == "boss is not here today."
    afar.meet(world, 2, [])
    assert news.who(alric) == "You have the realm to yourself today."


def test_a_friend_elsewhere_is_here_and_its_coming_and_going_is_told_once(world: World) -> None:
    alric = hearer(world, "Alric", 20)
    friends.befriend(alric, "Zoe of Afar")
    assert friends.is_here(world, ZOE.serial)
    assert friends.game_of(world, ZOE.serial) == "uo"

    def stirred() -> list[tuple[str, bool]]:
        events = world.take_changes().events
        return [(event.name, event.online) for event in events if isinstance(event, FriendStirred)]

    stirred()
    afar.meet(world, 2, [YVES])  # on its way to the third world
    world.begin(world.now + GRACE / 2)
    afar.miss(world)
    afar.meet(world, 3, [ZOE])
    world.begin(world.now + 2 * GRACE)
    afar.miss(world)
    assert stirred() == []
    afar.meet(world, 3, [])
    world.begin(world.now + 2 * GRACE)
    afar.miss(world)
    afar.miss(world)
    assert stirred() == [("Zoe of Afar", False)]
    assert not friends.is_here(world, ZOE.serial)
    afar.meet(world, 2, [ZOE])
    assert stirred() == [("Zoe of Afar", True)]


def test_of_one_that_has_come_over_this_world_knows_better(world: World) -> None:
    alric, zoe = hearer(world, "Alric", 20), hearer(world, "Zoe", 21)
    afar.meet(world, 2, [person_of(zoe)])
    assert news.who(alric) == "About today: Zoe."
    assert list(presence.listed_afar(alric)) == []
    speech.tell(alric, "Zoe", "here?")
    assert ways(world).said == []


def test_a_person_is_a_character_as_it_is() -> None:
    world = plain_world()
    mobile: Mobile = hearer(world, "Alric", 20)
    mobile.level, mobile.title, mobile.hidden = 4, "the Bold", True
    mobile.guild = Guild(name="Guild of Tests", tag="GOT")
    person = person_of(mobile)
    assert (person.serial, person.name, person.level, person.realm) == (mobile.serial, "Alric", 4, "plain")
    assert (person.title, person.tag, person.hidden) == ("the Bold", "GOT", True)


def test_a_world_that_stands_alone_knows_nobody_elsewhere() -> None:
    elsewhere = Elsewhere()
    assert elsewhere.find("Zoe") is None
    assert elsewhere.world_of(1) is None
    assert not elsewhere.ways.to_one(ZOE, YVES, "hi", lambda why, words: None, answers=False)
    assert elsewhere.settle(2, [ZOE], 0.0) == [ZOE]
    assert elsewhere.find("ZOE OF AFAR") is elsewhere.find("zoeofafar") is ZOE
    assert elsewhere.world_of(ZOE.serial) == 2
    assert elsewhere.settle(2, [attrs.evolve(ZOE, level=9)], 1.0) == []
    assert elsewhere.people[ZOE.serial].level == 9
