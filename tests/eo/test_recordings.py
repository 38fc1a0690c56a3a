"""Clients of this server beside those of the recorded eoserv."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio
from eolib import Direction, RangeReplyServerPacket

from protocol.eo.packets import decode_client
from tests.kit.eo_desk import Desk, Player
from tests.kit.eo_peer import eolib_bytes

if TYPE_CHECKING:
    from eolib import Packet


GOLDEN = Path(__file__).parents[1] / "golden/eo"


def test_the_order_of_answers_is_eoservs_until_one_walks() -> None:
    trace = json.loads((GOLDEN / "session_create_account_eoserv.json").read_text())["trace"]
    names = [frame["packet"] for frame in trace]
    recorded = list(names[: names.index("FacePlayerClientPacket")])
    expected = [name for name in recorded if name.endswith("ServerPacket")]

    async def run() -> list[str]:
        desk = Desk()
        player = await desk.greeted()
        client = player.client
        await player.sends(client.request_account("afcgt3225"))
        await player.sends(client.create_account("afcgt3225", "hunter22"))
        await player.sends(client.login("afcgt3225", "hunter22"))
        await player.sends(client.request_character())
        await player.sends(client.create_character("Creatyjsg"))
        await player.sends(client.select(client.menu[0].id))
        await player.sends(client.download_all())
        await player.sends(client.enter())
        for direction in (Direction.Right, Direction.Right, Direction.Down, Direction.Left):
            desk.now += 0.48
            await player.sends(client.walk(direction))
        return [type(packet).__name__ for packet in client.received]

    # The character's sheet follows at once: eoserv knew it before, we read it when it enters.
    assert [name for name in trio.run(run) if not name.startswith("Recover")] == expected


def without_sequence(plain: bytes) -> Packet:
    """The packet of a recorded frame; its sequence number has one byte or two, whichever leaves nothing
    over."""
    for width in (1, 2):
        frame = plain[:2] + plain[2 + width :]
        packet = decode_client(frame)
        if eolib_bytes(packet) == frame:
            return packet
    raise AssertionError(plain.hex())


SAME_AS_EOSERV = (
    "local chat",
    "global chat",
    "whisper ok",
    "whisper missing",
    "emote",
    "face",
    "sit",
    "stand",
    "use apple w/o having",
    "online list",
    "ping",
    "find",
    "global open",
    "talk admin",
    "train stat (none)",
)


WORDS_BESIDE = ("train stat (none)", "use apple w/o having", "talk admin")
"""Where eoserv answers nothing our players read why."""


@pytest.mark.parametrize("name", SAME_AS_EOSERV)
async def test_what_two_clients_are_told_is_what_eoserv_told_them(name: str) -> None:
    steps = json.loads((GOLDEN / "session_steps_eoserv.json").read_text())["steps"]
    step = next(step for step in steps if step["step"] == name)
    desk = Desk()
    actor = await desk.enter("tester")
    other = await desk.enter("freshrfnp", (22, 22))
    if name == "stand":
        await actor.sends(actor.client.sit())
    packet = without_sequence(bytes.fromhex(step["plain"]))
    for player in (actor, other):
        player.client.received.clear()
    await actor.sends(actor.client.bytes_of(packet))

    def told(player: Player) -> list[str]:
        return [type(p).__name__ for p in player.client.received if not isinstance(p, RangeReplyServerPacket)]

    for player, key in ((actor, "replies_to_A"), (other, "replies_to_B")):
        recorded = [reply["packet"] for reply in step[key] if reply["packet"] != "RangeReplyServerPacket"]
        words = ["TalkServerServerPacket"] if name in WORDS_BESIDE and player is actor else []
        assert told(player) == [*recorded, *words]
