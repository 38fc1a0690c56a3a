/**
 * What lies over the map for a fight: the frame of whom one has chosen, the bar of what one can do, and the
 * screen of the dead. Each knows its own nodes and nothing of the rest; see combat.js.
 *
 * @module
 */

import { portrait } from "./figures.js";
import { button, el, takesWords } from "./nodes.js";

/** Whom one has chosen: name, level, hits, and what to do about it. */
export class Target {
  /** @param {{attack: () => void, look: () => void, close: () => void}} does */
  constructor(does) {
    this._name = el("b", { class: "target-name" });
    this._level = el("small", { class: "target-level" });
    this._poison = el("small", { class: "poison", hidden: true }, "Poisoned");
    this._meter = el(
      "div",
      {
        class: "bar-meter",
        role: "meter",
        "aria-label": "Its health",
        "aria-valuemin": "0",
        "aria-valuemax": "100",
        dataset: { bar: "target" },
      },
      el("i"),
    );
    this._attack = button("Attack", () => does.attack(), { class: "attack" });
    this.node = el(
      "section",
      { id: "target", "aria-label": "Chosen", hidden: true },
      el("p", { class: "target-who" }, this._name, " ", this._level, " ", this._poison),
      this._meter,
      el(
        "p",
        { class: "buttons" },
        this._attack,
        button("Look", () => does.look()),
      ),
      button("×", () => does.close(), { class: "close", "aria-label": "Choose nobody" }),
    );
  }

  /**
   * @param {import("./world.js").Thing | null} thing
   * @param {boolean} fights whether one strikes it
   */
  show(thing, fights) {
    this.node.hidden = !thing;
    if (!thing) return;
    this._name.textContent = thing.name || "Somebody";
    this._level.textContent = thing.dead ? "dead" : thing.level ? `level ${thing.level}` : "";
    const fares = thing.poisoned ? `${thing.hits} %, poisoned` : `${thing.hits} %`;
    this._meter.setAttribute("aria-valuenow", thing.hits);
    this._meter.setAttribute("aria-valuetext", fares);
    this._meter.title = fares;
    this._poison.hidden = !thing.poisoned;
    this.node.toggleAttribute("data-poisoned", thing.poisoned);
    this._meter.firstElementChild.style.width = `${thing.hits}%`;
    this._attack.textContent = fights ? "Stop" : "Attack";
    this.node.toggleAttribute("data-fights", fights);
  }
}

/** Keys of the bar, and what is drawn on those for which one has nothing. */
const AIDS = [
  ["potion", "Potion", "1", { figure: "potion", colour: "#c8394a" }],
  ["bandage", "Bandage", "2", { figure: "cloth", colour: "#e6dfd0" }],
  ["food", "Food", "3", { figure: "loaf", colour: "#c08a4a" }],
];

const icon = (look) => {
  const canvas = el("canvas", { width: "28", height: "28", "aria-hidden": "true" });
  portrait(canvas, look);
  return canvas;
};

/** Attack, potion, bandage, food. */
export class Actions {
  /** @param {{attack: () => void, aid: (key: string) => void, points: () => void}} does */
  constructor(does) {
    this._points = el("button", { type: "button", class: "points", hidden: true, onclick: () => does.points() });
    this._attack = el(
      "button",
      { type: "button", class: "attack", title: "Attack (F)", onclick: () => does.attack() },
      icon({ figure: "blade", colour: "#c2c8d0" }),
      el("span", {}, "Attack"),
    );
    this._aids = new Map(
      AIDS.map(([key, label, digit, look]) => {
        const count = el("span", { class: "count" });
        const node = el(
          "button",
          { type: "button", title: `${label} (${digit})`, onclick: () => does.aid(key), dataset: { aid: key } },
          icon(look),
          count,
        );
        return [key, { node, count, label }];
      }),
    );
    this.node = el(
      "div",
      { id: "actions", role: "group", "aria-label": "Actions" },
      this._attack,
      ...[...this._aids.values()].map(({ node }) => node),
      this._points,
    );
    this.things({});
  }

  /** @param {number} points to be spent on attributes */
  points(points) {
    const label = `${points} ${points === 1 ? "point" : "points"} to spend`;
    this._points.hidden = !points;
    this._points.title = label;
    this._points.setAttribute("aria-label", label);
    this._points.replaceChildren(`+${points}`, el("span", {}, points === 1 ? "point" : "points"));
  }

  /** @param {boolean} fights whether one strikes somebody */
  fights(fights) {
    const label = fights ? "Stop" : "Attack";
    if (this._attack.lastElementChild.textContent !== label) {
      this._attack.lastElementChild.textContent = label;
      this._attack.title = `${label} (F)`;
    }
    this._attack.setAttribute("aria-pressed", String(fights));
  }

  /** @param {Record<string, {name: string, amount?: number} | null>} things what there is of each aid */
  things(things) {
    for (const [key, { node, count, label }] of this._aids) {
      const thing = things[key];
      const amount = thing ? (thing.amount ?? 1) : 0;
      count.textContent = String(amount);
      node.toggleAttribute("data-none", !thing);
      node.setAttribute("aria-label", thing ? `${label}: ${thing.name}, ${amount}` : `${label}: none`);
    }
  }
}

/** What the dead are told: who killed them, what it cost, and how to return. */
export class Death {
  /** @param {{town: () => void, closed: () => void}} does */
  constructor(does) {
    this._does = does;
    this._why = el("p", { class: "death-why" });
    this._lost = el("p");
    this._left = el("p");
    this._title = el("h2", { id: "death-title", tabindex: "-1" }, "You are dead");
    this.node = el(
      "section",
      {
        id: "death",
        "aria-labelledby": "death-title",
        hidden: true,
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          this._stay();
        },
      },
      this._title,
      el(
        "div",
        { "aria-live": "assertive" },
        this._why,
        this._lost,
        this._left,
      ),
      el(
        "p",
        {},
        "A healer brings you back to life, and so do a friend's bandages. Walk there as a ghost, or let " +
          "yourself be taken to the healer's house.",
      ),
      el(
        "p",
        { class: "buttons" },
        button("Take me to the healer", () => this._town(), { class: "town" }),
        button("Stay here", () => this._stay()),
      ),
    );
  }

  /** @param {string} killer @param {boolean} corpse whether one lies there */
  open(killer, corpse) {
    this.node.hidden = false; // first, or the words are not read out
    this._why.textContent = killer ? `${killer[0].toUpperCase()}${killer.slice(1)} has killed you.` : "";
    this._lost.textContent = "";
    this._left.textContent = corpse ? "Your corpse lies where you fell." : "";
    // No button: whoever was striking keys must not choose by that. Who was talking goes on talking.
    if (!takesWords(document.activeElement)) this._title.focus({ preventScroll: true });
  }

  /** @param {number} experience what it cost */
  lost(experience) {
    this._lost.textContent = `You have lost ${experience.toLocaleString("en")} experience.`;
  }

  close() {
    this.node.hidden = true;
  }

  _town() {
    this._does.town();
    this._stay();
  }

  _stay() {
    this.close();
    this._does.closed();
  }
}
