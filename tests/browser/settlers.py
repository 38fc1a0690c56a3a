"""People who were in the world before: characters in the database of a server that is yet to start."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import argon2

from server.store.database import Database
from server.store.migrate import upgrade
from server.store.records import AccountRow
from tests.browser.guests import PASSWORD
from tests.kit.town import shipped_content
from world import guilds, holding, newcomers
from world.mobile import Mobile
from world.serials import Serials
from world.snapshot import character_row, item_row
from world.wording import GOLD
from world.world import World

if TYPE_CHECKING:
    from pathlib import Path

MOST_CHARACTERS: Final = 3


class Settlers:
    """Puts them there; `close` when all are."""

    def __init__(self, state: Path, dice: random.Random) -> None:
        """`state` is the server's folder, which is not there yet."""
        state.mkdir()
        path = state / "causeway.db"
        upgrade(f"sqlite:///{path}", state / "backups")
        self._database = Database(f"sqlite:///{path}")
        self._dice = dice
        self._hash = argon2.PasswordHasher(1, 16 * 1024, 1).hash(PASSWORD)
        content = shipped_content()
        reserved = self._database.reserve_serials(items=5000)
        marks = reserved.mobile_mark, reserved.item_mark
        serials = Serials(reserved.mobile_first, reserved.item_first, *marks)
        self.world = World(content, serials, chance=dice)
        self.realm = self.world.realms[content.start_realm]

    def account(self, name: str) -> int:
        """Its id. The password is PASSWORD."""
        made = self._database.create_account(name, self._hash, 1.0)
        assert isinstance(made, AccountRow)
        return made.id

    def dressed(self, account: int, name: str, *, female: bool = False) -> Mobile:
        """A character with what all of them own, in colours of its own; nowhere yet."""
        dice = self._dice
        mobile = Mobile(
            self.world.serials.mobile(),
            self.world,
            name,
            template=self.world.content.mobiles["player"],
            account=account,
            short_name=name,
            female=female,
            hair=dice.randrange(1, 10),
            hair_hue=dice.randrange(1102, 1149),
            skin_hue=dice.randrange(1002, 1040),
            heading=dice.randrange(8),
        )
        mobile.endow()
        mobile.strength = 60
        dyes = [dice.randrange(2, 1001) for _ in range(2)]
        newcomers.outfit(mobile, shirt_hue=dyes[0], pants_hue=dyes[1])
        return mobile

    def settle(self, mobile: Mobile, x: int, y: int, realm: str = "") -> None:
        """There it stands, with all that it has by now; in the realm in which people begin, or another."""
        mobile.realm = self.world.realms[realm] if realm else self.realm
        mobile.x, mobile.y = x, y
        items = [item_row(item) for item in newcomers.all_items(mobile)]
        row = character_row(mobile)
        assert self._database.create_character(row, items, MOST_CHARACTERS) == row

    def close(self) -> None:
        """The server may start."""
        self._database.mark_clean()
        self._database.close()


KEEPER, PATIENT = "Mirabel", "Ottokar"
"""The characters of an account that every test may use: one on the square with a bag in the pack, in which
there are bandages; one before the healer."""

CUSTOMER, DELVER = "Rosamund", "Ulfric"
"""Those of another account: one in the bank, with bread and a dagger; one before a chest, with its key."""

FOUNDER, MEMBER = "Hildegund", "Wilfried"
"""Two in the bank, each of an account of its own: one with gold enough to found a guild."""

KEEPERS, TOWNSFOLK, FOUNDERS, MEMBERS = "keepers", "townsfolk", "founders", "members"

BANDAGES: Final = 5


def keepers(state: Path) -> None:
    """Those of all accounts that are named here, into the database of a server."""
    settlers = Settlers(state, random.Random(7))
    account = settlers.account(KEEPERS)
    keeper = settlers.dressed(account, KEEPER)
    bag = holding.make(settlers.world, "bag")
    holding.put(bag, holding.make(settlers.world, "bandage", amount=BANDAGES))
    pack = next(item for item in keeper.worn.values() if item.template.container)
    holding.put(pack, bag)
    settlers.settle(keeper, 51, 63)
    settlers.settle(settlers.dressed(account, PATIENT), 64, 43)
    account = settlers.account(TOWNSFOLK)
    settlers.settle(settlers.dressed(account, CUSTOMER, female=True), 47, 42)
    delver = settlers.dressed(account, DELVER)
    delver.level, delver.hits_max, delver.hits = 12, 400, 400  # what lives there bites
    pack = next(item for item in delver.worn.values() if item.template.container)
    holding.put(pack, holding.make(settlers.world, "iron_key"))
    settlers.settle(delver, 7, 49, "undercroft")
    founder = settlers.dressed(settlers.account(FOUNDERS), FOUNDER, female=True)
    pack = next(item for item in founder.worn.values() if item.template.container)
    holding.put(pack, holding.make(settlers.world, GOLD, amount=guilds.FEE + 50))
    settlers.settle(founder, 46, 42)
    settlers.settle(settlers.dressed(settlers.account(MEMBERS), MEMBER), 48, 42)
    settlers.close()
