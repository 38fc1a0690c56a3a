"""Petitions of Lineage II's clients, and those of whom they want to hear nothing."""

from __future__ import annotations

import pytest

from protocol.l2 import packets as l2
from protocol.l2.packets import (
    BlockAction,
    CreatureSay,
    RequestBlock,
    RequestPetition,
    RequestPetitionCancel,
    SystemMessage,
)
from protocol.wishes import Wish
from tests.kit.l2_desk import Desk, Player
from tests.kit.l2_recorded import VERSION
from world import conduct, ignoring
from world.mobile import Access
from world.reach import Refusal

ACCEPTED, CANCELLED, NONE_SENT = 389, 391, 738
LIST_HEAD, LIST_FOOT, ADDED, REMOVED, WORDS = 613, 490, 617, 618, 614
"""Numbers of the client's own texts (L2JMobius/L2Jmobius_Interlude: SystemMessageId.java)."""


async def two() -> tuple[Player, Player]:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    await desk.wait(0.1)
    alric.got.clear()
    berta.got.clear()
    return alric, berta


def texts(player: Player) -> list[tuple[int, object]]:
    """What it was told by numbers of texts, with the first word in each."""
    told = player.took(SystemMessage)
    return [(one.message_id, one.parameters[0].value if one.parameters else "") for one in told]


# Petitions


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("7f 6100 0000 02000000", RequestPetition("a", 2)),
        ("80 00000000", RequestPetitionCancel()),
        ("a0 00000000 4200 0000", RequestBlock(BlockAction.BLOCK, "B")),
        ("a0 02000000", RequestBlock(BlockAction.LIST)),
    ],
)
def test_requests_lie_as_the_dissector_says(raw: str, message: l2.Message) -> None:
    """eldarkg/lineage2wireshark: 746.ini, Blocks.ini."""
    assert VERSION.decode_client(bytes.fromhex(raw)) == message


async def test_a_petition_is_a_report_about_whom_one_has_targeted() -> None:
    alric, berta = await two()
    berta.mobile.access = Access.COUNSELOR
    await berta.says_text("what I said")
    await alric.says(l2.Action(berta.mobile.serial, 0, 0, 0, 0))
    alric.got.clear()
    berta.got.clear()
    await alric.says(RequestPetition("she insults me", 1))
    (made,) = conduct.reports(alric.desk.world).values()
    assert (made.title, made.text) == ("Alric about Berta", "she insults me")
    assert "Berta (say): what I said" in made.lines
    assert (ACCEPTED, (made.number,)) in texts(alric)
    assert berta.told() == ["(help) Alric: about Berta: she insults me"]


async def test_it_names_nobody_if_no_other_player_is_targeted() -> None:
    alric, _ = await two()
    crier = alric.desk.resident("crier", 22, 22)
    await alric.desk.wait(0.1)
    for target in (0, alric.mobile.serial, crier.serial, 0x7FFF_FFFF):
        alric.session.target = target
        await alric.says(RequestPetition("I am stuck", 1))
        assert conduct.withdraw(alric.mobile).title == "Alric"
        await alric.desk.wait(3.0)


async def test_it_can_be_taken_back_once() -> None:
    alric, _ = await two()
    await alric.says(RequestPetition("I am stuck", 1))
    (number,) = conduct.reports(alric.desk.world)
    alric.got.clear()
    await alric.says(RequestPetitionCancel(), RequestPetitionCancel())
    assert texts(alric) == [(CANCELLED, (number,)), (NONE_SENT, "")]
    assert not conduct.reports(alric.desk.world)


async def test_one_without_words_is_refused() -> None:
    alric, _ = await two()
    await alric.says(RequestPetition(" ", 1))
    assert alric.told() == [Refusal.NO_WORDS.value]
    assert not conduct.reports(alric.desk.world)


# To hear nothing of somebody


async def test_whoever_is_blocked_is_heard_no_more_until_unblocked() -> None:
    alric, berta = await two()
    await alric.says(RequestBlock(BlockAction.BLOCK, "bERTA"))
    assert texts(alric) == [(ADDED, "Berta")]
    await berta.says_text("hello")
    assert alric.took(CreatureSay) == []
    await alric.says(RequestBlock(BlockAction.LIST))
    assert texts(alric) == [(LIST_HEAD, ""), (WORDS, "Berta"), (LIST_FOOT, "")]
    await alric.says(RequestBlock(BlockAction.UNBLOCK, "Berta"))
    assert texts(alric) == [(REMOVED, "Berta")]
    await berta.says_text("hello again")
    assert [said.text for said in alric.took(CreatureSay)] == ["hello again"]
    assert ignoring.ignored_by(alric.mobile) == {}


@pytest.mark.parametrize(
    ("action", "name", "words"),
    [
        (BlockAction.BLOCK, "Nobody", ignoring.NOBODY),
        (BlockAction.BLOCK, "Alric", Refusal.ONESELF.value),
        (BlockAction.UNBLOCK, "Berta", ignoring.NOT_IGNORED),
        (BlockAction.BLOCK_ALL, "", Wish.DEAFNESS.value),
        (BlockAction.UNBLOCK_ALL, "", Wish.DEAFNESS.value),
        (9, "Berta", Refusal.UNKNOWN.value),
    ],
)
async def test_what_comes_to_nothing_says_why(action: int, name: str, words: str) -> None:
    alric, _ = await two()
    await alric.says(RequestBlock(action, name))
    assert alric.told() == [words]
    assert ignoring.ignored_by(alric.mobile) == {}
