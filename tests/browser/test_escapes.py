"""Whatever somebody is called and says, it is text on the page and becomes no part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.browser.scripts import PANES

if TYPE_CHECKING:
    from tests.browser.conftest import Door
    from tests.browser.guests import Company, Guest

BAD: Final = "<img src=x onerror=\"window.bad='here'\"><b class=bad>&amp;\"'</b>"

MODULES: Final = """
    const page = document.querySelector("script[type=module]").src;
    const load = name => import(page.replace("page.js", name));
"""

FEED_THE_MAP: Final = """bad => {
    const parts = ["figure", "skin", "hair", "top", "legs", "feet", "head", "colour"];
    const look = Object.fromEntries(parts.map(part => [part, bad]));
    const { world } = causeway;
    const say = message => world.apply(message);
    say({ t: "realm", name: world.realm.name, title: bad });
    say({ t: "show", id: 901, kind: "mobile", name: bad, x: 50, y: 60, look, title: bad, game: "uo" });
    say({ t: "show", id: 902, kind: "mobile", name: bad, x: 51, y: 60, look, title: bad, game: bad });
    say({ t: "show", id: 903, kind: "mobile", name: bad, x: 52, y: 60, look, resident: true });
    say({ t: "show", id: 904, kind: "item", name: bad, x: 53, y: 60, look });
    say({ t: "say", id: 901, name: bad, how: "say", words: bad });
    say({ t: "say", id: 902, name: bad, how: "emote", words: bad });
    say({ t: "event", kind: bad, text: bad, at: 1, game: bad });
    say({ t: "event", kind: "said", text: bad, at: 1, game: "uo" });
    say({ t: "counts", online: { [bad]: 1, uo: 2 }, mobiles: 3, items: 1, viewers: 1 });
    causeway.canvas.realm.signs.push({ x: 50, y: 58, title: bad, text: bad });
    causeway.canvas.follow(901);
    return true;
}"""

FEED_THE_PARTS: Final = (
    "async bad => {"
    + MODULES
    + """
    const [chat, dialogs, hud, pack, menu, connect] = await Promise.all(
        ["chat.js", "dialogs.js", "hud.js", "pack.js", "menu.js", "connect.js"].map(load));
    const look = { figure: bad, skin: bad, colour: bad };
    const thing = { id: 1, name: bad, amount: 2, look, container: true, wearable: true };
    const here = document.createElement("section");
    here.id = "probe";
    document.body.append(here);
    const talk = new chat.Chat({ send() {}, look() {}, done() {} });
    talk.setGestures([bad]);
    for (const how of ["say", "whisper", "yell", "emote", "tell", "global", "system", "announce", bad])
        talk.said({ id: 1, name: bad, how, words: bad });
    talk.gestured(bad, bad);
    talk.tellTo(bad);
    const asked = new dialogs.Dialogs(() => {});
    const card = new hud.Card(() => {});
    card.open({ id: 1, ...thing }, [[bad, () => {}]]);
    card.seen({ id: 1, name: bad, lines: [bad, bad] });
    const near = new hud.Near(() => {});
    near.show([{ id: 1, name: bad, where: bad }]);
    const bars = new hud.Bars();
    bars.name(bad);
    bars.place(bad, 1, 1);
    const banner = new hud.Banner();
    banner.set("link", bad);
    const owns = new pack.Pack(() => {});
    owns.belongings([thing, { ...thing, id: 2, worn: true }]);
    owns.content({ id: 3, name: bad, things: [thing] });
    const choices = new menu.Menu({});
    here.append(talk.node, asked.node, card.node, near.node, bars.node, banner.node, owns.node, choices.node);
    asked.ask({ serial: 1, title: bad, text: bad, buttons: [{ number: 1, label: bad }] });
    choices.characters(bad, [{ id: 1, name: bad, level: 1, realm: bad, look }], 3, 1);
    choices.fault(bad);
    const end = document.createElement("div");
    here.append(end, dialogs.accountNote({ account: bad, password: bad }));
    const steps = [{ text: bad, file: bad, line: bad }];
    const accounts = { may_register: true, text: bad };
    const answer = { games: [{ game: bad, name: bad, versions: bad, steps }], accounts };
    const fetched = window.fetch;
    window.fetch = async () => ({ ok: true, json: async () => answer });
    await connect.showConnect(end, () => {});
    window.fetch = fetched;
    return here.textContent.split(bad).length - 1;
}"""
)


def test_what_the_server_sends_is_text(guest: Door) -> None:
    visitor = guest()
    page = visitor.watches()
    visitor.ask(FEED_THE_MAP, bool, BAD)
    visitor.until("bad => document.getElementById('people').textContent.includes(bad)", BAD)
    visitor.until("bad => document.getElementById('feed').textContent.includes(bad)", BAD)
    visitor.until("bad => document.getElementById('following-name').textContent === bad", BAD)
    visitor.picture()
    assert visitor.ask(FEED_THE_PARTS, int, BAD) >= 40
    _nothing_came_of_it(visitor)
    assert page.locator("#dialog-title").last.inner_text() == BAD


def _nothing_came_of_it(visitor: Guest) -> None:
    made = visitor.ask("() => document.querySelectorAll('img, .bad, [onerror], [src=x]').length", int)
    assert made == 0
    assert visitor.ask("() => window.bad === undefined", bool)
    assert not any(url.endswith("/x") for url in visitor.requests)


def test_names_of_wares_quests_notes_and_chests_are_text(guest: Door) -> None:
    visitor = guest()
    visitor.watches()
    counts = visitor.ask(PANES, list, BAD)
    shop, sells, bank, journal, question, chest, trade, party, frames, *others = counts
    # The title, both wares and which of them there are too few of, and the answer.
    assert (shop, sells) == (5, 4)
    assert (bank, journal) == (4, 3)
    assert question == 1 + 1 + 4 + 2 * 2 + 2, "title, text, prompts, options and buttons"
    assert chest == 4
    assert trade == 1 + 1 + 2 + 1 + 1 + 1, "title, line, theirs and what it holds, whose, mine, the pack"
    assert (party, frames) == (3, 2 + 1), "members; two others, and where the one is"
    guild, lists, letters, letter, written, report = others
    assert guild == 2 + 1 + 3 * 2 + 2 + 2, "title, notice, members and their ranks, a tie, the log"
    assert lists == 3
    assert (letters, letter) == (2, 1 + 1 + 1 + 1), "subject and sender; and what it says and brings"
    assert (written, report) == (2, 1), "the pack, and what is in it; whom"
    field = visitor.page.locator("#dialog-form input").last
    assert field.input_value() == BAD
    _nothing_came_of_it(visitor)


def test_what_people_say_is_text(guest: Door, company: Company) -> None:
    visitor = guest()
    visitor.watches()
    visitor.tries()
    carl = company.invite("uo")
    for words in (BAD, "<script>window.bad = 1</script>", "</span><svg onload=bad=1>"):
        carl.says(words)
        visitor.hears(f"{carl.name}: {words}")
        visitor.says(words)
        assert carl.hears(words)
        visitor.hears(f"{visitor.name}: {words}")
    _nothing_came_of_it(visitor)
    assert visitor.page.locator("#chat-log svg, #chat-log script, #chat-log .bad").count() == 0
