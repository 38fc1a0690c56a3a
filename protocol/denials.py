"""Refusals of logins and of requests about accounts and characters: the reasons, and the exception."""

from __future__ import annotations

import enum


class Denial(enum.Enum):
    """Reasons for which a login or a request about accounts and characters is refused; each game has its own
    word for each."""

    BAD_CREDENTIALS = "wrong name or password"
    BANNED = "banned"
    BUSY = "busy"
    NOT_APPROVED = "not approved"
    EXISTS = "exists"
    FULL = "full"
    BAD_NAME = "bad name"
    BAD_PASSWORD = "password not allowed"
    NO_CHARACTER = "no such character"
    IN_USE = "being played"
    UNAVAILABLE = "temporarily unavailable"


class Denied(Exception):
    """The request is refused."""

    def __init__(self, why: Denial, detail: str = "") -> None:
        super().__init__(detail or why.value)
        self.why = why
