/**
 * Letters: those that wait, one of them with what it brings, and one that is being written.
 *
 * They are read and written anywhere, and change hands at bankers and boards: elsewhere the server says so. What was
 * written stays until it is on its way.
 *
 * @module
 */

import { Asking, written } from "./asking.js";
import { picture } from "./figures.js";
import { button, el, field, refill } from "./nodes.js";
import { Rows, gold } from "./rows.js";
import { ago, day } from "./words.js";

const NONE = "No letters wait for you.";
const LONGEST = { to: 32, subject: 32, text: 500 }; // world/mail.py
const LIST = 0;
const WRITING = -1;

/** The pane of letters. */
export class Mail extends Asking {
  /** @param {(message: object) => boolean | void} send @param {{closed: () => void}} does */
  constructor(send, { closed }) {
    super("mail", "Letters", send, closed);
    this._letters = new Map(); // by number, the oldest first
    this._at = LIST; // or the letter that is read
    this._things = [];
    this._gold = 0;
    this._enclosed = new Map(); // how many of what one has, by its id
    this._rows = new Rows({
      ask: ({ id, amount }) => this._enclose(id, amount),
      told: (words) => (this._told.textContent = words),
    });
    this._to = el("input", { maxlength: LONGEST.to, autocomplete: "off", dataset: { key: "letter-to" } });
    this._subject = el("input", { maxlength: LONGEST.subject, autocomplete: "off", dataset: { key: "letter-subject" } });
    this._text = el("textarea", { maxlength: LONGEST.text, rows: "5", dataset: { key: "letter-text" } });
    this._fields = [
      field("To whom?", this._to),
      field("About what?", this._subject),
      field("What shall it say?", this._text),
    ];
  }

  open() {
    this._at = LIST;
    super.open();
    this._ask({ t: "mail" });
  }

  /** @param {object} message a `mail` */
  mail({ letters = [] }) {
    this._letters = new Map(letters.map((letter) => [letter.id, letter]));
    if (this._at > 0 && !this._letters.has(this._at)) this._at = LIST;
    this._changed();
  }

  /** A letter is on its way. */
  sent() {
    for (const one of [this._to, this._subject, this._text]) one.value = "";
    this._enclosed.clear();
    this._rows.clear();
    if (this._at === WRITING) this._at = LIST;
    this._changed();
  }

  /** @param {{gold: number}} sheet */
  sheet(sheet) {
    if (this._gold === sheet.gold) return;
    this._gold = sheet.gold;
    this._renew();
  }

  belongings(things) {
    this._things = things.filter(({ worn, kind }) => !worn && kind !== "gold");
    const left = new Map(this._things.map(({ id, amount = 1 }) => [id, amount]));
    for (const [id, amount] of this._enclosed) {
      if (!left.has(id)) this._enclosed.delete(id);
      else this._enclosed.set(id, Math.min(amount, left.get(id)));
    }
    this._renew();
  }

  clear() {
    this._letters.clear();
    this.sent();
    this._pane.open = false;
  }

  /** What one has changed. */
  _renew() {
    if (this._at === WRITING) this._changed();
  }

  _turn(at) {
    this._at = at;
    this._told.textContent = "";
    this._draw();
    this._pane.title.focus({ preventScroll: true });
  }

  _draw() {
    const letter = this._letters.get(this._at);
    this._pane.title.textContent = letter ? letter.subject : this._at === WRITING ? "A letter" : "Letters";
    if (letter) this._drawLetter(letter);
    else if (this._at === WRITING) this._drawWriting();
    else this._drawList();
  }

  // Those that wait

  _drawList() {
    const letters = [...this._letters.values()].reverse();
    refill(
      this._list,
      button("Write a letter", () => this._turn(WRITING), { dataset: { key: "write" } }),
      letters.length === 0
        ? el("p", { class: "empty" }, NONE)
        : el("ul", { class: "rows" }, ...letters.map((letter) => this._row(letter))),
    );
  }

  _row({ id, sender, subject, at, parcel = [], price = 0, read = false }) {
    const brings = parcel.length === 0 ? "" : price > 0 ? `, a parcel for ${gold(price)}` : ", with a parcel";
    const words = `from ${sender}, ${ago(at)}${brings}`;
    return el(
      "li",
      { dataset: read ? {} : { fresh: "" } },
      parcel.length > 0 ? picture(parcel[0].look) : el("span", { "aria-hidden": "true" }, "✉"),
      el("span", { class: "name" }, subject, el("small", {}, read ? words : `new, ${words}`)),
      this._does("Read", `${subject}, from ${sender}`, `letter-${id}`, () => this._read(id, read)),
    );
  }

