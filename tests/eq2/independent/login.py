"""Strict readers of what the login server says, each field in its order, no byte left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.eq2.independent.messages import (
    Appearance,
    Character,
    CharacterList,
    Created,
    Deleted,
    Empty,
    LoginReply,
    Play,
    World,
    WorldList,
    WorldStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.eq2.independent.fields import Fields


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


def world_login_reply(fields: Fields) -> LoginReply:
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


def empty(_: Fields) -> Empty:
    return Empty()


LOGIN: dict[int, Callable[[Fields], object]] = {
    4: _login_reply,
    6: _world_status,
    8: _world_list,
    10: _character_list,
    12: _created,
    17: _deleted,
    19: _play,
    154: empty,
}
