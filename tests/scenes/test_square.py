"""Everybody on one square: what people of all games see and hear of one another, the same for each game. What
is so in one game alone is in the file that is named after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import pytest
import trio
from eolib import Emote

from tests.kit.game import Heard
from tests.kit.games import GAMES
from tests.kit.square import CAST, FIRST, LEFT_BEHIND, SECOND, Guest, gather
from world import hands, holding, life
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio.testing import MockClock

    from tests.kit.l2_player import L2Player
    from tests.kit.square import Square
    from tests.kit.town import Town

GESTURES: Final[Mapping[str, Mapping[str, object]]] = {
    "bow": {"uo": "animation", "eo": "*bows*", "eq2": "{} bows.", "co": 210, "l2": 7, "web": "bow"},
    "smile": {"uo": "*smiles*", "eo": Emote.Happy, "eq2": "{} smiles.", "co": 1, "l2": 3, "web": "happy"},
}
"""What each game's clients are shown of a gesture."""

NOBODY: Final = {
    "eq2": "There is no Nobody here",
    "co": "Nobody is not online.",
    "l2": "Nobody",
    "web": "Nobody is not online.",
}
"""What it is told who whispers to Nobody, where it is not the words of all the others. In Lineage II that
is the name alone, for a sentence of the client's own."""


ELSEWHERE: Final = "127.0.0.3"
"""An address that has no connections yet."""


@pytest.fixture
async def square(town: Town) -> Square:
    """Everybody is there."""
    return await gather(town)


def test_there_are_two_of_each_game() -> None:
    for half in (FIRST, SECOND):
        assert {CAST[name].game for name in half} == GAMES.keys()
        assert len(half) == len(GAMES)


async def test_all_see_each_other_by_name_and_where_they_are(
    square: Square, autojump_clock: MockClock
) -> None:
    for guest in square:
        square.all_see(guest.name)
        for viewer in square:
            assert viewer.must_see(guest).hits in (None, 100), f"{viewer}: {guest}"
    square.is_well()


async def test_all_see_each_others_steps(square: Square, autojump_clock: MockClock) -> None:
    corrected = {guest: guest.game.corrections(guest.player) for guest in square}
    for heading in (EAST, SOUTH, WEST, NORTH):
        for guest in square:
            x, y = guest.place
            dx, dy = OFFSETS[heading]
            await guest.walks(heading)
            assert guest.place == (x + dx, y + dy), f"{guest} is held up"
            assert guest.mobile.heading == heading
            square.all_see(guest.name)
    for guest, before in corrected.items():
        assert guest.game.corrections(guest.player) == before, f"{guest} was put elsewhere"
    square.is_well()


async def test_all_hear_each_other_and_know_who_speaks_and_how(
    square: Square, autojump_clock: MockClock
) -> None:
    spoken = []
    for guest in square:
        for how, wish in (("say", guest.wishes.say), ("yell", guest.wishes.shout)):
            spoken.append(Heard(how, guest.name, f"{how} of {guest.name}"))
            await guest.does(wish(spoken[-1].words))
    for guest in square:
        assert_hears(guest, spoken)
    square.is_well()


async def test_words_for_one_and_words_for_all(square: Square, autojump_clock: MockClock) -> None:
    """Everybody to three others, so that each game whispers to others and to its own kind."""
    ring = list(square)
    expected: dict[Guest, list[Heard]] = {guest: [] for guest in square}
    for number, guest in enumerate(ring):
        for away in (1, 3, 6):
            other = ring[(number + away) % len(ring)]
            line = Heard("tell", guest.name, f"from {guest.name} to {other.name}")
            await guest.does(guest.wishes.tell(other.name, line.words), wait=2)
            expected[guest].append(line)
            expected[other].append(line)
        line = Heard("global", guest.name, f"from {guest.name} to all")
        await guest.does(guest.wishes.to_all(line.words))
        for heard in expected.values():
            heard.append(line)
    for guest, heard in expected.items():
        assert_hears(guest, heard)
    square.is_well()


async def test_who_whispers_to_nobody_is_told_so(square: Square, autojump_clock: MockClock) -> None:
    for guest in square:
        await guest.does(guest.wishes.tell("Nobody", "are you there"))
        lines = [*guest.game.heard(guest.player), *guest.wishes.notices()]
        if guest.game.name == "eo":
            assert guest.wishes.refusals() == [Refusal.NOBODY]
        else:
            words = NOBODY.get(guest.game.name, Refusal.NOBODY.value)
            assert sum(words in line for line in lines) == 1, lines
        for other in square.watchers(guest.name):
            assert "are you there" not in " ".join(other.game.heard(other.player))
    square.is_well()


