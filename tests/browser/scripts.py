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
    const buttons = () => [...asked.node.querySelectorAll("button")];
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
                {"number": 1, "label": "Bread", "price": 3, "look": {"figure": "bread", "colour": "#aa7733"}},
                {"number": 2, "label": "Ale", "chosen": True},
            ],
        },
        {"key": "sides", "prompt": "And?", "kind": "several", "options": [{"number": 4, "label": "Oil"}]},
        {"key": "many", "prompt": "How many?", "kind": "number", "least": 1, "most": 9, "start": "2"},
        {"key": "name", "prompt": "Who?", "kind": "line", "least": 1, "most": 5},
    ],
}


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
    const { findPath } = await import(page.replace("page.js", "realm.js"));
    const { canvas } = causeway;
    const box = document.getElementById("map").getBoundingClientRect();
    const found = [];
    for (let dy = -9; dy <= 9; dy++) for (let dx = -11; dx <= 11; dx++) {
        const goal = { x: x + dx, y: y + dy };
        const at = canvas.screenOf(goal.x, goal.y);
        const [px, py] = [box.left + at.x, box.top + at.y];
        if (!canvas.realm.walkable(goal.x, goal.y) || canvas.pick(px, py)) continue;
        if (document.elementFromPoint(px, py)?.id !== "map") continue;
        const way = findPath(canvas.realm, { x, y }, goal).length;
        const straight = Math.max(Math.abs(dx), Math.abs(dy));
        if (way > straight) found.push([way, goal.x, goal.y]);
    }
    return found.sort((a, b) => a[0] - b[0])[0].slice(1);
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
