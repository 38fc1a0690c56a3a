/**
 * The counter of a merchant or a banker: what is to be had there, for how much, and what one has for it.
 *
 * The page decides nothing: it says what is wanted at the prices that were shown, and shows what it is told. All
 * changes hands or nothing does, so that a whole list can be bought at once.
 *
 * @module
 */

import { portrait } from "./figures.js";
import { button, el, refill } from "./nodes.js";
import { Pane } from "./panes.js";

/** How long the server's next words count as the answer, in milliseconds. */
const ANSWER_MS = 2000;

const gold = (amount) => `${amount} gold`;

/** The pane of a counter. */
export class Counter {
  /**
   * @param {(message: object) => void} send
   * @param {{closed: () => void, opened: () => void}} does `closed`: the keyboard goes back to the map
   */
  constructor(send, { closed, opened }) {
    this._send = send;
    this._closed = closed;
    this._opened = opened;
    this._pane = new Pane("counter", { close: () => this.leave() });
    this.node = this._pane.node;
    this._told = el("p", { class: "told", role: "status" });
    this._purse = el("p", { class: "purse" });
    this._rows = el("div", {});
    this._pane.body.append(this._purse, this._told, this._rows);
    this._gold = 0;
    this._things = [];
    this._shown = null;
    this._side = "buy";
    this._wanted = new Map(); // amounts that were typed, by key
    this._asked = -ANSWER_MS;
  }

  /** @param {object} message a `shop` or a `bank` */
  show(message) {
    const same = this._shown?.host === message.host && this._shown?.t === message.t;
    if (message.anew && !same) return; // it stands not open
    this._shown = message;
    if (!message.anew) {
      this._opened();
      this._side = "buy";
      this._wanted.clear();
      this._told.textContent = "";
    }
    this._pane.title.textContent = message.t === "bank" ? `${message.name}: your vault` : message.name;
    this._pane.open = true;
    this._draw();
    if (!message.anew) this._pane.title.focus({ preventScroll: true });
  }

  /** @param {{gold: number}} sheet */
  sheet(sheet) {
    if (this._gold === sheet.gold) return;
    this._gold = sheet.gold;
    this._draw();
  }

  belongings(things) {
    this._things = things.filter((thing) => !thing.worn);
    this._draw();
  }

  /** The server's words: those that come at once are the answer to what was asked here. */
  said(words) {
    if (performance.now() - this._asked < ANSWER_MS) this._told.textContent = words;
  }

  /** Its customer goes. */
  leave() {
    if (!this._shown) return;
    this._send({ t: "depart" });
    this.close();
  }

  /** Whoever serves has closed it. @param {number} [host] whose; anybody's if it is left out */
  close(host = this._shown?.host) {
    if (!this._shown || this._shown.host !== host) return;
    const had = this._pane.focused;
    this._shown = null;
    this._pane.open = false;
    if (had) this._closed();
  }

  _ask(message) {
    this._asked = performance.now();
    this._wanted.clear();
    this._send({ ...message, host: this._shown.host });
  }

  _draw() {
    if (!this._shown) return;
    this._purse.textContent = `You have ${gold(this._gold)}.`;
    if (this._shown.t === "shop") this._drawShop(this._shown);
    else this._drawBank(this._shown);
  }

  // Shops

  _drawShop({ sells, buys }) {
    const prices = new Map(buys.map((ware) => [ware.item, ware.price]));
    const mine = this._things.filter((thing) => prices.has(thing.kind));
    const buying = this._side === "buy";
    const rows = buying
      ? sells.map((ware) => ({
          key: `buy-${ware.item}`,
          name: ware.name,
          look: ware.look,
          price: ware.price,
          most: ware.left ?? -1,
          note: (ware.left ?? -1) < 0 ? "" : ware.left === 0 ? "sold out" : `${ware.left} left`,
          asks: (amount) => ({ item: ware.item, amount, price: ware.price }),
        }))
      : mine.map((thing) => ({
          key: `sell-${thing.id}`,
          name: thing.name,
          look: thing.look,
          price: prices.get(thing.kind),
          most: thing.amount ?? 1,
          note: `you have ${thing.amount ?? 1}`,
          asks: (amount) => ({ id: thing.id, amount, price: prices.get(thing.kind) }),
        }));
    const total = el("p", { class: "total", "aria-live": "polite" });
    const deal = button(buying ? "Buy" : "Sell", () => this._deal(rows, buying), {
      class: "deal",
      dataset: { key: "deal" },
    });
    const count = () => {
      const sum = rows.reduce((all, row) => all + row.price * this._amount(row.key), 0);
      const lacks = buying && sum > this._gold ? `, ${gold(sum - this._gold)} more than you have` : "";
      total.textContent = `Together: ${gold(sum)}${lacks}`;
      deal.disabled = !rows.some((row) => this._amount(row.key) > 0);
    };
    const empty = buying ? "There is nothing for sale." : "You have nothing that is wanted here.";
    refill(
      this._rows,
      this._tabs(),
      rows.length === 0
        ? el("p", { class: "empty" }, empty)
        : el("ul", { class: "rows" }, ...rows.map((row) => this._row(row, gold(row.price), count))),
      el("p", { class: "foot" }, total, deal),
    );
    count();
  }