  _read(id, read) {
    this._turn(id);
    if (!read) this._send({ t: "read_letter", id });
  }

  // One of them

  _drawLetter({ id, sender, at, text = "", until = 0, parcel = [], price = 0 }) {
    const does = (label, t) => this._does(label, "", `${t}-${id}`, () => this._ask({ t, id }));
    const takes = price > 0 ? `Pay ${gold(price)} and take it` : "Take what it brings";
    refill(
      this._list,
      el("p", {}, el("small", {}, `From ${sender}, ${day(at)}${until ? `; waits until ${day(until)}` : ""}`)),
      el("p", { class: "letter" }, text),
      parcel.length > 0 && el("h3", {}, price > 0 ? `It brings, for ${gold(price)}` : "It brings"),
      parcel.length > 0 && el("ul", { class: "rows" }, ...parcel.map((one) => this._brought(one))),
      el(
        "div",
        { class: "foot" },
        parcel.length > 0 ? does(takes, "take_letter") : does("Throw it away", "discard_letter"),
        parcel.length > 0 && does("Send it back", "refuse_letter"),
        button("Answer", () => this._answer(sender), { dataset: { key: "answer" } }),
        button("All letters", () => this._turn(LIST), { dataset: { key: "all" } }),
      ),
    );
  }

  _brought({ name, look, amount = 1 }) {
    return el("li", {}, picture(look), el("span", { class: "name" }, amount > 1 ? `${name} × ${amount}` : name));
  }

  _answer(sender) {
    this._to.value = sender;
    this._turn(WRITING);
  }

  // One that is written

  _enclose(id, amount) {
    this._enclosed.set(id, amount);
    this._draw();
  }

  _drawWriting() {
    const left = this._things.filter(({ id }) => !this._enclosed.has(id));
    const inside = this._things.filter(({ id }) => this._enclosed.has(id));
    refill(
      this._list,
      ...this._fields,
      el("h3", {}, "With it go"),
      this._rows.list(
        inside.map((thing) => this._inside(thing)),
        "No things: choose some of your pack.",
      ),
      this._coins("letter-gold", `Gold of ${this._gold}`, "gold in the letter", this._gold),
      this._coins("letter-price", "To be paid for it", "gold to be paid for it", -1),
      el("h3", {}, "In your pack"),
      this._rows.list(
        left.map((thing) => this._carried(thing)),
        "You carry nothing else.",
      ),
      el(
        "div",
        { class: "foot" },
        this._does("Send it", "", "send", () => this._sendIt()),
        button("All letters", () => this._turn(LIST), { dataset: { key: "all" } }),
      ),
    );
  }

  _inside({ id, name, look }) {
    const back = this._does("Take back", name, `in-${id}`, () => {
      this._enclosed.delete(id);
      this._draw();
    });
    return this._rows.row({ key: `in-${id}`, name, look, most: this._enclosed.get(id) }, { more: back });
  }

  _carried({ id, name, look, amount = 1 }) {
    const row = { key: `out-${id}`, name, look, most: amount, all: true };
    const does = this._rows.mover(row, "Put in", (count) => ({ id, amount: count }));
    return this._rows.row(row, { more: does, does });
  }

  _coins(key, label, name, most) {
    const does = { click: () => this._sendIt() };
    return el("p", { class: "coins" }, `${label}: `, this._rows.field({ key, name, most }, { does }));
  }

  _sendIt() {
    const [coins, price] = ["letter-gold", "letter-price"].map((key) => this._rows.amount(key));
    const [to, subject, text] = [this._to, this._subject, this._text].map(written);
    if (!to) {
      this._told.textContent = "To whom?";
      this._to.focus();
      return;
    }
    const things = [...this._enclosed].map(([id, amount]) => ({ id, amount }));
    this._ask({
      t: "send_letter",
      to,
      ...(subject ? { subject } : {}),
      ...(text ? { text } : {}),
      ...(things.length > 0 ? { things } : {}),
      ...(coins > 0 ? { gold: coins } : {}),
      ...(price > 0 ? { price } : {}),
    });
  }
}
