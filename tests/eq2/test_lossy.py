"""Two EQStreams over links that lose, double, mix up and overflow: everything arrives, once and in order."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from protocol.endings import PeerGone
from protocol.eq2.stream import StreamSettings
from tests.kit.lossy import CLIENT, SERVER, Conditions, Link, connected, small_message_latency

if TYPE_CHECKING:
    from collections.abc import Sequence

THIN = Conditions(delay=0.1, loss=0.01, rate=128 * 1024, queue=32 * 1024)


def mixed(dice: random.Random, number: int) -> list[bytes]:
    """Messages of a game: most are small, some longer than a datagram, a few much longer; half of them can
    be compressed."""
    sizes = dice.choices((4, 15, 45, 150, 450, 3000), (40, 30, 15, 10, 4, 1), k=number)
    return [
        b"\x22" + n.to_bytes(4, "big") + (bytes(2 * size) if n % 2 else dice.randbytes(2 * size))
        for n, size in enumerate(sizes)
    ]


def talk(link: Link, down: Sequence[bytes], up: Sequence[bytes], every: float) -> None:
    """Both ends send a handful of their messages, again and again until there are no more."""
    for end, messages in ((SERVER, down), (CLIENT, up)):
        stream = link.streams[end]
        for turn, first in enumerate(range(0, len(messages), 5)):
            link.at(link.now + turn * every, partial(stream.send_many, messages[first : first + 5]))


def received(link: Link, end: int) -> list[bytes]:
    return [message for _, message in link.received[end]]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("loss", "seconds"), [(0.0, 60.0), (0.1, 200.0), (0.3, 900.0)])
def test_everything_arrives_once_and_in_order(loss: float, seconds: float, seed: int) -> None:
    """Across the wrap of the sequence numbers, too."""
    dice = random.Random(seed)
    down, up = mixed(dice, 2000), mixed(dice, 2000)
    conditions = Conditions(loss=loss, doubled=0.05, delay=0.04, late=0.02)
    link = connected(conditions, seed, first_sequence=65400)
    talk(link, down, up, 0.05)
    link.run(seconds, lambda: len(link.received[CLIENT]) == 2000 and len(link.received[SERVER]) == 2000)
    assert link.ended == {}
    assert received(link, CLIENT) == down
    assert received(link, SERVER) == up
    assert (link.ways[SERVER].lost > 100) == (loss > 0)
    assert link.server.statistics.compression_ratio < 0.8


def test_what_is_sent_at_once_arrives_in_order_too() -> None:
    dice = random.Random(3)
    down = mixed(dice, 3000)
    link = connected(Conditions(loss=0.1, doubled=0.1, delay=0.02, jitter=0.01), 3)
    link.server.send_many(down)
    assert link.run(300.0, lambda: len(link.received[CLIENT]) == 3000)
    assert received(link, CLIENT) == down
    assert link.run(10.0, link.idle)


def test_a_burst_at_zone_in_over_a_thin_link() -> None:
    """A megabyte for a client at 128 KiB/s, 100 ms away, behind a queue that drops what does not fit."""
    dice = random.Random(5)
    burst = [b"\x22" + dice.randbytes(2000) for _ in range(512)]
    payload = sum(map(len, burst))
    link = connected(THIN, 5)
    began, before = link.now, link.ways[SERVER].bytes
    link.server.send_many(burst)
    assert link.run(60.0, lambda: len(link.received[CLIENT]) == len(burst))
    assert received(link, CLIENT) == burst
    assert link.ways[SERVER].bytes - before <= 1.1 * payload
    assert link.server.statistics.retransmissions < 100
    # What this algorithm makes of 1 % loss: about 1.2 * 512 bytes / (200 ms * sqrt(0.01)) a second.
    assert link.now - began < 40


def test_a_sender_that_is_too_fast_for_the_link_makes_no_storm() -> None:
    """The same with a rate of ten times what the link carries: the queue overflows again and again."""
    dice = random.Random(6)
    burst = [b"\x22" + dice.randbytes(2000) for _ in range(512)]
    payload = sum(map(len, burst))
    link = connected(THIN, 6, StreamSettings(rate_kib=1280.0, burst_kib=320.0))
    before = link.ways[SERVER].bytes
    link.server.send_many(burst)
    assert link.run(60.0, lambda: len(link.received[CLIENT]) == len(burst))
    assert received(link, CLIENT) == burst
    assert link.ways[SERVER].overflowed > 10
    assert link.ways[SERVER].bytes - before <= 1.5 * payload


def test_a_link_that_becomes_slow_is_not_flooded() -> None:
    """A round trip of two seconds after one of 40 ms: no timeout fits, until one has been measured."""
    link = connected(Conditions(delay=0.02), 7)
    messages = [b"\x22" + n.to_bytes(4, "big") for n in range(600)]
    talk(link, messages, [], 0.1)
    link.run(2.0)
    link.conditions(Conditions(delay=1.0))
    link.run(3.0)
    resent = link.server.statistics.retransmissions
    assert link.run(60.0, lambda: len(link.received[CLIENT]) == 600)
    assert received(link, CLIENT) == messages
    assert link.server.statistics.rtt_last_ms == pytest.approx(2000, abs=1)
    assert resent > 0
    assert link.server.statistics.retransmissions < 60


@pytest.mark.parametrize("size", [20, 100_000])
def test_a_peer_that_vanishes_is_given_up_in_bounded_time(size: int) -> None:
    link = connected(Conditions(), 8)
    link.conditions(Conditions(loss=1.0))
    began, before = link.now, link.ways[SERVER].bytes
    link.server.send_many([b"\x22" + random.Random(8).randbytes(size)])
    link.run(60.0, lambda: SERVER in link.ended)
    moment, error = link.ended[SERVER]
    assert isinstance(error, PeerGone)
    assert 9.9 <= moment - began <= 10.1
    # Less than 2.5 KiB a second, each packet ten times at most.
    assert link.ways[SERVER].bytes - before < min(10 * (size + 20), 25 * 1024)


def test_a_peer_that_vanishes_while_nothing_is_sent_is_missed_after_its_silence() -> None:
    link = connected(Conditions(), 9)
    link.run(100.0)
    assert link.ended == {}
    link.conditions(Conditions(loss=1.0))
    began = link.now
    link.run(100.0, lambda: len(link.ended) == 2)
    assert {type(error) for _, error in link.ended.values()} == {PeerGone}
    assert max(moment for moment, _ in link.ended.values()) - began <= StreamSettings().idle_seconds


def test_small_messages_come_soon_whatever_is_lost() -> None:
    """Half a round trip is 50 ms. What is lost costs a timeout, or the time of three later messages."""
    calm, usual, bad = (small_message_latency(loss) for loss in (0.0, 0.01, 0.1))
    assert calm.worst == pytest.approx(0.05)
    assert usual.p50 == pytest.approx(0.05)
    assert usual.p95 < 0.2
    assert usual.worst < 1.0
    assert bad.p50 < 0.1
    assert bad.p95 < 0.6
    assert bad.worst < 3.0


def test_the_same_seed_gives_the_same_run() -> None:
    assert small_message_latency(0.1, seed=4) == small_message_latency(0.1, seed=4)
    assert small_message_latency(0.1, seed=4) != small_message_latency(0.1, seed=5)
