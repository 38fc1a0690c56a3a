"""A wire between a program and a TCP server that can be cut, mended, made deaf one way or both, or slow, and
on which somebody may listen and stop what passes."""

from __future__ import annotations

import contextlib
import enum
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE: Final = 10.0
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER: to close is to reset."""


class Way(enum.Enum):
    """Towards the server, or from there."""

    THERE = "there"
    BACK = "back"


BOTH: Final = frozenset(Way)


class Tap(Protocol):
    """Somebody who listens on one connection."""

    def passes(self, way: Way, data: bytes) -> bool:
        """Called before it is carried on, and may wait; False: the connection ends instead. The two ways are
        two threads."""


class Cable:
    """Carries every connection to `target`; what is carried is cut by `cut`, and nothing new goes through
    until `mend`."""

    def __init__(self, target: tuple[str, int], tap: Callable[[], Tap] | None = None) -> None:
        """`tap` makes one for each connection."""
        self._target = target
        self._tap = tap
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.delay = 0.0
        """Seconds that each piece takes longer."""
        self._lock = threading.Condition()
        self._whole = True
        self._closed = self._reset = False
        self._deaf: frozenset[Way] = frozenset()
        self._ends: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def aim(self, target: tuple[str, int]) -> None:
        """Connections from now on go there."""
        self._target = target

    def cut(self, *, reset: bool = False) -> None:
        """Both sides of every connection see the other hang up, or that it never heard of them."""
        with self._lock:
            self._whole, self._reset = False, reset
            for end in self._ends:
                if reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                _hang_up(end, reset=reset)
            self._lock.notify_all()

    def swallow(self, *ways: Way) -> None:
        """What is sent that way does not arrive, nor that somebody hung up, and nobody is told so. Nothing
        new goes through either. What is there when it is mended arrives late, as TCP has it."""
        with self._lock:
            self._deaf = frozenset(ways)

    def mend(self) -> None:
        """All goes through again."""
        with self._lock:
            self._whole, self._reset, self._deaf = True, False, frozenset()
            self._lock.notify_all()

    def close(self) -> None:
        """Cut for good."""
        self._closed = True
        self.cut()
        _hang_up(self._listener)
        for thread in self._threads:
            thread.join(PATIENCE)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                thread = threading.Thread(target=self._connect, args=(near,), daemon=True)
                self._threads = [one for one in self._threads if one.is_alive()] + [thread]
                thread.start()

    def _connect(self, near: socket.socket) -> None:
        self._wait(*BOTH)
        with self._lock:
            far = self._reach() if self._whole else None
            if far is None:
                near.close()
                return
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._ends |= {near, far}
        self._carry(near, far)

    def _reach(self) -> socket.socket | None:
        try:
            return socket.create_connection(self._target, timeout=PATIENCE)
        except OSError:
            return None

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        far.settimeout(None)
        tap = self._tap() if self._tap is not None else None
        back = threading.Thread(target=self._pump, args=(Way.BACK, far, near, tap), daemon=True)
        back.start()
        self._pump(Way.THERE, near, far, tap)
        back.join()
        with self._lock:
            self._ends -= {near, far}
            near.close()
            far.close()

    def _pump(self, way: Way, source: socket.socket, sink: socket.socket, tap: Tap | None) -> None:
        """Until either end is gone; then both are."""
        told = frozenset({way})
        try:
            while True:
                data = source.recv(65536)
                self._wait(way)
                if not data or (tap is not None and not tap.passes(way, data)):
                    break
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        except OSError:
            told = BOTH - told
        # The word that an end is gone travels as all others do, and is swallowed as they are.
        self._wait(*told)
        for end in (source, sink):
            _hang_up(end, reset=self._reset)

    def _wait(self, *ways: Way) -> None:
        """While nothing passes that way."""
        with self._lock:
            self._lock.wait_for(lambda: self._closed or not self._whole or self._deaf.isdisjoint(ways))


def _hang_up(end: socket.socket, *, reset: bool = False) -> None:
    """Have whoever waits for it wake up. What is to be reset says no goodbye: to close it does that."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
