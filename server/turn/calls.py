"""Calls into the world task from others: what to run, and somebody who waits for its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import attrs
import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.world import World

T = TypeVar("T")


class SessionGone(Exception):
    """A call came for a client that is no part of the world any more."""


@attrs.define(eq=False)
class Call(Generic[T]):
    """Something to run in the world task, and somebody who waits for its result."""

    run: Callable[[World], T]
    join: bool = False
    """Whether it brings a character into the world; only so many of these are taken per turn."""
    done: trio.Event = attrs.field(factory=trio.Event)
    result: T | None = None
    error: BaseException | None = None
    withdrawn: bool = False
