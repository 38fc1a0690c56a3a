"""Letters to whoever is in another world, or in none, as players see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.store.check import check_database
from tests.kit import postgres
from tests.kit.actors import make_actor
from tests.kit.border_walks import BESIDE, enters, settles, walks_over
from tests.kit.edge_land import EdgeLand
from tests.kit.games import GAMES
from world import holding, mail

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

    from tests.kit.actor import Actor

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY), pytest.mark.timeout(180)]


async def test_letters_find_whom_they_are_for(
    url: str, tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anna goes below and writes to Bert, who is on the surface; he answers, leaves, and is written to again;
    and what she has not taken out of its letter goes with her."""
    monkeypatch.setattr(mail, "counter", lambda actor: actor)
    async with trio.open_nursery() as nursery:
        land = EdgeLand(nursery, url, tmp_path)
        await land.open()
        surface, below = land.towns.values()
        anna = await enters(land, "uo", "anna", "Anna")
        bert = await enters(land, "eo", "bert", "Bert", BESIDE)
        await walks_over(land, anna)
        await trio.sleep(3)  # until Bert is known there
        before = holding.gold(land.mobile("Anna")), holding.gold(land.mobile("Bert"))
        await anna.say(".mail Bert Come down here.")
        await anna.say(".parcel Bert gold 7")
        await trio.sleep(4)
        assert any("A letter has come" in line or "letter" in line for line in heard("eo", bert))
        bert_letters = mail.letters_of(land.mobile("Bert"))
        assert [one.text for one in bert_letters] == ["Come down here.", ""]
        assert below.app.world.letters.all() == []
        await bert.say("#collect 2")
        await bert.say("#mail Anna I would rather not.")
        await trio.sleep(4)
        assert holding.gold(land.mobile("Bert")) == before[1] + 7
        assert holding.gold(land.mobile("Anna")) == before[0] - 7
        assert [one.text for one in mail.letters_of(land.mobile("Anna"))] == ["I would rather not."]
        bert.leaves()
        await trio.sleep(surface.settings.limits.linger_seconds + 5)
        assert surface.app.world.letters.all() == []
        await anna.say(".mail Bert Where are you?")
        await walks_over(land, anna)
        await trio.sleep(2)
        assert [one.text for one in mail.letters_of(land.mobile("Anna"))] == ["I would rather not."]
        again = make_actor("uo", surface, peer="127.0.0.9")
        await again.enters("bert", "Bert")
        await settles(land, again)
        await trio.sleep(2)
        assert any("letters wait for you" in line for line in heard("uo", again))
        texts = [one.text for one in mail.letters_of(land.mobile("Bert"))]
        assert texts == ["Come down here.", "Where are you?"]
        nursery.cancel_scope.cancel()
    assert check_database(surface.database) == []


def heard(game: str, actor: Actor) -> list[str]:
    return GAMES[game].heard(actor.player)
