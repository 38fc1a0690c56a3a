"""Logging in, and the characters of an account."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations


@message("login", secret=True)
class Login(Message):
    """Name and password of an account. Answers: `Account` and `Characters`, or `Denied`."""

    account: str = text(64)
    password: str = text(128)


@message("register", secret=True)
class Register(Message):
    """A new account, where this client may make one; it is logged in with it. Answers as to `Login`."""

    account: str = text(64)
    password: str = text(128)


@message("ticket", secret=True)
class Ticket(Message):
    """The key that the page got for this connection, in hexadecimal digits. The server puts it there itself,
    for a browser whose cookie is good. Answers as to `Login`; with a key that is worth nothing any more
    `Denied`, and the client may log in."""

    key: str = text(128)


@message("list")
class List(Message):
    """The characters once more. Answer: `Characters`."""


@message("create")
class Create(Message):
    """A new character. Answers: `Characters`, or `Denied`. Ranges as in `world.mobile.Mobile`."""

    character: str = text(32)
    female: bool = False
    hair: int = whole(0, 20, default=1)
    hair_hue: int = whole(1102, 1149, default=1102)
    skin_hue: int = whole(1002, 1058, default=1002)


@message("delete")
class Delete(Message):
    """A character is not wanted any more. Answers: `Characters`, or `Denied`."""

    id: int = whole(0, SERIAL)


@message("welcome")
class Welcome(Message):
    """The first words to every client."""

    server: str
    version: int = 1
    """Of this protocol."""


@message("denied")
class Denied(Message):
    """A request is refused. `why` is the key of `protocol.denials.Denial` in lower case (bad_credentials,
    ...), `text` is for people. The client may try again."""

    why: str
    text: str
    to: str = ""
    """The name of the message that was refused."""


@message("account")
class Account(Message):
    """The account that is logged in."""

    account: str
    limit: int
    """Characters an account may have."""
    gestures: Sequence[str] = ()
    """All of `world.speech.EMOTES`, sorted."""


@attrs.frozen
class CharacterLine:
    """One line of a character list."""

    id: int
    name: str
    level: int
    look: Appearance
    realm: str = ""
    """Title of where it stands."""


@message("characters")
class Characters(Message):
    """An account's characters, in creation order."""

    characters: Sequence[CharacterLine]
