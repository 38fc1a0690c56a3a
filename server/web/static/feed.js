/**
 * What happens, as a list of lines, the newest on top; and now and then a word of it for those who listen.
 *
 *   const feed = new Feed(list, none, announce);
 *   feed.add(event)      // {kind, text, at, game}
 *   feed.clear()
 */

import { badge } from "./games.js";
import { el } from "./nodes.js";

/** Lines that stay. */
const LINES = 60;
/** Lines are put on the page together, at most so often. */
const GATHER_MS = 250;
/** Those who listen are told at most so often, and never more than one line. */
const TELL_MS = 6000;

const MARKS = { came: "→", left: "←", died: "†", revived: "✦", said: "“", announced: "!" };

/** @typedef {{kind: string, text: string, at: number, game: string}} FeedEvent */

export class Feed {
  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} none what is shown while the list is empty
   * @param {(text: string) => void} announce
   */
  constructor(list, none, announce) {
    this._list = list;
    this._none = none;
    this._announce = announce;
    /** @type {FeedEvent[]} */
    this._waiting = [];
    this._timer = 0;
    this._told = -Infinity;
    this._untold = 0;
  }

  /** @param {FeedEvent} event */
  add(event) {
    this._waiting.push(event);
    if (this._waiting.length > LINES) this._waiting.shift();
    this._timer ||= setTimeout(() => this._write(), GATHER_MS);
  }

  clear() {
    clearTimeout(this._timer);
    this._timer = 0;
    this._waiting = [];
    this._list.replaceChildren();
    this._none.hidden = false;
  }

  _write() {
    this._timer = 0;
    const events = this._waiting;
    this._waiting = [];
    this._none.hidden = true;
    this._list.prepend(...events.map(lineOf).reverse());
    while (this._list.childElementCount > LINES) this._list.lastElementChild.remove();
    this._untold += events.length;
    const now = performance.now();
    if (now - this._told < TELL_MS || document.hidden) return;
    const more = this._untold > 1 ? ` And ${this._untold - 1} more.` : "";
    this._announce(events[events.length - 1].text + more);
    this._told = now;
    this._untold = 0;
  }
}

/** @param {FeedEvent} event */
function lineOf({ kind, text, at, game }) {
  const when = new Date(at * 1000);
  const shown = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const time = el("time", { datetime: when.toISOString() }, shown);
  const mark = () => el("span", { class: "feed-mark", "aria-hidden": "true" }, MARKS[kind] ?? "·");
  const sign = game ? badge(game, 16) : mark();
  return el("li", { dataset: { kind } }, sign, el("span", { class: "feed-text" }, text), time);
}
