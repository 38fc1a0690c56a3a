"""Everything the web client and the server say to each other, both ways: one line of JSON each.

A client comes with a name and a password (`Login`) or with the key that its page was given (`Ticket`),
chooses or makes a character, enters, and is from then on told what its character sees. The live map
(`server.web.livemap`) sends the same `Realm`, `Show`, `Hide`, `Change`, `Say`, `Gesture` and `Time` to
whoever only watches, and `Moves` for all that went anywhere since the last time.

Numbers: x and y are tiles, headings 0 (north) to 7 (north west) clockwise, colours "#rrggbb", `id` is the
serial of a thing. What a message leaves out has the value that its declaration gives here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 # cattrs reads the annotations
from typing import Final

import attrs

from protocol.web.declare import Message, message, one_of, text, whole

SERIAL: Final = 0xFFFF_FFFF
LONGEST_WORDS: Final = 128
"""Characters of one utterance, as in `world.speech`."""
WAYS_TO_SPEAK: Final = ("say", "whisper", "yell", "emote", "tell", "global", "party", "guild", "alliance")

# What a client says ---------------------------------------------------------------------------------------


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


@message("enter")
class Enter(Message):
    """Into the world with a character. Answers: `Entered` and all it sees, or `Denied`."""

    id: int = whole(0, SERIAL)


@message("leave")
class Leave(Message):
    """Out of the world, back to the characters. Answer: `Characters`."""


@message("walk")
class Walk(Message):
    """One step. Answer: `Walked`, at once or when the step is due. A client may send a few ahead.

    Sequence 0 begins anew: what was sent before it and is not answered counts for nothing. A client says 0
    first, and again after a `Walked` that is not ok and after it was put elsewhere (`Place` of its own
    character, `Realm`); until then its steps are passed over without an answer. Behind 65535 comes 1."""

    sequence: int = whole(0, 0xFFFF)
    heading: int = whole(0, 7)
    run: bool = False


@message("turn")
class Turn(Message):
    """Face another way."""

    heading: int = whole(0, 7)


@message("sit")
class Sit(Message):
    """Sit down, on the seat that one faces or else on the ground; or stand up. Who sits on a seat is told so
    by `Place`."""


@message("speak")
class Speak(Message):
    """Words: `how` is one of `WAYS_TO_SPEAK`, tell goes with `to`. A line that begins with "." or "/" and a
    letter is a command to the server, however it is said. What one tells somebody alone, or everybody, is not
    said back (`Say`): one's own client shows it by itself."""

    words: str = text(LONGEST_WORDS)
    how: str = one_of(WAYS_TO_SPEAK, default="say")
    to: str = text(32, default="")


@message("gesture")
class MakeGesture(Message):
    """One of `world.speech.EMOTES`."""

    gesture: str = text(16)


@message("look")
class Look(Message):
    """Look closely at somebody or something in sight. Answer: `Seen`."""

    id: int = whole(0, SERIAL)


@message("use")
class Use(Message):
    """Speak to a resident, open a container. Answers as the world has them (`Ask`, `Content`, words)."""

    id: int = whole(0, SERIAL)


@message("read")
class Read(Message):
    """What is written on the sign of a tile. Answer: words."""

    x: int = whole(0, 0xFFFF)
    y: int = whole(0, 0xFFFF)


@attrs.frozen
class Filled:
    """What was filled in for one input: the numbers of the options chosen, or what was typed."""

    key: str = text(64)
    chosen: Sequence[int] = ()
    text: str = text(LONGEST_WORDS, default="")


@message("answer")
class Answer(Message):
    """The button pressed in a dialog, and what was filled in; 0 closes it."""

    serial: int = whole(0, SERIAL)
    button: int = whole(0, 0x7FFF_FFFF)
    filled: Sequence[Filled] = ()


@message("take")
class Take(Message):
    """Pick something up from the ground, or take it out of a container, into the pack."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=0)
    """0: all of it."""


@message("drop")
class Drop(Message):
    """Put something from the pack down where one stands."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=0)


@message("wear")
class Wear(Message):
    """Put something on that is in the pack."""

    id: int = whole(0, SERIAL)


@message("unwear")
class Unwear(Message):
    """Take something off, into the pack."""

    id: int = whole(0, SERIAL)


