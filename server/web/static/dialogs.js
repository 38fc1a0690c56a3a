/**
 * Questions: those of the world, and the page's own.
 *
 * @module
 */

import { picture } from "./figures.js";
import { button, el } from "./nodes.js";
import { Pane } from "./panes.js";

/** How soon after one spoke to somebody a question counts as the answer, in milliseconds. */
const ANSWER_MS = 3000;

/**
 * The world's questions, one at a time, the newest first; those before it come back when it is answered. Escape
 * answers 0, as closing does in every client.
 *
 * A question that comes unasked leaves the keyboard where it is, or somebody who walks or writes would answer it
 * by chance: it is announced. One that answers what one did (`expect`) gets it.
 */
export class Dialogs {
  /**
   * @param {(serial: number, button: number, filled: object[]) => boolean | void} answer false: it was not sent
   * @param {{announce?: (text: string) => void, closed?: () => void}} [does] `closed`: the keyboard goes back to
   *   the map
   */
  constructor(answer, { announce = () => {}, closed = () => {} } = {}) {
    this._answer = answer;
    this._announce = announce;
    this._closed = closed;
    this._open = [];
    this._shown = null;
    this._expected = -ANSWER_MS;
    this._pane = new Pane("dialog", {
      close: (event) => this._press(0, event),
      tag: "dialog",
      describedby: "dialog-text",
    });
    this.node = this._pane.node;
    this._title = this._pane.title;
    this._text = el("p", { id: "dialog-text" });
    this._form = el("div", {
      id: "dialog-form",
      onkeydown: (event) => {
        if (event.key === "Enter" && event.target.tagName === "INPUT")
          this._buttons.querySelector("button[value]:not([value='0'])")?.click();
      },
    });
    this._buttons = el("div", { class: "buttons" });
    this._more = el("p", { class: "small", id: "dialog-more" });
    this._pane.body.append(this._text, this._form, this._buttons, this._more);
  }

  /** One speaks to somebody: what is asked now is the answer. */
  expect() {
    this._expected = performance.now();
  }

  /** The world asks. */
  ask(message) {
    this._open = this._open.filter((one) => one.serial !== message.serial);
    this._open.push(message);
    const expected = performance.now() - this._expected < ANSWER_MS;
    this._expected = -ANSWER_MS;
    if (!expected && !this._pane.focused) this._announce(`${message.title}: ${message.text}`);
    this._show(expected || this._pane.focused);
  }

  /** It takes the question back. */
  close(serial) {
    this._open = this._open.filter((one) => one.serial !== serial);
    this._show(this._pane.focused);
  }

  /** None counts any more. */
  clear() {
    this._open = [];
    this._show(false);
  }

  /** The keyboard goes there; whether there is a question. */
  focus() {
    if (!this._shown) return false;
    this._pane.fold(false);
    this._first().focus();
    return true;
  }

  /** Whoever presses twice, or keeps Escape down, answers this question and not the one behind it, too. */
  _press(number, event) {
    if (event?.detail > 1 || event?.repeat) return;
    const question = this._open.at(-1);
    const filled = question && number ? this._filled(question) : [];
    if (question && this._answer(question.serial, number, filled) === false) {
      this._announce("There is no connection to the server just now.");
      return;
    }
    this._open.pop();
    if (number) this.expect(); // who goes on talking is asked again
    this._show(this._pane.focused);
  }

  /** What was filled in. */
  _filled({ inputs = [] }) {
    return inputs.map(({ key, options = [] }, place) => {
      const fields = [...this._form.querySelectorAll(`[name="input-${place}"]`)];
      if (options.length === 0) return { key, text: fields[0]?.value ?? "" };
      return { key, chosen: fields.filter((field) => field.checked).map((field) => Number(field.value)) };
    });
  }

  /** Somebody turned the page. */
  _leaf(question, page) {
    this._turn(question, page);
    this._first().focus();
  }

