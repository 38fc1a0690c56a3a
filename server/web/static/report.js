/**
 * A report of somebody to the staff, which reads with it what was said around here last.
 *
 * @module
 */

import { Asking, written } from "./asking.js";
import { el, field, refill } from "./nodes.js";

const LONGEST = 128; // as of a line that is said

/** The pane in which a report is written. */
export class Report extends Asking {
  /** @param {(message: object) => boolean | void} send @param {{closed: () => void}} does */
  constructor(send, { closed }) {
    super("report", "Report", send, closed);
    this._name = "";
    this._words = el("textarea", { maxlength: LONGEST, rows: "3", dataset: { key: "report-words" } });
    this._field = field("What is wrong?", this._words);
  }

  /** Write one about somebody. */
  about(name) {
    this._name = name;
    this._words.value = "";
    this._pane.title.textContent = `Report ${name}`;
    this.open();
    this._words.focus({ preventScroll: true });
  }

  clear() {
    this._pane.open = false;
  }

  _draw() {
    refill(
      this._list,
      el("p", {}, "The staff reads it, and with it what was said around you last."),
      this._field,
      el("div", { class: "foot" }, this._does("Send the report", "", "report", () => this._sendIt())),
    );
  }

  _sendIt() {
    const text = written(this._words);
    if (text) this._ask({ t: "report", name: this._name, text });
    else this._told.textContent = "Write what is wrong.";
  }
}
