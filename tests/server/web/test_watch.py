"""The WebSocket of those who watch.

pytest-trio only sees a clock that the test itself asks for, so each test names `autojump_clock`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from server.settings.config import parse
from server.web import sockets
from tests.kit.players import UoPlayer
from tests.kit.town import CONFIG, Town
from tests.kit.visitor import Closed, Rejected, Visitor, front_of
from tests.kit.watcher import Watcher, seen_in

if TYPE_CHECKING:
    from trio.testing import MockClock

    from server.web.front import Front
    from tests.kit.visitor import Socket


async def open_town(nursery: trio.Nursery, more: str = "") -> tuple[Town, Front]:
    """A running server with a web page."""
    town = Town(nursery, parse(CONFIG.replace("[listen.web]\n", f"[listen.web]\n{more}\n")))
    await town.open()
    return town, front_of(town)


def viewers(town: Town) -> int:
    """How many watch."""
    assert town.app.live is not None
    return town.app.live.viewers


async def close_code(socket: Socket) -> int:
    """With which code it is closed, and that nothing was said before."""
    with pytest.raises(Closed) as closed:
        await socket.receive_text()
    return closed.value.code


async def test_somebody_watches_a_player(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town, front = await open_town(nursery)
    alric = UoPlayer(town)
    await alric.enters("alric")
    live, realm = town.app.live, town.app.world.realms[town.app.content.start_realm]
    assert live is not None
    looks = town.families["web"].view.figures.looks  # type: ignore[attr-defined] # of the game of the web
    async with Visitor(front).connect(f"/watch?realm={realm.name}") as socket:
        model = Watcher()
        first = await socket.receive_text()
        model.read(first)
        assert first.startswith('{"t":"realm","name":"confluence",')
        assert model.names[0] == ["realm", *["show"] * len(model.things), "time", "counts", "event"]
        assert model.things == seen_in(town.app.world, realm, looks, town.app.privacy)
        assert model.counts["viewers"] == viewers(town) == 1
        for heading in (2, 6):
            await alric.walks(heading)
            while not any("moves" in names for names in model.names[1:]):
                model.read(await socket.receive_text())
            await trio.sleep(1)
            serial = town.mobile("Alric").serial
            assert f"[{serial},{model.things[serial]['x']}," in model.raw
            del model.names[1:]
    await trio.sleep(1)
    assert viewers(town) == 0
    # Without a name it is the realm where everybody begins.
    async with Visitor(front).connect("/watch") as socket:
        assert (await socket.receive())["name"] == realm.name
    nursery.cancel_scope.cancel()


async def test_who_may_not_watch_is_told_why(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town, front = await open_town(nursery, "viewers = 2\nsockets_per_address = 2")
    here, other = Visitor(front), Visitor(front, peer="192.0.2.9")
    async with here.connect("/watch?realm=nowhere") as socket:
        assert await close_code(socket) == sockets.NOT_HERE
    for visitor in (Visitor(front, page="http://evil.example"), Visitor(front, host="evil.example:8080")):
        with pytest.raises(Rejected):
            async with visitor.connect("/watch"):
                raise AssertionError("it was let in")
    async with here.connect("/watch") as first:
        await first.receive()
        async with here.connect("/watch") as second:
            await second.receive()
            with pytest.raises(Rejected) as rejected:
                async with here.connect("/watch"):
                    raise AssertionError("it was let in")
            assert rejected.value.answer.status == 429
            async with other.connect("/watch") as third:
                assert await close_code(third) == sockets.TRY_LATER
                await trio.sleep(1)
            assert viewers(town) == 2
        await trio.sleep(1)
        async with other.connect("/watch") as third:
            assert (await third.receive())["t"] == "realm"
    await trio.sleep(1)
    assert (viewers(town), front.site.admission.sockets) == (0, 0)
    nursery.cancel_scope.cancel()


async def test_a_map_that_is_switched_off(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    _, front = await open_town(nursery, "map = false")
    async with Visitor(front).connect("/watch") as socket:
        assert await close_code(socket) == sockets.NOT_HERE
    nursery.cancel_scope.cancel()


async def test_what_a_viewer_says_is_ignored_and_much_of_it_ends_it(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town, front = await open_town(nursery)
    async with Visitor(front).connect("/watch") as socket:
        for words in (
            "{not json",
            {"t": "login", "account": "alric", "password": "secret1"},
            b"\x00\xff",
            "",
        ):
            await socket.send(words)
        await trio.sleep(1)
        assert (await socket.receive())["t"] == "realm"
        assert viewers(town) == 1
        for _ in range(5):
            await socket.send("x" * 1000)
        assert await socket.closed() == sockets.SAYS_TOO_MUCH
    assert viewers(town) == 0
    nursery.cancel_scope.cancel()


async def test_a_viewer_that_takes_nothing_is_cut_off(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town, front = await open_town(nursery)
    seconds = town.app.settings.network.stalled_seconds
    alric = UoPlayer(town)
    await alric.enters("alric")
    async with Visitor(front).connect("/watch", window=1) as stuck, Visitor(front).connect("/watch") as well:
        assert attrs.evolve(town.settings.network, stalled_seconds=seconds) == town.settings.network
        for heading in (2, 6, 2, 6):
            await alric.walks(heading)
        await trio.sleep(seconds + 2)
        assert viewers(town) == 1
        assert await stuck.closed() == 1006
        assert (await well.receive())["t"] == "realm"
        moves = [await well.until("moves") for _ in range(4)]
        assert len(moves) == 4
    nursery.cancel_scope.cancel()
