/**
 * What lies over the map while one plays: health, what is the matter, and whom one looks at.
 *
 * @module
 */

import { portrait } from "./figures.js";
import { titled } from "./labels.js";
import { button, el, refill } from "./nodes.js";
import { whereabouts } from "./words.js";

/** Lines of the list of who is near. */
const MOST_NEAR = 30;

/** What a sign over a head means (pointers.js). */
const MARKS = { offers: "has a quest for you (!)", awaits: "waits for you (?)" };

const BARS = [
  ["hits", "Health"],
  ["mana", "Mana"],
  ["stam", "Stamina"],
];

/** Name, bars and numbers of one's own character. */
export class Bars {
  constructor() {
    this._name = el("b", { class: "own-name" });
    this._poison = el("small", { class: "poison", hidden: true }, "Poisoned");
    this._place = el("small", { class: "own-place" });
    this._bars = new Map();
    const bars = BARS.map(([key, label]) => {
      const meter = el(
        "div",
        {
          class: "bar-meter",
          role: "meter",
          "aria-label": label,
          "aria-valuemin": "0",
          dataset: { bar: key },
        },
        el("i"),
      );
      this._bars.set(key, meter);
      return el("div", { class: "own-bar" }, el("span", { "aria-hidden": "true" }, label), meter);
    });
    this.node = el(
      "section",
      { id: "bars", "aria-label": "Your character" },
      el("p", { class: "own-line" }, this._name, " ", this._poison),
      this._place,
      ...bars,
    );
  }

  name(name) {
    this._name.textContent = name;
  }

  /** Where one stands. */
  place(realm, x, y) {
    this._place.textContent = realm ? `${realm} ${x}, ${y}` : "";
  }

  /** @param {Record<string, number>} sheet a `sheet` message */
  sheet(sheet) {
    const poisoned = Boolean(sheet.poisoned);
    this._poison.hidden = !poisoned;
    this.node.toggleAttribute("data-poisoned", poisoned);
    for (const [key, label] of BARS) {
      const [now, most] = [sheet[key], Math.max(sheet[`${key}_max`], 1)];
      const meter = this._bars.get(key);
      meter.setAttribute("aria-valuemax", most);
      meter.setAttribute("aria-valuenow", Math.min(now, most));
      const told = key === "hits" && poisoned ? `${now} of ${most}, poisoned` : `${now} of ${most}`;
      meter.setAttribute("aria-valuetext", told);
      meter.title = `${label}: ${told}`;
      meter.firstElementChild.style.width = `${Math.min(100, (100 * now) / most)}%`;
    }
  }
}

/** A line that says what is the matter; several may be, the most urgent is shown. */
export class Banner {
  constructor() {
    this.node = el("p", { id: "banner", role: "status", hidden: true });
    this._lines = new Map();
  }

  /** @param {string} kind "link" before "ghost" before "duel" @param {string} text "" for nothing */
  set(kind, text) {
    this._lines.set(kind, text);
    const shown = this._lines.get("link") || this._lines.get("ghost") || this._lines.get("duel") || "";
    if (this.node.textContent !== shown) this.node.textContent = shown;
    this.node.hidden = !shown;
  }

  clear() {
    for (const kind of [...this._lines.keys()]) this.set(kind, "");
  }
}

