/**
 * Panes: what stands beside the map while one plays on, such as a question, a shop, the journal.
 *
 * None of them is modal. They lie in one column at the side (on a phone: above the buttons to walk with), where
 * they cover neither the chat nor the buttons, and the keyboard is theirs only while something in them has the
 * focus: elsewhere its keys walk. Escape in a pane closes it and goes back to the map.
 *
 * @module
 */

import { button, el } from "./nodes.js";

/** One pane: a title, a button to fold it, one to close it, and a body that others fill. */
export class Pane {
  /**
   * @param {string} id of its node; its title has `${id}-title`
   * @param {{close: (event: Event) => void, label?: string, tag?: string, describedby?: string}} does `close`:
   *   somebody wants it closed; `label`: what its button is called
   */
  constructor(id, { close, label = "Close", tag = "section", describedby = null }) {
    this.title = el("h2", { id: `${id}-title`, tabindex: "-1" });
    this.body = el("div", { class: "pane-body" });
    this._fold = button("–", () => this.fold(!this.folded), { class: "fold", "aria-expanded": "true" });
    this.node = el(
      tag,
      {
        id,
        class: "window",
        "aria-labelledby": `${id}-title`,
        "aria-describedby": describedby,
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          close(event);
        },
      },
      el(
        "header",
        {},
        this.title,
        this._fold,
        button("×", close, { class: "close", "aria-label": label, title: label }),
      ),
      this.body,
    );
    this.open = false;
  }

  get open() {
    return this.node.hasAttribute("data-open");
  }

  /** Shown or not. Whoever had the keyboard in it gets it back from whoever closes it. */
  set open(open) {
    this.node.toggleAttribute("data-open", open);
    this.node.hidden = !open;
    if (this.node.tagName === "DIALOG") this.node.open = open; // without showModal: nothing else is barred
    if (!open) this.fold(false);
  }

  get folded() {
    return this.node.hasAttribute("data-folded");
  }

  /** To its title, so that one sees what is behind it. */
  fold(folded) {
    this.node.toggleAttribute("data-folded", folded);
    this.body.hidden = folded;
    this._fold.setAttribute("aria-expanded", String(!folded));
    this._fold.setAttribute("aria-label", folded ? "Unfold" : "Fold");
    this._fold.textContent = folded ? "+" : "–";
  }

  /** Whether the keyboard is in it. */
  get focused() {
    return this.node.contains(document.activeElement);
  }
}
