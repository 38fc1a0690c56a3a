"""Fighting in the browser: from the key that attacks to the loot, and from the last blow to the healer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from playwright.sync_api import TimeoutError as Late

from tests.browser.guests import FIND, ME, Guest
from tests.browser.prey import CORPSE, PREY, comes
from tests.browser.scripts import LOAD, POINT

if TYPE_CHECKING:
    from tests.browser.conftest import Door
    from tests.browser.guests import Host

BLOW: Final = (
    "causeway.world.fights.numbers.some(it => ['dealt', 'critical', 'missed', 'others'].includes(it.kind))"
)


LEANS: Final = """() => {
    window.leant = 0;
    setInterval(() => {
        for (const { place, thing } of causeway.canvas.seen) {
            const far = Math.hypot(place.x - thing.x, place.y - thing.y);
            // Farther is who has gone on since the picture was drawn.
            if (!place.moving && far < 0.6) window.leant = Math.max(window.leant, far);
        }
    }, 20);
}"""
"""How far somebody who stands is drawn from where it stands: who strikes leans forward."""

LAID_OUT: Final = """() => {
    const box = selector => document.querySelector(selector).getBoundingClientRect();
    const covers = (one, other) => {
        const [a, b] = [box(one), box(other)];
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    };
    const all = ["#bars", "#target", ".zoom", "#actions", "#pad", "#chat-form"];
    const pairs = all.flatMap((one, n) => all.slice(n + 1).map(other => [one, other]));
    const faults = pairs.filter(pair => covers(...pair));
    const level = document.querySelector(".target-level");
    if (level.getClientRects().length !== 1) faults.push(["level", "on two lines"]);
    for (const node of document.querySelectorAll("#actions button")) {
        const { left, right, width, height } = node.getBoundingClientRect();
        const fits = left >= 0 && right <= innerWidth && width >= 36 && height >= 36;
        if (width && !fits) faults.push([node.outerHTML]);
    }
    return faults;
}"""
"""What covers what on a phone in a fight, and what is too small for a finger."""


def prepared(visitor: Guest, host: Host) -> None:
    """Strong enough to be done soon, and about to reach the next level."""
    for field, value in (("strength", 125), ("dexterity", 125), ("experience", 1000)):
        host.order(f"set {visitor.name} {field} {value}")
    for skill in ("unarmed", "tactics"):
        host.order(f"skill {visitor.name} {skill} 36")


def test_a_fight_its_loot_and_what_is_learned(guest: Door, host: Host) -> None:
    anna, bert = guest(), guest(calm=True)
    for visitor in (anna, bert):
        visitor.watches()
        visitor.tries()
    prepared(anna, host)
    comes(anna, host, 4)
    bert.knows(PREY)
    page = anna.page
    page.evaluate(
        f"() => {{ window.blows = 0; setInterval(() => {{ if ({BLOW}) window.blows += 1; }}, 20); }}"
    )
    bert.page.evaluate(
        f"() => {{ window.seen = []; setInterval(() => {{ if ({BLOW})"
        " window.seen.push(causeway.world.fights.numbers[0].kind); }, 20); }"
    )
    for visitor in (anna, bert):
        visitor.page.evaluate(LEANS)
    page.focus("#map")
    page.keyboard.press("f")
    page.locator("#target", has_text=PREY).wait_for()
    anna.until("() => window.blows > 0")
    bert.until("() => window.seen.length > 0")
    # Who wants no motion is shown none: numbers, and nobody who lunges.
    anna.until("() => window.leant > 0.1")
    assert bert.ask("() => window.leant === 0", bool)
    assert bert.ask("() => [...new Set(window.seen)].filter(it => it === 'dealt')", list) == []
    for visitor in (anna, bert):
        visitor.knows(CORPSE)
        visitor.misses(PREY)
    anna.hears(f"You have killed {PREY}.")
    anna.hears("You are now of level 2.")
    bert.hears(f"{anna.name} is now of level 2.")
    page.locator("#target").wait_for(state="hidden")
    assert page.inner_text("#actions .attack") == "Attack"
    _loots(anna)
    _grows(anna)


def _loots(anna: Guest) -> None:
    """A click opens the corpse in the window that bags use."""
    page = anna.page
    anna.carries("gold coin \N{MULTIPLICATION SIGN} 100")
    anna.looks()
    # Whoever still lunges may stand before it.
    page.mouse.click(*page.wait_for_function(POINT, arg=anna.serial(CORPSE), polling=30).json_value())
    window = page.locator("#pack section", has=page.locator("h3", has_text=f"In the {CORPSE}"))
    take = window.get_by_role("button", name="Take: gold coin")
    take.click()
    window.get_by_text("gold coin").wait_for(state="detached")
    anna.until(r"() => /gold coin \S 10[2-6]/.test(document.getElementById('pack').textContent)")


def _grows(anna: Guest) -> None:
    page = anna.page
    page.get_by_role("button", name="3 points to spend").click()
    assert page.evaluate("() => document.activeElement.dataset.key") == "more-strength"
    page.get_by_role("button", name="Raise vitality").click()
    page.locator("#actions .points", has_text="+2").wait_for()
    page.locator("#character summary", has_text="2 points to spend").wait_for()
    assert page.evaluate("() => document.activeElement.dataset.key") == "more-vitality"
    text = " ".join(page.inner_text("#character").split())
    for words in ("Level 2", "Vitality 11", "Strength 125", "Daggers 30.0"):
        assert words in text
    page.get_by_role("button", name="Daggers may rise").click()
    page.get_by_role("button", name="Daggers may fall").click()
    page.get_by_role("button", name="Daggers stays as it is").wait_for()
    assert page.evaluate("() => document.activeElement.dataset.key") == "lock-daggers"


def test_the_dead_are_told_how_to_return(guest: Door, host: Host) -> None:
    anna = guest()
    page = anna.watches()
    anna.tries()
    before = anna.settles(host)
    # What helps is used by a key, and sounds are made only for who asked for them.
    host.order(f"set {anna.name} hits 20")
    page.locator("#actions [data-aid=potion][aria-label='Potion: healing potion, 2']").wait_for()
    page.focus("#map")
    page.keyboard.press("1")
    page.locator("#actions [data-aid=potion][aria-label='Potion: healing potion, 1']").wait_for()
    played = anna.ask(
        f"""async () => {{ {LOAD}
            const {{ Sounds }} = await load("sounds.js");
            return [false, true].map(wanted => {{
                const sounds = new Sounds(() => wanted);
                ["hit", "missed", "level", "nothing"].forEach(name => sounds.play(name));
                return sounds.played;
            }});
        }}""",
        list,
    )
    assert played == [[], ["hit", "missed", "level"]]
    assert not page.get_by_label("Sounds of fights").is_checked()
    # Whoever was striking keys chooses nothing by that, and hears what happened.
    page.focus("#map")
    host.order(f"kill {anna.name}")
    page.locator("#death", has_text="You are dead").wait_for()
    assert page.evaluate("() => document.activeElement.id") == "death-title"
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Take me to the healer"
    page.get_by_role("button", name="Take me to the healer").click()
    page.locator("#death").wait_for(state="hidden")
    anna.until(f"([name, x, y]) => (me => me.x !== x || me.y !== y)({ME})", [anna.name, *before])
    page.locator("#dialog").get_by_role("button", name="CONTINUE").click()
    anna.until(f"name => !{ME}.dead", anna.name)
    page.wait_for_selector("#banner", state="hidden")


def test_fights_as_a_page_keeps_them(guest: Door, host: Host) -> None:
    """Time is an argument: swings, numbers and who counts as fighting end by themselves."""
    shelf = guest()
    shelf.watches()
    found = shelf.ask(
        f"""async () => {{ {LOAD}
            const {{ World }} = await load("world.js");
            const world = new World();
            const look = {{ figure: "dog" }};
            world.apply({{ t: "entered", id: 1, name: "A" }}, 0);
            world.apply({{ t: "show", id: 1, kind: "mobile", name: "A", x: 5, y: 5, look }}, 0);
            world.apply({{ t: "show", id: 2, kind: "mobile", name: "B", x: 6, y: 5, look }}, 0);
            const {{ fights }} = world;
            const blow = {{ t: "struck", id: 1, target: 2, outcome: "hit", damage: 7, hits: 40, ms: 1000 }};
            world.apply({{ t: "engaged", id: 1, target: 2 }}, 0);
            world.apply(blow, 0);
            const lean = fights.lean(1, 100);
            const told = [[...fights.numbers].map(it => [it.id, it.text, it.kind]), world.things.get(2).hits];
            world.apply({{ ...blow, id: 2, target: 1, outcome: "critical" }}, 10);
            world.apply({{ ...blow, outcome: "missed", damage: 0 }}, 20);
            const kinds = fights.numbers.map(it => [it.text, it.kind, it.lane]);
            const busy = [fights.busy(1, 99_000), fights.busy(2, 5_000), fights.busy(2, 99_000)];
            world.apply({{ t: "disengaged", id: 1 }}, 30);
            world.prune(9_999);
            fights.prune(9_999);
            const after = [fights.numbers.length, fights.swings.size, fights.busy(1, 9_999)];
            return [lean.x > 0.05 && lean.y === 0, fights.lean(1, 5_000), told, kinds, busy, after];
        }}""",
        list,
    )
    assert found == [
        True,
        None,
        [[[2, "7", "dealt"]], 40],
        [["7", "dealt", 0], ["7!", "taken", 0], ["miss", "missed", 1]],
        [True, True, False],
        [0, 0, False],
    ]


def test_a_creature_is_chosen_by_a_tap_and_attacked_by_the_next(guest: Door, host: Host) -> None:
    visitor = guest(width=390, height=844, touch=True)
    page = visitor.watches()
    visitor.taps("#panel-handle", "() => document.getElementById('panel').dataset.open === 'yes'")
    page.tap("#play-now")
    visitor.name = page.input_value("#try-form [name=character]")
    page.tap("#try")
    visitor.stands()
    page.get_by_role("button", name="Not now.").tap()  # a question is as wide as a phone
    comes(visitor, host, 2)
    prey = visitor.serial(PREY)
    for _ in range(8):  # it goes about, and may stand behind somebody
        spot = page.wait_for_function(POINT, arg=prey, polling=30).json_value()
        page.touchscreen.tap(*spot)
        with suppress(Late):
            page.locator("#target", has_text="level 2").wait_for(timeout=2_000)
            break
    assert "level 2" in page.inner_text("#target")
    assert visitor.ask(LAID_OUT, list) == []
    assert visitor.ask(f"name => {FIND}.hits", int, PREY) == 100
    page.locator("#target .attack").tap()
    visitor.until("() => causeway.world.fights.enemies.get(causeway.world.self)")
    page.locator("#actions .attack").tap()
    visitor.until("() => !causeway.world.fights.enemies.has(causeway.world.self)")
    host.order(f"remove {prey}")
