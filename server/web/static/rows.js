/**
 * Rows of things beside the map, each with its picture and, where there are several of it, a field for how many:
 * what counters and trades have in common.
 *
 * @module
 */

import { picture } from "./figures.js";
import { button, el } from "./nodes.js";

/** How long the server's next words count as the answer to what was asked, in milliseconds. */
export const ANSWER_MS = 2000;
export const LOST = "There is no connection to the server just now.";

export const gold = (amount) => `${amount} gold`;

/** Whoever presses twice means it once, however soon the first press was answered. */
export const once = (does) => (event) => {
  if (event.detail < 2) does();
};

/** Rows, and what was typed into their fields. */
export class Rows {
  /** @param {{ask: (message: object) => void, told: (words: string) => void}} does `told`: what is wrong */
  constructor({ ask, told }) {
    this._ask = ask;
    this._told = told;
    this._typed = new Map(); // amounts, by key
  }

  /** What was typed is done. */
  clear() {
    this._typed.clear();
  }

  /** How many were typed; 0 for nothing. */
  amount(key) {
    const amount = Math.trunc(Number(this._typed.get(key) ?? 0));
    return amount > 0 ? Math.min(amount, 0x7fffffff) : 0;
  }

  /** A list of rows, or words if there are none. */
  list(rows, empty) {
    return rows.length === 0 ? el("p", { class: "empty" }, empty) : el("ul", { class: "rows" }, ...rows);
  }

  /**
   * @param {{key: string, name: string, most: number, look?: object, note?: string, all?: boolean}} row `most`: how
   *   many there are of it, below 0 if that has no end; `all`: an empty field stands for all of it
   * @param {{price?: string, changed?: () => void, more?: Node, does?: HTMLElement}} parts `does`: what Enter presses;
   *   without it there is no field
   */
  row(row, { price = "", more = null, ...parts }) {
    return el(
      "li",
      {},
      picture(row.look),
      el("span", { class: "name" }, more && row.most > 1 ? `${row.name} × ${row.most}` : row.name),
      price && el("span", { class: "price" }, price, " ", row.note ? el("small", {}, row.note) : ""),
      (!more || row.most > 1) && parts.does && this.field(row, parts),
      more,
    );
  }

  /** How many of it. */
  field({ key, name, most, all = false }, { changed = () => {}, does }) {
    return el("input", {
      type: "number",
      min: "0",
      max: most >= 0 ? most : null,
      value: this._typed.get(key) ?? "",
      placeholder: all ? "all" : "0",
      inputmode: "numeric",
      "aria-label": `How many: ${name}`,
      dataset: { key },
      oninput: (event) => {
        this._typed.set(key, event.target.value);
        changed();
      },
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.repeat) does.click();
      },
    });
  }

  /** A button that asks for as many as the field of its row says; for all of it, if that is empty. */
  mover({ key, name, most }, label, asks) {
    const does = () => {
      const amount = this._typed.get(key) ? this.amount(key) : most;
      if (amount >= 1 && amount <= most) this._ask(asks(amount));
      else this._told(`From 1 to ${most}: so many there are of ${name}.`);
    };
    return button(label, once(does), {
      "aria-label": `${label}: ${name}`,
      disabled: most < 1,
      dataset: { key: `${key}-do` },
    });
  }
}
