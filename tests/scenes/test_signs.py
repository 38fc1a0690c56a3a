"""Signs: a click on one in every game whose client draws it, or a landmark for it, tells its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import pytest
import trio
from eolib import EoReader, InitReply
from eolib.protocol.map import Emf

from protocol.uo.scenery import FIRST_SERIAL, LAST_SERIAL
from tests.kit.games import GAMES, Person, session_of
from tests.kit.wishes import WISHES
from world import signs

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.co.session import CoSession
    from protocol.eq2.session import Eq2Session
    from protocol.l2.session import L2Session
    from protocol.session import Session
    from protocol.uo.view import UoView
    from tests.kit.co_client import CoClient
    from tests.kit.eo_client import EoClient
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.game import Game
    from tests.kit.l2_client import L2Client
    from tests.kit.players import Player
    from tests.kit.town import Town
    from tests.kit.uo_client import UoClient
    from tests.kit.web_client import WebClient
    from tests.kit.wish import Wishes
    from world.content import Sign
    from world.mobile import Mobile

SIGN: Final = "Healer"

CLICKED: Final = ("uo", "eq2", "co", "l2", "web")
"""Games in which a click on a sign is told to the server."""


def _landmark(session: Eq2Session | CoSession | L2Session, sign: Sign) -> int:
    """The number by which a client knows what stands there for a sign."""
    assert session.landmarks is not None
    (number,) = [
        session.family.view.scenery.number(mark)  # type: ignore[attr-defined] # of these games' views
        for mark in session.landmarks.landmarks
        if (mark.x, mark.y) == (sign.x, sign.y) and mark.signed
    ]
    assert isinstance(number, int)
    return number


def _click(name: str, client: object, session: Session, sign: Sign) -> bytes:
    """What a client sends when its player clicks on a sign: a double click on the piece of scenery
    (Ultima Online), a click on the landmark (Lineage II: Action; Conquer Online: Npc; EverQuest II: it is
    aimed at), or the tile (web)."""
    match name:
        case "uo":
            find = cast("UoView", session.family.view).scenery.find
            pieces = map(find, range(FIRST_SERIAL, LAST_SERIAL))
            static = next(one for one in pieces if one is not None and one.name == sign.title)
            assert static.realm == "confluence"
            return cast("UoClient", client).open_bytes(static.serial)
        case "eq2":
            eq2 = cast("Eq2Session", session)
            ghost = eq2.ghosts.of(_landmark(eq2, sign))
            assert ghost is not None
            return cast("Eq2Client", client).target_bytes(ghost.index)
        case "co":
            return cast("CoClient", client).talk_to_bytes(_landmark(cast("CoSession", session), sign))
        case "l2":
            return cast("L2Client", client).click_bytes(_landmark(cast("L2Session", session), sign))
        case _:
            return cast("WebClient", client).say_bytes_of("read", x=sign.x, y=sign.y)


async def _before_a_sign(town: Town, name: str, number: int) -> tuple[Game, Player, Wishes, Mobile, Sign]:
    """Somebody of a game stands before a sign."""
    game, who = GAMES[name], Person(number)
    player = game.player(town)
    await game.enters(player, who)
    mobile, realm = town.mobile(who.character), town.app.world.realms["confluence"]
    sign = next(sign for sign in realm.chart.signs if sign.title == SIGN)
    place = next(realm.free_near(sign.x, sign.y, 3))
    await town.app.loop.in_world(None, lambda world: world.warp(mobile, realm, *place))
    await trio.sleep(3)
    return game, player, WISHES[name](player, session_of(town, who)), mobile, sign


@pytest.mark.parametrize("name", CLICKED)
async def test_a_click_on_a_sign_tells_its_words(town: Town, autojump_clock: MockClock, name: str) -> None:
    game, player, wishes, _, sign = await _before_a_sign(town, name, 750)
    before = [*game.heard(player), *wishes.notices()]
    assert not any(sign.text in line for line in before)
    await player.sends(_click(name, wishes.client, wishes.session, sign), wait=1.5)
    assert any(sign.text in line for line in [*game.heard(player), *wishes.notices()])
    if name == "eq2":
        assert not cast("Eq2Session", wishes.session).target


async def test_the_words_of_a_sign_are_in_the_map_of_the_game_that_sends_no_click(
    town: Town, autojump_clock: MockClock
) -> None:
    """Endless Online: its client has the words in its map file, which it is sent, and shows them by itself
    when one clicks on the sign (eo-protocol, xml/map/protocol.xml: MapSign)."""
    _, _, wishes, _, sign = await _before_a_sign(town, "eo", 752)
    emf = Emf.deserialize(EoReader(cast("EoClient", wishes.client).files[InitReply.FileEmf]))
    (there,) = [one for one in emf.signs if (one.coords.x, one.coords.y) == (sign.x, sign.y)]
    assert there.string_data[: there.title_length] == sign.title
    assert there.string_data[there.title_length :] == sign.text


@pytest.mark.parametrize("name", GAMES)
async def test_the_word_for_it_is_there_in_every_game(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    game, player, wishes, mobile, sign = await _before_a_sign(town, name, 751)
    assert signs.read(mobile).endswith(sign.text)
    await player.sends(wishes.order("read"), wait=1.5)
    assert any(sign.text in line for line in [*game.heard(player), *wishes.notices()])
