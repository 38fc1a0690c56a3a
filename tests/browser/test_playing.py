"""Playing in the browser: from the open page into the world, and what one does there."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Final

from tests.browser.guests import (
    ERRAND,
    FIND,
    FREE,
    KEYS,
    ME,
    MORE,
    PASSWORD,
    PATIENCE,
    Guest,
    Host,
    fresh_name,
)
from tests.browser.scripts import AROUND, POINT
from tests.browser.settlers import BANDAGES, KEEPER, KEEPERS, PATIENT
from tests.kit.town import shipped_content
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.conftest import Door
    from tests.browser.guests import Client, Company


def test_a_visitor_is_in_the_world_in_no_time(
    guest: Door, host: Host, record_property: Callable[[str, object], None]
) -> None:
    """Two presses, and nothing typed. Ten seconds are the aim; a busy machine gets more."""
    visitor = guest()
    began = time.monotonic()
    visitor.watches()
    opened = time.monotonic()
    visitor.page.click("#play-now")
    visitor.name = visitor.page.input_value("#try-form [name=character]")
    visitor.page.keyboard.press("Enter")  # the button has the focus
    visitor.stands()
    seconds = time.monotonic() - began
    record_property("seconds_to_the_page", round(opened - began, 2))
    record_property("seconds_to_the_world", round(seconds, 2))
    assert seconds < PATIENCE
    visitor.settles(host)
    # Their account is shown once, and opens everything.
    note = visitor.page.locator("#account-note code")
    account, password = note.all_inner_texts()
    visitor.page.get_by_role("button", name="Done").click()
    visitor.page.click("#leave")
    visitor.page.click("#log-out")
    visitor.fills(account, password)
    visitor.page.click("#log-in")
    visitor.page.wait_for_selector("#characters")
    assert visitor.name in visitor.page.inner_text("#characters")


def test_an_account_and_its_cookie(guest: Door, host: Host) -> None:
    visitor = guest()
    page = visitor.watches()
    account, name = fresh_name("account").lower(), fresh_name()
    visitor.registers(account)
    visitor.creates(name)
    (cookie,) = visitor.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (
        "causeway",
        True,
        "Strict",
        "/",
    )
    assert page.evaluate("() => document.cookie") == ""
    kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert PASSWORD not in kept
    # Loaded anew, it goes on where it was.
    place = visitor.settles(host)
    page.reload()
    visitor.stands()
    assert visitor.settles(host) == place
    page.click("#leave")
    page.wait_for_selector("#characters")
    assert visitor.ask("() => document.body.dataset.mode", str) == "menu"
    assert name in page.inner_text("#characters")
    assert host.order("who").count(name) == 0
    page.click("#log-out")
    page.wait_for_selector("#login-form")
    assert visitor.context.cookies() == []
    page.get_by_role("button", name="Back to the map").click()
    assert visitor.ask("() => document.body.dataset.mode", str) == "watch"
    assert page.get_attribute("#tab-world", "aria-selected") == "true"
    assert page.evaluate("() => document.activeElement.id") == "play-now"
    page.reload()
    visitor.until("() => window.causeway")
    page.click("#play-now")
    _logs_in_at_the_second_try(visitor, account, name)
    assert visitor.settles(host) == place
    # Another browser with the same account takes the place of this one.
    page.clock.install()
    other = guest()
    other.watches()
    other.page.click("#play-now")
    other.fills(account, PASSWORD)
    other.page.click("#log-in")
    other.page.click("#characters .enter")
    other.name = name
    other.stands()
    page.locator("#play-menu", has_text="Somebody else logged in to this account.").wait_for()
    # It stays away, however long: two pages would throw each other out for ever.
    opened: list[str] = []
    page.on("websocket", lambda it: opened.append(it.url))
    page.clock.run_for(120_000)
    assert [url for url in opened if url.endswith("/play")] == []
    assert host.order("who").count(name) == 1
    assert other.settles(host) == place


def _logs_in_at_the_second_try(visitor: Guest, account: str, name: str) -> None:
    page = visitor.page
    visitor.excuse("401")
    visitor.fills(account, "not that")
    page.click("#log-in")
    page.locator("#play-menu .fault", has_text="The name or the password is wrong.").wait_for()
    assert visitor.context.cookies() == []
    visitor.fills(account, PASSWORD)
    page.press("#login-form [name=password]", "Enter")
    page.click(f"[aria-label='Enter the world as {name}']")
    visitor.name = name
    visitor.stands()


def test_four_from_three_games_meet_and_part(guest: Door, host: Host, company: Company) -> None:
    anna, bert = guest(), guest()
    for visitor in (anna, bert):
        visitor.watches()
        visitor.tries()
    carl, dora = company.invite("uo"), company.invite("eo")
    pages, clients = (anna, bert), (carl, dora)
    names = [one.name for one in (*pages, *clients)]
    for visitor in pages:
        for name in names:
            visitor.has_at(name, host.place(name))
    # Everybody says something, and everybody else hears it.
    for speaker in (*pages, *clients):
        words = f"This is {speaker.name}"
        speaker.says(words)
        for visitor in pages:
            visitor.hears(words)
            visitor.until("words => causeway.world.bubbles.some(bubble => bubble.words === words)", words)
        for client in clients:
            assert client is speaker or client.hears(words), f"{client.name} has not heard {speaker.name}"
    # Everybody goes somewhere, and everybody else sees them there.
    serials = {name: anna.serial(name) for name in names}
    for walker in (*pages, *clients):
        _goes(walker, host)
        where = host.place(walker.name)
        for visitor in pages:
            visitor.has_at(walker.name, where)
        for client in clients:
            x, y = host.place(client.name)
            sees = client is walker or client.sees(
                walker.name, serials[walker.name], (where[0] - x, where[1] - y)
            )
            assert sees, f"{client.name} does not see {walker.name} at {where}"
    # Everybody leaves, and is gone for those who are still there.
    bert.page.click("#leave")
    anna.misses(bert.name)
    for client in clients:
        assert client.sees(bert.name, serials[bert.name], None)
    carl.leaves()
    anna.misses(carl.name)
    assert dora.sees(carl.name, serials[carl.name], None)
    anna.page.click("#leave")
    anna.page.wait_for_selector("#characters")
    assert dora.sees(anna.name, serials[anna.name], None)
    dora.leaves()
    bert.page.click("#characters .enter")
    bert.stands()
    bert.misses(dora.name)
    assert not any(name in host.order("who") for name in names if name != bert.name)


def _goes(walker: Guest | Client, host: Host) -> None:
    """A step to wherever there is room."""
    before = host.place(walker.name)
    for heading in (EAST, WEST, SOUTH, NORTH):
        walker.steps(heading, host)
        if host.place(walker.name) != before:
            return
    raise AssertionError(f"{walker.name} cannot walk")


def test_going_where_one_clicks_and_around_what_is_in_the_way(guest: Door, host: Host) -> None:
    visitor = guest()
    page = visitor.watches()
    visitor.tries()
    x, y = visitor.settles(host)
    # Straight, by key: as far as the key is held, and the page is never ahead of what it shows.
    visitor.steps(EAST if visitor.ask(FREE, bool, [x + 1, y]) else WEST, host)
    assert visitor.place() != (x, y)
    # A key that is only touched is one step.
    x, y = visitor.place()
    way = EAST if visitor.ask(FREE, bool, [x + 1, y]) else WEST
    page.keyboard.press(KEYS[way])
    visitor.has_at(visitor.name, (x + (1 if way == EAST else -1), y))
    assert visitor.settles(host)[0] == x + (1 if way == EAST else -1)
    # To a tile behind something.
    visitor.looks()
    goal = visitor.ask(AROUND, list, list(visitor.place()))
    visitor.travels(*goal)
    visitor.until("() => causeway.canvas.target !== null")
    visitor.has_at(visitor.name, (goal[0], goal[1]))
    assert visitor.settles(host) == tuple(goal)
    # Facing another way is no step.
    page.focus("#map")
    for heading in (NORTH, WEST):
        page.keyboard.press(f"Control+{KEYS[heading]}")
        visitor.until(f"([name, heading]) => {ME}.heading === heading", [visitor.name, heading])
    assert visitor.settles(host) == tuple(goal)
    page.keyboard.press("c")
    visitor.until(f"name => {ME}.sitting", visitor.name)


def test_a_password_is_set_later(guest: Door) -> None:
    visitor = guest()
    page = visitor.watches()
    account = fresh_name().lower()
    visitor.registers(account)
    page.click("text=Set another password")
    page.fill("#password-form [name=password]", "another1")
    page.click("#set-password")
    visitor.until("() => document.querySelector('#password-form [name=password]')?.value === ''")
    page.click("#log-out")
    page.wait_for_selector("#login-form")
    visitor.fills(account, "another1")
    page.click("#log-in")
    page.wait_for_selector("#create-form")


def test_a_talk_with_the_town_crier_by_keyboard_and_a_death(guest: Door, host: Host) -> None:
    visitor = guest()
    page = visitor.watches()
    visitor.tries(asked=True)
    place = visitor.settles(host)
    page.locator("#near button", has_text="Barnaby").focus()
    page.keyboard.press("Enter")
    card = page.locator("#card")
    card.wait_for()
    assert "Barnaby" in card.inner_text()
    visitor.until("() => document.querySelector('#card .lines').childElementCount > 0")
    card.get_by_role("button", name="Talk").focus()
    page.keyboard.press("Enter")
    # The answer to what one says has the keyboard, before what one is asked by the way.
    page.locator("#dialog-title", has_text="Barnaby").wait_for()
    assert f"Welcome to Confluence, {visitor.name}!" in page.inner_text("#dialog-text")
    page.keyboard.press("Enter")  # the first answer has the focus
    visitor.until("() => document.getElementById('dialog-text').textContent.startsWith('You are at')")
    assert f"You are at {place[0]}, {place[1]} in Confluence" in page.inner_text("#dialog-text")
    # Keys are the dialog's while it is open.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.locator("#dialog-title", has_text=ERRAND).wait_for()
    assert visitor.settles(host) == place
    # Elsewhere they are not: one walks with a question open, goes to it when one likes, and folds it.
    visitor.steps(EAST if visitor.ask(FREE, bool, [place[0] + 1, place[1]]) else WEST, host)
    page.keyboard.press("q")
    assert page.evaluate("() => document.activeElement.textContent") == "Yes, I will do it."
    page.locator("#dialog").get_by_role("button", name="Fold").click()
    assert page.locator("#dialog-text").is_hidden()
    page.keyboard.press("Escape")
    page.wait_for_selector("#dialog", state="hidden")
    assert page.evaluate("() => document.activeElement.id") == "map"
    # Death is told, and so is life.
    host.order(f"kill {visitor.name}")
    page.wait_for_selector("#banner:visible")
    assert "ghost" in page.inner_text("#banner")
    visitor.until(f"name => {ME}.dead", visitor.name)
    host.order(f"resurrect {visitor.name}")
    page.wait_for_selector("#banner", state="hidden")
    visitor.until("() => document.querySelector('[data-bar=hits]').getAttribute('aria-valuenow') === '10'")


def test_things_change_hands_and_what_else_one_does_in_company(
    guest: Door, host: Host, company: Company
) -> None:
    anna, bert = guest(), guest()
    anna.returns(KEEPERS, KEEPER)
    bert.watches()
    bert.tries()
    _drops_and_takes(anna, bert, host)
    _takes_out_of_a_bag(anna, bert, host)
    _gives(anna, bert)
    _bows_and_sits_down(anna, bert, host, company)
    _comes_back_to_life(anna, host)


def _drops_and_takes(anna: Guest, bert: Guest, host: Host) -> None:
    """One thing, and some of many: what one lays down another sees and takes."""
    page = anna.page
    row = page.locator("#pack li", has=page.get_by_role("button", name="Drop: ")).filter(has_text="dagger")
    row.get_by_role("button", name="Drop").click()
    row.wait_for(state="detached")
    place = anna.settles(host)
    dagger = _lying(bert, place, "dagger")
    anna.steps(EAST if anna.ask(FREE, bool, [place[0] + 1, place[1]]) else WEST, host)
    anna.looks()
    page.mouse.click(*anna.ask(POINT, list, dagger))
    row.wait_for()
    bert.until("id => !causeway.world.things.has(id)", dagger)
    gold = page.locator("#pack li", has_text="gold")
    before = gold.inner_text()
    assert "100" in before
    gold.locator("input").fill("30")
    gold.get_by_role("button", name="Drop").click()
    anna.carries("70")
    place = anna.settles(host)  # when it has been dropped, and not before: a step may have been under way
    heap = _lying(bert, place, "gold")
    assert bert.ask("id => causeway.world.things.get(id).amount", int, heap) == 30
    # Another takes it, from the list of what is near.
    bert.page.locator("#near button", has_text=f"gold coin {TIMES} 30").click()
    bert.page.locator("#card").get_by_role("button", name="Take").click()
    bert.carries("130")
    anna.until("id => !causeway.world.things.has(id)", heap)


def _takes_out_of_a_bag(anna: Guest, bert: Guest, host: Host) -> None:
    """What lies in something that lies there: it opens where it is clicked."""
    page = anna.page
    place = anna.settles(host)
    row = page.locator("#pack li", has_text="bag").filter(has=page.get_by_role("button", name="Drop: bag"))
    row.get_by_role("button", name="Drop").click()
    bag = _lying(bert, place, "bag")
    anna.steps(WEST if anna.ask(FREE, bool, [place[0] - 1, place[1]]) else EAST, host)
    anna.looks()
    page.mouse.click(*anna.ask(POINT, list, bag))
    inside = page.locator("#pack li", has=page.get_by_role("button", name="Take: clean bandage"))
    assert f"clean bandage {TIMES} {BANDAGES}" in inside.inner_text()
    inside.locator("input").fill("2")
    inside.get_by_role("button", name="Take").click()
    anna.carries(f"bandage {TIMES} 12")
    bert.page.locator("#near button", has_text="bag").click()
    bert.page.locator("#card").get_by_role("button", name="Open").click()
    bert.page.locator("#pack li", has_text=f"bandage {TIMES} {BANDAGES - 2}").wait_for()


def _gives(anna: Guest, bert: Guest) -> None:
    """From hand to hand."""
    page = anna.page
    page.locator("#near button", has_text=bert.name).click()
    page.locator("#card").get_by_role("button", name="Give").click()
    coins = page.locator("#card option", has_text="gold").inner_text()
    page.locator("#card select").select_option(label=coins)
    page.locator("#card input").fill("5")
    page.locator("#card input").press("Enter")
    bert.carries(f"gold coin {TIMES} 135")
    anna.carries(f"gold coin {TIMES} 65")


def _bows_and_sits_down(anna: Guest, bert: Guest, host: Host, company: Company) -> None:
    """A gesture is one in every game; and a chair: there, and down on it."""
    carl = company.invite("uo")
    anna.knows(carl.name)
    anna.page.get_by_label("Make a gesture").select_option("bow")
    bert.hears(f"{anna.name} bows")
    assert carl.bowed(anna.serial(anna.name))
    x, y = SEAT
    anna.travels(x, y)
    anna.until(f"name => {ME}.sitting", anna.name)
    assert anna.settles(host) == SEAT
    bert.until(f"name => {FIND}.sitting", anna.name)


def _comes_back_to_life(anna: Guest, host: Host) -> None:
    """Another of the account is with the healer, who asks a ghost."""
    page = anna.page
    page.click("#leave")
    anna.enters(PATIENT)
    place = anna.settles(host)
    host.order(f"kill {PATIENT}")
    page.locator("#dialog-title", has_text="Resurrection").wait_for()
    anna.until(f"name => {ME}.dead", anna.name)
    page.locator("#dialog").get_by_role("button", name="CONTINUE").click()
    anna.until(f"name => !{ME}.dead", anna.name)
    page.wait_for_selector("#banner", state="hidden")
    assert anna.settles(host) == place


TIMES: Final = "\N{MULTIPLICATION SIGN}"

SEAT: Final = 46, 63
"""A chair west of the square, in view of whoever stands there."""


def _lying(visitor: Guest, place: tuple[int, int], name: str) -> int:
    """The number of what lies there, in time."""
    script = (
        "[...causeway.world.things.values()]"
        ".find(t => t.kind === 'item' && t.name.includes(name) && t.x === x && t.y === y)"
    )
    visitor.until(f"([name, x, y]) => {script}", [name, *place])
    return visitor.ask(f"([name, x, y]) => {script}.id", int, [name, *place])


def test_a_lost_connection_comes_back(guest: Door, host: Host, company: Company) -> None:
    cable = company.cable(host.address("web", "http"))
    visitor = guest(f"http://127.0.0.1:{cable.port}")
    page = visitor.watches()
    visitor.tries()
    place = visitor.settles(host)
    visitor.excuse("WebSocket connection to .* failed")
    company.knows(cable.cut)
    page.wait_for_selector("#banner:visible")
    assert page.inner_text("#banner") == "The connection is lost. Trying again …"
    cable.whole = True
    visitor.hears("The connection is back.")
    page.wait_for_selector("#banner", state="hidden")
    visitor.stands()
    assert visitor.settles(host) == place
    visitor.steps(EAST if visitor.ask(FREE, bool, [place[0] + 1, place[1]]) else WEST, host)
    assert visitor.place() != place
    visitor.says("Here I am again")
    visitor.hears(f"{visitor.name}: Here I am again")


RESTARTED: Final = (
    "ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|WebSocket connection to .* failed"
)
"""What a browser says of a server that is away: a picture of the map may have been on its way, too."""


def test_an_empty_world_says_so_and_its_restart_loses_nobody(guest: Door, tmp_path: Path) -> None:
    """Whoever watches has the map again, and whoever plays goes on with the same character."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name = "A <b class=bad> & 'B'"
    host = Host(tmp_path, f'{MORE}[listen.web_known]\nhttp = "127.0.0.1:{port}"\n')
    host.config.write_text(host.config.read_text().replace('name = "Process"', f'name = "{name}"'))
    host.start()
    try:
        watcher, player = guest(f"http://127.0.0.1:{port}", calm=True), guest(f"http://127.0.0.1:{port}")
        is_empty(watcher, name)
        account = fresh_name("account").lower()
        player.watches()
        for visitor in (watcher, player):
            visitor.excuse(RESTARTED)
        player.registers(account)
        player.creates(fresh_name())
        watcher.knows(player.name)
        place = player.settles(host)
        assert host.stop() == 0
        player.page.locator("#banner", has_text="The server is being restarted.").wait_for()
        watcher.page.locator("#link-state", has_text="Reconnecting").wait_for()
        host.start()
        watcher.page.locator("#link-state", has_text="Live").wait_for()
        player.stands()
        assert player.settles(host) == place
        watcher.has_at(player.name, place)
        for visitor in (watcher, player):
            visitor.page.close()
    finally:
        host.close()


def is_empty(visitor: Guest, name: str) -> None:
    """Who watches is told that nobody is here, and what the server is called as text."""
    content = shipped_content()
    page = visitor.watches()
    assert page.title().startswith(name)
    assert page.inner_text(".brand") == name
    assert page.locator(".bad").count() == 0
    page.wait_for_selector("#map-note:visible")
    assert page.inner_text("#map-note-title") == "Nobody plays here yet"
    visitor.until("() => document.getElementById('link-state').textContent === 'Live'")
    counts = page.locator("#counts li")
    assert [row.replace("\n", " ")[-1] for row in counts.all_inner_texts()] == ["0"] * counts.count()
    assert counts.count() == 6
    # Those who live here are there all the same, by name; beasts are not people.
    visitor.until("() => document.getElementById('people').textContent.includes('Barnaby')")
    assert page.locator("#people .person-name").all_inner_texts() == sorted(
        resident.name
        for chart in [content.charts[content.start_realm]]
        for resident in (content.mobiles[it.template] for it in chart.residents)
        if resident.name[0].isupper()
    )
    assert page.locator("#people-none").is_hidden()
