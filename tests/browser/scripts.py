"""Scripts that ask the page's modules, run by the browser."""

from __future__ import annotations

from typing import Final

LOAD: Final = """
    const page = document.querySelector("script[type=module]").src;
    const load = name => import(page.replace("page.js", name));
"""


# Questions

FORM: Final = """
    const { Dialogs } = await load("dialogs.js");
    const said = [];
    const asked = new Dialogs((...answer) => said.push(answer));
    document.body.append(asked.node);
    const buttons = () => [...asked.node.querySelectorAll(".pane-body button")];
    const press = label => buttons().find(b => b.textContent === label).click();
    const shown = () => buttons().map(b => b.textContent);
    asked.ask(given);
"""

QUESTION: Final = {
    "serial": 7,
    "title": "Shop",
    "text": "Welcome.",
    "more": ["Look around."],
    "buttons": [{"number": 1, "label": "Buy."}, {"number": 0, "label": "Leave."}],
    "inputs": [
        {
            "key": "ware",
            "prompt": "What?",
            "kind": "choice",
            "options": [
                {
                    "number": 1,
                    "label": "Bread (3 gold coins)",
                    "price": 3,
                    "look": {"figure": "bread", "colour": "#aa7733"},
                },
                {"number": 2, "label": "Ale", "chosen": True},
            ],
        },
        {"key": "sides", "prompt": "And?", "kind": "several", "options": [{"number": 4, "label": "Oil"}]},
        {"key": "many", "prompt": "How many?", "kind": "number", "least": 1, "most": 9, "start": "2"},
        {"key": "name", "prompt": "Who?", "kind": "line", "least": 1, "most": 5},
    ],
}


# Ways

ROUTE: Final = """
    const { OFFSETS, Route } = await load("walking.js");
    const asked = [];
    const ask = (from, to, within) => asked.push([from.x, from.y, to.x, to.y, within]);
    const made = (goal, wish) => new Route(goal, ask, wish);
    const at = { x: 5, y: 5 };
    const answer = (route, headings, ok = true) => {
        const [x, y, to_x, to_y] = asked.at(-1);
        route.found({ t: "way", x, y, to_x, to_y, headings, ok });
    };
    const goes = (route, now = 0) => {
        const next = route.next(at, now);
        if (typeof next !== "number") return next;
        route.took();
        at.x += OFFSETS[next][0];
        at.y += OFFSETS[next][1];
        return next;
    };
"""
"""Somebody at (5, 5), whose server answers what it is told to."""

GOING: Final = """
    const { Going } = await load("going.js");
    const [sent, notes] = [[], []];
    const quiet = { heading: () => -1, held: false, shift: false };
    const world = { self: 1, things: new Map(), step() {}, put() {} };
    const does = { send: message => sent.push(message), note: text => notes.push(text), stands() {} };
    const going = new Going(world, { target: null }, quiet, { get: () => false }, does);
    going.begin({ walk_ms: 400, run_ms: 200 });
    going.realm = { width: 20, height: 20, walkable: () => true, seatAt: () => null };
    going.walker.place(5, 5);
    let now = 100000;
    // What is said once the way that was asked for last is walked, and each step is answered.
    const answer = (headings, ok = true) => {
        const { x, y, to_x, to_y } = sent.findLast(message => message.t === "way");
        going.found({ t: "way", x, y, to_x, to_y, headings, ok });
        for (let n = 0; n <= headings.length; n++) {
            going.tick((now += 1000));
            const [step] = going.walker?.ahead ?? [];
            if (step) going.walked({ ...step, heading: going.walker.heading });
        }
        return notes.splice(0).join();
    };
"""
"""Somebody at (5, 5) of an open realm of 20 x 20."""


# The chat

CHAT: Final = """
    const { Chat } = await load("chat.js");
    const chat = new Chat({ send() {}, look() {}, done() {} });
    const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    document.body.append(chat.node);
    chat.log.style.cssText = "height: 80px; overflow-y: auto";
    const lines = count => { for (let n = 0; n < count; n++) chat.add("say", "", `line ${n}`); };
    const below = () => Math.round(chat.log.scrollHeight - chat.log.scrollTop - chat.log.clientHeight);
"""

