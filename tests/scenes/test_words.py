"""Words that go farther than a voice, between games: the chat window, and verbs that are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from eolib import TalkMsgServerPacket, TalkTellServerPacket

from protocol.uo.packets.talk import ChatDeed
from tests.kit.players import EoPlayer, UoPlayer
from world.containers import counted

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


def heard(player: EoPlayer) -> list[str]:
    """What was said in the global chat."""
    said = [packet for packet in player.client.received if isinstance(packet, TalkMsgServerPacket)]
    return [f"{one.player_name}: {one.message}" for one in said]


@pytest.mark.parametrize("version", [(7, 0, 102, 3), (5, 0, 9, 1)], ids=["7.0.102.3", "5.0.9.1"])
async def test_the_chat_window_and_global_chat_hear_each_other(
    town: Town, autojump_clock: MockClock, version: tuple[int, int, int, int]
) -> None:
    anna, bert = UoPlayer(town, version), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bertus", "Bert")

    await bert.does(bert.client.say_to_all("is anybody there"))
    assert "[Bert] is anybody there" in anna.client.said()
    await anna.sends(anna.client.open_chat_bytes())
    await trio.sleep(1)
    assert anna.client.conference == "General"
    await bert.does(bert.client.say_to_all("still nobody"))
    assert anna.client.chat == [("Bert", "still nobody")]
    assert "[Bert] still nobody" not in anna.client.said()

    await anna.sends(anna.client.chat_bytes(ChatDeed.MESSAGE, "here I am"))
    await trio.sleep(1)
    assert anna.client.chat[1:] == [("Anna", "here I am")]
    assert heard(bert) == ["anna: here I am"]
    await anna.sends(anna.client.chat_bytes(ChatDeed.PRIVATE, "bert between us"))
    await trio.sleep(1)
    assert bert.client.last(TalkTellServerPacket).message == "between us"
    await anna.sends(anna.client.chat_bytes(ChatDeed.CREATE, "Pirates"))
    await trio.sleep(1)
    assert "There is one conference here, for everybody." in anna.client.said()


async def test_verbs_are_typed_behind_each_clients_sign(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = UoPlayer(town), EoPlayer(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bertus", "Bert")

    await anna.sends(anna.client.say_bytes(".all hello out there"))
    await bert.does(bert.client.say("#all hello yourself"))
    assert heard(bert) == ["anna: hello out there"]
    assert [line for line in anna.client.said() if line.startswith("[")] == [
        "[Anna] hello out there",
        "[Bert] hello yourself",
    ]
    pack = town.mobile("Anna").backpack
    assert pack is not None
    carried = {counted(item) for item in pack.contents.values()}
    await anna.sends(anna.client.say_bytes(".look backpack"))
    await trio.sleep(1)
    (line,) = [line for line in anna.client.said() if line.startswith("In ")]
    assert all(label in line for label in carried)
