"""What staff does to an account ends its clients in every world, in the words of what was done. Each over
Valkey and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.endings import Ending
from server.cluster import logins
from tests.cluster.test_logins import BUSES, connection_of, logs_in, shared
from tests.kit import postgres
from tests.kit.actors import make_actor
from tests.kit.players import PASSWORD

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]

OWN: Final = "sparrow2"
"""A password that an owner chooses."""


@BUSES
async def test_a_ban_ends_play_in_another_world_in_its_words(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    async with shared(url, tmp_path, "eo", bus=bus) as worlds:
        here, there = worlds.towns
        actor, menu = make_actor("eo", there), make_actor("eo", there)
        await actor.enters("anna", "Anna")
        await menu.enters("berta", "Berta")
        playing = connection_of(there, there.mobile("Anna"))
        other = connection_of(there, there.mobile("Berta"))
        row = await here.app.accounts.find("anna")
        assert row is not None
        await here.app.accounts.staff.ban(row, here.app.wall() + 3600, "rude")
        await trio.sleep(0.2 if bus else 2 * logins.LOOK_SECONDS)
        assert (playing.ending, playing.detail) == (Ending.BANNED, "You are banned. rude")
        assert not actor.online
        assert other.ending is None
        assert worlds.where("Anna") == []


@BUSES
async def test_another_password_ends_who_plays_with_the_old_one_elsewhere_and_not_who_set_it(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    """Nor whoever logs in with it."""
    async with shared(url, tmp_path, "eo", bus=bus) as worlds:
        here, there = worlds.towns
        actor = make_actor("eo", there)
        await actor.enters("anna", "Anna")
        await trio.sleep(2 * logins.LOOK_SECONDS)
        playing = connection_of(there, there.mobile("Anna"))
        row = await here.app.accounts.find("anna")
        assert row is not None
        await logs_in(here, "berta")
        (owner,) = here.app.sessions()
        owner.account = None
        await here.app.accounts.login(owner, "anna", PASSWORD)
        await here.app.accounts.change_password(owner, "anna", PASSWORD, OWN)
        await trio.sleep(0.2 if bus else 2 * logins.LOOK_SECONDS)
        assert (playing.ending, playing.detail) == (
            Ending.KICKED,
            "The password of this account was changed.",
        )
        await trio.sleep(3 * logins.LOOK_SECONDS)
        assert here.app.gateway.connections[owner.id].ending is None


@BUSES
async def test_an_account_is_removed_with_its_characters_in_other_worlds(
    url: str, tmp_path: Path, autojump_clock: MockClock, bus: bool
) -> None:
    async with shared(url, tmp_path, "eo", bus=bus) as worlds:
        here, there = worlds.towns
        actor = make_actor("eo", there)
        await actor.enters("anna", "Anna")
        playing = connection_of(there, there.mobile("Anna"))
        row = await here.app.accounts.find("anna")
        assert row is not None
        assert await here.app.accounts.staff.remove(row) == 1
        assert (playing.ending, playing.detail) == (
            Ending.BANNED,
            "You are banned. This account was removed.",
        )
        assert worlds.where("Anna") == []
        await trio.sleep(3)
        assert here.database.account("anna") is None
        assert here.database.characters(row.id) == []
        assert there.app.storage.health.pending_rows == 0


async def test_who_logs_in_while_a_ban_is_said_elsewhere_does_not_play(
    url: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A login that was under way, and has read its account before the ban."""
    async with shared(url, tmp_path, "eo", bus=False) as worlds:
        here, there = worlds.towns
        account = await logs_in(there, "anna")
        (session,) = there.app.sessions()
        here.database.ban(account.id, float("inf"), "rude")
        await trio.sleep(2 * logins.LOOK_SECONDS)
        connections = there.app.gateway.connections
        assert session.id not in connections or connections[session.id].ending is Ending.BANNED
