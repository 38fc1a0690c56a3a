"""From rows to a character that stands somewhere, and to a line of a list; and the rows of a new one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.denials import Denial, Denied
from protocol.services import CharacterInfo
from world import newcomers
from world.mobile import Mobile
from world.snapshot import character_row, item_row, restore_character

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.services import NewCharacter
    from world.snapshot import CharacterRow, ItemRow
    from world.world import World

log = logging.getLogger("world")


def info(
    character: Mobile, worn: Sequence[ItemRow], access: int, deleted_in: float | None = None
) -> CharacterInfo:
    """A stored character as a line of a list; `worn` are the rows of what it wears."""
    return CharacterInfo(character, {item.layer: item.template for item in worn}, access, deleted_in)


def restore(world: World, rows: tuple[CharacterRow, list[ItemRow]]) -> Mobile:
    """The character of these rows, which stands nowhere yet; its lists are here from now on. Raises Denied if
    it is damaged."""
    restored = restore_character(*rows, world)
    for damaged in restored.damaged:
        log.error(
            "row %#x of %s cannot be used and is left alone: %s", damaged.serial, rows[0].name, damaged.reason
        )
    if restored.mobile is None:
        raise Denied(Denial.UNAVAILABLE, f"the character {rows[0].name} is damaged")
    if world.records.travel:
        world.lists.bring(restored.mobile.serial, restored.records)
    return restored.mobile


def place(world: World, mobile: Mobile) -> None:
    """Put a character where it stood, if one can stand there; else near it, else where newcomers appear."""
    realm, x, y, z = mobile.realm, mobile.x, mobile.y, mobile.z
    if realm is None or not realm.inside(x, y):
        realm, x, y = newcomers.spawn_place(world)
    elif not realm.walkable(x, y):
        near = next(realm.free_near(x, y), None)
        if near is None:
            realm, x, y = newcomers.spawn_place(world)
        else:
            x, y = near
    world.enter(mobile, realm, x, y, z)
    world.scripts.entered(mobile)


def newcomer(
    world: World, account_id: int, name: str, wish: NewCharacter, now: float
) -> tuple[CharacterRow, list[ItemRow]]:
    """The rows of a new character as a player wants it: checked, dressed and placed. `now` is seconds UTC."""
    realm, x, y = newcomers.start_place(world)
    mobile = Mobile(
        world.serials.mobile(),
        world,
        name,
        template=world.content.mobiles["player"],
        account=account_id,
        female=wish.female,
        hair=wish.hair,
        hair_hue=wish.hair_hue,
        beard=wish.beard,
        skin_hue=wish.skin_hue,
        created_at=now,
    )
    mobile.endow()
    newcomers.make_legal(mobile)
    newcomers.bring_up(mobile)
    newcomers.choose_skills(mobile, wish.skills)
    newcomers.outfit(mobile, shirt_hue=wish.shirt_hue, pants_hue=wish.pants_hue, stored=False)
    row = character_row(mobile)._replace(realm=realm, x=x, y=y)
    return row, [item_row(item) for item in newcomers.kept_items(mobile)]
