/**
 * Quests: the journal, and where the next step of the one is that one follows.
 *
 * @module
 */

import { confirm } from "./dialogs.js";
import { button, el, refill } from "./nodes.js";
import { Pane } from "./panes.js";

const NONE = "You have no quests. Whoever has one for you has a yellow ! over the head: talk to them.";

/** The pane of the journal. */
export class Journal {
  /**
   * @param {(message: object) => void} send
   * @param {{closed: () => void, changed: () => void, go: (x: number, y: number) => void,
   *   here: () => string | undefined}} does `changed`: the places that are pointed at are others; `go`: its player
   *   wants to be there; `here`: the name of the realm
   */
  constructor(send, { closed, changed, go, here }) {
    this._send = send;
    this._closed = closed;
    this._changed = changed;
    this._go = go;
    this._here = here;
    this._tasks = new Map();
    this._pane = new Pane("journal", { close: () => this.close() });
    this._pane.title.textContent = "Your quests";
    this._pane.body.tabIndex = 0; // where all is done, nothing in it has the keyboard, and it may have to be scrolled
    this.node = this._pane.node;
  }

  /** Places where something is to be done, in that realm. @returns {{x: number, y: number, name: string}[]} */
  places(realm) {
    return [...this._tasks.values()].filter((task) => task.open !== false && task.realm && task.realm === realm);
  }

  /** @param {object} message a `journal` */
  journal({ quests, shown = true }) {
    this._tasks = new Map(quests.map((task) => [task.key, task]));
    this.draw();
    this._changed();
    if (!shown) return;
    this._pane.open = true;
    this._pane.title.focus({ preventScroll: true });
  }

  /** @param {object} message a `quest` */
  quest({ task }) {
    if (task.open === false && !task.times) this._tasks.delete(task.key);
    else this._tasks.set(task.key, task);
    this.draw();
    this._changed();
  }

  /** Open it, or close it. */
  toggle() {
    if (this._pane.open) this.close();
    else this._send({ t: "quests" });
  }

  close() {
    const had = this._pane.focused;
    this._pane.open = false;
    if (had) this._closed();
  }

  clear() {
    this._tasks.clear();
    this._pane.open = false;
    this._changed();
  }

  /** As it is now. */
  draw() {
    const tasks = [...this._tasks.values()];
    const open = tasks.filter((task) => task.open !== false);
    const done = tasks.filter((task) => task.open === false);
    refill(
      this._pane.body,
      open.length === 0 && el("p", { class: "empty" }, NONE),
      ...open.map((task) => this._task(task)),
      done.length > 0 && el("h3", {}, "Done"),
      ...done.map(({ name, times }) => el("p", {}, times > 1 ? `${name} (${times} times)` : name)),
    );
  }

  _task({ key, name, line, realm, x, y }) {
    const drop = async () => {
      if (await confirm(`Give up: ${name}?`, "What you have done of it counts no more.", "Give it up"))
        this._send({ t: "give_up", key });
    };
    return el(
      "section",
      {},
      el("h3", {}, name),
      el("p", {}, line),
      el(
        "p",
        { class: "buttons" },
        realm &&
          realm === this._here() &&
          button("Go there", () => this._go(x, y), {
            "aria-label": `Go there: ${name}`,
            dataset: { key: `go-${key}` },
          }),
        button("Give up", drop, { "aria-label": `Give up: ${name}`, dataset: { key: `drop-${key}` } }),
      ),
    );
  }
}