def assert_hears(guest: Guest, spoken: list[Heard]) -> None:
    """It heard just that, and of its own lines those that come back in its game."""
    game = guest.game
    wanted = [line for line in spoken if line.who != guest.name or line.how in game.echoes]
    if game.name == "eo":  # this game does not tell shouts from what is said
        wanted = [line._replace(how="say") if line.how == "yell" else line for line in wanted]
    assert [line for line in game.spoken_to(guest.player) if line.who in CAST] == wanted, str(guest)


async def test_all_see_gestures(square: Square, autojump_clock: MockClock) -> None:
    for guest in square:
        await guest.does(guest.wishes.gesture())
    for guest in square:
        shown = GESTURES["smile" if guest.game.name == "eo" else "bow"]
        for viewer in square.watchers(guest.name):
            picture = shown[viewer.game.name]
            wanted = picture.format(guest.name) if isinstance(picture, str) else picture
            assert viewer.game.gestures_of(viewer.player, guest.mobile) == [wanted], f"{viewer}: {guest}"
    square.is_well()


async def test_all_see_who_sits_down_and_who_stands_up(square: Square, autojump_clock: MockClock) -> None:
    for guest in square:
        await guest.does(guest.wishes.sit())
        assert guest.mobile.posture, f"{guest} stands"
        square.all_see(guest.name)
    square.is_well()
    for guest in square:
        await guest.does(guest.wishes.stand())
        assert not guest.mobile.posture, f"{guest} sits"
        square.all_see(guest.name)
    square.is_well()


async def test_all_see_wounds(square: Square, autojump_clock: MockClock) -> None:
    for share, guest in zip((2, 4, 5) * 4, square, strict=True):
        mobile = guest.mobile
        mobile.hits = mobile.hits_max // share
        await square.changed()
        assert guest.game.own_hits(guest.player) == (mobile.hits, mobile.hits_max), str(guest)
        for viewer in square.watchers(guest.name):
            if viewer.game.name == "l2":  # its client is told only of whom it aims at
                client = cast("L2Player", viewer.player).client
                await viewer.does(client.click_bytes(mobile.serial, shift=True))
            hits = viewer.must_see(guest).hits
            if viewer.game.name == "eo":
                assert hits is None, "it shows nobody's"
            else:
                assert hits == pytest.approx(mobile.hits * 100 / mobile.hits_max, abs=1), f"{viewer}: {guest}"
    square.is_well()


async def test_who_dies_and_rises_is_seen_to(square: Square, autojump_clock: MockClock) -> None:
    for guest in square:
        life.kill(guest.mobile)
        await square.changed()
        square.all_see(guest.name)
        for viewer in square.watchers(guest.name):
            assert viewer.must_see(guest).ghost, f"{viewer}: {guest}"
    square.is_well()
    for guest in square:
        life.resurrect(guest.mobile)
        await square.changed()
        assert not guest.mobile.dead
        square.all_see(guest.name)
        for viewer in square:
            assert viewer.must_see(guest).hits != 0, f"{viewer}: {guest}"
        await guest.walks(EAST)
        square.all_see(guest.name)
    square.is_well()


async def test_who_is_put_elsewhere_is_gone_for_all_and_shown_what_is_there(
    square: Square, autojump_clock: MockClock
) -> None:
    for guest in square:
        home = guest.place
        await square.warps(guest.name, *square.far_off(guest.name))
        square.nobody_sees(guest.name, guest.mobile)
        for other in square.watchers(guest.name):
            assert guest.sees(other) is None, f"{guest} still sees {other}"
        assert guest.tile(guest.must_see(guest)) == guest.place
        await guest.walks(EAST)
        assert guest.tile(guest.must_see(guest)) == guest.place
        await square.warps(guest.name, *home)
        square.all_see(guest.name)
        for other in square:
            assert guest.tile(guest.must_see(other)) == other.place
    square.is_well()


