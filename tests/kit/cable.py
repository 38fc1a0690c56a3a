"""A wire between a program and a TCP server that can be cut, and mended."""

from __future__ import annotations

import contextlib
import socket
import threading


class Cable:
    """Carries every connection to `target`; what is carried is cut by `cut`, and nothing new goes through
    until `mend`."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._whole = True
        self._ends: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def cut(self) -> None:
        """Both sides of every connection see the other hang up."""
        with self._lock:
            self._whole = False
            for end in self._ends:
                _hang_up(end)

    def mend(self) -> None:
        """New connections go through again."""
        with self._lock:
            self._whole = True

    def close(self) -> None:
        """Cut for good."""
        self.cut()
        _hang_up(self._listener)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                with self._lock:
                    far = self._reach() if self._whole else None
                    if far is None:
                        near.close()
                        continue
                    self._ends |= {near, far}
                thread = threading.Thread(target=self._carry, args=(near, far), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _reach(self) -> socket.socket | None:
        try:
            return socket.create_connection(self._target, timeout=10)
        except OSError:
            return None

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        far.settimeout(None)
        back = threading.Thread(target=_pump, args=(far, near), daemon=True)
        back.start()
        _pump(near, far)
        back.join()
        with self._lock:
            self._ends -= {near, far}
            near.close()
            far.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Until either end is gone; then both are."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        _hang_up(end)


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
