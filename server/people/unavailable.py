"""Turns a failing database into an answer for somebody who waits: no error of ours, but "come back later".

Whoever plays goes on meanwhile; `server.store.writer` keeps the changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from protocol.denials import Denial, Denied

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator


@contextmanager
def denied_if_it_fails(log: logging.Logger) -> Iterator[None]:
    """A guard around one question to the database: whatever it stumbles over is one line in the log, and
    raises Denied(UNAVAILABLE)."""
    try:
        yield
    except Exception as error:
        log.error("the database failed: %s", error)
        raise Denied(Denial.UNAVAILABLE) from error
