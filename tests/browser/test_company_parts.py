"""Panels about other players, each part by itself: a trade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.guests import Guest
from tests.browser.scripts import LOAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.guests import Host


@pytest.fixture(scope="module")
def shelf(browser: Browser, host: Host) -> Iterator[Guest]:
    """A page whose modules can be asked."""
    with Guest(browser, host.page()) as guest:
        guest.watches()
        yield guest


TIMES: Final = "\N{MULTIPLICATION SIGN}"

TRADE: Final = (
    LOAD
    + """
    const { Trading } = await load("trading.js");
    const [sent, told] = [[], []];
    const send = message => { sent.push(message); return true; };
    const pane = new Trading(send, { closed: () => told.push("map"), opened: () => told.push("opened") });
    document.body.append(pane.node);
    const press = name => [...pane.node.querySelectorAll("button")]
        .find(it => (it.getAttribute("aria-label") ?? it.textContent) === name).click();
    const type = (name, value) => {
        const field = pane.node.querySelector(`input[aria-label="How many: ${name}"]`);
        field.value = value;
        field.dispatchEvent(new Event("input"));
    };
    const lists = () => [...pane.node.querySelectorAll("ul")].map(list => [...list.children].map(row =>
        [row.querySelector(".name").textContent, row.querySelector("button")?.textContent ?? ""]));
    const loaf = { figure: "loaf", colour: "#c08a4a" };
    const bread = { id: 5, name: "bread loaf", look: loaf, amount: 4, kind: "bread" };
    const dagger = { id: 6, name: "dagger", look: { figure: "blade" }, kind: "dagger" };
    const coins = { id: 7, name: "gold coin", look: { figure: "coin" }, kind: "gold", amount: 60 };
    pane.sheet({ gold: 60 });
    pane.belongings([bread, dagger, coins, { ...bread, id: 8, worn: true }]);
    const bargain = (own, theirs, changes, line) =>
        pane.show({ t: "bargain", id: 3, name: "Bert", game: "uo", own, theirs, changes, line });
"""
)
"""A trade with Bert, of somebody who has bread, a dagger and 60 gold."""


def test_what_one_offers_and_agrees_to_is_said_as_it_was_shown(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {TRADE}
            bargain({{}}, {{}}, 0, "You trade with Bert.");
            const before = [pane.node.hidden, pane.node.querySelector("h2").textContent, lists()];
            before.push(pane.node.querySelector("[data-key=agree]").disabled);
            type("bread loaf", "3");
            press("Offer: bread loaf");
            press("Offer: dagger");
            type("gold", "20");
            press("Offer: gold");
            type("gold", "61");
            press("Offer: gold");
            before.push(pane.node.querySelector(".told").textContent);
            const own = {{ things: [{{ ...bread, amount: 3 }}], gold: 20 }};
            const theirs = {{ things: [{{ ...dagger, id: 9, inside: ["2 apples"] }}], agreed: true }};
            bargain(own, theirs, 4, "Bert agrees.");
            const after = [lists(), [...pane.node.querySelectorAll("h3")].map(it => it.textContent)];
            press("Agree");
            bargain({{ ...own, agreed: true }}, {{ ...theirs, agreed: false }}, 4, "You agree.");
            press("Agreed");
            press("Take back: bread loaf");
            press("End the trade");
            pane.over({{ id: 4 }});
            after.push(pane.open);
            pane.over({{ id: 3 }});
            after.push(pane.open, pane.node.hidden, told);
            pane.node.remove();
            return [before, after, sent];
        }}""",
        list,
    )
    before, after, sent = found
    pack = [[f"bread loaf {TIMES} 4", "Offer"], ["dagger", "Offer"]]
    assert before == [False, "U Trade with Bert Ultima Online", [pack], True, "You have only 60 gold."]
    theirs, mine = [["daggerwith 2 apples", ""]], [[f"bread loaf {TIMES} 3", "Take back"]]
    assert after == [
        [theirs, mine, [["dagger", "Offer"]]],
        ["Bert offers ✓ agreed", "You offer", "In your pack"],
        *(True, False, True, ["opened"]),
    ]
    assert sent == [
        {"t": "offer", "id": 5, "amount": 3},
        {"t": "offer", "id": 6},
        {"t": "offer_gold", "amount": 20},
        {"t": "agree", "changes": 4},
        {"t": "agree", "changes": 4, "agreed": False},
        {"t": "retract", "id": 5},
        {"t": "end_trade"},
    ]


def test_words_that_answer_are_in_the_panel_and_the_keyboard_goes_back_to_the_map(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {TRADE}
            pane.said("before");
            bargain({{}}, {{}}, 0, "You trade with Bert.");
            pane.said("unasked");
            press("Offer: dagger");
            pane.said("You have no room for that.");
            const words = [pane.node.querySelector(".told").textContent];
            pane.focus();
            words.push(document.activeElement.id);
            pane.clear();
            words.push(pane.focus());
            pane.node.remove();
            return [words, told];
        }}""",
        list,
    )
    assert found == [["You have no room for that.", "trading-title", False], ["opened", "map"]]
