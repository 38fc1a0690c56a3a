"""Being hurt and healed, recovering, dying and coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import goes_on, person, plain_content, plain_world
from world import dialogs, life, recovery, residents, speech
from world.content import Regeneration, Resident
from world.dialogs import Button
from world.events import Asked, Closed, Died, Left, Said, Why
from world.mobile import Mobile, Posture
from world.reach import TALKING, Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from world.world import World

RULE = Regeneration()


@pytest.fixture
def world() -> World:
    """With nobody in it."""
    return plain_world()


def dweller(world: World, template: str) -> Mobile | None:
    """The one resident of a kind who is there now."""
    return next((mobile for mobile in world.mobiles.values() if mobile.template.key == template), None)


def crier_at(x: int, *, respawn: int = 60) -> tuple[World, Mobile]:
    """A world with a crier at x, 10."""
    world = plain_world(plain_content(residents=(Resident("crier", x, 10, respawn=respawn),)))
    residents.settle(world)
    crier = dweller(world, "crier")
    assert crier is not None
    return world, crier


# Hits, mana and stamina


def test_who_is_hurt_loses_hits_and_dies_at_the_last(world: World) -> None:
    mobile, other = person(world), person(world, "Berta")
    assert not life.hurt(mobile, 49, other)
    assert (mobile.hits, mobile.dead) == (1, False)
    assert life.hurt(mobile, 1)
    assert (mobile.hits, mobile.dead) == (0, True)
    assert not life.hurt(mobile, 5)
    assert mobile.hits == 0
    with pytest.raises(ValueError, match="-1"):
        life.hurt(other, -1)
    assert other.hits == 50


def test_healing_gives_no_more_than_is_missing_and_nothing_to_the_dead(world: World) -> None:
    mobile = person(world)
    life.hurt(mobile, 20)
    assert [life.heal(mobile, 15), life.heal(mobile, 15), life.heal(mobile, 15)] == [15, 5, 0]
    life.kill(mobile)
    assert life.heal(mobile, 15) == 0
    assert mobile.hits == 0
    with pytest.raises(ValueError, match="-1"):
        life.heal(mobile, -1)


def test_nobody_spends_what_it_has_not(world: World) -> None:
    mobile = person(world)
    life.spend(mobile, mana=50, stamina=20)
    assert (mobile.mana, mobile.stam) == (0, 30)
    for mana, stamina, why in ((1, 30, Refusal.DRAINED), (0, 31, Refusal.TIRED)):
        with pytest.raises(Cannot) as caught:
            life.spend(mobile, mana=mana, stamina=stamina)
        assert caught.value.why is why
        assert (mobile.mana, mobile.stam) == (0, 30)
    life.kill(mobile)
    with pytest.raises(Cannot) as caught:
        life.spend(mobile, stamina=1)
    assert caught.value.why is Refusal.DEAD


# Recovering


@pytest.mark.parametrize(("attribute", "seconds"), [(0, 6.0), (10, 5.6), (100, 2.0), (125, 1.0), (500, 1.0)])
def test_the_better_the_attribute_the_shorter_the_pause(attribute: int, seconds: float) -> None:
    assert recovery.pause(RULE, attribute) == pytest.approx(seconds)


def test_how_much_comes_back_at_a_time() -> None:
    assert recovery.portion(RULE, 61) == pytest.approx(3.05)
    assert recovery.portion(RULE, 6) == 1
    assert recovery.portion(RULE, 61, sitting=True) == pytest.approx(6.1)
    assert recovery.portion(RULE, 61, fighting=True) == pytest.approx(0.305)
    assert recovery.portion(RULE, 6, fighting=True, sitting=True) == pytest.approx(0.2)


def test_what_is_missing_comes_back_by_one_timer_that_ends(world: World) -> None:
    mobile = person(world)
    assert len(world.timers) == 0
    life.hurt(mobile, 10)
    goes_on(world, 10)
    life.spend(mobile, mana=10, stamina=10)
    assert len(world.timers) == 1
    before = mobile.hits
    goes_on(world, 7)
    assert mobile.hits > before
    assert mobile.mana > 40
    assert mobile.stam > 40
    goes_on(world, 60)
    assert (mobile.hits, mobile.mana, mobile.stam) == (50, 50, 50)
    assert len(world.timers) == 0
    assert mobile.recovery is None


def test_hits_come_back_two_and_a_half_at_a_time(world: World) -> None:
    mobile = person(world)
    mobile.hits = 30
    recovery.recover(mobile)
    seen = [mobile.hits]
    for _ in range(240):
        goes_on(world, 0.1)
        if mobile.hits != seen[-1]:
            seen.append(mobile.hits)
    assert seen == [30, 32, 35, 37, 40]


@pytest.mark.parametrize(("posture", "at_least"), [(Posture.STANDING, 1), (Posture.FLOOR, 2)])
def test_a_fight_slows_recovery_and_sitting_speeds_it(world: World, posture: int, at_least: int) -> None:
    mobile, other = person(world), person(world, "Berta")
    mobile.posture = posture
    life.hurt(mobile, 40, by=other)
    for _ in range(30):
        goes_on(world, 2)
        life.hurt(mobile, 0)
    gained = mobile.hits - 10
    assert at_least <= gained <= 3 * at_least, "a tenth of what comes back in peace"


def test_the_dead_do_not_recover_and_who_is_brought_back_does(world: World) -> None:
    mobile = person(world)
    life.hurt(mobile, 10)
    life.kill(mobile)
    assert len(world.timers) == 0
    goes_on(world, 20)
    assert mobile.hits == 0
    life.resurrect(mobile)
    assert mobile.hits == 10
    goes_on(world, 200)
    assert mobile.hits == 50
    assert len(world.timers) == 0


def test_who_leaves_recovers_no_more(world: World) -> None:
    mobile = person(world)
    life.hurt(mobile, 10)
    world.leave(mobile)
    assert len(world.timers) == 0


# Death of those who belong to the realm


def test_a_resident_dies_leaves_and_comes_back_to_its_place() -> None:
    world, crier = crier_at(12, respawn=30)
    viewer = person(world)
    world.open_viewport(viewer, 1, Sight(18))
    world.take_changes()
    assert life.hurt(crier, 1000, viewer)
    kinds = [type(event) for event in world.take_changes().events]
    assert kinds == [Died, Left]
    assert crier.serial not in world.mobiles
    assert crier.serial not in world.listeners
    assert not life.kill(crier)
    goes_on(world, 29)
    assert dweller(world, "crier") is None
    goes_on(world, 3)
    another = dweller(world, "crier")
    assert another is not None
    assert (another.x, another.y, another.hits, another.dead) == (12, 10, another.hits_max, False)
    world.take_changes()
    speech.say(viewer, "news?")
    goes_on(world, 2)
    said = [event for event in world.take_changes().events if isinstance(event, Said)]
    assert [event.thing for event in said] == [viewer, another], "and it listens"


def test_with_whoever_dies_its_questions_and_its_answers_go() -> None:
    world, crier = crier_at(12)
    mobile = person(world)
    world.open_viewport(mobile, 1, Sight(18))
    residents.talk_to(mobile, crier)
    (dialog,) = mobile.dialogs.values()
    world.listeners[crier.serial](mobile, "news?")
    world.take_changes()
    life.kill(crier)
    events = world.take_changes().events
    assert [type(event) for event in events] == [Died, Closed, Left]
    assert events[-1].why is Why.DIED  # type: ignore[attr-defined] # it is Left
    assert not dialogs.answer(mobile, dialog.serial, dialog.type_id, 1)
    goes_on(world, 5)
    assert world.take_changes().events == [], "the dead say nothing"


def test_a_ghost_is_asked_nothing_that_the_living_were_asked_and_the_other_way_round() -> None:
    world, crier = crier_at(12)
    mobile = person(world)
    residents.talk_to(mobile, crier)
    assert mobile.dialogs
    life.kill(mobile)
    assert not mobile.dialogs
    life.offer_resurrection(mobile, None)
    life.resurrect(mobile)
    assert not mobile.dialogs


# Talking


def test_one_talks_with_who_is_near_in_sight_and_there() -> None:
    world, crier = crier_at(10 + TALKING)
    mobile = person(world)
    world.open_viewport(mobile, 1, Sight(18))
    residents.talk_to(mobile, crier)
    (dialog,) = mobile.dialogs.values()

    def refused() -> tuple[Refusal, Refusal]:
        with pytest.raises(Cannot) as asked:
            residents.talk_to(mobile, crier)
        with pytest.raises(Cannot) as answered:
            dialogs.answer(mobile, dialog.serial, dialog.type_id, 1)
        assert mobile.dialogs == {dialog.serial: dialog}
        return asked.value.why, answered.value.why

    world.warp(mobile, world.realms["plain"], 9, 10)
    assert refused() == (Refusal.FAR, Refusal.FAR)
    world.warp(mobile, world.realms["plain"], 10, 10)
    crier.hidden = True
    assert refused() == (Refusal.UNSEEN, Refusal.UNSEEN)
    assert dialogs.answer(mobile, dialog.serial, dialog.type_id, 0), "to close it nobody has to be near"
    world.leave(crier)
    with pytest.raises(Cannot) as gone:
        residents.talk_to(mobile, crier)
    assert gone.value.why is Refusal.GONE


def test_what_each_role_says_to_the_living_and_to_ghosts() -> None:
    kinds = ("healer", "crier", "banker", "sheep")
    world = plain_world(plain_content(residents=tuple(Resident(kind, 11, 10) for kind in kinds)))
    residents.settle(world)
    mobile = person(world)
    world.open_viewport(mobile, 1, Sight(18))

    def told(kind: str) -> list[str]:
        world.take_changes()
        resident = dweller(world, kind)
        assert resident is not None
        residents.talk_to(mobile, resident)
        goes_on(world, 0.9)
        events = world.take_changes().events
        return [
            m.text if isinstance(m, Said) else m.dialog.name for m in events if isinstance(m, Said | Asked)
        ]

    assert told("healer") == ["You look well, Alric."]
    assert told("crier") == ["NewsDialog"]
    assert told("banker") == ["BankDialog"]
    assert told("sheep") == ["a sheep has nothing to say."]
    life.kill(mobile)
    assert told("healer") == [life.RESURRECT]
    for kind in ("crier", "banker", "sheep"):
        with pytest.raises(Cannot) as caught:
            told(kind)
        assert caught.value.why is Refusal.DEAD


def test_a_question_that_goes_anywhere_is_answered_from_anywhere(world: World) -> None:
    mobile, friend = person(world), person(world, "Berta", 50, 50)
    answers: list[int] = []
    for anywhere in (False, True):
        dialog = dialogs.ask(
            friend,
            "Friendship",
            title="",
            text="",
            buttons=(Button(1, "Yes"),),
            answered=lambda _, reply: answers.append(reply.button),
            asker=mobile,
            anywhere=anywhere,
        )
        if anywhere:
            assert dialogs.answer(friend, dialog.serial, dialog.type_id, 1)
        else:
            with pytest.raises(Cannot):
                dialogs.answer(friend, dialog.serial, dialog.type_id, 1)
    assert answers == [1]


def test_a_ghost_goes_to_the_nearest_healer() -> None:
    content = plain_content(residents=(Resident("healer", 40, 40), Resident("healer", 5, 5)))
    world = plain_world(content)
    mobile = person(world)
    assert _refused(mobile) is Refusal.ALIVE
    life.kill(mobile)
    assert _refused(mobile) is Refusal.NO_HEALER
    residents.settle(world)
    life.to_healer(mobile)
    assert max(abs(mobile.x - 5), abs(mobile.y - 5)) == 1
    assert mobile.dead
    assert _refused(mobile) is Refusal.AT_HEALER
    world.warp(mobile, world.realms["cave"], 5, 5)
    life.to_healer(mobile)
    assert mobile.realm is world.realms["plain"]


def _refused(mobile: Mobile) -> Refusal:
    with pytest.raises(Cannot) as caught:
        life.to_healer(mobile)
    return caught.value.why
