"""Requests that a game's clients are known to send, and the answer to each.

A game lists its requests itself, those with a row in one of its tables (`of_table`) and those that come as
one of many kinds of a packet; the lists in data/ and of public programs say when it is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import attrs

from protocol.wishes import Idle, Unmet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@attrs.frozen
class Done:
    """The deed is done, or refused in the game's own way."""


DONE: Final = Done()

Answer: TypeAlias = Done | Unmet | Idle
"""What comes of a request: the deed, a line that says why not, or nothing because it carries no wish."""


@attrs.frozen
class Request:
    """One request that a client may send."""

    key: str
    """Its number on the wire, with that of its kind behind a colon if it has one; its name if it has none."""
    name: str
    """As the field's public programs call it."""
    answer: Answer


def answer_of(handler: object) -> Answer:
    """Answer to a packet, by the handler that takes it."""
    return handler if isinstance(handler, Unmet | Idle) else DONE


class Listed(Protocol):
    """A row of a table, as far as lists of requests go (`protocol.dispatch.Entry`)."""

    @property
    def opcode(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def handler(self) -> object: ...


def of_table(
    table: Iterable[Listed],
    key: Callable[[int], str] = "0x{:02X}".format,
    name: Callable[[str], str] = str,
) -> Iterator[Request]:
    """Every row of a table; `key` shows an opcode, `name` the name of a packet class."""
    for entry in table:
        yield Request(key(entry.opcode), name(entry.name), answer_of(entry.handler))


def listed(requests: Iterable[Request]) -> Iterator[str]:
    """Yield the lines of a Markdown table: each answer, with its requests. Raises ValueError if a key is
    there twice."""
    known: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for request in requests:
        if request.key in known:
            raise ValueError(f"{request.key} is {known[request.key]} and {request.name}")
        known[request.key] = request.name
        groups.setdefault(_shown(request.answer), []).append(_called(request))
    yield "| what comes of it | requests |"
    yield "|---|---|"
    for answer in sorted(groups, key=lambda it: (it.startswith("nothing"), it != _shown(DONE), it)):
        yield f"| {answer} | {', '.join(groups[answer])} |"


def _called(request: Request) -> str:
    return request.name if request.name == request.key else f"{request.name} ({request.key})"


def _shown(answer: Answer) -> str:
    match answer:
        case Unmet():
            return f"“{answer.wish.value}”"
        case Idle():
            return f"nothing: {answer.why}"
        case _:
            return "the deed, or the game's own refusal"
