"""Friends, those of whom one hears nothing, duels and reports in the browser's own windows, over a whole
server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, settled
from world import conduct, duels, invites

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_friends_come_and_go_in_the_list(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = WebPlayer(town), UoPlayer(town)
    anna = await anna_and(town, bert, carla)
    society = anna.screen.society
    await anna.says("friends")
    assert (society.friends, society.ignored) == ({}, {})
    await anna.says("befriend", name="bert")
    await anna.says("befriend", name="Carla")
    assert society.friends == {"Bert": "web", "Carla": "uo"}
    assert "Carla is a friend of yours now." in anna.screen.notices()
    await bert.says("leave")
    await settled(town, anna)
    assert society.friends == {"Bert": None, "Carla": "uo"}
    assert anna.screen.notices()[-1] == "Your friend Bert has left."
    await bert.plays()
    await settled(town, anna, bert)
    assert society.friends == {"Bert": "web", "Carla": "uo"}
    await anna.says("unfriend", name="Carla")
    await anna.says("ignore", name="Bert")
    assert society.friends == {"Bert": "web"}
    assert list(society.ignored.values()) == ["Bert"]
    society.friends = {}
    society.ignored = {}
    await anna.says("friends")
    assert society.friends == {"Bert": "web"}
    assert list(society.ignored.values()) == ["Bert"]
    await anna.says("heed", name="Bert")
    assert society.ignored == {}
    for t, words in (
        ("befriend", "There is nobody of that name."),
        ("unfriend", "You have no friend of that name."),
        ("ignore", "There is nobody of that name."),
        ("heed", "You ignore nobody of that name."),
    ):
        await anna.says(t, name="Zoe")
        assert anna.screen.notices()[-1] == words, t


async def test_a_duel_is_counted_down_and_given_up(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    other = town.mobile("Bert")
    await anna.says("yield")
    assert anna.screen.notices()[-1] == "You are in no duel."
    await anna.says("duel", id=0x7FFF_FFFF)
    assert anna.screen.notices()[-1] == "You cannot see that."
    await anna.says("duel", id=other.serial)
    (question,) = bert.screen.questions.values()
    assert question.title == "Duel"
    await bert.answers(invites.YES)
    await settled(town, anna, bert)
    counted = [anna.screen.society.duel]
    await anna.sends(b"", wait=duels.COUNTED + 1)
    counted.append(anna.screen.society.duel)
    assert [one and one[:2] for one in counted] == [(other.serial, "Bert")] * 2
    assert counted[1] == (other.serial, "Bert", 0)
    await bert.says("yield")
    await settled(town, anna, bert)
    assert [player.screen.society.duel for player in (anna, bert)] == [None, None]
    assert anna.screen.society.duels == [(other.serial, True)]
    assert bert.screen.society.duels == [(town.mobile("Anna").serial, False)]
    assert anna.screen.notices()[-1] == "Bert gives up."


async def test_a_report_is_kept_for_the_staff(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    await bert.does(bert.client.say_bytes("You smell"))
    await anna.says("report", name="bert", text="He is rude.")
    (report,) = conduct.reports(town.app.world).values()
    assert (report.who, report.about, report.text) == ("Anna", "Bert", "He is rude.")
    assert "You smell" in report.lines
    assert anna.screen.notices()[-1] == "Nobody of the staff is here; they will read it."
    for name, words in (("Zoe", "There is nobody"), ("Anna", "You cannot do that to yourself.")):
        await anna.says("report", name=name, text="Well")
        assert anna.screen.notices()[-1].startswith(words)
    assert len(conduct.reports(town.app.world)) == 1
