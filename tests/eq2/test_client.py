"""The client of the tests: what it does not understand is a fault, as it would be to the original."""

from __future__ import annotations

import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.packing import pack, xor
from tests.kit.eq2_client import INFO, POS, VIS, Eq2Client, degrees_of
from tests.kit.eq2_ghost import heading_of
from tests.kit.eq2_player import newest_version

BARE = pack(bytes(POS + VIS + INFO))
DELTA = eq2.GhostDelta(2, pack(bytes(POS)))


def client_in_a_zone() -> Eq2Client:
    """With one ghost, of index 2 and id 7."""
    client = Eq2Client(newest_version(), now=lambda: 0.0)
    client.take_in(eq2.ZoneInfo("World", "World", "antonica", "Antonica", "Cora"))
    client.take_in(eq2.CreateGhost(2, 7, BARE))
    assert client.faults == []
    return client


@pytest.mark.parametrize(
    "message",
    [
        eq2.UpdateGhost(position=eq2.GhostDelta(3, DELTA.packed)),
        eq2.DestroyGhost(3),
        eq2.HearChat(8, eq2.NOBODY, "Nobody", "", 8, "Hello"),
        eq2.CannedEmote(8, "waves"),
        eq2.UpdateTarget(8),
        eq2.SetControlGhost(8, 5.0),
        eq2.SetPovGhost(8),
        eq2.CreateGhost(2, 8, BARE),
        eq2.CreateGhost(3, 7, BARE),
        eq2.UiLoaded(),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_names_something_it_was_never_given_is_a_fault(message: eq2.Message) -> None:
    client = client_in_a_zone()
    client.take_in(message)
    assert len(client.faults) == 1
    assert type(message).__name__ in client.faults[0]


def test_a_ghost_outside_of_a_zone_is_a_fault() -> None:
    client = Eq2Client(newest_version(), now=lambda: 0.0)
    client.take_in(eq2.CreateGhost(2, 7, BARE))
    assert len(client.faults) == 1


def test_differences_add_up() -> None:
    client, version = client_in_a_zone(), newest_version()
    first = version.pack_struct(eq2.GhostPosition(x=3.5, z=-4.5, face_actor=0))
    second = version.pack_struct(eq2.GhostPosition(x=5.0, z=-4.5, heading1=90 * 64, face_actor=0))
    client.take_in(eq2.UpdateGhost(position=eq2.GhostDelta(2, pack(first))))
    ghost = client.by_id(7)
    assert (ghost.tile, ghost.heading) == ((3, -5), 4)
    client.take_in(eq2.UpdateGhost(position=eq2.GhostDelta(2, pack(xor(first, second)))))
    assert (ghost.tile, ghost.heading) == ((5, -5), 2)
    client.take_in(eq2.DestroyGhost(2))
    assert client.ghosts == {}
    assert client.faults == []


def test_headings_and_angles_are_each_others_reverse() -> None:
    assert [heading_of(degrees_of(heading)) for heading in range(8)] == [*range(8)]
