"""The wire on which the faults of a network are made (`tests.kit.cable`) does to TCP what it says."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

import pytest

from tests.kit.cable import Cable, Way

if TYPE_CHECKING:
    from collections.abc import Iterator

SOON = 0.05


class Wire:
    """Both ends of one connection through a cable."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.passed: list[tuple[Way, bytes]] = []
        self.cable = Cable(self.listener.getsockname(), lambda: self)
        self.near = socket.create_connection(("127.0.0.1", self.cable.port), timeout=10)
        self.far, _ = self.listener.accept()
        self.far.settimeout(10)

    def passes(self, way: Way, data: bytes) -> bool:
        """See Tap."""
        self.passed.append((way, data))
        return b"stop" not in data

    def close(self) -> None:
        """All of it."""
        self.cable.close()
        for end in (self.near, self.far, self.listener):
            end.close()


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


def silent(end: socket.socket) -> bool:
    """Whether nothing comes."""
    end.settimeout(SOON)
    try:
        end.recv(99)
    except TimeoutError:
        return True
    finally:
        end.settimeout(10)
    return False


def test_it_carries_both_ways_and_tells_whoever_listens(wire: Wire) -> None:
    wire.cable.delay = SOON
    began = time.monotonic()
    wire.near.sendall(b"ping")
    assert wire.far.recv(99) == b"ping"
    wire.far.sendall(b"pong")
    assert wire.near.recv(99) == b"pong"
    assert time.monotonic() - began > 2 * SOON
    assert wire.passed == [(Way.THERE, b"ping"), (Way.BACK, b"pong")]
    wire.near.sendall(b"stop")
    assert wire.far.recv(99) == b""
    assert wire.near.recv(99) == b""


def test_what_is_cut_ends_with_or_without_a_word(wire: Wire) -> None:
    wire.cable.cut()
    assert (wire.near.recv(99), wire.far.recv(99)) == (b"", b"")
    wire.cable.mend()
    with socket.create_connection(("127.0.0.1", wire.cable.port), timeout=10) as near:
        far, _ = wire.listener.accept()
        with far:
            wire.cable.cut(reset=True)
            for end in (near, far):
                with pytest.raises(ConnectionResetError):
                    end.recv(99)


def test_a_deaf_way_carries_neither_words_nor_ends_until_it_is_mended(wire: Wire) -> None:
    wire.cable.swallow(Way.THERE)
    wire.near.sendall(b"lost")
    wire.far.sendall(b"heard")
    assert wire.near.recv(99) == b"heard"
    wire.near.shutdown(socket.SHUT_WR)
    assert silent(wire.far)
    wire.cable.mend()
    assert wire.far.recv(99) == b"lost"
    assert wire.far.recv(99) == b""
