"""The real server (`tests.kit.in_memory`) of a toy game in a small world, for the tests of what it does about
accounts, tickets, commands and orders. Clients are bare sessions: nothing comes from them, and what they are
sent is kept.

    office = await Office().open(nursery)
    client, mobile = await office.player("Alric")
    assert "1 online" in await office.order(client, "who")
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import attrs
import trio

from protocol.session import Phase, Session
from protocol.wire.args import CodecArgs, Role
from server.settings.config import load, parse
from server.store.database import Database
from server.store.records import Refusal
from tests.kit.disk import Disk
from tests.kit.in_memory import EPOCH, InMemory, LooseLine
from tests.kit.toys import brook
from tests.kit.worlds import plain_content
from world.mobile import Mobile
from world.snapshot import character_row

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.endings import Ending
    from world.snapshot import CharacterRow

HOME = "127.0.0.1"
CONFIG = """
[accounts]
auto_create = true
[limits]
exempt = []
"""


class Client(Session):
    """A bare session."""

    line: LooseLine

    @property
    def ending(self) -> Ending | None:
        """How it ended, None while it has not."""
        return self.line.ending

    @property
    def heard(self) -> bytes:
        """Everything it was sent."""
        return b"".join(message.raw for message in self.outbox if hasattr(message, "raw"))


class Office(InMemory):
    """A server, and who is connected to it. It opens at `EPOCH`."""

    def __init__(
        self,
        *,
        database: Database | None = None,
        state_dir: Path | None = None,
        config_path: Path | None = None,
        crashes: Path | None = None,
    ) -> None:
        """With `config_path` its configuration is that file, else `CONFIG`."""
        settings = parse(CONFIG)
        if config_path is not None:
            settings = load(config_path).anchored(config_path.parent)
        if state_dir is not None:
            settings = attrs.evolve(settings, server=attrs.evolve(settings.server, state_dir=state_dir))
        self.family = brook()
        self.disk = Disk()
        self._numbers = itertools.count(1)
        super().__init__(
            settings,
            plain_content(),
            {self.family.name: self.family},
            chance=random.Random(1),
            entropy=random.Random(7).randbytes,
            database=database or Database("sqlite://"),
            runner=self.disk,
            epoch=EPOCH - trio.current_time(),
            config_path=config_path,
            crashes=crashes,
        )

    def client(self, peer: str = HOME, local: str = f"{HOME}:2593") -> Client:
        """Somebody connects."""
        client = Client(
            number=next(self._numbers),
            family=self.family,
            door="game",
            peer=peer,
            local=local,
            codec=self.family.doors["game"].codec(CodecArgs(Role.SERVER, bytes)),
            services=self,
        )
        client.line = LooseLine(self, client)
        return client

    def stand_behind_proxy(self) -> None:
        """Whoever connects from here on comes from a proxy's address."""
        table = parse("[listen.web]\nbehind_proxy = true").listen["web"]
        self.current.settings = attrs.evolve(self.settings, listen={self.family.name: table})

    async def player(self, name: str, access: int = 0, *, x: int = 10, y: int = 10) -> tuple[Client, Mobile]:
        """A client whose character of that name stands in the world, with nothing on; its account is
        <name>acct."""
        client = self.client()
        row = await self.accounts.staff.create(f"{name.lower()}acct", "secret1", access)
        await self.accounts.claim(client, await self.accounts.login(client, row.name, "secret1"))
        serial = self._make_character(row.id, name, x, y).serial

        def welcome(_: Mobile) -> None:
            client.phase = Phase.IN_WORLD

        await self.characters.enter(client, serial, welcome)
        assert client.mobile is not None
        return client, client.mobile

    def _make_character(self, account: int, name: str, x: int, y: int) -> CharacterRow:
        """One of whom the database knows no more than who it is and where."""
        world = self.world
        mobile = Mobile(
            world.serials.mobile(), world, name, template=world.content.mobiles["player"], account=account
        )
        mobile.realm, mobile.x, mobile.y = next(iter(world.realms.values())), x, y
        made = self.database.create_character(character_row(mobile), [], 1)
        assert not isinstance(made, Refusal), made
        return made

    async def order(self, client: Client, line: str) -> str:
        """A player types a command; what it was told."""
        before = len(client.heard)
        await self.in_world(client, lambda _: self.command(client, line))
        await trio.sleep(0.5)
        return client.heard[before:].decode("utf-8", "replace")
