"""Messages of a build-546 server, as the independent readers (`tests.eq2.independent.reader`) find them."""

from __future__ import annotations

import attrs

POSITION, VISUAL, INFO = 88, 78, 1089
SHEET = 4897
SKILL, SPELL, ITEM = 21, 27, 110
NOBODY = 0xFFFFFFFF
RESULTS = {0, 1, 2, 3, 4, 5, 7, 9, 10, 11}
DAMAGES = range(14)
CHANNELS = {5, 8, 9, 10, 12, 15, 18, 28, 32, 33}


@attrs.frozen
class LoginReply:
    code: int
    account: int


@attrs.frozen
class World:
    id: int
    name: str
    locked: int
    players: int
    load: int


@attrs.frozen
class WorldList:
    worlds: tuple[World, ...]


@attrs.frozen
class WorldStatus:
    world: int
    up: int
    locked: int


@attrs.frozen
class Appearance:
    model: int
    skin: bytes
    viewport: bytes
    equipment: tuple[int, ...]
    hair: int


@attrs.frozen
class Character:
    id: int
    server: int
    name: str
    race: int
    profession: int
    gender: int
    level: int
    zone: str
    zone_name: str
    description: str
    created: int
    last_played: int
    appearance: Appearance


@attrs.frozen
class CharacterList:
    characters: tuple[Character, ...]
    account: int
    most: int


@attrs.frozen
class Created:
    account: int
    code: int
    name: str


@attrs.frozen
class Deleted:
    code: int
    server: int
    character: int
    name: str


@attrs.frozen
class Play:
    code: int
    host: str = ""
    port: int = 0
    account: int = 0
    access: int = 0


@attrs.frozen
class ZoneInfo:
    zone: str
    description: str
    name: str
    place: tuple[float, float, float]
    hour: int
    minute: int


@attrs.frozen
class Commands:
    names: tuple[str, ...]


@attrs.frozen
class Empty:
    """31, 33 and 44: a message that is only its type."""


@attrs.frozen
class Time:
    year: int
    month: int
    day: int
    hour: int
    minute: int


@attrs.frozen
class Text:
    """38, 39 and 293."""

    texts: tuple[str, ...]


@attrs.frozen
class Optional:
    """A list of something that is no part of the story: how long it is."""

    count: int


@attrs.frozen
class Camp:
    seconds: int
    desktop: int


@attrs.frozen
class Found:
    name: str
    level: int
    race: int
    zone: str


@attrs.frozen
class Who:
    response: int
    found: tuple[Found, ...]


@attrs.frozen
class Packed:
    """55, 56, 58 and 63: a list of structs as it was sent, exclusive or with the last one."""

    count: int
    data: bytes
    equipment: int = 0


@attrs.frozen
class ChangeZone:
    account: int
    key: int
    host: str
    port: int


@attrs.frozen
class Teleport:
    place: tuple[float, float, float]
    heading: float | None = None


@attrs.frozen
class Heard:
    speaker: int
    to: int
    name: str
    to_name: str
    channel: int
    language: int
    text: str
    channel_name: str
    bubble: int


@attrs.frozen
class Display:
    color: int
    text: str


@attrs.frozen
class Command:
    """What a menu over a ghost offers."""

    name: str
    distance: float
    error: str
    command: str


@attrs.frozen
class CreateGhost:
    index: int
    id: int
    commands: tuple[Command, ...]
    default: str
    position: bytes
    visual: bytes
    info: bytes


@attrs.frozen
class DestroyGhost:
    index: int


@attrs.frozen
class UpdateGhost:
    """The parts are still packed: what they unpack to depends on what was sent before."""

    index: int
    timestamp: int
    info: bytes | None
    position: bytes | None
    visual: bytes | None


@attrs.frozen
class Control:
    id: int
    speed: float


@attrs.frozen
class View:
    id: int


@attrs.frozen
class Emoted:
    id: int
    text: str
    animation: int


@attrs.frozen
class Conversation:
    """A question, and its answers."""

    number: int
    title: str
    text: str
    answers: tuple[str, ...]


@attrs.frozen
class Over:
    """A question that is closed."""

    number: int


@attrs.frozen
class Targeted:
    id: int


@attrs.frozen
class Blow:
    """420."""

    attacker: int
    defender: int
    result: int
    kind: int
    damage: int
    critical: int


@attrs.frozen
class Death:
    """435."""

    attacker: int
    defender: int


@attrs.frozen
class Heal:
    """480."""

    caster: int
    target: int
    amount: int
    spell: str


@attrs.frozen
class Way:
    """A way back for the dead."""

    number: int
    zone: str
    name: str
    choice: str
    distance: float


@attrs.frozen
class DeathWindow:
    """459."""

    ways: tuple[Way, ...]


@attrs.frozen
class Resurrected:
    """463."""


@attrs.frozen
class Choice:
    """464: the words, and the commands of both answers."""

    text: str
    accept: str
    cancel: str
    box: int


@attrs.frozen
class Looted:
    """A thing in the window of a corpse."""

    number: int
    count: int
    icon: int
    weight: int
    name: str


@attrs.frozen
class DefaultVerb:
    """465."""

    id: int
    command: str
    distance: float


@attrs.frozen
class Loot:
    """457."""

    things: tuple[Looted, ...]
    display: int
    sharing: int
    seconds: int
    corpse: int


@attrs.frozen
class LootOver:
    """164."""

    corpse: int


@attrs.frozen
class Level:
    """235."""

    before: int
    now: int
    kind: int


@attrs.frozen
class ClientCommands:
    """50: the commands inside."""

    commands: tuple[object, ...]