AROUND: Final = """async ([x, y]) => {
    const page = document.querySelector("script[type=module]").src;
    const { OFFSETS, Walker } = await import(page.replace("page.js", "walking.js"));
    const { canvas } = causeway;
    const { realm } = canvas;
    const box = document.getElementById("map").getBoundingClientRect();
    const doors = new Set(realm.warps.map(warp => `${warp.x} ${warp.y}`));
    const walker = new Walker({}, (x, y) => realm.walkable(x, y) && !doors.has(`${x} ${y}`));
    const steps = new Map([[`${x} ${y}`, 0]]);
    for (const [place, way] of steps) {
        const [px, py] = place.split(" ").map(Number);
        walker.place(px, py);
        const at = canvas.screenOf(px, py);
        const [left, top] = [box.left + at.x, box.top + at.y];
        const shown = Math.abs(px - x) <= 11 && Math.abs(py - y) <= 9 && !canvas.pick(left, top) &&
            document.elementFromPoint(left, top)?.id === "map";
        if (shown && way > Math.max(Math.abs(px - x), Math.abs(py - y))) return [px, py];
        OFFSETS.forEach(([dx, dy], heading) => {
            const there = `${px + dx} ${py + dy}`;
            if (!steps.has(there) && walker.canStep(heading)) steps.set(there, way + 1);
        });
    }
}"""
"""The nearest tile in view to which no straight way leads."""

POINT: Final = """id => {
    const { canvas, world } = causeway;
    const box = document.getElementById("map").getBoundingClientRect();
    const { x, y } = world.things.get(id);
    const at = canvas.screenOf(x, y);
    for (let dy = -0.3; dy <= 0.3; dy += 0.05) for (let dx = -0.3; dx <= 0.3; dx += 0.05) {
        const [px, py] = [box.left + at.x + dx * canvas.zoom, box.top + at.y + dy * canvas.zoom];
        if (canvas.pick(px, py)?.id === id) return [px, py];
    }
}"""
"""Where in the window something can be clicked."""


# What stands beside the map

