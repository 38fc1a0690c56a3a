"""How a key of config.toml is declared: its default, its rules, whether a running server takes a new value.

A key that config.toml marks "(reload)" can change while the server runs. It is declared with `live`, all
others with `fixed` or, if they say where to listen, `door`.
"""

import re
from collections.abc import Callable
from typing import Final, TypeVar

import attrs

T = TypeVar("T")
Rule = Callable[[T], None]


def fixed(default: T, *rules: Rule[T], secret: bool = False) -> T:
    """A key that takes effect at the next start. `secret`: a password in its value is kept out of repr."""
    return attrs.field(
        default=default,
        validator=_validator(rules),
        repr=_without_password if secret else True,
        metadata={"reloadable": False},
    )


def hidden(default: T, *rules: Rule[T]) -> T:
    """A key like `fixed` that is a secret as a whole."""
    return attrs.field(
        default=default,
        validator=_validator(rules),
        repr=lambda _: "'***'",
        metadata={"reloadable": False, "aside": True},
    )


def aside(default: T, *rules: Rule[T]) -> T:
    """A listener's key like `fixed` that is no business of its clients' codecs."""
    return attrs.field(
        default=default, validator=_validator(rules), metadata={"reloadable": False, "aside": True}
    )


def live(default: T, *rules: Rule[T]) -> T:
    """A key that `causeway reload` may change."""
    return attrs.field(default=default, validator=_validator(rules), metadata={"reloadable": True})


def door(default: T) -> T:
    """A listener's key that says where one of its game's doors opens; its name is the door's."""
    return attrs.field(default=default, metadata={"reloadable": False, "door": True})


def _validator(rules: tuple[Rule[T], ...]) -> Callable[[object, "attrs.Attribute[T]", T], None]:
    def validate(_: object, __: "attrs.Attribute[T]", value: T) -> None:
        for rule in rules:
            rule(value)

    return validate


def between(low: float, high: float) -> Rule[float]:
    """The rule of a number's range, both ends included."""

    def check(value: float) -> None:
        if not low <= value <= high:  # so written, it refuses nan too
            raise ValueError(f"must be from {low} to {high}, not {value}")

    return check


SHORTEST_SECRET: Final = 8
LONGEST_SECRET: Final = 256
"""Bytes of UTF-8; what the AuthRequest of Lineage II's bridge carries."""


def secret_text(value: str) -> None:
    """The rule of a secret that need not be given."""
    if value and not SHORTEST_SECRET <= len(value.encode()) <= LONGEST_SECRET:
        raise ValueError(f"must have {SHORTEST_SECRET} to {LONGEST_SECRET} letters")


def _without_password(url: str) -> str:
    url = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", url)
    return repr(re.sub(r"([?&]password=)[^&]*", r"\1***", url))
