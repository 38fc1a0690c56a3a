"""A single batch between an edge and its world is lost, which TCP does not do but a defect may: that is
noticed, and in the end the client believes what its twin does, who plays at a door of the world itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest
import trio

from server.edge.batches import FROM_EDGE, FROM_WORLD, HEAD, NUMBER
from server.edge.line import BEAT_SECONDS
from server.edge.words import Cast, Each, Frame, Sent
from server.people.keeping import KEEP_SECONDS
from tests.kit import postgres
from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.border_walks import BESIDE, HERE, SURFACE, enters, settles, sheet
from tests.kit.edge_land import EdgeLand
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_walks import loads_its_zone
from world.heading import EAST, SOUTH, WEST
from world.mobile import Mobile

if TYPE_CHECKING:
    from pathlib import Path

    import msgspec
    from trio.testing import MockClock

    from server.edge.line import Line
    from tests.kit.actor import Actor, Figure, Lying

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

V = TypeVar("V")
W = TypeVar("W")

TOLD = (Sent, Cast, Each)
"""Words by which clients are sent anything."""


def loses_one(
    line: Line[V],
    decoder: msgspec.msgpack.Decoder[tuple[list[tuple[bytes, int]], list[W]]],
    kinds: tuple[type, ...],
) -> trio.Event:
    """The next batch that this end of a line says with such a word in it arrives nowhere; set when that was
    said."""
    stream, lost = line._stream, trio.Event()
    send_all = stream.send_all

    async def loses(data: bytes | bytearray | memoryview) -> None:
        _, words = decoder.decode(data[HEAD + NUMBER :])
        if not lost.is_set() and any(isinstance(word, kinds) for word in words):
            lost.set()
            await trio.lowlevel.checkpoint()
        else:
            await send_all(data)

    stream.send_all = loses  # type: ignore[method-assign] # of this one
    return lost


def picture(land: EdgeLand, actor: Actor, serials: set[int]) -> dict[int, Figure | Lying | None]:
    """What a client believes of these things and people."""
    session, others, lying = land.session(actor.name), actor.others(), actor.lying()
    drawn: dict[int, Figure | Lying | None] = {}
    for serial in serials:
        thing = session.known[serial]
        handle = actor.handle_of(thing, session.family.view)
        assert handle is not None
        drawn[serial] = (others if isinstance(thing, Mobile) else lying).get(handle)
    return drawn


async def comes_in(land: EdgeLand, game: str, name: str, at: tuple[int, int]) -> Actor:
    """Somebody at a door of the world itself."""
    surface = land.towns[SURFACE]
    there, surface.edge, surface._networks = surface._networks, None, {}
    actor = make_actor(game, surface, peer="127.0.0.9")
    await actor.enters(name.lower(), name)
    surface.edge, surface._networks = land.edge, there
    await land.puts(name, *at)
    await settles(land, actor)
    return actor


@pytest.mark.parametrize("game", ACTORS)
async def test_who_lost_a_batch_ends_equal_to_a_twin_that_lost_none(
    url: str, tmp_path: Path, autojump_clock: MockClock, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, edge = land.towns[SURFACE], land.edge.lines[0]
        anna = await enters(land, game, "anna", "Anna")
        twin = await comes_in(land, game, "Twin", HERE)
        berta = await comes_in(land, "uo" if game != "uo" else "eo", "Berta", BESIDE)
        before = sheet(land.mobile("Anna"))
        for side in ("edge", "world"):
            await trio.sleep(KEEP_SECONDS + 1)
            (link,), line = surface.app.edges.links, edge._line
            assert line is not None
            if side == "edge":
                lost = loses_one(line, FROM_EDGE, (Frame,))
            else:
                lost = loses_one(link.line, FROM_WORLD, TOLD)
            for heading in (EAST, WEST, SOUTH):
                for one in (berta, anna) if side == "world" else (anna, berta):
                    await one.step(heading)
                await trio.sleep(0.8)
            assert lost.is_set()
            await trio.sleep(BEAT_SECONDS)
            assert "comes where" in caplog.text
            assert not edge.open, "nobody has noticed"
            caplog.clear()
            await land.joins(edge, surface)
            await trio.sleep(2)
            if isinstance(anna, Eq2Actor):
                await loads_its_zone(anna)
            for one in (anna, twin, berta):
                await settles(land, one)
                assert belief_faults(one, land.session(one.name)) == []
            both = land.session("Anna").known.keys() & land.session("Twin").known.keys()
            assert land.mobile("Berta").serial in both
            assert picture(land, anna, both) == picture(land, twin, both)
            (seen,) = picture(land, twin, {land.mobile("Anna").serial}).values()
            assert seen is not None
            assert (seen.x, seen.y) == (anna.place().x, anna.place().y)
        assert sheet(land.mobile("Anna")) == before
        nursery.cancel_scope.cancel()
