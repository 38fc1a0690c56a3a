"""Panels about those who need not be in sight, each part by itself: a guild, lists, letters, and what can be
done with a player."""

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


SOCIETY: Final = (
    LOAD
    + """
    const { Society } = await load("society.js");
    const sent = [], told = [], states = [];
    const society = new Society(message => sent.push(message) > 0, {
        closed() {}, self: () => 1, expect() {},
        tell: name => told.push(name), state: words => states.push(words),
    });
    document.body.append(...society.panes.map(({ node }) => node), ...society.buttons);
    const named = (label, node) => [...node.querySelectorAll("button")]
        .find(it => (it.getAttribute("aria-label") ?? it.textContent) === label);
    const press = (label, node = society.guild.node) => named(label, node).click();
    const sure = label => named(label, [...document.querySelectorAll("dialog.question")].at(-1)).click();
    const type = (label, value, node) => {
        const field = node.querySelector(`[aria-label="${label}"]`);
        field.value = value;
        field.dispatchEvent(new Event("input"));
    };
    const rows = node => [...node.querySelectorAll(".rows .name")].map(it => it.textContent);
    const labels = node => [...node.querySelectorAll("button")]
        .map(it => it.getAttribute("aria-label") ?? it.textContent);
    const gone = () => [...society.panes.map(one => one.node), ...society.buttons].map(node => node.remove());
    const now = Date.now() / 1000;
    const all = ["invite", "promote", "expel", "notice", "withdraw", "ties", "lead"];
    const ranks = [{ name: "recruit" }, { name: "member", rights: ["invite"] },
        { name: "officer", rights: all.slice(0, 5) }, { name: "leader", rights: all }];
    const anna = rank => ({ id: 1, name: "Anna", rank, level: 3, online: true, game: "web" });
    const bert = { id: 2, name: "Bert", rank: 1, level: 4, online: true, game: "uo", given: 20 };
    const carla = { id: 3, name: "Carla", rank: 3, level: 5, seen: now - 7300 };
    const guild = (...members) => ({ t: "guild", number: 4, name: "Weavers", short: "WV", members, ranks,
        gold: 60, notice: "Market day.", ties: [{ name: "Millers", short: "ML", bond: "war", since: now }],
        log: [{ at: now - 120, who: "Carla", deed: "founded the guild" }] });
"""
)
"""A guild in which Anna, who looks at the page, is of some rank, Bert a member and Carla away."""