  _tabs() {
    const choose = (side) => {
      this._side = side;
      this._draw();
    };
    return el(
      "p",
      { class: "sides", role: "group", "aria-label": "What to do" },
      ...[
        ["buy", "Buy something"],
        ["sell", "Sell something"],
      ].map(([side, label]) =>
        button(label, () => choose(side), {
          "aria-pressed": String(this._side === side),
          dataset: { key: `side-${side}` },
        }),
      ),
    );
  }

  _deal(rows, buying) {
    const wanted = rows
      .map((row) => row.asks(this._amount(row.key)))
      .filter((one) => one.amount > 0);
    if (wanted.length > 0) this._ask(buying ? { t: "buy", orders: wanted } : { t: "sell", sales: wanted });
  }

  // The bank

  _drawBank({ gold: kept, things }) {
    const rows = (list, t, label) =>
      list.map((thing) => {
        const key = `${t}-${thing.id}`;
        const does = () => {
          const amount = this._amount(key) || (thing.amount ?? 1);
          this._ask({ t, id: thing.id, amount });
        };
        const row = { key, name: thing.name, look: thing.look, most: thing.amount ?? 1 };
        return this._row(row, "", () => {}, button(label, does, { "aria-label": `${label}: ${thing.name}`, dataset: { key: `${key}-do` } }));
      });
    const coins = (t, label, most) => {
      const key = `${t}-gold`;
      const field = this._field({ key, name: "gold", most }, () => {});
      const does = () => {
        const amount = this._amount(key);
        if (amount > 0) this._ask({ t, amount });
      };
      return [field, button(label, does, { "aria-label": `${label} gold`, dataset: { key: `${key}-do` } })];
    };
    const carried = this._things.filter((thing) => thing.kind !== "gold");
    refill(
      this._rows,
      el("h3", {}, `In the vault: ${gold(kept)}`),
      el("p", { class: "coins" }, ...coins("withdraw", "Take out", kept)),
      el("ul", { class: "rows" }, ...rows(things, "withdraw", "Take out")),
      el("h3", {}, "In your pack"),
      el("p", { class: "coins" }, ...coins("deposit", "Put in", this._gold)),
      el("ul", { class: "rows" }, ...rows(carried, "deposit", "Put in")),
    );
  }

  // Rows

  _row(row, price, changed, more = null) {
    const canvas = el("canvas", { width: 32, height: 32, "aria-hidden": "true" });
    portrait(canvas, row.look);
    return el(
      "li",
      {},
      canvas,
      el("span", { class: "name" }, more && row.most > 1 ? `${row.name} × ${row.most}` : row.name),
      el("span", { class: "price" }, price, " ", row.note ? el("small", {}, row.note) : ""),
      (!more || row.most > 1) && this._field(row, changed),
      more,
    );
  }

  /** How many of it. */
  _field({ key, name, most }, changed) {
    return el("input", {
      type: "number",
      min: "0",
      max: most >= 0 ? most : null,
      value: this._wanted.get(key) ?? "",
      placeholder: "0",
      inputmode: "numeric",
      "aria-label": `How many: ${name}`,
      dataset: { key },
      oninput: (event) => {
        this._wanted.set(key, event.target.value);
        changed();
      },
    });
  }

  _amount(key) {
    const amount = Math.trunc(Number(this._wanted.get(key) ?? 0));
    return amount > 0 ? Math.min(amount, 0x7fffffff) : 0;
  }
}
