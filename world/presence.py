"""Presence: who may know that a character is in the world. Staff that hides is nowhere, as far as players may
know: whoever looks for it by name is answered as about somebody who is not online. Staff finds everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.mobile import Access

if TYPE_CHECKING:
    from world.mobile import Mobile


def sneaks(mobile: Mobile) -> bool:
    """Whether it is staff that wants no player to know that it is here."""
    return mobile.hidden and mobile.access > Access.PLAYER


def finds(viewer: Mobile, mobile: Mobile) -> bool:
    """Whether somebody may know that a client plays that character now."""
    return mobile.online and (not sneaks(mobile) or mobile is viewer or viewer.access >= Access.COUNSELOR)


def by_name(viewer: Mobile, name: str) -> Mobile | None:
    """The character of that name that a client plays now, as far as somebody may know."""
    mobile = viewer.world.online_by_name(name)
    return mobile if mobile is not None and finds(viewer, mobile) else None


def hearer(speaker: Mobile, name: str) -> Mobile | None:
    """As `by_name`, for words to that one alone: who wrote last to the speaker has shown itself, and is
    answered even if it hides."""
    mobile = speaker.world.online_by_name(name)
    if mobile is None or not (finds(speaker, mobile) or speaker.heard_from == mobile.serial):
        return None
    return mobile
