"""Commands of staff about conduct, and the word by which players report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.commands import refused, run
from tests.kit.office import Office
from tests.server.test_verbs import Hero
from world import conduct, helpdesk, speech
from world.mobile import Access
from world.sentence import Sentence

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


async def test_silence_by_time_and_reason_for_those_who_are_away_too(
    office: Office, autojump_clock: MockClock
) -> None:
    _, mobile = await office.player("Alric")
    assert "Alric is silenced until 20" in await run(office, "mute alric 2h spam in town")
    line = await run(office, "sentences")
    assert line.startswith("Alric: mute until 20")
    assert line.endswith(": spam in town")
    assert office.world.gags[mobile.account] == pytest.approx(office.world.now + 7200, abs=5)
    office.world.leave(mobile)
    assert await run(office, "unmute alric") == "Alric was silenced, may speak"
    assert await refused(office, "unmute alric") == "They serve no such sentence."
    assert await refused(office, "mute nobody 2h") == "there is no character nobody"
    for span in ("2", "0s", "600w"):
        assert "is no duration" in await refused(office, f"mute alric {span}")
    assert not office.world.records.all(Sentence)


async def test_jail_needs_a_place(office: Office, autojump_clock: MockClock) -> None:
    await office.player("Alric")
    assert await refused(office, "jail alric 1h") == "There is no jail in this world."
    assert await refused(office, "unjail alric") == "They serve no such sentence."


async def test_staff_is_not_silenced_by_its_equals(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Master", Access.GAME_MASTER)
    _, other = await office.player("Other", Access.GAME_MASTER, x=12)
    office.world.leave(other)
    assert "is not below you" in await office.order(client, "mute other 1h")


async def test_a_word_asks_what_one_needs(office: Office, autojump_clock: MockClock) -> None:
    client, alric = await office.player("Alric")
    await office.order(client, "helpdesk")
    assert [dialog.name for dialog in alric.dialogs.values()] == [helpdesk.HELP]


async def test_reports_are_listed_shown_and_resolved(office: Office, autojump_clock: MockClock) -> None:
    client, alric = await office.player("Alric", x=20, y=20)
    _, berta = await office.player("Berta", x=21, y=20)
    assert await run(office, "reports") == "nobody has reported anything"
    speech.say(berta, "you fool")
    hero = Hero(office, client, alric)
    assert hero.does("report berta she insults me") == ["Nobody of the staff is here; they will read it."]
    assert hero.does("report nobody words") == ["There is nobody of that name here."]
    assert "1: " in (line := await run(office, "reports"))
    assert line.endswith("Alric about Berta: she insults me")
    assert "Berta (say): you fool" in await run(office, "reports 1")
    assert await refused(office, "reports 2") == "there is no report 2"
    assert await run(office, "resolve 1") == "report 1 of Alric about Berta was open, is dealt with"
    assert await refused(office, "resolve 1") == "There is no such report."
    assert not conduct.reports(office.world)
