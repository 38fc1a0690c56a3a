/**
 * The counter of a merchant or a banker: what is to be had there, for how much, and what one has for it.
 *
 * The page decides nothing: it says what is wanted at the prices that were shown, and shows what it is told. All
 * changes hands or nothing does, so that a whole list can be bought at once.
 *
 * @module
 */

import { button, el, refill } from "./nodes.js";
import { Pane } from "./panes.js";
import { ANSWER_MS, LOST, Rows, gold, once } from "./rows.js";

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
    this._total = el("p", { class: "total", "aria-live": "polite" });
    this._rows = el("div", {});
    this._pane.body.append(this._purse, this._told, this._rows);
    this._gold = 0;
    this._things = [];
    this._shown = null;
    this._side = "buy";
    this._wanted = new Rows({
      ask: (message) => this._ask(message),
      told: (words) => (this._told.textContent = words),
    });
    this._asked = -ANSWER_MS;
    this._waits = false; // for the answer to what was asked
  }

  /** @param {object} message a `shop` or a `bank` */
  show(message) {
    const same = this._shown?.host === message.host && this._shown?.t === message.t;
    if (message.anew && !same) return; // it stands not open
    this._shown = message;
    if (!message.anew) {
      this._opened();
      this._side = "buy";
      this._told.textContent = "";
    }
    // What was typed is done; of what others did it stays.
    if (!message.anew || this._waits) this._wanted.clear();
    this._waits = false;
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
    if (performance.now() - this._asked >= ANSWER_MS) return;
    this._told.textContent = words;
    this._waits = false;
  }

  /** Its customer goes. @param {number} [host] from whom; from anybody, if it is left out */
  leave(host = this._shown?.host) {
    if (!this._shown || this._shown.host !== host) return;
    this._send({ t: "depart" });
    this.close();
  }

  /** Whoever serves has closed it. @param {number} [host] whose; anybody's if it is left out */
  close(host = this._shown?.host) {
    if (!this._shown || this._shown.host !== host) return;
    const had = this._pane.focused;
    this._shown = null;
    this._waits = false;
    this._pane.open = false;
    if (had) this._closed();
  }

  /** One thing is asked at a time, as long as the answer may take. */
  _ask(message) {
    const now = performance.now();
    if (this._waits && now - this._asked < ANSWER_MS) return;
    this._asked = now;
    this._waits = this._send({ ...message, host: this._shown.host }) !== false;
    this._told.textContent = this._waits ? "" : LOST;
  }

  _draw() {
    if (!this._shown) return;
    const shop = this._shown.t === "shop";
    this._purse.textContent = shop ? `You have ${gold(this._gold)}.` : "";
    if (shop) this._drawShop(this._shown);
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
    const deal = button(buying ? "Buy" : "Sell", once(() => this._deal(rows, buying)), {
      class: "deal",
      dataset: { key: "deal" },
    });
    const count = () => {
      const sum = rows.reduce((all, row) => all + row.price * this._wanted.amount(row.key), 0);
      const lacks = buying && sum > this._gold ? `, ${gold(sum - this._gold)} more than you have` : "";
      const over = rows.find((row) => row.most >= 0 && this._wanted.amount(row.key) > row.most);
      const words = over
        ? `${buying ? "There are" : "You have"} only ${over.most} of that: ${over.name}.`
        : `Together: ${gold(sum)}${lacks}`;
      if (this._total.textContent !== words) this._total.textContent = words;
      deal.disabled = Boolean(over) || !rows.some((row) => this._wanted.amount(row.key) > 0);
    };
    count(); // before it takes the place of one that had the focus
    const empty = buying ? "There is nothing for sale." : "You have nothing that is wanted here.";
    refill(
      this._rows,
      this._tabs(),
      this._wanted.list(
        rows.map((row) => this._wanted.row(row, { price: gold(row.price), changed: count, does: deal })),
        empty,
      ),
      el("div", { class: "foot" }, this._total, deal),
    );
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
      .map((row) => row.asks(this._wanted.amount(row.key)))
      .filter((one) => one.amount > 0);
    if (wanted.length > 0) this._ask(buying ? { t: "buy", orders: wanted } : { t: "sell", sales: wanted });
  }

  // The bank

  _drawBank({ gold: kept, things }) {
    const rows = (list, t, label, empty) =>
      this._wanted.list(
        list.map((thing) => this._kept(thing, t, label)),
        empty,
      );
    const carried = this._things.filter((thing) => thing.kind !== "gold");
    refill(
      this._rows,
      el("h3", {}, `In the vault: ${gold(kept)}`),
      this._coins("withdraw", "Take out", kept),
      rows(things, "withdraw", "Take out", "Nothing else lies there."),
      el("h3", {}, `In your pack: ${gold(this._gold)}`),
      this._coins("deposit", "Put in", this._gold),
      rows(carried, "deposit", "Put in", "You carry nothing else."),
    );
  }

  /** A thing that goes into the vault or out of it. */
  _kept(thing, t, label) {
    const row = { key: `${t}-${thing.id}`, name: thing.name, look: thing.look, most: thing.amount ?? 1 };
    const does = this._wanted.mover(row, label, (amount) => ({ t, id: thing.id, amount }));
    return this._wanted.row({ ...row, all: true }, { more: does, does });
  }

  _coins(t, label, most) {
    const row = { key: `${t}-gold`, name: "gold", most };
    const does = this._wanted.mover(row, label, (amount) => ({ t, amount }));
    return el("p", { class: "coins" }, this._wanted.field({ ...row, all: true }, { does }), does);
  }
}
