"""In turns that take long, steps are answered before it is known what all others did, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.turn import coalescing
from tests.kit.co_player import CoPlayer
from tests.kit.games import GAMES, Person, Witnesses, session_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio.testing import MockClock

    from protocol.session import Session
    from tests.kit.town import Town


@pytest.fixture
def long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns count as long, however short they are."""
    monkeypatch.setattr(coalescing, "LONG", 0.0)


@pytest.mark.usefixtures("long_turns")
@pytest.mark.parametrize("name", GAMES)
async def test_only_steps_are_answered_before_views_are_asked(
    town: Town, autojump_clock: MockClock, name: str
) -> None:
    game, who = GAMES[name], Person(34_000)
    player = game.player(town)
    await game.enters(player, who)
    session, loop = session_of(town, who), town.app.loop
    early: list[bool] = []
    tell = loop.tell

    def telling(
        woken: Iterable[Session] = (), stale: Iterable[Session] = (), again: Sequence[Session] = ()
    ) -> None:
        early.append(session.sent_at == town.app.world.now)
        tell(woken, stale, again)

    loop.tell = telling  # type: ignore[method-assign]
    mobile = town.mobile(who.character)
    for heading in (2, 6):
        before = mobile.x, mobile.y
        early.clear()
        for _ in range(2):  # some games turn first
            await player.sends(game.steps_to(player, heading))
        assert (mobile.x, mobile.y) != before
        assert any(early) == (name != "eq2"), "its client's steps are answered by the wire"
    if isinstance(player, CoPlayer):
        early.clear()
        await player.jumps(3, 0)
        assert any(early), "a jump is one kind of a packet of many"
    early.clear()
    await player.sends(game.says(player, "and now for something else") + game.keeps_alive(player))
    assert early
    assert not any(early)


@pytest.mark.usefixtures("long_turns")
async def test_everybody_sees_the_same_with_answers_that_come_early(
    town: Town, autojump_clock: MockClock
) -> None:
    witnesses = Witnesses(town)
    await witnesses.enter()
    for _ in range(3):
        await witnesses.are_well()
