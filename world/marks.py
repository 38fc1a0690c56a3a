"""Marks: facts about a character that last, set and asked for by dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.parts import Marks, bind

if TYPE_CHECKING:
    from world.mobile import Mobile


def has_mark(mobile: Mobile, name: str) -> bool:
    """Whether a character bears a mark."""
    return mobile.marks is not None and mobile.marks.has(name)


def set_mark(mobile: Mobile, name: str, borne: bool) -> None:
    """Let a character bear a mark, or bear it no more; marks last."""
    if has_mark(mobile, name) != borne:
        if mobile.marks is None:
            mobile.marks = bind(Marks(), mobile)
        mobile.marks.set(name, borne)