def test_a_guild_offers_what_the_rank_allows(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {SOCIETY}
            const {{ node }} = society.guild;
            society.take(guild(carla, bert, anna(0)));
            const closed = [node.hidden, society.guild.asks, society.guild.has(2), society.guild.has(9)];
            society.toggle("guild");
            society.take({{ ...guild(carla, bert, anna(0)), opened: true }});
            const recruit = [node.querySelector("h2").textContent, rows(node), labels(node)];
            press("What to do: Bert");
            press("Tell: Bert");
            society.take({{ t: "guild_member", member: anna(2) }});
            const officer = [society.guild.asks, rows(node).slice(0, 3), labels(node)];
            society.take({{ t: "guild_member", member: {{ ...carla, rank: 2 }} }});
            society.take({{ t: "guild_member", member: anna(3) }});
            const leader = [rows(node).slice(0, 3), labels(node)];
            society.take({{ t: "guild_member", member: {{ ...bert, id: 9 }} }});
            society.take({{ t: "guild" }});
            const none = [node.hidden, society.guild.has(2), society.guild.asks];
            gone();
            return [closed, recruit, officer, leader, none, told, sent];
        }}""",
        list,
    )
    closed, recruit, officer, leader, none, told, sent = found
    assert closed == [True, False, True, False]
    frame, millers = ["Fold", "Close"], "Millers [ML]at war, which they declared, just now"
    bert = "Bertmember, level 4, Ultima Online, gave 20 gold"
    assert recruit == [
        "Weavers [WV]",
        ["Carlaleader, level 5, seen 2 hours ago", bert, "Annarecruit, level 3, Browser, you", millers],
        [*frame, "What to do: Bert", "Put in: gold", "Leave the guild"],
    ]
    assert officer == [
        True,
        ["Carlaleader, level 5, seen 2 hours ago", "Annaofficer, level 3, Browser, you", bert],
        # A member cannot be made an officer by an officer; and nothing is done to whoever leads.
        [
            *(*frame, "Write it", "What to do: Bert", "Tell: Bert", "Demote: Bert", "Expel: Bert"),
            *("Ask into the guild", "Put in: gold", "Take out: gold", "Leave the guild"),
        ],
    ]
    assert leader == [
        ["Annaleader, level 3, Browser, you", "Carlaofficer, level 5, seen 2 hours ago", bert],
        [
            *(*frame, "Write it", "What to do: Carla", "What to do: Bert", "Tell: Bert", "Promote: Bert"),
            *(
                "Demote: Bert",
                "Expel: Bert",
                "Let lead: Bert",
                "Ask into the guild",
                "Ask for peace: Millers",
            ),
            *("Ask for an alliance", "Declare war", "Put in: gold", "Take out: gold", "Disband the guild"),
        ],
    ]
    assert none == [True, False, False]
    assert (told, sent) == (["Bert"], [{"t": "guild"}])


def test_what_is_done_for_a_guild_is_said(shelf: Guest) -> None:
    sent = shelf.ask(
        f"""async () => {{ {SOCIETY}
            const {{ node }} = society.guild;
            society.take({{ ...guild(anna(3), bert), opened: true }});
            press("What to do: Bert");
            for (const deed of ["Promote", "Demote", "Expel", "Let lead"]) press(`${{deed}}: Bert`);
            sure("Cancel");
            press("Let lead: Bert");
            sure("Hand it over");
            type("Name of whom to ask", " Dora ", node);
            press("Ask into the guild");
            press("Ask into the guild"); // nobody is named any more
            type("A notice for all members", "Come all.", node);
            society.take(guild(anna(3), bert)); // what was typed stays
            press("Write it");
            type("Name or tag of a guild", "FS", node);
            press("Declare war");
            type("Name or tag of a guild", "BK", node);
            press("Ask for an alliance");
            press("Ask for peace: Millers");
            press("Put in: gold"); // how much?
            type("How many: gold for the guild", "7", node);
            press("Put in: gold");
            press("Take out: gold");
            press("Disband the guild");
            sure("Disband it");
            while (document.querySelector("dialog.question")) await new Promise(done => setTimeout(done));
            gone();
            return sent;
        }}""",
        list,
    )
    leads = {"t": "guild_lead", "name": "Bert"}
    disbands = {"t": "guild_disband"}
    assert leads in sent
    assert disbands in sent
    assert [one for one in sent if one not in (leads, disbands)] == [
        {"t": "guild_rank", "name": "Bert"},
        {"t": "guild_rank", "up": False, "name": "Bert"},
        {"t": "guild_expel", "name": "Bert"},
        {"t": "guild_invite", "name": "Dora"},
        {"t": "guild_notice", "text": "Come all."},
        {"t": "guild_tie", "name": "FS"},
        {"t": "guild_tie", "tie": "alliance", "name": "BK"},
        {"t": "guild_tie", "name": "Millers", "tie": "end"},
        {"t": "guild_gold", "amount": 7},
        {"t": "guild_gold", "amount": 7, "out": True},
    ]
    assert len([one for one in sent if one == leads]) == 1, "who thinks better of it hands nothing over"


def test_lists_and_a_duel(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {SOCIETY}
            const {{ node }} = society.friends, [yields] = society.buttons;
            const dora = {{ id: 7, name: "Dora" }};
            society.begin();
            society.take({{ t: "friends", friends: [{{ id: 2, name: "Bert" }}], ignored: [dora] }});
            society.toggle("friends");
            society.take({{ t: "friend", friend: {{ id: 3, name: "Carla", online: true, game: "l2" }} }});
            const lists = [rows(node), society.friends.has(2), society.friends.ignores(7)];
            press("Remove: Bert", node);
            society.take({{ t: "friend", friend: {{ id: 2, name: "Bert" }}, listed: false }});
            press("Hear again: Dora", node);
            society.take({{ t: "ignored", ignored: dora, listed: false }});
            society.said("You hear of Dora again.");
            lists.push(rows(node), node.querySelector(".told").textContent);
            society.take({{ t: "duel_count", id: 2, name: "Bert", seconds: 3 }});
            const duel = [yields.hidden];
            yields.click();
            society.take({{ t: "duel_over", id: 2, why: "Off." }});
            duel.push(yields.hidden, states.filter(Boolean), states.at(-1), society.take({{ t: "show" }}));
            gone();
            return [lists, duel, sent];
        }}""",
        list,
    )
    lists, duel, sent = found
    assert lists[:3] == [["Carlahere: Lineage II", "Bertaway", "Dora"], True, True]
    assert lists[3:] == [["Carlahere: Lineage II"], "You hear of Dora again."]
    assert duel == [False, True, ["Your duel with Bert begins in 3 …"], "", False]
    assert sent == [
        {"t": "friends"},
        {"t": "unfriend", "name": "Bert"},
        {"t": "heed", "name": "Dora"},
        {"t": "yield"},
    ]


