"""Rules as plain functions: deltas, dialogs, death and life, speech, sight, newcomers."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.kit.worlds import change_a_number, person, plain_content, plain_world
from world import dialogs, holding, life, newcomers, residents, speech
from world.content import Resident
from world.delta import ItemDelta, MobileDelta
from world.events import Asked, Closed, Died, Entered, Event, Left, Revived, Said, Speech, Warped
from world.item import Layer
from world.mobile import Access, Mobile, Posture
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Hashable

    from world.world import World


@pytest.fixture
def world() -> World:
    return plain_world()


def of(world: World, kind: type[Event]) -> list[Event]:
    return [event for event in world.take_changes().events if isinstance(event, kind)]


def single_bits(cls: type) -> dict[str, int]:
    return {name: value for name, value in vars(cls).items() if name.isupper() and isinstance(value, int)}


@pytest.mark.parametrize("cls", [MobileDelta, ItemDelta])
def test_delta_flags_are_distinct_single_bits(cls: type) -> None:
    flags = single_bits(cls)
    combined = {"ATTRIBUTES"}
    bits = [value for name, value in flags.items() if name not in combined]
    assert len(bits) == len(set(bits))
    assert all(bit.bit_count() == 1 for bit in bits)
    assert MobileDelta.ATTRIBUTES == MobileDelta.HITS | MobileDelta.MANA | MobileDelta.STAM == 0x1C


def test_flags_may_have_more_than_32_bits(world: World) -> None:
    mobile = person(world)
    world.take_changes()
    mobile.mark(1 << 70)
    mobile.hits = 30
    assert world.take_changes().dirty == [(mobile, 1 << 70 | MobileDelta.HITS)]


def test_only_what_changes_looks_drops_what_views_keep_of_them(world: World) -> None:
    mobile, dice = person(world), Random(1)
    kept: dict[Hashable, object] = {}
    mobile.rendered = kept
    for _ in range(100):
        change_a_number(mobile, dice)
    assert mobile.rendered is kept
    for change in ("hair", "skin_hue", "title", "notoriety", "hidden", "name"):
        mobile.rendered = kept
        setattr(mobile, change, "Someone" if change in ("title", "name") else 3)
        assert mobile.rendered is None, change


def test_a_thing_is_queued_once_and_flags_are_cleared_before_anybody_renders(world: World) -> None:
    mobile = person(world)
    world.take_changes()
    mobile.hits = 40
    mobile.hits = 30
    mobile.mana = 10
    mobile.hits = 30
    changes = world.take_changes()
    assert changes.dirty == [(mobile, MobileDelta.HITS | MobileDelta.MANA)]
    assert mobile.delta == 0
    assert world.take_changes().dirty == []


def test_setting_the_same_value_is_no_change(world: World) -> None:
    mobile = person(world)
    world.take_changes()
    mobile.hits = mobile.hits
    mobile.name = str(mobile.name)
    assert world.take_changes().dirty == []


def test_only_stored_things_are_dirty_for_the_store(world: World) -> None:
    stored, passing = person(world, stored=True), person(world, "Other")
    world.dirty.clear()
    stored.hits = passing.hits = 1
    assert set(world.dirty) == {stored.serial}


def test_a_dialog_is_answered_once_and_only_by_what_fits(world: World) -> None:
    mobile, other = person(world), person(world, "Other")
    answers: list[int] = []
    dialog = dialogs.ask(
        mobile,
        "Test",
        title="t",
        text="x",
        buttons=[dialogs.Button(1, "yes"), dialogs.Button(0, "no")],
        answered=lambda _, reply: answers.append(reply.button),
    )
    kind = dialog.type_id
    assert not dialogs.answer(other, dialog.serial, kind, 1), "another's dialog"
    assert not dialogs.answer(mobile, dialog.serial ^ 1, kind, 1), "a forged serial"
    assert not dialogs.answer(mobile, dialog.serial, kind ^ 1, 1), "a forged type"
    assert not dialogs.answer(mobile, dialog.serial, kind, 7), "a forged button"
    assert answers == []
    assert dialogs.answer(mobile, dialog.serial, kind, 1)
    assert not dialogs.answer(mobile, dialog.serial, kind, 1), "a second answer"
    assert answers == [1]


def test_dialog_type_ids_are_stable_and_serials_are_not() -> None:
    assert dialogs.type_id("ResurrectGump") == 0xC6C3869B
    assert dialogs.type_id("ResurrectGump") != dialogs.type_id("OtherGump")
    serials = set()
    for seed in range(50):
        world = plain_world(seed=seed)
        mobile = person(world)
        serials.add(life.offer_resurrection(mobile, None).serial)
    assert len(serials) == 50


def test_asking_again_withdraws_the_older_question(world: World) -> None:
    mobile = person(world)
    world.open_viewport(mobile, 1, Sight(5))
    first = life.offer_resurrection(mobile, None)
    second = life.offer_resurrection(mobile, None)
    kinds = Counter(type(event) for event in world.take_changes().events)
    assert kinds[Asked] == 2
    assert kinds[Closed] == 1
    assert not dialogs.answer(mobile, first.serial, first.type_id, 1)
    assert list(mobile.dialogs) == [second.serial]


def test_who_asked_and_left_hears_no_answer_and_the_question_is_taken_back(world: World) -> None:
    asker, asked, other = person(world, "Alric"), person(world, "Berta", 11), person(world, "Carla", 12)
    for mobile in (asked, other):
        world.open_viewport(mobile, mobile.serial, Sight(5))
        life.offer_resurrection(mobile, asker)
    world.take_changes()
    dialogs.withdraw(other, next(iter(other.dialogs.values())))
    assert list(asker.asking.values()) == [asked]
    assert [event.thing for event in of(world, Closed)] == [other]
    world.leave(asker)
    assert not asked.dialogs
    assert not asker.asking
    assert [event.thing for event in of(world, Closed)] == [asked]


def test_who_was_asked_and_left_leaves_no_question_behind(world: World) -> None:
    asker, asked = person(world, "Alric"), person(world, "Berta", 11)
    question = life.offer_resurrection(asked, asker)
    assert dialogs.answer(asked, question.serial, question.type_id, life.CANCEL)
    assert asker.asking == {}
    life.offer_resurrection(asked, asker)
    world.leave(asked)
    assert not asked.dialogs
    assert not asker.asking


def test_continue_sets_hits_to_ten_and_nothing_but_the_hits_and_body_deltas(world: World) -> None:
    mobile = person(world)
    assert life.kill(mobile)
    assert mobile.dead
    assert mobile.hits == 0
    assert not life.kill(mobile)
    dialog = life.offer_resurrection(mobile, None)
    world.take_changes()
    assert dialogs.answer(mobile, dialog.serial, dialog.type_id, life.CONTINUE)
    changes = world.take_changes()
    assert (mobile.hits, mobile.dead) == (10, False)
    assert changes.dirty == [(mobile, MobileDelta.HITS | MobileDelta.BODY)]
    assert [type(event) for event in changes.events] == [Revived]


def test_cancel_leaves_a_ghost_a_ghost(world: World) -> None:
    mobile = person(world)
    life.kill(mobile)
    assert len(of(world, Died)) == 1
    dialog = life.offer_resurrection(mobile, None)
    assert dialogs.answer(mobile, dialog.serial, dialog.type_id, life.CANCEL)
    assert mobile.dead


def test_a_healer_offers_a_ghost_nearby_and_not_too_often() -> None:
    world = plain_world(plain_content(residents=(Resident("healer", 12, 10),)))
    residents.settle(world)
    ghost, living = person(world, "Ghost", 10, 10), person(world, "Living", 11, 10)
    away = person(world, "Away", 40, 40)
    for key, mobile in enumerate((ghost, living, away)):
        world.open_viewport(mobile, key, Sight(18))
    life.kill(ghost)
    life.kill(away)
    asked = []
    for tick in range(1, 400):
        world.begin(tick * 0.1)
        world.run_timers()
        asked += [event.thing.name for event in of(world, Asked) if isinstance(event, Asked)]
        if tick == 50:
            assert asked == ["Ghost"], "once while the question is open"
            (dialog,) = ghost.dialogs.values()
            dialogs.answer(ghost, dialog.serial, dialog.type_id, life.CANCEL)
    assert asked.count("Ghost") in (2, 3)
    assert set(asked) == {"Ghost"}


def test_a_healer_asks_again_fifteen_seconds_after_it_asked_whoever_declined() -> None:
    world = plain_world(plain_content(residents=(Resident("healer", 12, 10),)))
    residents.settle(world)
    ghost = person(world, "Ghost", 10, 10)
    world.open_viewport(ghost, 1, Sight(18))
    life.kill(ghost)
    asked = []
    for tick in range(1, 330):
        world.begin(tick / 10)
        world.run_timers()
        for _ in of(world, Asked):
            asked.append(tick / 10)
            (dialog,) = ghost.dialogs.values()
            dialogs.answer(ghost, dialog.serial, dialog.type_id, life.CANCEL)
    assert len(asked) == 3
    # It looks around once a second, and a turn is a tenth of one here.
    first, second, third = asked
    assert second - first == pytest.approx(15.0)
    assert third - second == pytest.approx(15.0)


@pytest.mark.parametrize(("how", "reach"), [(Speech.WHISPER, 1), (Speech.SAY, 15), (Speech.YELL, 18)])
def test_speech_carries_as_far_as_it_carries(world: World, how: Speech, reach: int) -> None:
    speaker = person(world, "Speaker", 20, 20)
    distances = (1, 2, 14, 15, 16, 18, 19)
    for distance in distances:
        world.open_viewport(person(world, f"At{distance}", 20 + distance, 20), distance, Sight(24))
    world.take_changes()
    speech.say(speaker, "hello", how)
    (said,) = of(world, Said)
    assert isinstance(said, Said)
    assert {viewport.key for viewport in said.viewers} == {d for d in distances if d <= reach}


def test_a_resident_hears_a_whisper_at_one_tile_and_not_at_two(world: World) -> None:
    speaker, heard = person(world, "Speaker", 20, 20), list[str]()
    for name, x, y in (("near", 21, 21), ("two tiles away", 22, 20)):
        listener = person(world, name, x, y)
        world.listeners[listener.serial] = lambda _, text, name=name: heard.append(name)  # type: ignore[misc]
    speech.say(speaker, "psst", Speech.WHISPER)
    assert heard == ["near"]


def test_speech_is_cleaned_and_bounded(world: World) -> None:
    speaker = person(world)
    world.take_changes()
    speech.say(speaker, "  a\x00b\x1b[31m\u202ec\n" + "x" * 500)
    speech.say(speaker, " \x07\n ")
    (said,) = of(world, Said)
    assert isinstance(said, Said)
    assert said.text.startswith("ab[31mc")
    assert len(said.text) == speech.LONGEST


def test_tell_reaches_one_online_character_by_any_letter_case(world: World) -> None:
    speaker, target = person(world, "Speaker"), person(world, "Target", 50, 50)
    world.open_viewport(target, 7, Sight(5))
    world.take_changes()
    assert speech.tell(speaker, "tARGET", "psst") is target
    (said,) = of(world, Said)
    assert isinstance(said, Said)
    assert [viewport.key for viewport in said.viewers] == [7]
    with pytest.raises(Cannot) as refused:
        speech.tell(speaker, "Nobody", "psst")
    assert refused.value.why is Refusal.NOBODY


def test_sight_belongs_to_the_viewer(world: World) -> None:
    viewer, thing = person(world, "Viewer", 20, 20), person(world, "Thing", 26, 20)
    diamond = Sight(8, lambda dx, dy: abs(dx) + abs(dy) <= 6)
    viewport = world.open_viewport(viewer, 1, diamond)
    space = world.realms["plain"].space
    assert thing.serial in space.seen_by(viewport)
    space.move(thing, 26, 21)
    assert thing.serial not in space.seen_by(viewport)
    space.move(thing, 24, 22)
    assert thing.serial in space.seen_by(viewport)
    thing.hidden = True
    assert thing.serial not in space.seen_by(viewport)
    assert viewer.serial not in space.seen_by(viewport)


def test_eyes_are_found_from_every_tile_they_cover_and_only_there(world: World) -> None:
    viewer = person(world, "Viewer", 30, 30)
    viewport = world.open_viewport(viewer, 1, Sight(7))
    space = world.realms["plain"].space
    covered = {(x, y) for y in range(60) for x in range(60) if viewport in space.watching(x, y)}
    assert covered == {(x, y) for y in range(23, 38) for x in range(23, 38)}
    world.warp(viewer, world.realms["plain"], 3, 50)
    covered = {(x, y) for y in range(60) for x in range(60) if viewport in space.watching(x, y)}
    assert covered == {(x, y) for y in range(43, 58) for x in range(11)}
    world.close_viewport(viewer)
    assert not any(space.watching(x, y) for y in range(60) for x in range(60))


def test_entering_warping_and_leaving_are_moments(world: World) -> None:
    mobile = person(world)
    world.warp(mobile, world.realms["cave"], 5, 5)
    assert mobile.realm is world.realms["cave"]
    world.leave(mobile)
    assert [type(event) for event in world.take_changes().events] == [Entered, Warped, Left]
    assert mobile.serial not in world.mobiles


def test_whoever_is_put_elsewhere_stands(world: World) -> None:
    mobile = person(world)
    for posture in (Posture.CHAIR, Posture.FLOOR):
        mobile.posture = posture
        world.warp(mobile, world.realms["plain"], 20, 20)
        assert mobile.posture == Posture.STANDING


@pytest.mark.parametrize(
    ("template", "word", "seconds", "answer"),
    [("crier", "hail", 0.8, "Welcome to"), ("banker", "balance", 0.5, "Greetings")],
)
def test_a_resident_answers_one_at_a_time(template: str, word: str, seconds: float, answer: str) -> None:
    world = plain_world()
    resident = Mobile(world.serials.mobile(), world, "Otto", template=world.content.mobiles[template])
    world.enter(resident, world.realms["plain"], 12, 10)
    residents.take_up(resident)
    speaker = person(world)
    now = 0.0
    for _ in range(2):
        for _ in range(4):
            speech.say(speaker, word)
        world.take_changes()
        now += seconds + 0.3
        world.begin(now)
        world.run_timers()
        said = [event.text for event in world.take_changes().events if isinstance(event, Said)]
        assert [text.startswith(answer) for text in said] == [True]


def test_the_global_chat_is_for_those_who_listen(world: World) -> None:
    speaker, listener, deaf = person(world), person(world, "Berta"), person(world, "Clara")
    for key, mobile in enumerate((speaker, listener, deaf)):
        mobile.online = True
        world.open_viewport(mobile, key, Sight(5))
    deaf.hears_global = False
    speaker.access = Access.GAME_MASTER
    speech.to_all(world, "news", speaker=speaker)
    speech.to_all(world, "the end is near", speaker=speaker, announce=True)
    ears = [event.viewers for event in world.take_changes().events if isinstance(event, Said)]
    assert ears == [[listener.viewport], [listener.viewport, deaf.viewport]]


def test_an_item_has_one_holder_and_deleting_a_pack_deletes_what_is_in_it(world: World) -> None:
    mobile = person(world, stored=True)
    newcomers.outfit(mobile)
    pack = mobile.backpack
    assert pack is not None
    world.register(mobile)
    inside = list(pack.contents.values())
    assert all(item.parent is pack and item.root is mobile for item in inside)
    assert holding.gold(mobile) == 100
    assert holding.weight(mobile) > 0
    world.delete(pack)
    assert mobile.backpack is None
    assert world.deleted == {pack.serial, *(item.serial for item in inside)}
    assert not any(item.serial in world.items for item in inside)


def test_newcomers_begin_alike_whatever_their_client_chose(world: World) -> None:
    mobile = person(world)
    mobile.strength, mobile.dexterity, mobile.intelligence, mobile.vitality = 255, -5, 60, 90
    newcomers.make_legal(mobile)
    newcomers.bring_up(mobile)
    assert (mobile.strength, mobile.dexterity, mobile.intelligence, mobile.vitality) == (10, 10, 10, 10)
    assert (mobile.level, mobile.experience) == (1, 133)
    assert (mobile.hits, mobile.mana, mobile.stam) == (61, 43, 30)
    assert (mobile.hits_max, mobile.mana_max, mobile.stam_max) == (61, 43, 30)


def test_who_chooses_no_skills_knows_what_everybody_knows(world: World) -> None:
    mobile = person(world)
    mobile.endow()
    assert mobile.learner is not None
    newcomers.choose_skills(mobile, {"knitting": 50})
    assert {name: skill.value for name, skill in mobile.learner.skills.items()} == {
        "daggers": 300,
        "tactics": 300,
        "healing": 300,
    }


@pytest.mark.parametrize("female", [False, True])
@pytest.mark.parametrize(
    ("wish", "hair", "hair_hue", "beard", "skin_hue"),
    [(-1, 0, 1102, 0, 1002), (2**31, 20, 1149, 7, 1058)],
)
def test_newcomers_look_like_people(
    world: World, *, female: bool, wish: int, hair: int, hair_hue: int, beard: int, skin_hue: int
) -> None:
    mobile = person(world)
    mobile.female = female
    mobile.hair = mobile.hair_hue = mobile.beard = mobile.skin_hue = wish
    newcomers.make_legal(mobile)
    assert (mobile.hair, mobile.hair_hue, mobile.skin_hue) == (hair, hair_hue, skin_hue)
    assert mobile.beard == (0 if female else beard)


def test_looks_that_newcomers_may_have_are_left_alone(world: World) -> None:
    mobile = person(world)
    mobile.hair, mobile.hair_hue, mobile.beard, mobile.skin_hue = 20, 1120, 4, 1033
    newcomers.make_legal(mobile)
    assert (mobile.hair, mobile.hair_hue, mobile.beard, mobile.skin_hue) == (20, 1120, 4, 1033)


@pytest.mark.parametrize(("wish", "hue"), [(0, 0), (-7, 2), (1, 2), (2, 2), (1001, 1001), (0x3FFF, 1001)])
def test_clothes_have_the_hues_of_dyed_cloth(world: World, wish: int, hue: int) -> None:
    mobile = person(world)
    newcomers.outfit(mobile, shirt_hue=wish, pants_hue=wish)
    assert [mobile.worn[layer].hue for layer in (Layer.SHIRT, Layer.PANTS, Layer.SHOES)] == [hue, hue, 0]


def test_newcomers_are_spread_over_free_tiles_near_the_spawn(world: World) -> None:
    places = []
    for n in range(20):
        realm, x, y = newcomers.spawn_place(world)
        person(world, f"N{n}", x, y, realm=realm.name)
        places.append((x, y))
    assert len(set(places)) == 20
    assert all(max(abs(x - 10), abs(y - 10)) <= 3 for x, y in places)
