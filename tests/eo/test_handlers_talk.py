"""Talking and gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eolib import (
    AdminInteractReportClientPacket,
    Emote,
    EmotePlayerServerPacket,
    EmoteReportClientPacket,
    GlobalCloseClientPacket,
    TalkAdminClientPacket,
    TalkAnnounceClientPacket,
    TalkAnnounceServerPacket,
    TalkMsgServerPacket,
    TalkOpenClientPacket,
    TalkOpenServerPacket,
    TalkPlayerServerPacket,
    TalkReplyServerPacket,
    TalkRequestClientPacket,
    TalkRequestServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
)

from tests.kit.eo_desk import Desk, fresh
from world import conduct, speech
from world.events import Speech
from world.mobile import Access

if TYPE_CHECKING:
    from eolib import Packet


async def test_local_talk_is_heard_by_others_only() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.say("Good day ÿ"))
    heard = berta.client.last(TalkPlayerServerPacket)
    assert (heard.player_id, heard.message) == (alric.client.player_id, "Good day ÿ")
    assert not fresh(alric, TalkPlayerServerPacket)


async def test_the_global_chat_can_be_closed() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (50, 50))
    await alric.sends(alric.client.say_to_all("news"))
    assert berta.client.last(TalkMsgServerPacket).player_name == "alric"
    fresh(berta, TalkMsgServerPacket)
    await berta.sends(berta.client.bytes_of(GlobalCloseClientPacket()))  # type: ignore[no-untyped-call]
    await alric.sends(alric.client.say_to_all("more news"))
    assert not fresh(berta, TalkMsgServerPacket)
    assert not fresh(alric, TalkMsgServerPacket)


async def test_telling() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (50, 50))
    await alric.sends(alric.client.tell("berta", "psst"))
    told = berta.client.last(TalkTellServerPacket)
    assert (told.player_name, told.message) == ("alric", "psst")
    await alric.sends(alric.client.tell("nobody", "psst"))
    assert alric.client.last(TalkReplyServerPacket).name == "nobody"


COMPANIES: list[tuple[Packet, str]] = [
    (TalkOpenClientPacket(message="psst"), "You are in no party."),
    (TalkRequestClientPacket(message="psst"), "You are in no guild."),
]


@pytest.mark.parametrize(("packet", "why"), COMPANIES, ids=["party", "guild"])
async def test_who_has_no_company_is_told_so(packet: Packet, why: str) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    fresh(berta, TalkPlayerServerPacket)
    await alric.sends(alric.client.bytes_of(packet))
    assert alric.client.last(TalkServerServerPacket).message == why
    assert not fresh(berta, TalkPlayerServerPacket)


async def test_words_of_companies(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (50, 50))
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [alric.mobile, berta.mobile])
    for packet, _ in COMPANIES:
        await alric.sends(alric.client.bytes_of(packet))
    speech.to_company(alric.mobile, Speech.ALLIANCE, "psst")
    await desk.settle()
    guild, party = berta.client.last(TalkRequestServerPacket), berta.client.last(TalkOpenServerPacket)
    assert (guild.player_name, guild.message) == ("alric", "psst")
    assert (party.player_id, party.message) == (alric.client.player_id, "psst")
    assert berta.client.last(TalkServerServerPacket).message == "[alliance] Alric: psst"
    for kind in (TalkRequestServerPacket, TalkOpenServerPacket):
        assert not fresh(alric, kind), "its client shows by itself what it says"


async def test_orders_of_players_and_of_staff() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.say("#LOC please"))
    assert "20, 20" in alric.client.last(TalkServerServerPacket).message
    await alric.sends(alric.client.say("#who"))
    await alric.sends(alric.client.say("$go 3 4"))
    assert not fresh(berta, TalkPlayerServerPacket)
    assert desk.orders == ["who", "go 3 4"]
    await alric.sends(alric.client.say("$5 for that? You are #1!"))
    assert berta.client.last(TalkPlayerServerPacket).message == "$5 for that? You are #1!"


async def test_announcements_and_staff_talk_need_a_rank() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    announce = TalkAnnounceClientPacket(message="hear hear")
    among = TalkAdminClientPacket(message="psst")
    await alric.sends(alric.client.bytes_of(announce) + alric.client.bytes_of(among))
    assert not fresh(berta, TalkAnnounceServerPacket)
    alric.mobile.access = berta.mobile.access = Access.GAME_MASTER
    await alric.sends(alric.client.bytes_of(announce) + alric.client.bytes_of(among))
    assert berta.client.last(TalkAnnounceServerPacket).message == "hear hear"
    assert "psst" in berta.client.last(TalkServerServerPacket).message


async def test_gestures() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await alric.sends(alric.client.bytes_of(EmoteReportClientPacket(emote=Emote.Hearts)))
    assert berta.client.last(EmotePlayerServerPacket).emote == Emote.Hearts
    await alric.sends(alric.client.bytes_of(EmoteReportClientPacket(emote=Emote.LevelUp)))
    assert len(fresh(berta, EmotePlayerServerPacket)) == 1
    assert not fresh(alric, EmotePlayerServerPacket)


async def test_a_report_about_another_player_is_kept_for_the_staff() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 22))
    await berta.sends(berta.client.say("you fool"))
    for name in ("Berta", "nobody"):
        packet = AdminInteractReportClientPacket(reportee=name, message="she insults me")
        await alric.sends(alric.client.bytes_of(packet))
    (report,) = conduct.reports(alric.mobile.world).values()
    assert (report.who.casefold(), report.about.casefold(), report.text) == (
        *("alric", "berta", "she insults me"),
    )
    assert report.lines.endswith("(say): you fool")
