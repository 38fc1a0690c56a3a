"""Quests: the offer, the journal and its pages, by what a client sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2.counters import COPPER
from protocol.eq2.figures import Rendering
from protocol.eq2.handlers.journals import NO_PLACE, YOURS
from protocol.eq2.journals import PAID, number_of
from protocol.eq2.packets import (
    DialogOpen,
    DisplayText,
    EntityResourcesLoaded,
    HelpPath,
    HelpPathClear,
    OfferQuest,
    QuestJournalInspect,
    QuestJournalOpen,
    QuestJournalReply,
    QuestJournalSetVisible,
    QuestJournalUpdate,
    QuestJournalWaypoint,
    RewardData,
    RewardPack,
    UiLoaded,
    ZoneResourcesDone,
)
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from world import granting, hands, holding, journals, quests
from world.errands import Kind, Quest, Reward, State, Step
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile

ERRAND = Quest(
    key="errand",
    name="Bread for the field",
    text="Bring bread, {name}.",
    giver="farmer",
    steps=(Step("bring", Kind.BRING, "Bring two loaves", whom="farmer", item="bread", amount=2),),
    reward=Reward(25, 40, (("candle", 3),)),
)
PATIENCE = Quest("patience", "Patience", "Wait.", "nobody", (Step("wait", Kind.WAIT, "Wait", seconds=99.0),))
NUMBER = number_of("errand")


async def field() -> tuple[Desk, Player, Mobile]:
    """A player with an empty pack before a farmer who has an errand."""
    desk = Desk()
    desk.world.content = attrs.evolve(desk.content, quests={"errand": ERRAND, "patience": PATIENCE})
    player = await desk.enter("alric")
    assert player.mobile.backpack is not None
    for item in list(player.mobile.backpack.contents.values()):
        desk.world.delete(item)
    farmer = desk.resident("farmer", 21, 20)
    await desk.wait(0.2)
    player.got.clear()
    return desk, player, farmer


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


async def offered(player: Player, farmer: Mobile) -> OfferQuest:
    """The window of the offer."""
    quests.offer(player.mobile, farmer, "errand")
    await player.desk.wait(0.1)
    (window,) = player.took(OfferQuest)
    assert not player.took(DialogOpen)
    player.got.clear()
    return window


def page(player: Player) -> QuestJournalReply:
    (reply,) = player.took(QuestJournalReply)
    return reply


async def test_a_quest_is_offered_in_its_window_and_accepted_by_its_command() -> None:
    desk, player, farmer = await field()
    window = await offered(player, farmer)
    assert (window.title, window.text) == ("Bread for the field", f"Bring bread, {player.mobile.name}.")
    assert window.reward.least_coins == window.reward.most_coins == 25 * COPPER
    assert window.reward.text == "40 experience."
    (candles,) = window.reward.things
    candle = desk.content.items["candle"]
    assert (candles.count, candles.thing.name, candles.number) == (
        3,
        candle.name,
        player.session.number_of_kind("candle"),
    )
    await player.types(window.accept)
    assert journals.state(player.mobile, "errand") is State.OPEN
    listing = player.took(QuestJournalUpdate)[-1]
    assert [(row.quest_id, row.name, row.active, row.completed) for row in listing.rows] == [
        (NUMBER, "Bread for the field", 1, 0)
    ]
    assert (listing.visible_quest, listing.updated, listing.used) == (NUMBER, 1, 1)
    reply = page(player)
    assert (reply.quest_id, reply.owner, reply.on_screen, reply.complete) == (NUMBER, listing.owner, 1, 0)
    (group,) = reply.groups
    assert group.text == "Bring two loaves (0 of 2)"
    assert [(each.current, each.most) for each in group.progress] == [(0, 2)]
    version = player.session.version
    assert version.unpack_struct(RewardData, reply.tail[:-1]) == window.reward
    assert lines(player) == ["New quest: Bread for the field. Bring two loaves (0 of 2)"]


async def test_it_is_declined_by_the_other_command_and_no_answer_counts_twice() -> None:
    _, player, farmer = await field()
    window = await offered(player, farmer)
    await player.types(window.decline)
    assert journals.state(player.mobile, "errand") is State.NONE
    player.got.clear()
    await player.types(window.accept)
    assert lines(player) == [Wish.UNASKED.value]
    for line in (window.decline, "q_accept_pending_quest", "q_accept_pending_quest x9"):
        await player.types(line)
    assert journals.state(player.mobile, "errand") is State.NONE


async def test_of_two_quests_of_one_name_that_which_is_meant_is_offered() -> None:
    desk, player, farmer = await field()
    twin = attrs.evolve(ERRAND, key="twin", reward=Reward(0, 7, ()))
    desk.world.content = attrs.evolve(desk.world.content, quests={"errand": ERRAND, "twin": twin})
    quests.offer(player.mobile, farmer, "twin")
    await desk.wait(0.1)
    (window,) = player.took(OfferQuest)
    assert window.reward.text == "7 experience."
    await player.types(window.accept)
    assert journals.state(player.mobile, "twin") is State.OPEN
    assert journals.state(player.mobile, "errand") is State.NONE
    # Who has several is asked which; the question has the resident's name as its title, as a quest has here.
    desk.world.content = attrs.evolve(
        desk.world.content, quests={"a": ERRAND, "b": attrs.evolve(ERRAND, key="b", name=farmer.name)}
    )
    player.got.clear()
    assert quests.hail(player.mobile, farmer)
    await desk.wait(0.1)
    assert not player.took(OfferQuest)
    (question,) = player.took(DialogOpen)
    await player.types(f"q_accept_pending_quest {question.conversation}")
    assert Wish.UNASKED.value in lines(player)


async def test_without_the_window_it_is_a_question() -> None:
    desk, player, farmer = await field()
    desk.view.figures.rendering = Rendering(offer_window=False)
    quests.offer(player.mobile, farmer, "errand")
    await desk.wait(0.1)
    assert len(player.took(DialogOpen)) == 1
    assert not player.took(OfferQuest)


async def test_it_is_finished_and_paid() -> None:
    desk, player, farmer = await field()
    await player.types((await offered(player, farmer)).accept)
    granting.make(player.mobile, "bread", 2)
    player.got.clear()
    quests.deliver(player.mobile, farmer)
    await desk.wait(0.1)
    assert holding.gold(player.mobile) == 25
    assert hands.carried(player.mobile).get("bread", 0) == 0
    row = player.took(QuestJournalUpdate)[-1].rows[0]
    assert (row.active, row.turned_in, row.completed) == (0, 1, 1)
    reply = page(player)
    assert (reply.complete, reply.turned_in, reply.finished, reply.tail) == (1, 1, 1, b"\0")
    (pack,) = player.took(RewardPack)
    assert pack.reward.title == PAID
    assert (pack.reward.most_coins, pack.reward.least_coins) == (25 * COPPER, 25 * COPPER)
    assert [(one.count, one.thing.name) for one in pack.reward.things] == [
        (3, desk.content.items["candle"].name)
    ]
    told = lines(player)
    assert pack.reward.text in told
    assert pack.reward.text.startswith("Bread for the field: done. You receive")
    await player.types("accept_reward")
    assert lines(player) == [YOURS]


async def test_pay_is_told_of_in_words_where_its_windows_are_switched_off() -> None:
    desk, player, farmer = await field()
    figures = desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, reward_window=False, reward_things=False)
    window = await offered(player, farmer)
    assert window.reward.things == ()
    assert window.reward.text == f"40 experience and {desk.content.items['candle'].many(3)}."
    await player.types(window.accept)
    granting.make(player.mobile, "bread", 2)
    player.got.clear()
    quests.deliver(player.mobile, farmer)
    await desk.wait(0.1)
    assert not player.took(RewardPack)
    assert any(line.startswith("Bread for the field: done. You receive") for line in lines(player))


async def test_the_journal_and_a_page_come_when_they_are_asked_for() -> None:
    _, player, _ = await field()
    await player.says(QuestJournalOpen())
    assert lines(player) == ["You have no quests."]
    quests.begin(player.mobile, "errand")
    quests.begin(player.mobile, "patience")
    await player.desk.wait(1.0)
    player.got.clear()
    await player.types("journal")
    assert [row.quest_id for row in player.took(QuestJournalUpdate)[-1].rows] == [
        NUMBER,
        number_of("patience"),
    ]
    assert len(player.took(QuestJournalReply)) == 2
    player.got.clear()
    await player.says(QuestJournalInspect(NUMBER))
    reply = page(player)
    assert (reply.quest_id, reply.on_screen) == (NUMBER, 0)
    for wrong in (0, NUMBER ^ 1, 0xFFFFFFFF):
        player.got.clear()
        await player.says(QuestJournalInspect(wrong))
        assert lines(player) == [Refusal.NO_QUEST.value]


async def test_one_chooses_what_is_shown_on_the_screen() -> None:
    _, player, _ = await field()
    quests.begin(player.mobile, "errand")
    await player.says(QuestJournalSetVisible((NUMBER,), 0))
    assert player.took(QuestJournalUpdate)[-1].rows[0].visible == 0
    await player.desk.wait(1.0)
    await player.says(QuestJournalSetVisible((NUMBER,), 1))
    assert player.took(QuestJournalUpdate)[-1].rows[0].visible == 1
    await player.desk.wait(1.0)
    player.got.clear()
    await player.says(QuestJournalSetVisible((NUMBER, 7), 0))
    assert lines(player) == [Refusal.NO_QUEST.value]
    assert not player.session.untracked


async def test_a_line_on_the_ground_leads_there_until_it_is_done() -> None:
    desk, player, farmer = await field()
    quests.begin(player.mobile, "errand")
    quests.begin(player.mobile, "patience")
    await desk.wait(0.1)
    await player.says(QuestJournalWaypoint(NUMBER))
    (way,) = player.took(HelpPath)
    place = desk.view.places.of(farmer)
    assert place is not None
    assert (way.x, way.y, way.z) == (place.x, place.y, place.z)
    assert len(way.points) == 2
    await desk.wait(1.0)
    player.got.clear()
    await player.says(QuestJournalWaypoint(number_of("patience")))
    assert lines(player) == [NO_PLACE]
    await player.types(f"deletequest {NUMBER}")
    assert len(player.took(HelpPathClear)) == 1


@pytest.mark.parametrize("number", ["", "x", "7", "-1", str(2**40)])
async def test_one_gives_up_only_what_one_has(number: str) -> None:
    _, player, _ = await field()
    quests.begin(player.mobile, "errand")
    await player.desk.wait(0.1)
    player.got.clear()
    await player.types(f"deletequest {number}".strip())
    assert lines(player) == [Refusal.NO_QUEST.value]
    await player.types(f"deletequest {NUMBER}")
    gone, rest = player.took(QuestJournalUpdate)
    assert ([(row.quest_id, row.active) for row in gone.rows], rest.rows) == ([(NUMBER, 0)], ())
    assert journals.state(player.mobile, "errand") is State.NONE


async def test_whoever_enters_is_sent_its_journal() -> None:
    desk, player, _ = await field()
    quests.begin(player.mobile, "errand")
    await desk.wait(0.1)
    player.hang_up()
    await desk.wait(1.0)
    again = await desk.zoning("alric")
    await again.says(ZoneResourcesDone(), EntityResourcesLoaded())
    again.got.clear()
    await again.says(UiLoaded())
    kinds = again.kinds()
    assert kinds.index("UiLoaded") < kinds.index("QuestJournalUpdate") < kinds.index("QuestJournalReply")
    assert [row.quest_id for row in again.took(QuestJournalUpdate)[0].rows] == [NUMBER]