@message("ping")
class Ping(Message):
    """The client lives; every 20 seconds or so. Answer: `Pong` with the same number."""

    number: int = whole(0, 0x7FFF_FFFF, default=0)


# What a server says ---------------------------------------------------------------------------------------


@message("welcome")
class Welcome(Message):
    """The first words to every client."""

    server: str
    version: int = 1
    """Of this protocol."""


@message("denied")
class Denied(Message):
    """A request is refused. `why` is the key of `protocol.services.Denial` in lower case (bad_credentials,
    ...), `text` is for people. The client may try again."""

    why: str
    text: str
    to: str = ""
    """The name of the message that was refused."""


@message("account")
class Account(Message):
    """Who is logged in."""

    account: str
    limit: int
    """Characters an account may have."""
    gestures: Sequence[str] = ()
    """All of `world.speech.EMOTES`, sorted."""


@attrs.frozen
class Appearance:
    """How somebody or something is drawn. `figure` is a word of data/looks (web): person, dog ..."""

    figure: str
    female: bool = False
    skin: str = ""
    hair: str = ""
    """Colour; empty: bald."""
    top: str = ""
    """Colour of what covers the chest, and so on; empty: nothing."""
    legs: str = ""
    feet: str = ""
    head: str = ""
    colour: str = ""
    """Of an item or a beast."""
    held: str = ""
    """What a person has in its hand: the figure of an item, and its colour."""
    held_colour: str = ""


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


@message("entered")
class Entered(Message):
    """The character stands in the world. `Realm` and `Show` of it and of all it sees follow."""

    id: int
    name: str
    sight: int
    """Tiles it sees each way (a square)."""
    walk_ms: int
    run_ms: int
    access: int = 0


@message("left")
class HasLeft(Message):
    """The character is out of the world, the client is not: it may enter again."""


@message("realm")
class Realm(Message):
    """Where everything that follows is: whatever the client showed before is gone. Picture, size and walls
    are at /realms/<name>.json."""

    name: str
    title: str


@message("show")
class Show(Message):
    """A thing came into sight, or is to be placed anew: it replaces what the client had for its id."""

    id: int
    kind: str
    """mobile or item."""
    name: str
    x: int
    y: int
    look: Appearance
    heading: int = 4
    title: str = ""
    game: str = ""
    """Through which game its player comes (uo, eo, eq2, l2, co, web); empty: no player."""
    hits: int = 100
    """In percent."""
    notoriety: int = 1
    dead: bool = False
    sitting: bool = False
    resident: bool = False
    level: int = 0
    amount: int = 1
    """Of an item."""
    container: bool = False
    """Of an item: whether it can be opened (`Use`)."""


@message("change")
class Change(Message):
    """What is different about a thing that was shown; None is as before."""

    id: int
    name: str | None = None
    title: str | None = None
    look: Appearance | None = None
    game: str | None = None
    heading: int | None = None
    hits: int | None = None
    notoriety: int | None = None
    dead: bool | None = None
    sitting: bool | None = None
    level: int | None = None
    amount: int | None = None


@message("hide")
class Hide(Message):
    """A thing went out of sight: `why` is walked, warped, left, died or hidden."""

    id: int
    why: str = "walked"


@message("move", droppable=True)
class Move(Message):
    """A mobile went to (x, y), which is next to where it was, or `jump` tells that it is not. Its client
    draws that as a motion of `ms` milliseconds."""

    id: int
    x: int
    y: int
    heading: int
    ms: int = 400
    jump: bool = False


@message("moves")
class Moves(Message):
    """For those who watch: where all are that moved since the last message of this kind, each [id, x, y,
    heading]."""

    moves: Sequence[Sequence[int]]
    ms: int = 100
    """The time that lies between two of these."""


@message("place")
class Place(Message):
    """A mobile is elsewhere at once."""

    id: int
    x: int
    y: int
    heading: int = 4


@message("turned", droppable=True)
class Turned(Message):
    """A mobile faces another way."""

    id: int
    heading: int


@message("walked")
class Walked(Message):
    """The step of that number was taken, and one stands at (x, y); or it was not (`ok` is false), and one
    still stands there: steps the client has sent since count for nothing."""

    sequence: int
    x: int
    y: int
    heading: int
    ok: bool = True


