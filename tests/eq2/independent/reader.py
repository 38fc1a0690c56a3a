"""Strict readers of every message that a build-546 server sends here: each field in its order, no byte left.

Written from the sheet of facts and the public structs, not from the server: the two can only agree by being
right.
A message that no reader knows, or whose bytes are not as the sheet has them, is a `Malformed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.eq2.independent.fields import Fields
from tests.eq2.independent.packed import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

POSITION, VISUAL, INFO = 88, 78, 1089
SHEET = 4897
SKILL, SPELL, ITEM = 21, 27, 110
NOBODY = 0xFFFFFFFF
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
class ClientCommands:
    """50: the commands inside."""

    commands: tuple[object, ...]


def _login_reply(fields: Fields) -> LoginReply:
    code = fields.u8()
    if code not in (0, 1, 2, 6, 7, 8, 10, 12):
        raise fields.wrong(f"no code {code} is known")
    fields.s16()
    fields.u8()
    fields.take(8)
    fields.u32()
    account = fields.u32()
    fields.s16()
    fields.u8()
    fields.u8()
    # This client ignores what follows, so the sheet allows it.
    fields.rest()
    return LoginReply(code, account)


def _world_login_reply(fields: Fields) -> LoginReply:
    if len(fields.data) - fields.at != 24:
        raise fields.wrong(f"{len(fields.data) - fields.at} bytes instead of 24")
    return _login_reply(fields)


def _world_list(fields: Fields) -> WorldList:
    worlds = []
    for _ in range(fields.u8()):
        number, name = fields.i32(), fields.s16()
        fields.s16()
        fields.given(1, 1, "tag")
        locked, _hidden, _ = fields.u8(), fields.u8(), fields.u8()
        players, load = fields.u16(), fields.u8()
        fields.given(1, 1, "online flag")
        fields.u8()
        fields.given(0xFFFFFFFF, 4, "allowed races")
        worlds.append(World(number, name, locked, players, load))
    return WorldList(tuple(worlds))


def _world_status(fields: Fields) -> WorldStatus:
    status = WorldStatus(fields.u32(), fields.u8(), fields.u8())
    fields.take(2)
    return status


def _worn(fields: Fields) -> int:
    kind, colors = fields.u16(), fields.take(6)
    if kind == 0 and colors not in (b"\xff" * 6, bytes(6)):
        raise fields.wrong(f"an empty slot of colours {colors.hex()}")
    return kind


def _appearance(fields: Fields) -> Appearance:
    start = fields.at
    fields.given(11, 1, "version of the appearance")
    model, skin, viewport = fields.u16(), fields.take(3), fields.take(3)
    equipment = tuple(_worn(fields) for _ in range(23))
    hair = fields.u16()
    fields.take(6)
    for _face_chest_legs in range(3):
        fields.u16()
        fields.take(6)
    fields.take(3 + 7 * 3)
    fields.take(2)
    fields.u16()
    fields.take(6)
    fields.take(3 * 3)
    fields.take(10)
    # The other set of models.
    fields.u16()
    fields.take(6 + 3 + 7 * 3 + 3)
    fields.u16()
    fields.take(6)
    fields.u16()
    fields.take(6)
    fields.u16()
    fields.take(6)
    if fields.at - start != 337:
        raise AssertionError("the reader itself is wrong")
    return Appearance(model, skin, viewport, equipment, hair)


def _character(fields: Fields) -> Character:
    number, server, name = fields.i32(), fields.i32(), fields.s16()
    race, profession, gender, level = fields.u8(), fields.u8(), fields.u8(), fields.i32()
    zone = fields.s16()
    fields.take(8)
    created, last_played = fields.u32(), fields.u32()
    fields.take(8)
    zone_name, description = fields.s16(), fields.s16()
    fields.u32()
    return Character(
        number,
        server,
        name,
        race,
        profession,
        gender,
        level,
        zone,
        zone_name,
        description,
        created,
        last_played,
        _appearance(fields),
    )


def _character_list(fields: Fields) -> CharacterList:
    characters = tuple(_character(fields) for _ in range(fields.u8()))
    account = fields.u32()
    fields.given(0xFFFFFFFF, 4, "the second number behind the list")
    fields.given(0, 2, "linked ids")
    most = fields.u32()
    fields.given(0, 1, "the last byte")
    return CharacterList(characters, account, most)


def _created(fields: Fields) -> Created:
    account, code, name = fields.u32(), fields.u8(), fields.s16()
    if not 1 <= code <= 14:
        raise fields.wrong(f"no code {code} is known")
    return Created(account, code, name)


def _deleted(fields: Fields) -> Deleted:
    return Deleted(fields.u8(), fields.i32(), fields.i32(), fields.s16())


def _play(fields: Fields) -> Play:
    code = fields.u8()
    if code != 1:
        if code not in (2, 3, 4, 5, 6, 7, 9, 10, 11):
            raise fields.wrong(f"no code {code} is known")
        return Play(code)
    play = Play(code, fields.s8(), fields.u16(), fields.u32(), fields.u32())
    if not play.access:
        raise fields.wrong("an access code of zero")
    return play


def _zone_info(fields: Fields) -> ZoneInfo:
    fields.s8()
    fields.s8()
    fields.given(0xFFFFFFFF, 4, "expansions")
    fields.u32()
    fields.s8()
    fields.u32()
    fields.s8()
    fields.s8()
    zone = fields.s8()
    fields.s8()
    description, name = fields.s8(), fields.s8()
    place = fields.point()
    fields.u16()
    fields.take(2)
    hour, minute, second = fields.u8(), fields.u8(), fields.u8()
    if hour > 23 or minute > 59 or second > 59:
        raise fields.wrong(f"the time {hour}:{minute}:{second}")
    fields.f32()
    fields.f32()
    fields.given(0, 1, "slides")
    fields.f32()
    fields.f32()
    underworld = fields.f32()
    if underworld >= place[1]:
        raise fields.wrong(f"an underworld at {underworld}, over {place[1]}")
    fields.u32()
    for _ in range(fields.u32()):
        fields.s16()
        fields.u16()
    return ZoneInfo(zone, description, name, place, hour, minute)


def _commands(fields: Fields) -> Commands:
    names = tuple(fields.s8() for _ in range(fields.u16()))
    fields.given(0, 2, "aliases")
    if len(set(names)) != len(names) or not all(names):
        raise fields.wrong(f"commands without a name of their own: {names}")
    return Commands(names)


def _time(fields: Fields) -> Time:
    time = Time(fields.u16(), fields.u8(), fields.u8(), fields.u8(), fields.u8())
    fields.u8()
    if time.hour > 23 or time.minute > 59:
        raise fields.wrong(f"{time}")
    return time


def _empty(_: Fields) -> Empty:
    return Empty()


def _one_text(fields: Fields) -> Text:
    return Text((fields.s16(),))


def _two_texts(fields: Fields) -> Text:
    return Text((fields.s16(), fields.s16()))


def _placement(fields: Fields) -> Optional:
    if fields.point() != (9999.0, 9999.0, 9999.0):
        raise fields.wrong("placement that is not 9999")
    return Optional(3)


def _slots(fields: Fields) -> Optional:
    count = fields.u16()
    for _ in range(count):
        fields.u32()
        fields.u16()
    return Optional(count)


def _flights(fields: Fields) -> Optional:
    lengths = [fields.u16() for _ in range(fields.u16())]
    for _ in range(sum(lengths)):
        fields.point()
    return Optional(len(lengths))


def _relations(fields: Fields) -> Optional:
    fields.u32()
    fields.u8()
    count = fields.u32()
    for _ in range(count):
        fields.s16()
        fields.s16()
    return Optional(count)


def _languages(fields: Fields) -> Optional:
    count = fields.u8()
    fields.take(count)
    fields.u8()
    return Optional(count)


def _quickbar(fields: Fields) -> Optional:
    count = fields.u32()
    for _ in range(count):
        fields.take(8 * 4)
        fields.s16()
        fields.s16()
    return Optional(count)


def _macros(fields: Fields) -> Optional:
    count = fields.u32()
    for _ in range(count):
        fields.u8()
        fields.s8()
        for _ in range(fields.u8()):
            fields.s16()
        fields.u16()
    return Optional(count)


def _titles(fields: Fields) -> Optional:
    count = fields.u16()
    for _ in range(count):
        fields.s16()
        fields.u8()
    for _ in range(2):
        if not -1 <= fields.i16() < count:
            raise fields.wrong("a title that is not in the list")
    return Optional(count)


def _factions(fields: Fields) -> Optional:
    count = fields.u16()
    for _ in range(count):
        fields.u32()
        for _ in range(4):
            fields.s16()
        fields.take(1 + 1 + 4)
    fields.u8()
    return Optional(count)


def _camp(fields: Fields) -> Camp:
    return Camp(fields.u8(), fields.u8())


def _who(fields: Fields) -> Who:
    fields.u32()
    fields.u32()
    response = fields.u8()
    found = []
    if response in (2, 3):
        for _ in range(fields.u8()):
            name = fields.chars(40)
            fields.u8()
            level = fields.u8()
            fields.take(1 + 2 + 1)
            race = fields.u8()
            fields.take(1 + 4)
            zone = fields.chars(80)
            fields.take(28 + 1)
            found.append(Found(name, level, race, zone))
    elif response not in (0, 1):
        raise fields.wrong(f"an answer {response}")
    return Who(response, tuple(found))


def _sheet(fields: Fields) -> Packed:
    return Packed(1, fields.packed(SHEET))


def _skills(fields: Fields) -> Packed:
    count = fields.u16()
    return Packed(count, fields.packed(count * SKILL))


def _spells(fields: Fields) -> Packed:
    count = fields.u16()
    return Packed(count, fields.packed(count * SPELL))


def _inventory(fields: Fields) -> Packed:
    count = fields.u16()
    data, equipment = fields.packed(count * ITEM), fields.u8()
    if equipment > 1:
        raise fields.wrong(f"a flag of {equipment}")
    return Packed(count, data, equipment)


def _change_zone(fields: Fields) -> ChangeZone:
    return ChangeZone(fields.u32(), fields.u32(), fields.s16(), fields.u16())


def _teleport(fields: Fields) -> Teleport:
    return Teleport(fields.point())


def _teleport_without_loading(fields: Fields) -> Teleport:
    return Teleport(fields.point(), fields.f32())


def _client_commands(fields: Fields) -> ClientCommands:
    length = fields.u32()
    if length != len(fields.data) - fields.at:
        raise fields.wrong(f"a frame of {length} bytes around {len(fields.data) - fields.at}")
    if not 1 <= length <= 0x40000:
        raise fields.wrong(f"a frame of {length} bytes")
    commands: list[object] = []
    while fields.more:
        kind = fields.type()
        reader = NESTED.get(kind)
        if reader is None:
            raise fields.wrong(f"no command {kind} is known")
        commands.append(reader(fields))
    return ClientCommands(tuple(commands))


def _heard(fields: Fields) -> Heard:
    fields.given(0, 2, "the head of what is heard")
    heard = Heard(
        fields.u32(),
        fields.u32(),
        fields.s16(),
        fields.s16(),
        fields.u8(),
        fields.u8(),
        fields.s16(),
        fields.s16(),
        fields.u8(),
    )
    if heard.channel not in CHANNELS or heard.bubble > 1 or not heard.text:
        raise fields.wrong(f"{heard}")
    return heard


def _display(fields: Fields) -> Display:
    display = Display(fields.u8(), fields.s16())
    fields.given(0, 2, "the end of a text")
    return display


def _create_ghost(fields: Fields) -> CreateGhost:
    index, number = fields.small(), fields.u32()
    fields.given(0xFFFF, 2, "animation")
    fields.given(0, 4, "the number behind the animation")
    commands = tuple(
        Command(fields.s16(), fields.f32(), fields.s16(), fields.s16()) for _ in range(fields.u8())
    )
    default = fields.s16()
    fields.f32()
    fields.given(0, 1, "group")
    fields.u32()
    plain = fields.packed(POSITION + VISUAL + INFO)
    if not 1 <= index <= 0xFFFE:
        raise fields.wrong(f"index {index}")
    return CreateGhost(
        index,
        number,
        commands,
        default,
        plain[:POSITION],
        plain[POSITION : POSITION + VISUAL],
        plain[POSITION + VISUAL :],
    )


def _destroy_ghost(fields: Fields) -> DestroyGhost:
    index = fields.small()
    fields.given(1, 1, "the flag of a removal")
    return DestroyGhost(index)


def _update_ghost(fields: Fields) -> UpdateGhost:
    timestamp = fields.u32()
    indexes = set()
    parts: list[bytes | None] = []
    for name in ("info", "pos", "vis"):
        size = fields.small()
        if not size:
            parts.append(None)
            continue
        part = Fields(fields.take(size), f"{fields.what}, its {name}")
        indexes.add(part.small())
        parts.append(part.rest())
    if len(indexes) != 1:
        raise fields.wrong(f"an update of the ghosts {sorted(indexes)}")
    info, position, visual = parts
    return UpdateGhost(indexes.pop(), timestamp, info, position, visual)


def _control(fields: Fields) -> Control:
    control = Control(fields.u32(), fields.f32())
    if abs(fields.f32() - 0.51) > 1e-6:
        raise fields.wrong("a size that is not 0.51")
    fields.given(255, 1, "the end of who is controlled")
    return control


def _view(fields: Fields) -> View:
    return View(fields.u32())


def _emoted(fields: Fields) -> Emoted:
    emoted = Emoted(fields.u32(), fields.s16(), fields.u16())
    fields.u32()
    return emoted


def _asked(fields: Fields) -> Conversation:
    asked = Conversation(
        fields.u32(), fields.s16(), fields.s16(), tuple(fields.s16() for _ in range(fields.u16()))
    )
    fields.given(1, 1, "whether it may be closed")
    fields.u32()
    fields.given(0, 10, "a voice and its keys")
    return asked


def _over(fields: Fields) -> Over:
    return Over(fields.u32())


def _targeted(fields: Fields) -> Targeted:
    return Targeted(fields.u32())


NESTED: dict[int, Callable[[Fields], object]] = {
    411: _heard,
    412: _display,
    413: _create_ghost,
    416: _destroy_ghost,
    417: _update_ghost,
    418: _control,
    419: _view,
    429: _emoted,
    441: _asked,
    442: _over,
    443: _factions,
    484: _targeted,
}
LOGIN: dict[int, Callable[[Fields], object]] = {
    4: _login_reply,
    6: _world_status,
    8: _world_list,
    10: _character_list,
    12: _created,
    17: _deleted,
    19: _play,
    154: _empty,
}
WORLD: dict[int, Callable[[Fields], object]] = {
    4: _world_login_reply,
    29: _zone_info,
    31: _empty,
    33: _empty,
    35: _commands,
    37: _time,
    38: _one_text,
    39: _two_texts,
    43: _camp,
    44: _empty,
    46: _who,
    50: _client_commands,
    55: _sheet,
    56: _spells,
    58: _inventory,
    63: _skills,
    67: _change_zone,
    69: _teleport,
    70: _teleport_without_loading,
    138: _placement,
    162: _relations,
    211: _languages,
    230: _quickbar,
    232: _macros,
    293: _one_text,
    300: _slots,
    317: _titles,
    345: _flights,
}


def read(message: bytes, readers: dict[int, Callable[[Fields], object]]) -> tuple[int, object]:
    """(type, what it says) of a message on the login server (LOGIN) or in the world (WORLD)."""
    fields = Fields(message, "message")
    kind = fields.type()
    reader = readers.get(kind)
    if reader is None:
        raise Malformed(f"no message {kind} is known: {message.hex()}")
    fields.what = f"message {kind}"
    said = reader(fields)
    fields.end()
    return kind, said
