"""Panels about other players, each part by itself: a trade, and a party with its frames."""

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


PARTY: Final = (
    LOAD
    + """
    const { Party } = await load("party.js");
    const sent = [], looked = [];
    const pane = new Party(message => sent.push(message) > 0, {
        closed() {}, self: () => 1, here: () => "confluence", look: id => looked.push(id) > 0 && id === 2,
    });
    document.body.append(pane.node, pane.frames);
    const press = (label, node = pane.node) => [...node.querySelectorAll("button")]
        .find(it => (it.getAttribute("aria-label") ?? it.textContent) === label).click();
    const anna = { id: 1, name: "Anna", game: "web", level: 3, hits: 9, hits_max: 9 };
    const bert = { id: 2, name: "Bert", game: "uo", level: 4, hits: 5, hits_max: 20, mana: 8, mana_max: 8,
        realm: "confluence", title: "Confluence", x: 12, y: 10 };
    const carla = { id: 3, name: "Carla", game: "eo", realm: "mine", title: "The Mine", online: false };
    const frames = () => [...pane.frames.children].map(it => [
        it.querySelector("b").textContent, it.querySelector("button").title,
        it.querySelector("small").textContent, it.querySelector(".member-place").textContent,
        ...[...it.querySelectorAll("[role=meter]")].map(one => one.getAttribute("aria-valuetext")),
    ]);
    const rows = () => [...pane.node.querySelectorAll(".members li")].map(it => [
        it.querySelector(".name").textContent,
        ...[...it.querySelectorAll("button")].map(one => one.textContent),
    ]);
"""
)
"""A party of Anna, who looks at the page, Bert, and Carla, who is away."""


def test_frames_say_how_the_others_fare_and_where(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {PARTY}
            const hidden = [pane.frames.hidden];
            pane.party({{ members: [bert, anna, carla], loot: "turns" }});
            pane.places({{ x: 10, y: 10 }});
            const before = frames();
            pane.member({{ t: "member", id: 2, hits: 0, hits_max: 20, dead: true }});
            pane.member({{ t: "member", id: 2, realm: "mine", title: "The Mine", x: 1, y: 1 }});
            pane.member({{ t: "member", id: 9, hits: 1, hits_max: 2 }});
            pane.places({{ x: 10, y: 10 }});
            const after = frames();
            for (const node of pane.frames.querySelectorAll("button")) node.click();
            hidden.push(pane.frames.hidden, looked.join(), pane.node.hidden);
            pane.party({{}});
            hidden.push(pane.frames.hidden);
            pane.node.remove();
            pane.frames.remove();
            return [hidden, before, after];
        }}""",
        list,
    )
    hidden, before, after = found
    carla = ["Carla", "Endless Online", "away", "the party waits for five minutes", "0 of 1", "0 of 1"]
    assert before == [
        ["Bert", "Ultima Online", "level 4 \N{BLACK STAR} leads", "2 east", "5 of 20", "8 of 8"],
        carla,
    ]
    assert after == [
        ["Bert", "Ultima Online", "ghost \N{BLACK STAR} leads", "The Mine", "0 of 20", "8 of 8"],
        carla,
    ]
    # Who is not in sight is not looked at: the pane opens.
    assert hidden == [True, False, "2,3", False, True]


def test_who_leads_decides_and_everybody_may_go(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {PARTY}
            const told = [[pane.asks, pane.has(2), pane.node.textContent.includes("in no party")]];
            pane.open();
            pane.node.querySelector("input").value = " Bert ";
            press("Ask into the party");
            pane.said("There is nobody of that name here.");
            told.push(pane.node.querySelector(".told").textContent);
            pane.party({{ members: [bert, anna, carla] }});
            told.push(rows(), [pane.asks, pane.node.querySelector("select").disabled]);
            pane.party({{ members: [anna, bert, carla], loot: "turns" }});
            const loot = pane.node.querySelector("select");
            told.push(rows(), [pane.asks, pane.has(2), loot.disabled, loot.value]);
            press("Let lead: Bert");
            press("Send out: Carla");
            loot.value = "leader";
            loot.dispatchEvent(new Event("change"));
            press("Leave the party");
            pane.node.remove();
            pane.frames.remove();
            return [told, sent];
        }}""",
        list,
    )
    (alone, words, led, rights, leading, own_rights), sent = found
    star = "\N{BLACK STAR}"
    assert alone == [True, False, True]
    assert words == "There is nobody of that name here."
    assert led == [
        [f"Bert {star} leadsUltima Online, level 4"],
        ["AnnaBrowser, level 3, you"],
        ["CarlaEndless Online, away"],
    ]
    assert rights == [False, True]
    assert leading == [
        [f"Anna {star} leadsBrowser, level 3, you"],
        ["BertUltima Online, level 4", "Let lead", "Send out"],
        ["CarlaEndless Online, away", "Send out"],
    ]
    assert own_rights == [True, True, False, "turns"]
    assert sent == [
        {"t": "invite", "name": "Bert"},
        {"t": "lead", "id": 2},
        {"t": "expel", "id": 3},
        {"t": "loot", "rule": "leader"},
        {"t": "leave_party"},
    ]
