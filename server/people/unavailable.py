"""Turns a failing database into an answer for somebody who waits: no error of ours, but "come back later".

Whoever plays goes on meanwhile; `server.store.writer` keeps the changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from protocol.denials import Denial, Denied
from server.store.errors import Elsewhere, Outplayed

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator


@contextmanager
def denied_if_it_fails(log: logging.Logger) -> Iterator[None]:
    """A guard around one question to the database: whatever it stumbles over is one line in the log, and
    raises Denied(UNAVAILABLE). A character of another world raises Denied with `Elsewhere` as its cause: it
    is IN_USE there, or UNAVAILABLE while its realm is in no living world."""
    try:
        yield
    except Elsewhere as error:
        # Its client is to be brought to that world (`server.people.crossing`); else it has to wait.
        raise Denied(Denial.UNAVAILABLE if error.world is None else Denial.IN_USE) from error
    except Outplayed as error:
        raise Denied(Denial.IN_USE) from error
    except Exception as error:
        log.error("the database failed: %s", error)
        raise Denied(Denial.UNAVAILABLE) from error