  /** A page of text; the last one has what is to be filled in, and the buttons. */
  _turn(question, page) {
    const pages = [question.text, ...(question.more ?? [])];
    const last = page === pages.length - 1;
    const asked = question.buttons.length > 0 ? question.buttons : [{ number: 0, label: "Close" }];
    this._text.textContent = pages[page];
    this._form.hidden = !last;
    this._buttons.replaceChildren(
      ...(page > 0 ? [button("Back", () => this._leaf(question, page - 1))] : []),
      ...(last ? [] : [button("Go on", () => this._leaf(question, page + 1))]),
      ...(last ? asked : []).map(({ number, label }) =>
        button(label, (event) => this._press(number, event), { value: number }),
      ),
    );
    const { children } = this._buttons;
    const first = last ? this._form.querySelector("input") || children[page > 0 ? 1 : 0] : null;
    this._first = () => first || this._buttons.lastElementChild;
  }

  /** What is to be filled in, as one field or a group of them. */
  _blank({ key, prompt, kind, options = [], least = 0, most = 0, start = "" }, place) {
    const name = `input-${place}`;
    if (kind === "number" || kind === "line") {
      const range = kind === "number" ? { type: "number", min: least, max: most } : { maxlength: most };
      return el("label", { class: "blank" }, prompt, el("input", { name, value: start, ...range }));
    }
    const type = kind === "several" ? "checkbox" : "radio";
    return el(
      "fieldset",
      { class: "blank", "data-key": key },
      el("legend", {}, prompt),
      ...options.map(({ number, label, look, chosen = false }) =>
        el(
          "label",
          {},
          el("input", { type, name, value: number, checked: chosen }),
          look ? picture(look) : "",
          label,
        ),
      ),
    );
  }

  /** @param {boolean} keyboard whether it goes to the first answer, or to the map when there is none */
  _show(keyboard) {
    const question = this._open.at(-1) ?? null;
    const others = this._open.length - 1;
    this._more.textContent = others < 1 ? "" : others === 1 ? "One more question waits." : `${others} more questions wait.`;
    if (this._shown === question) return;
    this._shown = question;
    this._pane.open = question !== null;
    if (!question) {
      if (keyboard) this._closed();
      return;
    }
    this._title.textContent = question.title;
    this._form.replaceChildren(...(question.inputs ?? []).map((blank, place) => this._blank(blank, place)));
    this._turn(question, 0);
    if (keyboard) this._first().focus();
  }
}

/**
 * Ask before something is done that cannot be undone.
 *
 * @param {string} title
 * @param {string} text
 * @param {string} yes the label of the button that does it
 * @returns {Promise<boolean>}
 */
export function confirm(title, text, yes) {
  return new Promise((resolve) => {
    const cancel = button("Cancel", () => node.close());
    const node = el(
      "dialog",
      {
        class: "question",
        "aria-labelledby": "question-title",
        onclose: () => {
          node.remove();
          resolve(node.returnValue === "yes");
        },
      },
      el("h2", { id: "question-title" }, title),
      el("p", {}, text),
      el(
        "div",
        { class: "buttons" },
        cancel,
        button(yes, () => node.close("yes"), { class: "danger" }),
      ),
    );
    document.body.append(node);
    node.showModal();
    cancel.focus();
  });
}

/**
 * Show an account that was just made, once.
 *
 * @param {{account: string, password: string}} made
 * @param {{folded?: boolean}} [how] to one line that opens it, where it would cover too much
 * @returns {HTMLElement}
 */
export function accountNote(made, { folded = false } = {}) {
  const copied = el("span", { class: "copied", role: "status" });
  const row = (label, value) =>
    el(
      "p",
      { class: "account-row" },
      el("span", {}, label),
      el("code", {}, value),
      button("Copy", () => copy(value, label, copied), { "aria-label": `Copy the ${label.toLowerCase()}` }),
    );
  const node = el("section", { id: "account-note", "aria-labelledby": "account-note-title" });
  const title = el("h2", { id: "account-note-title" }, "Your account");
  const words = [
    el("p", {}, "Write it down: it is shown only now. The same account works in every game client."),
    row("Name", made.account),
    row("Password", made.password),
    copied,
    button("Done", () => node.remove(), { class: "close" }),
  ];
  if (folded) node.append(el("details", {}, el("summary", {}, title), ...words));
  else node.append(title, ...words);
  return node;
}

async function copy(value, label, told) {
  try {
    await navigator.clipboard.writeText(value);
    told.textContent = `${label} copied.`;
  } catch {
    told.textContent = "This browser does not let the page copy: select the words and copy them yourself.";
  }
}
