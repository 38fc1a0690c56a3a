"""The page for those who only watch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Route

from tests.browser.guests import FREE, ME
from tests.kit.town import shipped_content
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from PIL import Image
    from playwright.sync_api import WebSocketRoute

    from tests.browser.conftest import Door
    from tests.browser.guests import Company, Guest, Host

HOSTILE = '<b>5 < 6 & "it\'s"</b>'

NIGHT, PAPER = (32, 38, 36), (255, 253, 246)
"""Nearly the colours of what lies under a name and under words."""


def test_the_map_is_the_realm_and_the_ports_are_the_server_s(guest: Door, host: Host) -> None:
    visitor = guest(calm=True)
    page = visitor.watches()
    content = shipped_content()
    chart = content.charts[content.start_realm]
    walls = visitor.ask(
        "() => { const { width, height } = causeway.canvas.realm; return [...Array(width * height).keys()]"
        ".map(n => Number(!causeway.canvas.realm.walkable(n % width, Math.floor(n / width)))).join(''); }",
        str,
    )
    assert [int(bit) for bit in walls] == [int(bool(tile)) for tile in chart.blocked]
    # A free meadow beside something in the way: they do not look the same, and neither is blank.
    x, y = next(
        (x, y)
        for y in range(20, chart.height - 20)
        for x in range(20, chart.width - 20)
        if chart.blocked[y * chart.width + x]
        and not any(chart.blocked[(y + dy) * chart.width + x + dx] for dx in (2, 3) for dy in (-1, 0, 1))
        and chart.ground[y * chart.width + x + 3].key == "grass"
    )
    visitor.ask(
        "([x, y]) => { const c = causeway.canvas; c.zoomTo(48); c.centre(x, y); return 1; }", int, [x, y]
    )
    picture = visitor.picture()
    there, beside = (_tile(visitor, picture, x + dx, y) for dx in (0, 3))
    assert len(there) > 8
    assert len(beside) > 1
    assert sum(there[colour] for colour in there if colour not in beside) > 0.15 * sum(there.values())
    # How to connect, with the real ports.
    page.keyboard.press("Tab")  # the way past the map
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the panel"
    page.focus("#tab-world")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-connect", "aria-selected") == "true"
    page.wait_for_selector("#connect-games details")
    lines = page.locator("#connect code").all_text_contents()
    for game, door, line in (
        ("uo", "game", "LoginServer=127.0.0.1,{}"),
        ("eo", "game", "Port={}"),
        ("co", "account", "{}"),
        ("co_5065", "account", "{}"),
    ):
        assert line.format(host.address(game, door)[1]) in lines
    # That nobody else can reach them is no step of what one does.
    assert (
        "Only clients on the machine" in page.locator("#connect [data-game=uo] .game-note").first.inner_text()
    )
    assert "Only clients" not in page.locator("#connect .steps").all_text_contents()[1]


def _tile(visitor: Guest, picture: Image.Image, x: int, y: int) -> dict[object, int]:
    """How often each colour is in the picture of a tile."""
    at = visitor.ask("([x, y]) => (p => [p.x, p.y])(causeway.canvas.screenOf(x, y))", list, [x, y])
    left, top = round(at[0]) - 20, round(at[1]) - 20
    colours = picture.crop((left, top, left + 40, top + 40)).getcolors(1600)
    assert colours is not None
    return {colour: count for count, colour in colours}


def test_somebody_walks_in_from_another_game(guest: Door, host: Host, company: Company) -> None:
    visitor = guest(calm=True)
    page = visitor.watches()
    anna = company.invite("uo")
    visitor.has_at(anna.name, host.place(anna.name))
    visitor.until("() => document.querySelector('#counts [data-game=uo] .count').textContent === '1'")
    person = page.locator("#people button", has_text=anna.name)
    person.wait_for()
    assert "Ultima Online" in person.inner_text()
    page.locator("#feed li", has_text=anna.name).first.wait_for()
    # What they do is there with the next update.
    for heading in (EAST, EAST, WEST):
        before = host.place(anna.name)
        anna.steps(heading, host)
        dx, dy = OFFSETS[heading]
        now = host.place(anna.name)
        assert now in {before, (before[0] + dx, before[1] + dy)}
        visitor.has_at(anna.name, now)
    # Pointed at from afar, they have a name; pressed in the list, the map goes with them.
    visitor.ask("() => { causeway.canvas.zoomTo(16); return 1; }", int)
    person.click()
    assert page.inner_text("#following-name") == anna.name
    visitor.until(
        "([x, y]) => Math.hypot(causeway.canvas.x - x - 0.5, causeway.canvas.y - y - 0.5) < 0.1",
        list(host.place(anna.name)),
    )
    page.keyboard.press("Escape")
    page.wait_for_selector("#following", state="hidden")
    visitor.ask("() => { causeway.canvas.zoomTo(16); return 1; }", int)
    page.mouse.move(5, 5)
    nameless = _like(visitor.picture(), NIGHT)
    for _ in range(5):
        page.mouse.move(*visitor.point(*host.place(anna.name)))
        visitor.until("() => causeway.canvas.hovered")
        if visitor.ask("() => causeway.canvas.hovered.name", str) == anna.name:
            break
        # A villager on a walk stands in front of her.
        page.mouse.move(5, 5)
        anna.steps(EAST, host)
        visitor.has_at(anna.name, host.place(anna.name))
    visitor.until("name => causeway.canvas.hovered?.name === name", anna.name)
    assert _like(visitor.picture(), NIGHT) > nameless + 80
    # What they say is text, whatever it looks like.
    anna.says(HOSTILE)
    visitor.until("words => causeway.world.bubbles.some(bubble => bubble.words === words)", HOSTILE)
    host.order(f"broadcast {HOSTILE}")
    page.locator("#feed li", has_text=HOSTILE).wait_for()
    assert page.locator("#feed .feed-text b, #announcer b").count() == 0
    assert _like(visitor.picture(), PAPER) > 500
    anna.leaves()
    visitor.misses(anna.name)
    person.wait_for(state="detached")


def _like(picture: Image.Image, colour: tuple[int, int, int]) -> int:
    """How many points have nearly that colour."""
    return sum(
        count
        for count, seen in picture.getcolors(1 << 22) or ()
        if isinstance(seen, tuple) and max(abs(a - b) for a, b in zip(seen, colour, strict=True)) < 14
    )


def test_what_the_server_closes_a_connection_with_counts(guest: Door) -> None:
    """Full: again in half a minute. There is none: never again."""
    visitor = guest()
    page = visitor.page
    codes, opened = [1013, 4404], []

    def refuse(socket: WebSocketRoute) -> None:
        opened.append(socket.url)
        socket.close(code=codes[len(opened) - 1], reason="No.")

    page.route_web_socket(re.compile("/watch"), refuse)
    page.clock.install()
    visitor.open()
    note = page.locator("#map-note-title")
    page.locator("#link-state", has_text="Full").wait_for()
    assert note.inner_text() == "So many are watching that there is no place left"
    page.clock.run_for(20_000)
    assert len(opened) == 1
    page.clock.run_for(20_000)
    page.locator("#map-note-title", has_text="The live map is switched off here").wait_for()
    assert page.locator("#link-state").is_hidden()
    page.clock.run_for(600_000)
    assert len(opened) == 2


def test_without_a_map_the_rest_works(guest: Door, host: Host) -> None:
    visitor = guest(host.page("web_mapless"))
    page = visitor.open()
    page.wait_for_selector("#map-note:visible")
    assert "switched off" in page.inner_text("#map-note-title")
    assert page.get_attribute("#tab-connect", "aria-selected") == "true"
    page.click("#tab-world")
    visitor.tries()
    assert visitor.settles(host) == host.place(visitor.name)
    page.click("#leave")
    page.wait_for_selector("#characters")
    assert visitor.faults() == []


def test_light_and_dark_and_without_motion(guest: Door) -> None:
    grounds, zooms = [], []
    for colours, calm in (("light", False), ("dark", True)):
        visitor = guest(colours="dark" if colours == "dark" else "light", calm=calm)
        page = visitor.page
        _watches_late_pictures(visitor)
        grounds.append(_ground(visitor))
        zooms.append(visitor.ask(ZOOM, float))
    light, dark = grounds
    assert light > 600
    assert dark < 200
    slowly, at_once = zooms
    assert slowly < 1.2
    assert at_once > 1.49
    # By hand, whatever the system says, and so it stays.
    for _ in range(3):
        page.click("#theme")
        if _ground(visitor) > 600:
            break
    assert _ground(visitor) > 600
    page.reload()
    visitor.until("() => window.causeway")
    assert _ground(visitor) > 600


def _watches_late_pictures(visitor: Guest) -> None:
    """Before they come, the ground has one colour; and those in the middle are asked for first."""
    page, held = visitor.page, list[Route]()
    page.route("**/realms/**/*.png", lambda route: held.append(route))
    visitor.watches()
    visitor.until("() => causeway.canvas._chunks.size > 0")
    x, y = visitor.ask("() => [causeway.canvas.x, causeway.canvas.y]", list)
    far = []
    for url in visitor.ask("() => [...causeway.canvas._chunks.keys()]", list):
        cx, cy = map(int, re.findall(r"\d+", url)[-2:])
        far.append((cx * 32 + 16 - x) ** 2 + (cy * 32 + 16 - y) ** 2)
    assert far == sorted(far)
    assert visitor.ask(GROUND, int) == 1
    page.wait_for_timeout(150)  # what comes sooner is not late
    for route in held:
        route.continue_()
    page.unroute("**/realms/**/*.png")
    visitor.has_pictures()
    assert visitor.ask(GROUND, int) > 8
    fades = visitor.ask(
        "() => Math.max(...[...causeway.canvas._chunks.values()].map(it => it.whole - it.from))", int
    )
    assert bool(fades) is not visitor.ask("() => causeway.canvas.calm.matches", bool)


GROUND = """() => {
    const [width, height] = [400, 300];
    const { canvas } = causeway;
    const other = new OffscreenCanvas(width, height).getContext("2d");
    canvas._ground.draw(other, performance.now());
    return new Set(new Uint32Array(other.getImageData(0, 0, width, height).data.buffer)).size;
}"""
"""How many colours the ground has; nobody stands on it."""

ZOOM = """() => {
    const before = causeway.canvas.zoom;
    causeway.canvas.zoomBy(1.5);
    return causeway.canvas.zoom / before + 0.001;
}"""
"""How much nearer the map is at once."""


def _ground(visitor: Guest) -> int:
    colour = visitor.ask("() => getComputedStyle(document.getElementById('panel')).backgroundColor", str)
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_on_a_phone(guest: Door, host: Host) -> None:
    visitor = guest(width=390, height=844, touch=True)
    page = visitor.watches()
    assert visitor.ask("() => document.documentElement.scrollWidth <= innerWidth", bool)
    _pinches(visitor)
    visitor.taps("#panel-handle", "() => document.getElementById('panel').dataset.open === 'yes'")
    page.tap("#play-now")
    visitor.name = page.input_value("#try-form [name=character]")
    page.tap("#try")
    visitor.stands()
    visitor.until("() => document.getElementById('panel').dataset.open === 'no'")
    x, y = visitor.settles(host)
    visitor.looks()
    goal = visitor.ask(NEAR_AND_FREE, list, [x, y])
    page.touchscreen.tap(*visitor.point(*goal))
    visitor.has_at(visitor.name, (goal[0], goal[1]))
    assert visitor.settles(host) == tuple(goal)
    # The buttons on the map walk, too.
    x, y = visitor.place()
    free = (
        heading
        for heading in (NORTH, EAST, SOUTH, WEST)
        if visitor.ask(FREE, bool, [x + OFFSETS[heading][0], y + OFFSETS[heading][1]])
    )
    pad = page.locator(f"#pad [data-heading='{next(free)}']")
    assert pad.is_visible()
    before = visitor.place()
    box = pad.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 40
    pad.tap()  # however short
    visitor.until("([name, x, y]) => (t => t.x !== x || t.y !== y)(" + ME + ")", [visitor.name, *before])
    assert visitor.settles(host) != before


def _pinches(visitor: Guest) -> None:
    """Two fingers draw apart, and what is between them becomes larger and stays there."""
    page = visitor.page
    x, y = 190, 330
    visitor.until(  # the sheet is down, and the map knows what it covers
        "() => { const panel = document.getElementById('panel'); return !panel.getAnimations().length"
        " && causeway.canvas.inset.bottom === innerHeight - panel.getBoundingClientRect().top; }"
    )
    fingers = visitor.context.new_cdp_session(page)
    under = "([x, y]) => { const { canvas } = causeway, box = canvas.canvas.getBoundingClientRect();"
    under += " const at = canvas.toWorld(x - box.left, y - box.top); return [canvas.zoom, at.x, at.y]; }"
    before = visitor.ask(under, list, [x, y])
    for kind, apart in (("touchStart", 40), ("touchMove", 50), ("touchMove", 60), ("touchEnd", 0)):
        points = [{"x": x, "y": y - apart, "id": 1}, {"x": x, "y": y + apart, "id": 2}] if apart else []
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.detach()
    visitor.until(f"([at, zoom]) => ({under})(at)[0] > zoom * 1.49", [[x, y], before[0]])
    after = visitor.ask(under, list, [x, y])
    assert after == pytest.approx([before[0] * 1.5, *before[1:]], abs=0.001)
    assert visitor.ask("() => causeway.canvas.following", int) == 0  # it was no tap on anybody


NEAR_AND_FREE = """([x, y]) => {
    const { canvas } = causeway;
    const box = document.getElementById("map").getBoundingClientRect();
    return [[-2, 0], [2, 0], [-2, -1], [2, -1], [0, -2]].map(([dx, dy]) => [x + dx, y + dy]).find(goal => {
        const at = canvas.screenOf(...goal);
        const [px, py] = [box.left + at.x, box.top + at.y];
        return canvas.realm.walkable(...goal) && document.elementFromPoint(px, py)?.id === "map"
            && !canvas.pick(px, py, 8);
    });
}"""
"""A tile close by where nothing is."""
