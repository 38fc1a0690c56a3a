/**
 * Panes in which one asks the server for something: what guilds, friends, letters and reports have in common.
 *
 * @module
 */

import { button, el } from "./nodes.js";
import { Pane } from "./panes.js";
import { ANSWER_MS, LOST, once } from "./rows.js";

/** A pane, a line for the server's words that answer, and a body that is drawn while it is open. */
export class Asking {
  /**
   * @param {string} id of its node
   * @param {string} title
   * @param {(message: object) => boolean | void} send
   * @param {() => void} closed the keyboard goes back to the map
   */
  constructor(id, title, send, closed) {
    this._send = send;
    this._closed = closed;
    this._asked = -ANSWER_MS;
    this._pane = new Pane(id, { close: () => this.close() });
    this._pane.title.textContent = title;
    this.node = this._pane.node;
    this._told = el("p", { class: "told", role: "status" });
    this._list = el("div", {});
    this._pane.body.append(this._told, this._list);
  }

  /** Open it, or close it. */
  toggle() {
    if (this._pane.open) this.close();
    else this.open();
  }

  open() {
    this._told.textContent = "";
    this._pane.open = true;
    this._draw();
    this._pane.title.focus({ preventScroll: true });
  }

  close() {
    const had = this._pane.focused;
    this._pane.open = false;
    if (had) this._closed();
  }

  /** The server's words: those that come at once are the answer to what was asked here. */
  said(words) {
    if (performance.now() - this._asked < ANSWER_MS) this._told.textContent = words;
  }

  /** As it is now. */
  _draw() {}

  /** Something has changed: what nobody sees is drawn when it is opened. */
  _changed() {
    if (this._pane.open) this._draw();
  }

  _ask(message) {
    this._asked = performance.now();
    this._told.textContent = this._send(message) === false ? LOST : "";
  }

  /** A button that does something about somebody. */
  _does(label, about, key, does) {
    return button(label, once(does), { "aria-label": about ? `${label}: ${about}` : label, dataset: { key } });
  }

  /** A field for words, which keeps what is typed however often the pane is drawn. Enter presses `does`. */
  _line(label, longest, key, does) {
    return el("input", {
      maxlength: longest,
      autocomplete: "off",
      "aria-label": label,
      placeholder: label,
      dataset: { key },
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.repeat && !event.isComposing) does();
      },
    });
  }
}

/** What is written in a field, as one line: the world's letters have no more. */
export function written(field) {
  return field.value.trim().replace(/\s*\n\s*/g, " ");
}

/** What is typed into a field, which is empty then; "" for nothing. */
export function taken(field) {
  const words = field.value.trim();
  field.value = "";
  return words;
}
