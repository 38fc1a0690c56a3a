"""How much one may say, and what is heard of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import person, plain_world
from world import speech
from world.events import Gestured, Said, Speech
from world.mobile import Access
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def world() -> World:
    return plain_world()


def hearer(world: World, name: str, x: int, y: int = 20) -> Mobile:
    """Somebody online whose eyes have its serial for a key."""
    mobile = person(world, name, x, y)
    mobile.online = True
    world.open_viewport(mobile, mobile.serial, Sight(18))
    return mobile


def heard(world: World) -> list[tuple[str, set[int]]]:
    """What was said since the last call, and by whose eyes it is read."""
    events = world.take_changes().events
    return [(one.text, {viewport.key for viewport in one.viewers}) for one in events if isinstance(one, Said)]


WAYS: dict[str, tuple[int, Callable[[Mobile], object]]] = {
    "say": (8, lambda mobile: speech.say(mobile, "hear")),
    "yell": (8, lambda mobile: speech.say(mobile, "hear", Speech.YELL)),
    "tell": (8, lambda mobile: speech.tell(mobile, "Berta", "hear")),
    "to all": (3, lambda mobile: speech.to_all(mobile.world, "hear", speaker=mobile)),
}
"""How often in ten seconds, and how."""


@pytest.mark.parametrize("way", WAYS)
def test_so_many_lines_in_ten_seconds_and_one_refusal_in_words(world: World, way: str) -> None:
    most, speak = WAYS[way]
    speaker = hearer(world, "Speaker", 20)
    hearer(world, "Berta", 21)
    for number in range(most):
        world.begin(float(number))
        speak(speaker)
    told = []
    for now in (8.0, 9.0, 9.99):
        world.begin(now)
        with pytest.raises(Cannot) as refused:
            speak(speaker)
        assert refused.value.why is Refusal.FLOODING
        told.append(refused.value.told)
    assert told == [False, True, True]
    world.begin(10.0)  # the first line is ten seconds old
    speak(speaker)
    with pytest.raises(Cannot) as refused:
        speak(speaker)
    assert not refused.value.told, "who spoke again in between is told again"
    assert len(heard(world)) == most + 1


def test_limits_do_not_touch_one_another(world: World) -> None:
    speaker = hearer(world, "Speaker", 20)
    hearer(world, "Berta", 21)
    for most, speak in (WAYS["say"], WAYS["tell"], WAYS["to all"]):
        for _ in range(most):
            speak(speaker)
        with pytest.raises(Cannot):
            speak(speaker)
    with pytest.raises(Cannot):  # a yell is as near as a word
        speech.say(speaker, "hear", Speech.YELL)


def test_staff_and_residents_speak_as_they_like(world: World) -> None:
    staff = hearer(world, "Staff", 20)
    staff.access = Access.COUNSELOR
    resident = person(world, "Otto", 21, 20)
    resident.account = 0
    for _ in range(30):
        speech.say(staff, "hear")
        speech.say(resident, "hear")
        speech.to_all(world, "hear", speaker=staff)
    assert len(heard(world)) == 90


def test_empty_words_do_not_count(world: World) -> None:
    speaker = hearer(world, "Speaker", 20)
    for _ in range(30):
        speech.say(speaker, " \x07 ")
    speech.say(speaker, "hear")
    assert heard(world) == [("hear", {speaker.serial})]


@pytest.mark.parametrize("way", WAYS)
def test_who_is_gagged_says_nothing_until_it_is_over(world: World, way: str) -> None:
    speaker = hearer(world, "Speaker", 20)
    hearer(world, "Berta", 21)
    world.gags[speaker.account] = 60.0
    world.begin(59.9)
    with pytest.raises(Cannot) as refused:
        WAYS[way][1](speaker)
    assert refused.value.why is Refusal.GAGGED
    assert heard(world) == []
    world.begin(60.0)
    WAYS[way][1](speaker)
    assert len(heard(world)) == 1


def test_the_living_hear_ghosts_moan(world: World) -> None:
    ghost, other_ghost = hearer(world, "Ghost", 20), hearer(world, "Shade", 21)
    alive, staff = hearer(world, "Alive", 22), hearer(world, "Staff", 23)
    ghost.dead = other_ghost.dead = True
    staff.access = Access.COUNSELOR
    speech.say(ghost, "help me, please")
    clear = {ghost.serial, other_ghost.serial, staff.serial}
    assert heard(world) == [("help me, please", clear), ("OooO OooO OooO", {alive.serial})]
    speech.say(alive, "who is there?")
    assert heard(world) == [("who is there?", clear | {alive.serial})]


def test_healers_understand_ghosts_and_others_who_listen_hear_moans(world: World) -> None:
    ghost = hearer(world, "Ghost", 20)
    ghost.dead = True
    heard_by: dict[str, str] = {}

    def hear(name: str, speaker: Mobile, text: str) -> None:
        heard_by[name] = text

    for name, roles in (("Ysolde", ("healer",)), ("Osric", ("banker",))):
        resident = person(world, name, 21, 20)
        resident.account = 0
        resident.template = attrs.evolve(resident.template, roles=roles)
        world.listeners[resident.serial] = partial(hear, name)
    speech.say(ghost, "the bank, please")
    assert heard_by == {"Ysolde": "the bank, please", "Osric": "OooO OooO OooO"}


def test_words_among_staff(world: World) -> None:
    staff, other, player = hearer(world, "Staff", 20), hearer(world, "Other", 50), hearer(world, "Player", 21)
    staff.access, other.access = Access.COUNSELOR, Access.OWNER
    assert speech.to_staff(staff, "look") == "(staff) Staff: look"
    assert heard(world) == [("(staff) Staff: look", {other.serial})]
    with pytest.raises(Cannot) as refused:
        speech.to_staff(player, "look")
    assert refused.value.why is Refusal.NO_STAFF


def test_who_calls_for_the_staff_is_read_by_those_who_are_there_and_kept_for_the_others(world: World) -> None:
    player, staff = hearer(world, "Player", 20), hearer(world, "Staff", 50)
    speech.plead(player, "I am stuck")
    assert heard(world) == [("Nobody of the staff is here; they will read it.", {player.serial})]
    staff.access = Access.COUNSELOR
    speech.plead(player, "he swears", about="Otto")
    assert heard(world) == [
        ("(help) Player: about Otto: he swears", {staff.serial}),
        ("The staff reads it now.", {player.serial}),
    ]
    assert [(plea.who, plea.text) for plea in world.pleas] == [
        ("Player", "I am stuck"),
        ("Player", "about Otto: he swears"),
    ]
    with pytest.raises(Cannot) as refused:
        speech.plead(player, " \x07 ")
    assert refused.value.why is Refusal.NO_WORDS
    for _ in range(speech.TO_ONE.lines - 2):
        speech.plead(player, "help")
    with pytest.raises(Cannot) as refused:
        speech.plead(player, "help")
    assert refused.value.why is Refusal.FLOODING


def test_only_staff_announce(world: World) -> None:
    player = hearer(world, "Player", 20)
    with pytest.raises(Cannot) as refused:
        speech.to_all(world, "Hear!", speaker=player, announce=True)
    assert refused.value.why is Refusal.NO_STAFF
    player.access = Access.GAME_MASTER
    speech.to_all(world, "Hear!", speaker=player, announce=True)
    assert heard(world) == [("Hear!", set())]


def test_gestures(world: World) -> None:
    mobile = hearer(world, "Alric", 20)
    speech.gesture(mobile, "bow")
    assert [type(event) for event in world.take_changes().events].count(Gestured) == 1
    with pytest.raises(Cannot) as refused:
        speech.gesture(mobile, "nonsense")
    assert refused.value.why is Refusal.UNKNOWN
    mobile.dead = True
    with pytest.raises(Cannot) as refused:
        speech.gesture(mobile, "bow")
    assert refused.value.why is Refusal.DEAD


COMPANIES = {
    Speech.PARTY: Refusal.NO_PARTY,
    Speech.GUILD: Refusal.NO_GUILD,
    Speech.ALLIANCE: Refusal.NO_ALLIANCE,
}


@pytest.mark.parametrize("kind", COMPANIES)
def test_who_has_no_company_is_heard_by_nobody(world: World, kind: Speech) -> None:
    speaker = hearer(world, "Speaker", 20)
    hearer(world, "Berta", 21)
    with pytest.raises(Cannot) as refused:
        speech.to_company(speaker, kind, "psst")
    assert refused.value.why is COMPANIES[kind]
    assert heard(world) == []


def test_words_reach_a_company_wherever_it_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker, far, lingering = hearer(world, "Speaker", 20), hearer(world, "Far", 55), person(world, "Gone")
    hearer(world, "Stranger", 21)
    members = {Speech.GUILD: [speaker, far, lingering]}
    monkeypatch.setattr(speech, "company", lambda mobile, kind: members.get(kind))
    speech.to_company(speaker, Speech.GUILD, "psst")
    speech.to_company(speaker, Speech.GUILD, " ")
    assert heard(world) == [("psst", {speaker.serial, far.serial})]
    with pytest.raises(Cannot):
        speech.to_company(speaker, Speech.PARTY, "psst")
    for _ in range(7):
        speech.to_company(speaker, Speech.GUILD, "psst")
    with pytest.raises(Cannot) as refused:
        speech.to_company(speaker, Speech.GUILD, "psst")
    assert refused.value.why is Refusal.FLOODING
    world.gags[speaker.account] = 60.0
    with pytest.raises(Cannot) as refused:
        speech.to_company(speaker, Speech.GUILD, "psst")
    assert refused.value.why is Refusal.GAGGED


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Berta hello you", ("Berta", "hello you")),
        ("  Berta   hello ", ("Berta", "hello")),
        ('"John Smith" hello', ("John Smith", "hello")),
        ('"John Smith"', ("John Smith", "")),
        ('"John', ('"John', "")),
        ("", ("", "")),
    ],
)
def test_what_is_typed_to_one_player_begins_with_its_name(typed: str, meant: tuple[str, str]) -> None:
    assert speech.addressed(typed) == meant


def test_whom_a_name_means_is_looked_up_and_not_looked_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whisper costs the same in a world of thousands, also one to nobody."""
    berta = hearer(world, "Berta", 20)
    person(world, "Carl", 21).online = False
    monkeypatch.setattr(world, "online", lambda: pytest.fail("all there are were walked through"))
    assert world.online_by_name(" bERTA ") is berta
    for name in ("Carl", "Dora", "Berto", "B erta", ""):
        assert world.online_by_name(name) is None