@message("say")
class Say(Message):
    """Somebody's words. `id` is the speaker, 0 if it is nobody; `how` as in `world.moments.Speech`."""

    id: int
    name: str
    how: str
    words: str


@message("gestured", droppable=True)
class Gestured(Message):
    """Somebody makes a gesture."""

    id: int
    gesture: str


@message("died")
class Died(Message):
    """A mobile died."""

    id: int


@message("revived")
class Revived(Message):
    """A ghost lives again."""

    id: int


@message("time")
class Time(Message):
    """What time it is in the world; after a real second it is `pace` world minutes later."""

    hour: int
    minute: int
    pace: float = 1.0


@message("sheet")
class Sheet(Message):
    """All numbers of one's own character."""

    hits: int
    hits_max: int
    mana: int
    mana_max: int
    stam: int
    stam_max: int
    strength: int
    dexterity: int
    intelligence: int
    level: int
    experience: int
    gold: int
    weight: int


@attrs.frozen
class Belonging:
    """One thing that somebody has, or that lies in a container."""

    id: int
    name: str
    look: Appearance
    amount: int = 1
    worn: bool = False
    container: bool = False
    wearable: bool = False


@message("belongings")
class Belongings(Message):
    """All that one's own character wears and has in its pack."""

    things: Sequence[Belonging]


@message("content")
class Content(Message):
    """What is in a container that was opened; again whenever that changes, until the container goes out of
    sight. What is shown on the ground (`Show`) is in no container any more."""

    id: int
    name: str
    things: Sequence[Belonging]


@message("seen")
class Seen(Message):
    """What one sees who looks closely."""

    id: int
    name: str
    lines: Sequence[str]
    """What is to be told, for people: title, what it wears, how it fares."""


@attrs.frozen
class Choice:
    """A button of a dialog."""

    number: int
    label: str


@attrs.frozen
class Offer:
    """An option. Of a ware there is a picture, and its price in gold."""

    number: int
    label: str
    look: Appearance | None = None
    price: int = 0
    chosen: bool = False


@attrs.frozen
class Blank:
    """What is to be filled in: one option (`choice`), any of them (`several`), a `number` or a `line`."""

    key: str
    prompt: str
    kind: str
    options: Sequence[Offer] = ()
    least: int = 0
    """The lowest number, or the fewest letters."""
    most: int = 0
    start: str = ""


@message("ask")
class Ask(Message):
    """The world asks a question."""

    serial: int
    title: str
    text: str
    buttons: Sequence[Choice]
    asker: int = 0
    more: Sequence[str] = ()
    """Pages behind the text."""
    inputs: Sequence[Blank] = ()


@message("close")
class Close(Message):
    """It takes the question back."""

    serial: int


@message("pong")
class Pong(Message):
    """The answer to `Ping`."""

    number: int = 0


@message("goodbye")
class Goodbye(Message):
    """The server ends the connection, and why."""

    text: str


# What only those are told who watch ---------------------------------------------------------------


@message("counts")
class Counts(Message):
    """How many play, by game, and how many things of the realm are shown."""

    online: Mapping[str, int]
    mobiles: int
    items: int
    viewers: int


@message("event")
class Event(Message):
    """A line of the feed: `kind` is came, left, died, revived, said or announced."""

    kind: str
    text: str
    at: float
    """Seconds UTC."""
    game: str = ""


FROM_CLIENT: Final[Sequence[type[Message]]] = (
    *(Login, Register, Ticket, List, Create, Delete, Enter, Leave, Walk, Turn, Sit, Speak, MakeGesture, Look),
    *(Use, Read, Answer, Take, Drop, Wear, Unwear, Ping),
)
FROM_SERVER: Final[Sequence[type[Message]]] = (
    *(Welcome, Denied, Account, Characters, Entered, HasLeft, Realm, Show, Change, Hide, Move, Moves, Place),
    *(Turned, Walked, Say, Gestured, Died, Revived, Time, Sheet, Belongings, Content, Seen, Ask, Close, Pong),
    *(Goodbye, Counts, Event),
)
CLIENT_MESSAGES: Final[Mapping[str, type[Message]]] = {kind.tag: kind for kind in FROM_CLIENT}
"""By name."""
