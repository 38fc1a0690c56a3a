"""Conversations, questions, signs and looking at people by the web client, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.wishes import Wish
from tests.kit.players import UoPlayer
from tests.kit.web_scene import anna_and, settled
from world import life

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.web.session import WebSession
    from tests.kit.town import Town
    from world.mobile import Mobile


def _resident(town: Town, template: str) -> Mobile:
    return next(m for m in town.app.world.mobiles.values() if m.template.key == template)


async def test_a_sign_is_read_by_a_click(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    sign = next(one for one in realm.chart.signs if one.text)
    for near, words in ((True, f"{sign.title}: {sign.text}"), (False, "That is too far away.")):
        x, y = (
            next(realm.free_near(sign.x, sign.y, 4))
            if near
            else next(realm.free_near(sign.x, sign.y + 12, 4))
        )
        town.app.world.warp(mobile, realm, x, y)
        await settled(town, anna)
        anna.screen.forgets()
        await anna.says("read", x=sign.x, y=sign.y)
        assert words in anna.screen.lines()
    await anna.says("read", x=sign.x + 1, y=0)
    assert "There is nothing to read near you." in anna.screen.lines()


async def test_a_conversation_with_the_crier(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    crier, mobile = _resident(town, "crier"), town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    town.app.world.warp(mobile, realm, *next(realm.free_near(crier.x, crier.y + 1)))
    await settled(town, anna)
    shown = anna.screen.things[crier.serial]
    assert shown.resident
    assert shown.game == ""
    await anna.does(anna.client.use_bytes(crier.serial))
    (serial,) = anna.screen.questions
    question = anna.screen.questions[serial]
    assert question.asker == crier.serial
    assert question.buttons[1] == "Where am I?"
    # A forged button, a forged serial and another's dialog mean nothing.
    for forged in ((serial, 99), (serial ^ 2, 1), (0, 0)):
        await anna.says("answer", serial=forged[0], button=forged[1])
    assert serial in mobile.dialogs
    await anna.answers(1)
    (serial,) = anna.screen.questions
    assert anna.screen.questions[serial].text.startswith("You are at")
    # One answer counts once.
    await anna.answers(2)
    await anna.says("answer", serial=serial, button=2)
    (serial,) = anna.screen.questions
    # Far away from who asked there is nothing but to close it.
    town.app.world.warp(mobile, realm, *next(realm.free_near(crier.x + 30, crier.y, 9)))
    await settled(town, anna)
    await anna.says("answer", serial=serial, button=1)
    assert anna.screen.notices()[-1] == "That is too far away."
    await anna.answers(0)
    assert not mobile.dialogs
    (session,) = town.app.loop.sessions.values()
    assert cast("WebSession", session).asked == {}
    await settled(town, anna)


async def test_a_question_that_is_taken_back_is_closed(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    mobile = town.mobile("Anna")
    life.offer_resurrection(mobile, None)
    life.offer_resurrection(mobile, None)
    await settled(town, anna)
    assert anna.screen.counts["close"] == 1
    assert len(anna.screen.questions) == 1
    assert anna.screen.questions.keys() == mobile.dialogs.keys()


async def test_the_banker_and_looking_at_people(town: Town, autojump_clock: MockClock) -> None:
    bert = UoPlayer(town)
    anna = await anna_and(town, bert)
    banker, his = _resident(town, "banker"), town.mobile("Bert")
    mobile = town.mobile("Anna")
    realm = mobile.realm
    assert realm is not None
    town.app.world.warp(mobile, realm, *next(realm.free_near(banker.x, banker.y + 2)))
    town.app.world.warp(his, realm, *next(realm.free_near(banker.x, banker.y + 3)))
    await settled(town, anna)
    await anna.does(anna.client.use_bytes(banker.serial))
    assert not mobile.dialogs
    counter = anna.screen.panes.counter
    assert (counter.service, counter.host) == ("vault", banker.serial)
    his.hits = his.hits_max // 3
    his.title = "the Tested"
    for verb in (anna.client.look_bytes, anna.client.use_bytes):
        await anna.does(verb(his.serial))
        number, name, lines = anna.screen.seen[-1]
        assert (number, name) == (his.serial, "Bert")
        assert lines[:2] == ["the Tested", "Badly hurt."]
        assert lines[-1].startswith("Wears ")
        assert "shirt" in lines[-1]
        assert "backpack" not in lines[-1]
    await anna.does(anna.client.look_bytes(0xFFFF_FFFF))
    assert anna.screen.notices()[-1] == "You cannot see that."
    await settled(town, anna)


async def test_who_answers_what_nobody_asked_is_told_so(town: Town, autojump_clock: MockClock) -> None:
    anna = await anna_and(town)
    await anna.does(anna.client.answer_bytes(4711, 1))
    assert anna.screen.notices()[-1] == Wish.UNASKED.value
