/**
 * The chat: what is heard, and the line to speak with.
 *
 * @module
 */

import { el } from "./nodes.js";
import { HELP, LONGEST_WORDS, WAYS, doing, line, read } from "./words.js";

const MOST_LINES = 200;
const MOST_REMEMBERED = 30;

const LABELS = {
  say: "Say",
  whisper: "Whisper",
  yell: "Yell",
  party: "Party",
  guild: "Guild",
  global: "To all",
  tell: "Tell",
  emote: "Do",
};

/** The chat log and its form. */
export class Chat {
  /**
   * @param {{send: (message: object) => void, look: (name: string) => void, done: () => void}} does `done`:
   *   the
   *   keyboard goes back to the map
   */
  constructor(does) {
    this._does = does;
    this._gestures = [];
    this._typed = [];
    this._at = 0;
    this.log = el("div", {
      id: "chat-log",
      role: "log",
      "aria-live": "polite",
      "aria-label": "What is said",
      tabindex: "0",
      onscroll: () => this._scrolled(),
    });
    this._follows = true;
    this._height = 0;
    new ResizeObserver(() => this._resized()).observe(this.log);
    this.words = el("input", {
      name: "words",
      type: "text",
      maxlength: LONGEST_WORDS + 40,
      autocomplete: "off",
      enterkeyhint: "send",
      placeholder: "Say something, or /help",
      "aria-label": "Words",
      onkeydown: (event) => this._key(event),
    });
    this.way = el(
      "select",
      { name: "how", "aria-label": "How to say it", onchange: () => this._chose() },
      ...WAYS.map((way) => el("option", { value: way }, LABELS[way])),
    );
    this.to = el("input", {
      name: "to",
      type: "text",
      maxlength: "32",
      autocomplete: "off",
      placeholder: "to whom",
      "aria-label": "To whom",
      hidden: true,
    });
    this.gestures = el("select", {
      name: "gesture",
      "aria-label": "Make a gesture",
      onchange: () => this._gesture(),
    });
    this.form = el(
      "form",
      { id: "chat-form", autocomplete: "off", onsubmit: (event) => this._submit(event) },
      this.way,
      this.to,
      this.words,
      el("button", { type: "submit" }, "Send"),
      this.gestures,
    );
    this.setGestures([]);
    this.node = el("section", { id: "chat", "aria-label": "Chat" }, this.log, this.form);
  }

  /** All gestures the server knows. */
  setGestures(gestures) {
    this._gestures = [...gestures];
    this.gestures.replaceChildren(
      el("option", { value: "" }, "Gesture"),
      ...this._gestures.map((one) => el("option", { value: one }, one)),
    );
    this.gestures.hidden = this._gestures.length === 0;
  }

  /** The keyboard speaks. */
  focus() {
    this.words.focus();
  }

  /** Begin to tell somebody something. */
  tellTo(name) {
    this.way.value = "tell";
    this._chose();
    this.to.value = name;
    this.words.focus();
  }

  /** Somebody's words. */
  said(message) {
    const { kind, before, words } = line(message);
    this.add(kind, before, words);
    if (message.how === "tell") this._lastTeller = message.name;
  }

  /** Somebody's gesture. */
  gestured(name, gesture) {
    this.add("emote", name, doing(gesture));
  }

  /** The page's own word. */
  note(words) {
    this.add("system", "", words);
  }

  /**
   * One more line.
   *
   * @param {string} kind
   * @param {string} before who, or ""
   * @param {string} words
   */
  add(kind, before, words) {
    const { log } = this;
    log.append(
      el("p", { dataset: { kind } }, before && el("b", {}, before), before && " ", el("span", {}, words)),
    );
    while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
    this._follow();
  }

  clear() {
    this.log.replaceChildren();
  }

  /** Show the newest line, unless its reader went back to older ones. */
  _follow() {
    if (this._follows) this.log.scrollTop = this.log.scrollHeight;
  }

  /** Its reader scrolled; but not where it did so by itself, as it was hidden, shown or of another height. */
  _scrolled() {
    const { log } = this;
    if (log.clientHeight && log.clientHeight === this._height)
      this._follows = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
  }

  /** Hidden, shown again (a sheet was open over it), or of another height. */
  _resized() {
    this._height = this.log.clientHeight;
    this._follow();
  }

  _submit(event) {
    event.preventDefault();
    const typed = this.words.value;
    const meant = read(typed, this.way.value, this.to.value, this._gestures);
    if (meant?.fault) {
      this.note(meant.fault);
      return;
    }
    if (meant === null) {
      this._does.done();
      return;
    }
    this._typed.push(typed);
    if (this._typed.length > MOST_REMEMBERED) this._typed.shift();
    this._at = this._typed.length;
    this.words.value = "";
    if (meant.help) this.note(HELP);
    if (meant.look) this._does.look(meant.look);
    if (meant.message) {
      this._does.send(meant.message);
      const { how, to, words } = meant.message;
      // What the server does not tell oneself.
      if (how === "tell") this.add("tell", `You tell ${to}:`, words);
      if (how === "global") this.add("global", "[global] You:", words);
    }
  }

  _key(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this._does.done();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const at = this._at + (event.key === "ArrowUp" ? -1 : 1);
      this._at = Math.min(Math.max(at, 0), this._typed.length);
      this.words.value = this._typed[this._at] ?? "";
    }
  }

  _chose() {
    this.to.hidden = this.way.value !== "tell";
    if (!this.to.hidden && !this.to.value && this._lastTeller) this.to.value = this._lastTeller;
  }

  _gesture() {
    const gesture = this.gestures.value;
    this.gestures.value = "";
    if (gesture) this._does.send({ t: "gesture", gesture });
  }
}