/** Somebody or something that is looked at, and what can be done with it. */
export class Card {
  /** @param {() => void} closed the keyboard goes back to the map */
  constructor(closed) {
    this._closed = closed;
    this.id = 0;
    this.node = el("section", {
      id: "card",
      hidden: true,
      onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        this.close();
      },
    });
  }

  /**
   * @param {object} thing as `World` has it
   * @param {Array<[string, () => void]>} actions labels and what they do
   */
  open(thing, actions) {
    this.id = thing.id;
    const picture = el("canvas", { width: "48", height: "64", class: "portrait", "aria-hidden": "true" });
    portrait(picture, thing.look, { heading: 4 });
    this._lines = el("ul", { class: "lines", "aria-live": "polite" });
    this._title = el("h2", { id: "card-title", tabindex: "-1" }, thing.name || "Something");
    this.node.setAttribute("aria-labelledby", "card-title");
    this.node.replaceChildren(
      picture,
      el(
        "div",
        { class: "card-words" },
        this._title,
        MARKS[thing.mark] && el("p", { class: "card-mark" }, `${this._title.textContent} ${MARKS[thing.mark]}.`),
        this._lines,
      ),
      el(
        "div",
        { class: "buttons" },
        ...actions.map(([label, does]) => button(label, does, { class: "button" })),
      ),
      button("×", () => this.close(), { class: "close", "aria-label": "Close" }),
    );
    this.node.hidden = false;
    this._title.focus({ preventScroll: true });
  }

  /**
   * Let one thing be chosen, and how many of it.
   * @param {Array<{id: number, name: string, amount: number}>} things
   * @param {(chosen: {name: string, amount: number}) => void} give
   */
  choose(things, give) {
    const buttons = this.node.querySelector(".buttons");
    if (things.length === 0) {
      buttons.replaceChildren(el("p", { class: "empty" }, "You have nothing in your pack."));
      return;
    }
    const stackOf = () => things[which.selectedIndex];
    const amount = el("input", {
      type: "number",
      min: "1",
      value: "1",
      inputmode: "numeric",
      "aria-label": "How many",
    });
    const chosen = () => {
      const most = stackOf().amount ?? 1;
      amount.max = most;
      amount.value = 1;
      amount.hidden = most < 2;
    };
    const which = el(
      "select",
      { "aria-label": "What to give", onchange: chosen },
      ...things.map((thing) =>
        el("option", {}, thing.amount > 1 ? `${thing.name} × ${thing.amount}` : thing.name),
      ),
    );
    const submit = (event) => {
      event.preventDefault();
      give({ name: stackOf().name, amount: Math.trunc(Number(amount.value)) || 1 });
    };
    buttons.replaceChildren(
      el(
        "form",
        { class: "giving", onsubmit: submit },
        which,
        amount,
        el("button", { type: "submit" }, "Give"),
      ),
    );
    chosen();
    which.focus();
  }

  /** What one sees. */
  seen(message) {
    if (message.id !== this.id || this.node.hidden) return;
    this._title.textContent = message.name;
    this._lines.replaceChildren(...message.lines.map((line) => el("li", {}, line)));
  }

  close() {
    if (this.node.hidden) return;
    const had = this.node.contains(document.activeElement);
    this.id = 0;
    this.node.hidden = true;
    this.node.replaceChildren();
    if (had) this._closed();
  }
}

/** Who and what is near, for those who would rather read than look. */
export class Near {
  /** @param {(id: number) => void} look */
  constructor(look) {
    this._look = look;
    this._drawn = "";
    this.node = el("ul", { id: "near", "aria-label": "Near you" });
  }

  /** @param {Array<{id: number, name: string, where: string}>} list the nearest first */
  show(list) {
    const drawn = JSON.stringify(list);
    if (drawn === this._drawn) return;
    this._drawn = drawn;
    if (list.length === 0) {
      refill(this.node, el("li", { class: "empty" }, "Nobody and nothing."));
      return;
    }
    refill(
      this.node,
      ...list.map(({ id, name, where }) =>
        el(
          "li",
          {},
          button(name, () => this._look(id), { dataset: { key: `near-${id}` } }),
          " ",
          el("small", {}, where),
        ),
      ),
    );
  }
}

/**
 * Who and what is near somebody, the nearest first, as `Near` shows it.
 * @param {import("./world.js").World} world
 * @param {{x: number, y: number}} from
 */
export function whoIsNear(world, { x, y }) {
  const far = (thing) => Math.max(Math.abs(thing.x - x), Math.abs(thing.y - y));
  return [...world.things.values()]
    .filter((thing) => thing.id !== world.self && thing.name)
    .sort((a, b) => far(a) - far(b) || a.id - b.id)
    .slice(0, MOST_NEAR)
    .map((thing) => ({
      id: thing.id,
      name: thing.fights ? titled(thing) : thing.amount > 1 ? `${thing.name} × ${thing.amount}` : thing.name,
      where: [MARKS[thing.mark], whereabouts(thing.x - x, thing.y - y)].filter(Boolean).join(", "),
    }));
}
