"""Signs: a click on one in every game whose client draws it, or a landmark for it, tells its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
import trio

from tests.kit.games import GAMES, Person, session_of
from tests.kit.wishes import WISHES
from world import signs

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.eq2.session import Eq2Session
    from protocol.eq2.view import Eq2View
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.town import Town
    from world.world import World

SIGN = "Healer"


async def test_a_click_on_a_sign_tells_its_words(town: Town, autojump_clock: MockClock) -> None:
    """EverQuest II: the landmark that stands for it is aimed at."""
    game, who = GAMES["eq2"], Person(750)
    player = game.player(town)
    await game.enters(player, who)
    session, mobile = cast("Eq2Session", session_of(town, who)), town.mobile(who.character)
    realm = town.app.world.realms["confluence"]
    sign = next(sign for sign in realm.chart.signs if sign.title == SIGN)
    place = next(realm.free_near(sign.x, sign.y, 3))

    def put(world: World) -> None:
        world.warp(mobile, realm, *place)

    await town.app.loop.in_world(None, put)
    await trio.sleep(3)
    scenery = cast("Eq2View", session.family.view).scenery
    assert session.landmarks is not None
    (number,) = [
        scenery.number(mark)
        for mark in session.landmarks.landmarks
        if (mark.x, mark.y) == (sign.x, sign.y) and mark.signed
    ]
    ghost = session.ghosts.of(number)
    assert ghost is not None
    client = cast("Eq2Client", WISHES["eq2"](player, session).client)
    told = len(game.heard(player))
    await player.sends(client.target_bytes(ghost.index), wait=1.5)
    assert any(sign.text in line for line in game.heard(player)[told:])
    assert not session.target


@pytest.mark.parametrize("name", GAMES)
async def test_the_word_for_it_is_there_in_every_game(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    game, who = GAMES[name], Person(751)
    player = game.player(town)
    await game.enters(player, who)
    mobile, realm = town.mobile(who.character), town.app.world.realms["confluence"]
    sign = next(sign for sign in realm.chart.signs if sign.title == SIGN)
    place = next(realm.free_near(sign.x, sign.y, 3))
    await town.app.loop.in_world(None, lambda world: world.warp(mobile, realm, *place))
    await trio.sleep(3)
    wishes = WISHES[name](player, session_of(town, who))
    assert signs.read(mobile).endswith(sign.text)
    await player.sends(wishes.order("read"), wait=1.5)
    assert any(sign.text in line for line in [*game.heard(player), *wishes.notices()])
