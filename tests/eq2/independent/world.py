"""Strict readers of what the world server says, each field in its order, no byte left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.eq2.independent import fights
from tests.eq2.independent.fields import Fields
from tests.eq2.independent.login import empty, world_login_reply
from tests.eq2.independent.messages import (
    CHANNELS,
    INFO,
    ITEM,
    POSITION,
    SHEET,
    SKILL,
    SPELL,
    VISUAL,
    Camp,
    ChangeZone,
    Choice,
    ClientCommands,
    Command,
    Commands,
    Control,
    Conversation,
    CreateGhost,
    DefaultVerb,
    DestroyGhost,
    Display,
    Emoted,
    Found,
    Heard,
    Optional,
    Over,
    Packed,
    Targeted,
    Teleport,
    Text,
    Time,
    UpdateGhost,
    View,
    Who,
    ZoneInfo,
)

if TYPE_CHECKING:
    from collections.abc import Callable


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


def _default_verb(fields: Fields) -> DefaultVerb:
    return DefaultVerb(fields.u32(), fields.s16(), fields.f32())


def _choice(fields: Fields) -> Choice:
    text = fields.s16()
    fields.s16()
    accept = fields.s16()
    fields.s16()
    cancel = fields.s16()
    fields.u32()
    box, required = fields.u8(), fields.u8()
    if box > 1 or required > box:
        raise fields.wrong(f"a box {box} in which one must type: {required}")
    fields.u32()
    fields.take(2)
    return Choice(text, accept, cancel, box)


NESTED: dict[int, Callable[[Fields], object]] = {
    411: _heard,
    412: _display,
    413: _create_ghost,
    416: _destroy_ghost,
    417: _update_ghost,
    418: _control,
    419: _view,
    420: fights.blow,
    429: _emoted,
    435: fights.death,
    441: _asked,
    442: _over,
    443: _factions,
    457: fights.loot,
    459: fights.death_window,
    463: fights.resurrected,
    464: _choice,
    465: _default_verb,
    480: fights.heal,
    484: _targeted,
}
WORLD: dict[int, Callable[[Fields], object]] = {
    4: world_login_reply,
    29: _zone_info,
    31: empty,
    33: empty,
    35: _commands,
    37: _time,
    38: _one_text,
    39: _two_texts,
    43: _camp,
    44: empty,
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
    164: fights.loot_over,
    211: _languages,
    230: _quickbar,
    232: _macros,
    235: fights.level,
    293: _one_text,
    300: _slots,
    317: _titles,
    345: _flights,
}
