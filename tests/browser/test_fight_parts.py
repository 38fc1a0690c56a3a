"""What a fight is drawn and told with, each part by itself: figures, bars, locks, and a narrow bar."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import pytest

from protocol.web.looks import MOBILE_FIGURES
from tests.browser.guests import Guest
from tests.browser.scripts import LOAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.guests import Host


@pytest.fixture(scope="module")
def shelf(browser: Browser, host: Host) -> Iterator[Guest]:
    """A page whose modules can be asked, as narrow as a small phone."""
    with Guest(browser, host.page(), width=320, height=640) as guest:
        guest.watches()
        yield guest


DRAWN: Final = """
    const { BOX, drawFigure, heightOf } = await load("figures.js");
    const T = 40, [wide, high] = [(BOX.left + BOX.right) * T, (BOX.up + BOX.down) * T];
    const draw = (figure, heading, pose) => {
        const context = new OffscreenCanvas(wide, high).getContext("2d", { willReadFrequently: true });
        context.translate(BOX.left * T, BOX.up * T);
        context.scale(T, T);
        drawFigure(context, { figure, colour: "#7a8a6a" }, { heading, pose });
        const { data } = context.getImageData(0, 0, wide, high);
        let top = high, sum = 0, drawn = 0;
        for (let n = 3; n < data.length; n += 4) {
            if (data[n] < 60) continue;
            drawn += 1;
            top = Math.min(top, Math.floor(n / 4 / wide));
            sum = (sum * 31 + n + data[n - 1]) % 1000003;
        }
        return [drawn, BOX.up - top / T, sum];
    };
    return given.map(figure => {
        const poses = [[4, "stand"], [2, "stand"], [0, "stand"], [2, "left"], [2, "right"], [4, "lie"]];
        const thing = { kind: "mobile", look: { figure } };
        return [figure, heightOf(thing), poses.map(([heading, pose]) => draw(figure, heading, pose))];
    });
"""
"""Of each figure: its height as labels have it, and of each pose how many pixels it has, how high it is, and
a number for what it looks like."""


def test_every_creature_has_a_figure_of_its_own(shelf: Guest) -> None:
    words = [word for word in MOBILE_FIGURES if word != "person"]
    found = shelf.ask(f"async given => {{ {LOAD} {DRAWN} }}", list, [*words, "nobody drew this"])
    person = found.pop()
    looks = {figure: [look for _, _, look in poses] for figure, _, poses in [*found, person]}
    for one, other in combinations(looks, 2):
        assert looks[one][0] != looks[other][0], f"{one} is drawn as {other}"
    for figure, height, poses in found:
        assert all(drawn > 40 for drawn, _, _ in poses), f"{figure} is hardly to be seen"
        assert poses[0][2] != poses[5][2], f"{figure} stands when it is dead"
        assert max(top for _, top, _ in poses) < 1.85, f"{figure} is cut off at its head"
        assert abs(height - poses[1][1]) < 0.35, f"{figure}: {height} tiles, drawn {poses[1][1]:.2f}"
        if figure != "bird":  # it has one side only
            assert len({look for _, _, look in poses[:3]}) == 3, f"{figure} has no front and back"


def test_poison_is_a_word_on_the_bars(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {LOAD}
            const {{ Bars }} = await load("hud.js");
            const {{ Target }} = await load("hudfight.js");
            const {{ World }} = await load("world.js");
            const bars = new Bars(), frame = new Target({{}}), world = new World();
            const told = (node, bar) => [
                node.hasAttribute("data-poisoned"), !node.querySelector(".poison").hidden,
                node.querySelector(`[data-bar=${{bar}}]`).getAttribute("aria-valuetext"),
            ];
            const look = {{ figure: "spider" }};
            world.apply({{ t: "show", id: 2, kind: "mobile", name: "B", x: 6, y: 5, look, hits: 40 }}, 0);
            return [true, false].map(poisoned => {{
                bars.sheet({{ hits: 30, hits_max: 60, poisoned }});
                world.apply({{ t: "change", id: 2, poisoned }}, 0);
                frame.show(world.things.get(2), true);
                return [told(bars.node, "hits"), told(frame.node, "target")];
            }});
        }}""",
        list,
    )
    assert found == [
        [[True, True, "30 of 60, poisoned"], [True, True, "40 %, poisoned"]],
        [[False, False, "30 of 60"], [False, False, "40 %"]],
    ]


def test_a_skill_s_button_says_what_it_does_and_asks_for_the_next(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {LOAD}
            const {{ Sheet }} = await load("sheet.js");
            const asked = [];
            const sheet = new Sheet({{ lock: (...wish) => asked.push(wish) }});
            sheet.node.open = true;
            document.body.append(sheet.node);
            const labels = [];
            for (const lock of [0, 1, 2]) {{
                sheet.skills({{ skills: [{{ name: "swords", value: 412, lock }}] }});
                const node = sheet.node.querySelector(".lock");
                const label = node.getAttribute("aria-label");
                labels.push([node.textContent, label, document.activeElement === node]);
                node.focus();
                node.click();
            }}
            sheet.node.remove();
            return [labels, asked];
        }}""",
        list,
    )
    assert found == [
        [
            ["\N{BLACK UP-POINTING TRIANGLE}", "Swords may rise", False],
            ["\N{BLACK DOWN-POINTING TRIANGLE}", "Swords may fall", True],
            ["\N{BLACK SQUARE}", "Swords stays as it is", True],
        ],
        [["swords", 1], ["swords", 2], ["swords", 0]],
    ]


def test_the_realm_makes_room_for_the_clock(shelf: Guest) -> None:
    """However long its name is, and whatever is the matter with the connection."""
    found = shelf.ask(
        """() => {
            const [choice, select] = ["realm-choice", "realm-select"].map(id => document.getElementById(id));
            const [clock, state] = ["clock", "link-state"].map(id => document.getElementById(id));
            select.replaceChildren(new Option("The Undercroft below the graveyard of Confluence"));
            choice.hidden = clock.hidden = false;
            document.getElementById("clock-time").textContent = "22:58";
            const box = node => node.getBoundingClientRect();
            const before = [state.dataset.state, state.textContent];
            const found = ["open", "waiting"].map(now => {
                state.dataset.state = now;
                state.textContent = now === "open" ? "Live" : "Trying again …";
                const theme = box(document.getElementById("theme"));
                return [box(select).right <= box(clock).left, box(select).width > 50,
                    box(clock).width > 30, theme.right <= innerWidth, box(state).right <= theme.left + 1];
            });
            [state.dataset.state, state.textContent] = before;
            return found;
        }""",
        list,
    )
    assert found == [[True] * 5] * 2
