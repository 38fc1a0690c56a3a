"""How a request that is refused is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.services import Denial
from protocol.web.messages import Denied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol import services
    from protocol.web.declare import Message

TEXTS: Final[Mapping[Denial, str]] = {
    Denial.BAD_CREDENTIALS: "Wrong name or password.",
    Denial.BANNED: "This account is banned.",
    Denial.BUSY: "Too many are trying at once. Please wait a little.",
    Denial.NOT_APPROVED: "New accounts cannot be made here.",
    Denial.EXISTS: "That name is taken.",
    Denial.FULL: "The account has as many characters as it may have.",
    Denial.BAD_NAME: "That name cannot be used.",
    Denial.BAD_PASSWORD: "That password cannot be used.",
    Denial.NO_CHARACTER: "There is no such character.",
    Denial.IN_USE: "Somebody plays that character.",
    Denial.UNAVAILABLE: "That does not work at the moment. Please try again later.",
}
"""What people are told where the server has no words of its own."""


def refusal(denied: services.Denied, kind: type[Message]) -> Denied:
    """The message for a request of that kind that is refused."""
    words = str(denied)
    if words == denied.why.value:
        words = TEXTS[denied.why]
    elif denied.why is Denial.BANNED:
        words = f"{TEXTS[Denial.BANNED]} {words}"
    words = words[:1].upper() + words[1:]
    return Denied(
        denied.why.name.lower(), words if words.endswith((".", "!", "?")) else f"{words}.", kind.tag
    )
