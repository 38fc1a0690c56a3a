/**
 * A trade with another player: what both offer, and who agrees.
 *
 * The page decides nothing: it says what is offered, and shows what it is told. Whoever agrees says to which offers,
 * so that nobody agrees to what came after the press.
 *
 * @module
 */

import { badge, gameOf } from "./games.js";
import { button, el, refill } from "./nodes.js";
import { Pane } from "./panes.js";
import { ANSWER_MS, LOST, Rows, gold, once } from "./rows.js";

const END = "End the trade";

/** The pane of a trade. */
export class Trading {
  /**
   * @param {(message: object) => boolean | void} send
   * @param {{closed: () => void, opened: () => void}} does `closed`: the keyboard goes back to the map
   */
  constructor(send, { closed, opened }) {
    this._send = send;
    this._closed = closed;
    this._opened = opened;
    this._pane = new Pane("trading", { close: () => this._end(), label: END });
    this.node = this._pane.node;
    this._told = el("p", { class: "told", role: "status" });
    this._line = el("p", { class: "visually-hidden", role: "status" });
    this._offers = el("div", {});
    this._pane.body.append(this._line, this._told, this._offers);
    this._gold = 0;
    this._things = [];
    this._shown = null;
    this._asked = -ANSWER_MS;
    this._rows = new Rows({
      ask: (message) => this._ask(message),
      told: (words) => (this._told.textContent = words),
    });
  }

  /** Whether one trades. */
  get open() {
    return this._shown !== null;
  }

  /** @param {object} message a `bargain` */
  show(message) {
    const begins = !this.open;
    this._shown = message;
    if (begins) {
      this._rows.clear();
      this._told.textContent = "";
      const { name, game } = message;
      const from = gameOf(game)?.name;
      this._pane.title.replaceChildren(badge(game, 22), ` Trade with ${name}`, from ? el("small", {}, ` ${from}`) : "");
      this._pane.open = true;
      this._opened();
    }
    this._line.textContent = message.line;
    this._draw();
  }

  /** @param {object} message a `bargain_over` */
  over(message) {
    if (this._shown?.id === message.id) this.clear();
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

  /** The keyboard goes there; whether there is a trade. */
  focus() {
    if (!this.open) return false;
    this._pane.fold(false);
    this._pane.title.focus({ preventScroll: true });
    return true;
  }

  /** There is none any more. */
  clear() {
    const had = this._pane.focused;
    this._shown = null;
    this._pane.open = false;
    if (had) this._closed();
  }

  /** Its player goes: the server says that it is over. */
  _end() {
    if (this.open) this._ask({ t: "end_trade" });
  }

  _ask(message) {
    this._asked = performance.now();
    this._told.textContent = this._send(message) === false ? LOST : "";
  }

  _draw() {
    if (!this.open) return;
    const { name, own, theirs } = this._shown;
    const [mine, their] = [own, theirs].map(({ things = [] }) => things);
    const offered = new Set(mine.map(({ id }) => id));
    const left = this._things.filter(({ id, kind }) => !offered.has(id) && kind !== "gold");
    refill(
      this._offers,
      this._heading(`${name} offers`, theirs),
      this._rows.list(
        their.map((good) => this._good(good)),
        "No thing yet.",
      ),
      el("p", { class: "coins" }, `Gold: ${theirs.gold ?? 0}`),
      this._heading("You offer", own),
      this._rows.list(
        mine.map((good) => this._good(good, this._back(good))),
        "No thing yet: offer something of your pack.",
      ),
      this._coins(own.gold ?? 0),
      el("h3", {}, "In your pack"),
      this._rows.list(
        left.map((thing) => this._thing(thing)),
        "You carry nothing else.",
      ),
      this._foot(),
    );
  }

  _heading(words, { agreed = false }) {
    return el("h3", {}, words, agreed && el("span", { class: "agreed" }, " ✓ agreed"));
  }

  /** Something that is offered. */
  _good({ id, name, look, amount = 1, inside = [] }, more = el("span", {})) {
    const row = this._rows.row({ key: `good-${id}`, name, look, most: amount }, { more });
    if (inside.length > 0) row.querySelector(".name").append(el("small", {}, `with ${inside.join(", ")}`));
    return row;
  }

  _back({ id, name }) {
    return button("Take back", once(() => this._ask({ t: "retract", id })), {
      "aria-label": `Take back: ${name}`,
      dataset: { key: `good-${id}-do` },
    });
  }

  /** Something that can be offered. */
  _thing({ id, name, look, amount = 1 }) {
    const row = { key: `offer-${id}`, name, look, most: amount, all: true };
    const does = this._rows.mover(row, "Offer", (count) =>
      count === amount ? { t: "offer", id } : { t: "offer", id, amount: count },
    );
    return this._rows.row(row, { more: does, does });
  }

  /** Gold, as a number: so much of it from now on. */
  _coins(offered) {
    const key = "offer-gold";
    const does = () => {
      const amount = this._rows.amount(key);
      if (amount <= this._gold) this._ask({ t: "offer_gold", amount });
      else this._told.textContent = `You have only ${gold(this._gold)}.`;
    };
    const offer = button("Offer", once(does), { "aria-label": "Offer: gold", dataset: { key: `${key}-do` } });
    const field = this._rows.field({ key, name: "gold", most: this._gold }, { does: offer });
    return el("p", { class: "coins" }, `Gold: ${offered} of ${this._gold} `, field, offer);
  }

  _foot() {
    const { own, theirs, changes = 0 } = this._shown;
    const agreed = Boolean(own.agreed);
    const nothing = [own, theirs].every(({ things = [], gold: coins = 0 }) => things.length === 0 && coins === 0);
    const agree = () => this._ask({ t: "agree", changes, ...(agreed ? { agreed: false } : {}) });
    return el(
      "div",
      { class: "foot" },
      button(agreed ? "Agreed" : "Agree", once(agree), {
        "aria-pressed": String(agreed),
        disabled: nothing,
        dataset: { key: "agree" },
      }),
      button(END, once(() => this._end()), { dataset: { key: "end" } }),
    );
  }
}