def test_letters_are_written_and_dealt_with(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {SOCIETY}
            const {{ node }} = society.mail;
            society.sheet({{ gold: 50 }});
            const bread = {{ id: 5, name: "bread loaf", look: {{}}, amount: 4 }};
            society.belongings([bread, {{ id: 6, name: "bag", look: {{}}, worn: true }}]);
            society.toggle("mail");
            press("Write a letter", node);
            press("Put in: bread loaf", node);
            society.belongings([{{ ...bread, amount: 3 }}]); // one was eaten
            const to = node.querySelector("[data-key=letter-to]");
            to.value = "Bert";
            node.querySelector("[data-key=letter-text]").value = " Eat\\n it. ";
            type("How many: gold to be paid for it", "5", node);
            press("Send it", node);
            society.said("There is nobody of that name.");
            const shown = [to.value, node.querySelector(".told").textContent];
            society.take({{ t: "letter_sent", to: "Bert" }});
            shown.push(node.contains(to), to.value);
            society.take({{ t: "mail", letters: [{{ id: 8, sender: "Bert", subject: "Yes", at: now, price: 3,
                parcel: [{{ name: "hat", look: {{}} }}] }}] }});
            shown.push(rows(node));
            press("Read: Yes, from Bert", node);
            press("Pay 3 gold and take it", node);
            press("Send it back", node);
            society.take({{ t: "mail" }});
            shown.push(node.querySelector(".empty").textContent);
            gone();
            return [shown, sent];
        }}""",
        list,
    )
    (kept, refused, written, empty, waits, none), sent = found
    assert (kept, refused, written, empty) == ("Bert", "There is nobody of that name.", False, "")
    assert waits == ["Yesnew, from Bert, just now, a parcel for 3 gold"]
    assert none == "No letters wait for you."
    assert sent == [
        {"t": "mail"},
        {"t": "send_letter", "to": "Bert", "text": "Eat it.", "things": [{"id": 5, "amount": 3}], "price": 5},
        {"t": "read_letter", "id": 8},
        {"t": "take_letter", "id": 8},
        {"t": "refuse_letter", "id": 8},
    ]


def test_what_suits_is_offered_with_a_player(shelf: Guest) -> None:
    found = shelf.ask(
        f"""async () => {{ {LOAD}
            const {{ actions }} = await load("acts.js");
            const sent = [], put = [];
            const game = (company, listed) => ({{
                id: 1, card: {{ close() {{}} }}, going: {{ far: () => 2 }},
                party: {{ asks: company, has: () => false, ask: id => put.push(["party", id]) }},
                society: {{
                    guild: {{ asks: company, has: () => false, ask: id => put.push(["guild", id]) }},
                    friends: {{ has: () => listed, ignores: () => listed, put: (...what) => put.push(what) }},
                    report: {{ about: name => put.push(["report", name]) }},
                }},
            }});
            const bert = {{ id: 2, name: "Bert", kind: "mobile", game: "uo" }};
            const offers = (...how) => actions(game(...how), message => sent.push(message), bert, () => {{}});
            const free = new Map(offers(true, false)), known = new Map(offers(false, true));
            const some = ["Invite to party", "Invite to guild", "Add friend", "Ignore"];
            for (const label of [...some, "Duel", "Trade", "Report"]) free.get(label)();
            for (const label of ["Remove friend", "Hear again"]) known.get(label)();
            return [[...free.keys()], [...known.keys()], put, sent];
        }}""",
        list,
    )
    free, known, put, sent = found
    before, after = ["Tell", "Follow", "Trade", "Give"], ["Duel", "Face", "Attack", "Report"]
    assert free == [*before, "Invite to party", "Invite to guild", "Add friend", "Ignore", *after]
    assert known == [*before, "Remove friend", "Hear again", *after]
    assert put == [
        ["party", 2],
        ["guild", 2],
        ["befriend", "Bert"],
        ["ignore", "Bert"],
        ["report", "Bert"],
        ["unfriend", "Bert"],
        ["heed", "Bert"],
    ]
    assert sent == [{"t": "duel", "id": 2}, {"t": "trade", "id": 2}]