async def test_things_go_from_hand_to_hand_over_the_ground(square: Square, autojump_clock: MockClock) -> None:
    """What one lays down all see lie there, until the next one of another game takes it."""
    world = square.town.app.world
    for resident in [mobile for mobile in world.mobiles.values() if not mobile.is_character]:
        world.leave(resident)  # they would come and go
    for guest in square:
        pack, thing = guest.mobile.backpack, holding.make(world, "lantern")
        assert pack is not None
        world.register(thing)
        holding.put(pack, thing)
        await square.changed()
        drawn = {viewer: viewer.game.believes(viewer.player) for viewer in square}
        await guest.does(guest.wishes.drop(thing))
        assert thing.realm is square.realm, str(guest)
        for viewer, before in drawn.items():
            assert len(viewer.game.believes(viewer.player) - before) == 1, f"{viewer}: {guest}"
        square.is_well()
        finder = min(
            (other for other in square if other.game is not guest.game),
            key=lambda other: max(abs(other.mobile.x - thing.x), abs(other.mobile.y - thing.y)),
        )
        await finder.does(finder.wishes.lift(thing))
        assert thing.root is finder.mobile, f"{finder}: {guest}"
        hands.destroy(finder.mobile, thing, 1)  # of two alike one would lay down the other
        await square.changed()
        for viewer, before in drawn.items():
            assert viewer.game.believes(viewer.player) == before, f"{viewer}: {guest}"
    square.is_well()


async def test_who_leaves_is_gone_for_all_and_comes_again(square: Square, autojump_clock: MockClock) -> None:
    for names in (FIRST, SECOND):
        mobiles = {name: square[name].mobile for name in names}
        for name, mobile in mobiles.items():
            # From the browser's menu its character is gone as late as one whose line is dead.
            if await square[name].leaves() and square[name].game.name != "web":
                assert not square.town.here(name), f"{square[name]} is still there"
                square.nobody_sees(name, mobile)
        await trio.sleep(LEFT_BEHIND)
        for name, mobile in mobiles.items():
            assert not square.town.here(name), f"{square[name]} is still there"
            square.nobody_sees(name, mobile)
        for name, mobile in mobiles.items():
            square[name].sits_at(CAST[name])
            await square[name].enters()
            assert square[name].mobile.serial == mobile.serial
            assert square[name].place == (mobile.x, mobile.y)
        for name in names:
            square.all_see(name)
        square.is_well()


async def test_who_loses_the_line_comes_back_to_where_it_was(
    square: Square, autojump_clock: MockClock
) -> None:
    """Without a goodbye the character stays for a while, as one whose line is dead."""
    for names in (FIRST, SECOND):
        mobiles = {}
        for name in names:
            guest = square[name]
            await guest.walks(EAST)
            mobiles[name] = guest.mobile, guest.place
            guest.player.leaves()
            await trio.sleep(1)
            assert guest.mobile is mobiles[name][0]
            for viewer in square.watchers(name):
                assert viewer.tile(viewer.must_see(guest)) == guest.place, f"{viewer}: {guest}"
            guest.sits_at(CAST[name])
            await guest.enters()
            assert guest.mobile is mobiles[name][0], "the same one, not another"
            square.all_see(name)
        await trio.sleep(2 * LEFT_BEHIND)
        for name, (mobile, place) in mobiles.items():
            assert square[name].mobile is mobile, str(square[name])
            assert square[name].place == place
            await square[name].walks(WEST)
            square.all_see(name)
        square.is_well()


async def test_the_newest_login_wins(square: Square, autojump_clock: MockClock) -> None:
    """Of the same game, at another kind of client where there is one; and then of the next game."""
    for number, (name, like) in enumerate(zip(FIRST, SECOND, strict=True)):
        guest = square[name]
        mobile = guest.mobile
        for part in (CAST[like], CAST[FIRST[number - 1]]):
            before = guest.player
            guest.sits_at(part)
            await guest.enters()
            assert before.gone, f"{name} is still played at {before.game}"
            assert guest.mobile is mobile
            square.all_see(name)
            await guest.walks(SOUTH)
            square.all_see(name)
    square.is_well()


async def test_one_character_is_played_from_one_game_after_the_other(
    square: Square, autojump_clock: MockClock
) -> None:
    """Who was made in any game is played in every other, and the rest sees no difference."""
    serials = {name: square[name].mobile.serial for name in FIRST}
    for turn in range(1, len(FIRST) + 1):
        clients = (FIRST, SECOND)[turn % 2]
        for number, name in enumerate(FIRST):
            guest, place = square[name], square[name].place
            await guest.leaves()
            like = clients[(number + turn) % len(clients)]
            guest.sits_at(CAST[like]._replace(peer=ELSEWHERE))
            await guest.enters()
            assert (guest.mobile.serial, guest.place) == (serials[name], place)
            await guest.walks((EAST, WEST)[turn % 2])
            assert guest.place == (place[0] + (1, -1)[turn % 2], place[1])
            square.all_see(name)
        square.is_well()
