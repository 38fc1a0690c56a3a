"""Lineage II: conversations, and what may be answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from protocol.l2 import dialogs as pages
from protocol.l2.packets import (
    HTML_LIMIT,
    ActionFailed,
    BypassUserCmd,
    DlgAnswer,
    NpcHtmlMessage,
    RequestBypassToServer,
    RequestLinkHtml,
)
from tests.kit.l2_desk import Desk, Player
from world import dialogs, news
from world.dialogs import Button
from world.reach import Refusal

if TYPE_CHECKING:
    from world.mobile import Mobile


def links(page: NpcHtmlMessage) -> dict[str, str]:
    """The bypasses of a page by their label."""
    found = re.findall(r'<a action="bypass -h ([^"]*)">([^<]*)</a>', page.html)
    return {label: bypass for bypass, label in found}


async def in_conversation(desk: Desk) -> tuple[Player, Mobile, NpcHtmlMessage]:
    """Somebody whom the crier asks what it wants to know."""
    crier = desk.resident("crier", 24, 20)
    alric = await desk.enter("alric")
    news.offer_news(alric.mobile, crier)
    await desk.wait(0.1)
    return alric, crier, alric.only(NpcHtmlMessage)


async def chooses(player: Player, bypass: str) -> None:
    await player.desk.wait(0.6)
    player.got.clear()
    await player.says(RequestBypassToServer(bypass))


async def test_a_conversation_with_the_crier() -> None:
    desk = Desk()
    alric, crier, page = await in_conversation(desk)
    await desk.enter("berta", (50, 50))
    assert page.object_id == crier.serial
    assert list(links(page))[:2] == ["Where am I?", "Who is here today?"]
    assert list(links(page))[2:] == ["I am looking for somebody.", "Farewell."]
    await chooses(alric, links(page)["Who is here today?"])
    page = alric.only(NpcHtmlMessage)
    assert "Berta" in page.html
    assert alric.took(ActionFailed)
    await chooses(alric, links(page)["Where am I?"])
    page = alric.only(NpcHtmlMessage)
    assert "20, 20 in The Plain" in page.html
    await chooses(alric, links(page)["Farewell."])
    assert alric.kinds() == ["ActionFailed"]
    assert not alric.mobile.dialogs
    await chooses(alric, links(page)["Farewell."])
    assert alric.kinds() == ["ActionFailed", "SystemMessage"], "nobody asks that any more"


async def test_a_link_counts_once_and_only_the_newest_page_has_any() -> None:
    desk = Desk()
    alric, _, first = await in_conversation(desk)
    await chooses(alric, links(first)["Where am I?"])
    second = alric.only(NpcHtmlMessage)
    for bypass in links(first).values():
        await chooses(alric, bypass)
        assert set(alric.kinds()) - {"SystemMessage"} == {"ActionFailed"}
    await chooses(alric, links(second)["Where am I?"])
    assert alric.took(NpcHtmlMessage)


async def test_what_was_never_offered_is_not_done() -> None:
    desk = Desk()
    alric, _, page = await in_conversation(desk)
    (dialog,) = alric.mobile.dialogs.values()
    forged = [
        "",
        "answer",
        f"answer {dialog.serial} {dialog.type_id} 9",
        f"answer {dialog.serial} {dialog.type_id}",
        f"answer {dialog.serial + 1} {dialog.type_id} 1",
        "admin_kill Alric",
        "npc_1_Chat 1",
        next(iter(links(page).values())) + " ",
        next(iter(links(page).values())) + "0",
        "x" * 30_000,
    ]
    for bypass in forged:
        await chooses(alric, bypass)
        assert set(alric.kinds()) - {"SystemMessage"} == {"ActionFailed"}
        assert list(alric.mobile.dialogs.values()) == [dialog]


async def test_somebody_elses_link_is_of_no_use() -> None:
    desk = Desk()
    alric, _, page = await in_conversation(desk)
    berta = await desk.enter("berta", (22, 22))
    await chooses(berta, links(page)["Where am I?"])
    assert berta.kinds() == ["ActionFailed", "SystemMessage"]
    assert len(alric.mobile.dialogs) == 1


async def test_one_has_to_stand_near_who_asks() -> None:
    desk = Desk()
    alric, crier, page = await in_conversation(desk)
    desk.world.warp(crier, desk.world.realms["plain"], 35, 20)
    await chooses(alric, links(page)["Where am I?"])
    assert Refusal.FAR.value in alric.told()
    assert alric.took(NpcHtmlMessage) == []
    desk.world.warp(crier, desk.world.realms["plain"], 28, 20)
    await chooses(alric, links(page)["Where am I?"])
    assert alric.took(NpcHtmlMessage), "come back, one may go on"


async def test_nor_does_a_box_carry_farther() -> None:
    desk = Desk()
    alric, crier, _ = await in_conversation(desk)
    (dialog,) = alric.mobile.dialogs.values()
    desk.world.warp(crier, desk.world.realms["plain"], 35, 20)
    await alric.says(DlgAnswer(614, 1, dialog.serial))
    assert Refusal.FAR.value in alric.told()
    assert list(alric.mobile.dialogs.values()) == [dialog]
    desk.world.warp(crier, desk.world.realms["plain"], 28, 20)
    await desk.wait(0.1)
    alric.got.clear()
    await alric.says(DlgAnswer(614, 1, dialog.serial))
    assert alric.took(NpcHtmlMessage)


async def test_a_link_to_a_page_leads_nowhere() -> None:
    desk = Desk()
    alric, _, _ = await in_conversation(desk)
    for path in ("index.htm", "../../config.toml", ""):
        await desk.wait(0.6)
        await alric.says(RequestLinkHtml(path))
        assert set(alric.kinds()) - {"SystemMessage"} == {"ActionFailed"}
        alric.got.clear()


async def test_links_are_not_followed_faster_than_a_player_clicks() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    frame = alric.session.dialect.encode(RequestBypassToServer("x"))
    entry = alric.table.entry(alric.table.opcode_of_frame(frame))
    assert entry is not None
    assert entry.every == 0.5


async def test_yes_and_no_in_a_box() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    answers: list[int] = []

    def ask() -> dialogs.Dialog:
        return dialogs.ask(
            alric.mobile,
            "Test",
            title="T",
            text="?",
            buttons=(Button(3, "Yes"), Button(0, "No")),
            answered=lambda mobile, reply: answers.append(reply.button),
        )

    for answer in (1, 0):
        dialog = ask()
        await alric.says(DlgAnswer(614, answer, dialog.serial + 1))
        assert len(alric.mobile.dialogs) == 1
        await alric.says(DlgAnswer(614, answer, dialog.serial), DlgAnswer(614, answer, dialog.serial))
    assert answers == [3, 0]


async def test_the_clients_own_commands() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(BypassUserCmd(0))
    assert "You are at 20, 20 in The Plain" in str(alric.got)
    alric.got.clear()
    await alric.says(BypassUserCmd(77))
    assert re.search(r"it is \d\d:\d\d", str(alric.got))
    alric.got.clear()
    await alric.says(BypassUserCmd(52), BypassUserCmd(999), BypassUserCmd(-1))
    assert desk.orders == ["stuck"]
    assert "In 10 seconds you will be where everybody begins" in str(alric.got)
    assert len(alric.got) == 1


# Pages


def test_a_page_says_what_it_is_given_and_nothing_else() -> None:
    html = pages.page("A <b> & B", ["He said \"<a action='x'>\""], [("answer 1 2 3", "<Yes>")])
    assert "<b>" not in html
    assert html.count("<a ") == 1
    assert "&lt;Yes&gt;" in html


@pytest.mark.parametrize("size", [10, 100, 8000, 9000])
def test_a_page_is_never_too_long_and_keeps_its_links(size: int) -> None:
    html = pages.page("Title", ["word " * 20] * (size // 100) + ["x" * size], [("answer 1 2 3", "Yes")])
    assert len(html) <= HTML_LIMIT
    assert html.endswith("</body></html>")
    assert "answer 1 2 3" in html


@pytest.mark.parametrize("letter", ["x", "\U0001f600"])
def test_a_page_that_would_crash_the_client_never_leaves_the_server(letter: str) -> None:
    version = Desk().connect("game").session.dialect
    most = HTML_LIMIT // (2 if letter > "\uffff" else 1)
    raw = version.encode(NpcHtmlMessage(1, letter * most))
    assert len(raw) == 1 + 4 + 2 * HTML_LIMIT + 2 + 4
    with pytest.raises(ValueError, match=r"a page of 819[34] characters"):
        version.encode(NpcHtmlMessage(1, letter * (most + 1)))


async def test_neither_does_one_that_the_world_asks_for() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    dialogs.ask(
        alric.mobile,
        "endless",
        title="T" * 9000,
        text="word " * 9000,
        buttons=tuple(Button(number, "yes" * 3000) for number in range(20)),
        answered=lambda player, button: None,
    )
    desk.turn()
    html = alric.only(NpcHtmlMessage).html
    assert len(html) <= HTML_LIMIT
    assert html.count("<a ") == 20
    assert html.endswith("</body></html>")


def test_a_page_has_as_many_links_as_fit_it() -> None:
    links = [(f"answer 1 2 {number}", "&" * pages.LONGEST_LABEL) for number in range(30)]
    html = pages.page("Many", ["words that find no room"], links)
    assert len(html) <= HTML_LIMIT
    shown = [bypass for bypass, _ in links if bypass in html]
    assert 10 < len(shown) < 30
    assert html.endswith("</a><br></body></html>")


def test_letters_that_the_client_counts_twice_do_not_make_a_page_too_long() -> None:
    html = pages.page("\U0001f600" * 500, ["\U0001f600" * 100] * 60, [("answer 1 2 3", "Yes" * 3000)])
    assert len(html.encode("utf-16-le")) // 2 <= HTML_LIMIT
    assert html.count("\U0001f600" * 100) > 30
    assert "answer 1 2 3" in html