PANES: Final = (
    "async words => {"
    + LOAD
    + """
    const [counter, journal, dialogs, pack, trading, party] = await Promise.all(
        ["counter.js", "journal.js", "dialogs.js", "pack.js", "trading.js", "party.js"].map(load));
    const look = { figure: "loaf", colour: "#aa7733" };
    const does = { closed() {}, opened() {}, changed() {}, go() {}, here: () => "confluence" };
    const thing = { id: 5, name: words, look, amount: 4, kind: words, container: true, wearable: true };
    const place = node => {
        document.getElementById(node.id)?.remove();
        document.getElementById("side").append(node);
    };
    const opened = service => {
        const made = new counter.Counter(() => true, does);
        place(made.node);
        made.sheet({ gold: 60 });
        made.belongings([thing, { ...thing, id: 6, amount: 1 }]);
        made.show({ host: 1, name: words, ...service });
        return made;
    };
    const ware = { item: words, name: words, look, price: 4, left: 3 };
    const wares = [ware, { ...ware, item: "b", left: -1 }];
    const shop = opened({ t: "shop", sells: wares, buys: [wares[0]] });
    const [field] = shop.node.querySelectorAll("input");
    field.value = "9"; // more than there are, and it says of what
    field.dispatchEvent(new Event("input"));
    shop._asked = performance.now();
    shop.said(words);
    const told = [shop.node.textContent];
    [...shop.node.querySelectorAll("button")].find(it => it.textContent === "Sell something").click();
    told.push(shop.node.textContent);
    // It stays beside the bank, which no page shows.
    shop.node.querySelector("h2").id = "shop-title";
    shop.node.setAttribute("aria-labelledby", "shop-title");
    shop.node.id = "shop";
    told.push(opened({ t: "bank", gold: 12, things: [thing] }).node.textContent);
    const tasks = new journal.Journal(() => true, does);
    place(tasks.node);
    const task = { key: words, name: words, line: words, realm: "confluence", x: 3, y: 4 };
    tasks.journal({ quests: [task, { key: "b", name: words, line: words, open: false, times: 2 }] });
    const asked = new dialogs.Dialogs(() => true);
    place(asked.node);
    const options = [{ number: 1, label: words, look, chosen: true }, { number: 2, label: words }];
    const inputs = ["choice", "several", "number", "line"].map((kind, n) =>
        ({ key: `${n}`, prompt: words, kind, least: 1, most: 99, start: kind === "line" ? words : "1",
           ...(n < 2 ? { options } : {}) }));
    const buttons = [{ number: 1, label: words }, { number: 0, label: words }];
    asked.ask({ serial: 1, title: words, text: words, buttons: [], inputs: [] });
    asked.ask({ serial: 2, title: words, text: words, buttons, inputs });
    const owns = new pack.Pack(() => {});
    document.getElementById("pack").replaceWith(owns.node);
    owns.belongings([thing]);
    owns.expect(3);
    owns.content({ id: 3, name: words, things: [thing, { ...thing, id: 7 }] });
    const trade = new trading.Trading(() => true, does);
    place(trade.node);
    trade.sheet({ gold: 60 });
    trade.belongings([thing, { ...thing, id: 6, amount: 1 }]);
    const theirs = { things: [{ ...thing, id: 8, inside: [words] }], gold: 3, agreed: true };
    trade.show({ id: 2, name: words, game: "l2", own: { things: [thing] }, theirs, line: words, changes: 3 });
    const company = new party.Party(() => true, { ...does, self: () => 1, look: () => false });
    place(company.node);
    document.getElementById("party-frames").replaceWith(company.frames);
    const members = [1, 2, 3].map(id => ({ id, name: words, game: "eo", level: 2, hits: 3, hits_max: 4,
        realm: "elsewhere", title: words, online: id < 3 }));
    company.open();
    company.party({ members });
    company.places({ x: 1, y: 1 });
    for (const { node } of [tasks, asked, owns, trade, company]) told.push(node.textContent);
    told.push(company.frames.textContent);
    const { Society } = await load("society.js");
    const others = new Society(() => true, { ...does, self: () => 1, tell() {}, expect() {}, state() {} });
    for (const { node } of others.panes) place(node);
    const rights = ["invite", "promote", "expel", "ties", "notice", "lead"];
    const people = [1, 2, 3].map(id =>
        ({ id, name: words, rank: id < 2 ? 1 : 0, online: id < 3, game: "co", given: 3 }));
    others.take({ t: "guild", number: 1, name: words, short: words, notice: words, members: people,
        opened: true, ties: [{ name: words, short: words, bond: "war" }],
        log: [{ at: 1, who: words, deed: words }],
        ranks: [{ name: words }, { name: words, rights }] });
    others.guild.node.querySelector("summary").click();
    others.guild.node.querySelector("[data-key=member-2]").click();
    const [friend, ignored] = [{ id: 2, name: words, online: true, game: "uo" }, { id: 3, name: words }];
    others.take({ t: "friends", friends: [friend, { id: 4, name: words }], ignored: [ignored] });
    others.toggle("friends");
    others.belongings([thing, { ...thing, id: 6, amount: 1 }]);
    others.toggle("mail");
    const parcel = [{ name: words, look, amount: 2 }];
    const waits = { id: 1, sender: words, subject: words, at: 1, text: words, parcel };
    others.take({ t: "mail", letters: [waits] });
    for (const { node } of [others.guild, others.friends, others.mail]) told.push(node.textContent);
    others.mail.node.querySelector("[data-key=letter-1]").click();
    told.push(others.mail.node.textContent);
    others.mail.node.querySelector("[data-key=answer]").click();
    others.mail.node.querySelector("[data-key=out-5-do]").click();
    told.push(others.mail.node.textContent);
    others.report.about(words);
    told.push(others.report.node.textContent);
    return told.map(text => text.split(words).length - 1);
}"""
)
"""A shop, a bank, the journal, a question with everything that can be filled in, an open chest, a trade, and
a party with its frames, a guild, both lists, letters (all, one, one that is written) and a report, all with
the same words for every name in them. Answers how often each of them has those."""
