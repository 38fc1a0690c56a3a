"""The whole server in memory: real content, real handlers and views, real SQL; no socket, no thread, virtual
time.

    async def test_...(town: Town) -> None:
        client = await town.uo("alric")

Everything that is chance is seeded, so a failing scene repeats.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import attrs
import trio

from server.app import DATA, App, build_families
from server.config import parse
from server.content import load as load_content
from server.store.database import Database
from server.store.runner import InlineRunner
from tests.kit.passwords import InlinePasswords
from tests.kit.pipe import End, pipe

if TYPE_CHECKING:
    from protocol.family import Family
    from server.config import Settings
    from world.content import Content
    from world.mobile import Mobile

_CONTENT: Content | None = None

CONFIG = """
[listen.uo]
[listen.eo]
[limits]
exempt = []
"""

PORTS = {("uo", "game"): 2593, ("eo", "game"): 8078, ("eo", "websocket"): 8079}


def shipped_content() -> Content:
    """data/ of the repository, read once."""
    global _CONTENT
    if _CONTENT is None:
        _CONTENT = load_content(DATA)
    return _CONTENT


class Town:
    """A running server and the ways to connect to it."""

    def __init__(self, nursery: trio.Nursery, settings: Settings | None = None, *, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.nursery = nursery
        self.settings = settings or parse(CONFIG)
        self.content = shipped_content()
        self.families: dict[str, Family] = build_families(self.content, ["uo", "eo"])
        self.database = Database("sqlite://")
        self.passwords = InlinePasswords()
        self.wall = 1_700_000_000.0
        self.app = App(
            self.settings,
            self.content,
            self.families,
            self.database,
            InlineRunner(),
            passwords=self.passwords,
            chance=random.Random(seed + 1),
            entropy=lambda size: chance.randbytes(size),
            wall=lambda: self.wall + trio.current_time(),
            stopwatch=lambda: 0.0,
        )
        self.exit_code: int | None = None

    async def open(self) -> None:
        """Start the server."""
        await self.nursery.start(self._run)

    async def _run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        self.exit_code = await self.app.run(task_status=task_status)

    def change(self, section: str, **values: object) -> None:
        """Set keys of the configuration at run time."""
        part = attrs.evolve(getattr(self.app.settings, section), **values)
        self.app.settings = attrs.evolve(self.app.settings, **{section: part})

    def connect(
        self, game: str, door: str = "game", *, peer: str = "127.0.0.1", window: int = 1 << 20
    ) -> End:
        """A client's end of a new connection."""
        port = PORTS[game, door]
        ours, theirs = pipe(peer=peer, local=f"127.0.0.1:{port}", window=window)
        self.nursery.start_soon(self.app.gateway.serve, self.families[game], door, theirs)
        return ours

    def mobile(self, name: str) -> Mobile:
        """A character that is in the world."""
        return next(m for m in self.app.world.mobiles.values() if m.name == name and m.is_character)

    def here(self, name: str) -> bool:
        """Whether a character is in the world."""
        return any(m.name == name and m.is_character for m in self.app.world.mobiles.values())
