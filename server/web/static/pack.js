/**
 * What one's character wears and carries, and what is in a container that was opened.
 *
 * @module
 */

import { button, el, refill } from "./nodes.js";

/** What the button is called that uses something, by its purpose (protocol/web/packets/things.py). */
const USES = new Map([
  ["heal", "Drink"],
  ["cure", "Drink"],
  ["refresh", "Drink"],
  ["poison", "Drink"],
  ["eat", "Eat"],
  ["dress", "Apply"],
]);

/** What was used so long ago answers no more. */
const MOST_ASKED = 8;

/** The panel of belongings. */
export class Pack {
  /** @param {(message: object) => void} send */
  constructor(send) {
    this._send = send;
    this._things = [];
    this._contents = new Map();
    this._asked = new Set(); // containers that its player opens
    this._typed = new Map(); // amounts, by id of the thing
    this.node = el("section", { id: "pack", "aria-label": "Belongings" });
    this._draw();
  }

  /** All one has. */
  belongings(things) {
    this._things = things;
    this._draw();
  }

  /** What is in the pack. */
  get carried() {
    return this._things.filter((thing) => !thing.worn);
  }

  /** Its player uses that: if it is a container, its content is wanted. */
  expect(id) {
    this._asked.add(id);
    if (this._asked.size > MOST_ASKED) this._asked.delete(this._asked.values().next().value);
  }

  /**
   * What is in a container, now or anew. Of one that its player has closed the server goes on to tell.
   * @returns {boolean} whether it was just opened
   */
  content(message) {
    const opens = this._asked.delete(message.id);
    if (!opens && !this._contents.has(message.id)) return false;
    this._contents.set(message.id, message);
    this._draw();
    if (!opens) return false; // others took of it: nobody loses the keyboard by that
    const title = this.node.querySelector(`[data-container="${Number(message.id)}"]`);
    title?.focus({ preventScroll: true });
    title?.parentElement.scrollIntoView({ block: "nearest" }); // all of it
    return true;
  }

  /** Whether a container is shown. */
  shows(id) {
    return this._contents.has(id);
  }

  /** A container is out of sight, or it was closed. */
  close(id) {
    if (this._contents.delete(id)) this._draw();
  }

  /** None of them is in sight any more. */
  closeAll() {
    this._contents.clear();
    this._asked.clear();
    this._draw();
  }

  clear() {
    this._things = [];
    this._typed.clear();
    this.closeAll();
  }

  _draw() {
    const worn = this._things.filter((thing) => thing.worn);
    refill(
      this.node,
      ...[...this._contents.values()].map((content) => this._container(content)),
      this._group("Worn", worn, "Nothing.", (thing) => [
        this._button(thing, "unwear", "Take off", { t: "unwear", id: thing.id }),
        thing.container && this._button(thing, "use", "Open", { t: "use", id: thing.id }),
        thing.purpose === "light" && this._button(thing, "use", "Light", { t: "use", id: thing.id }),
      ]),
      this._group("In the pack", this.carried, "Nothing.", (thing) => [
        thing.wearable && this._button(thing, "wear", "Wear", { t: "wear", id: thing.id }),
        thing.container && this._button(thing, "use", "Open", { t: "use", id: thing.id }),
        this._use(thing),
        ...this._some(thing, "drop", "Drop"),
      ]),
    );
  }

  _container({ id, name, things }) {
    const group = this._group(`In the ${name}`, things, "It is empty.", (thing) => [
      thing.container && this._button(thing, "use", "Open", { t: "use", id: thing.id }),
      ...this._some(thing, "take", "Take"),
    ]);
    group.firstElementChild.dataset.container = id;
    group.firstElementChild.tabIndex = -1;
    if (things.length > 1) {
      const all = () => this._send({ t: "take_all", id });
      group.append(button("Take all", all, { class: "all", dataset: { key: `all-${id}` } }));
    }
    group.append(
      button("Close", () => this.close(id), {
        class: "close",
        "aria-label": `Close the ${name}`,
      }),
    );
    return group;
  }

  _group(title, things, empty, does) {
    return el(
      "section",
      {},
      el("h3", {}, title),
      things.length === 0
        ? el("p", { class: "empty" }, empty)
        : el("ul", {}, ...things.map((thing) => this._row(thing, does(thing)))),
    );
  }

  _row(thing, does) {
    const mark = el("i", { class: "mark", "aria-hidden": "true" });
    if (/^#[0-9a-f]{6}$/i.test(thing.look?.colour ?? "")) mark.style.backgroundColor = thing.look.colour;
    return el(
      "li",
      { dataset: { id: thing.id } },
      mark,
      el("span", { class: "name" }, thing.amount > 1 ? `${thing.name} × ${thing.amount}` : thing.name),
      el("span", { class: "does" }, ...does),
    );
  }

  /** A button for what it is for. A light is lit by holding it. */
  _use(thing) {
    const label = USES.get(thing.purpose);
    return label && this._button(thing, "use", label, { t: "use", id: thing.id });
  }

  _button(thing, key, label, message) {
    return button(label, () => this._send(message), {
      "aria-label": `${label}: ${thing.name}`,
      dataset: { key: `${key}-${thing.id}` },
    });
  }

  /** A button for all of a stack and, where it is one, a field for how many. */
  _some(thing, t, label) {
    if (!(thing.amount > 1)) return [this._button(thing, t, label, { t, id: thing.id })];
    const amount = el("input", {
      type: "number",
      min: "1",
      max: thing.amount,
      value: Math.min(this._typed.get(thing.id) ?? thing.amount, thing.amount),
      inputmode: "numeric",
      "aria-label": `How many of ${thing.name}`,
      dataset: { key: `amount-${thing.id}` },
      oninput: () => this._typed.set(thing.id, amount.value),
      onkeydown: (event) => {
        if (event.key === "Enter") some();
      },
    });
    const some = () => {
      const count = Math.trunc(Number(amount.value));
      this._typed.delete(thing.id);
      if (!(count >= 1)) {
        amount.value = thing.amount;
        return;
      }
      this._send(count >= thing.amount ? { t, id: thing.id } : { t, id: thing.id, amount: count });
    };
    return [
      amount,
      button(label, some, { "aria-label": `${label}: ${thing.name}`, dataset: { key: `${t}-${thing.id}` } }),
    ];
  }
}
