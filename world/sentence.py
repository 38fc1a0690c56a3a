"""Sentences that staff gave, and reports of players: records, see `world.conduct`."""

from __future__ import annotations

import enum

import attrs

from world import records
from world.records import Record
from world.stored import stored


class Penalty(enum.StrEnum):
    """Kinds of sentences. The words are on disk."""

    MUTE = "mute"
    """All characters of the account may say nothing."""
    JAIL = "jail"
    """The character has to stay in one place."""


@records.kind("sentence")
class Sentence(Record):
    """A penalty that somebody serves. It outlives a character that is deleted: it would be too easy."""

    penalty: str = attrs.field(default=Penalty.MUTE.value, metadata=stored())
    """A `Penalty`."""
    account: int = attrs.field(default=0, metadata=stored())
    character: int = attrs.field(default=0, metadata=stored())
    name: str = attrs.field(default="", metadata=stored())
    until: float = attrs.field(default=0.0, metadata=stored())
    """Seconds UTC."""
    reason: str = attrs.field(default="", metadata=stored())
    by: str = attrs.field(default="", metadata=stored())
    realm: str = attrs.field(default="", metadata=stored())
    """Of somebody in jail: where it was before; empty as long as it has not been there."""
    x: int = attrs.field(default=0, metadata=stored())
    y: int = attrs.field(default=0, metadata=stored())


@records.kind("report")
class Report(Record):
    """A player's complaint, mostly about another, which waits for staff."""

    at: float = attrs.field(default=0.0, metadata=stored())
    """Seconds UTC."""
    who: str = attrs.field(default="", metadata=stored())
    about: str = attrs.field(default="", metadata=stored())
    """Whom it names; empty if nobody."""
    text: str = attrs.field(default="", metadata=stored())
    place: str = attrs.field(default="", metadata=stored())
    """Where the reporter was: realm and tile."""
    lines: str = attrs.field(default="", metadata=stored())
    """What was said around it last, one line each, the oldest first."""

    @property
    def title(self) -> str:
        """Its head: who reports, and about whom if it names somebody."""
        return f"{self.who} about {self.about}" if self.about else self.who
