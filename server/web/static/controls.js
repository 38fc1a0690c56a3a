/**
 * Keys and buttons to walk with.
 *
 * @module
 */

import { button, el, takesWords } from "./nodes.js";
import { headingTowards } from "./walking.js";

/** (dx, dy) of the keys, by their place on the keyboard and not by their letter. */
const KEYS = new Map([
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["KeyW", [0, -1]],
  ["KeyS", [0, 1]],
  ["KeyA", [-1, 0]],
  ["KeyD", [1, 0]],
  ["Numpad8", [0, -1]],
  ["Numpad2", [0, 1]],
  ["Numpad4", [-1, 0]],
  ["Numpad6", [1, 0]],
  ["Numpad7", [-1, -1]],
  ["Numpad9", [1, -1]],
  ["Numpad1", [-1, 1]],
  ["Numpad3", [1, 1]],
]);

/** What helps, by the keys in the row of digits. */
const AIDS = new Map([
  ["Digit1", "potion"],
  ["Digit2", "bandage"],
  ["Digit3", "food"],
]);

/** What one has to do with others (society.js). */
const SOCIETY = new Map([
  ["KeyG", "guild"],
  ["KeyB", "friends"],
  ["KeyL", "mail"],
]);

/** Milliseconds in which a second key makes the first step a diagonal one. */
const TOGETHER_MS = 40;

const ARROWS = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"];
const NAMES = ["north", "north east", "east", "south east", "south", "south west", "west", "north west"];
/** Headings in the order in which the nine places of the pad are filled; the middle one is for running. */
const PLACES = [7, 0, 1, 6, null, 2, 5, 4, 3];

/** What is held down, as a wish to go somewhere. */
export class Controls {
  /**
   * @param {{on: () => boolean, turn: (heading: number) => void, sit: () => void, talk: (begin: string) =>
   *   void,
   *   stop: () => boolean, run: (run: boolean) => void, attack: () => void, aid: (key: string) => void,
   *   question: () => void, journal: () => void, map: () => void, party: () => void,
   *   society: (name: string) => void}}
   *   does `on`: whether there is somebody who walks;
   *   `stop`
   *   answers whether there was anything to stop
   */
  constructor(does) {
    this._does = does;
    this._held = new Map();
    this._since = 0;
    /** Whether nobody has asked yet where the held keys lead: who lets go of them by then still means it. */
    this._unasked = false;
    this._tapped = -1;
    this._shift = false;
    this._padHeading = -1;
    this._padUnasked = false;
    this._padPointer = null;
    this.pad = this._makePad();
    // Before the map gets the keys: there they would move the picture.
    document.addEventListener("keydown", (event) => this._down(event), true);
    document.addEventListener("keyup", (event) => this._up(event), true);
    window.addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
  }

  /** Whether Shift is held. */
  get shift() {
    return this._shift;
  }

  /** Whether anything is held. */
  get held() {
    return this._held.size > 0 || this._padHeading >= 0 || this._tapped >= 0;
  }

  /**
   * Where what is held leads to.
   *
   * @param {number} now
   * @param {boolean} moving whether one goes already: then there is nothing to wait for
   * @returns {number} -1 for nowhere
   */
  heading(now, moving) {
    if (this._padHeading >= 0) {
      this._padUnasked = false;
      return this._padHeading;
    }
    const tapped = this._tapped;
    this._tapped = -1;
    if (tapped >= 0) return tapped;
    if (this._held.size === 0 || (!moving && now - this._since < TOGETHER_MS)) return -1;
    this._unasked = false;
    return this._keys();
  }

  /** Nothing is held any more. */
  release() {
    this._held.clear();
    this._tapped = -1;
    this._padHeading = -1;
    this._padUnasked = false;
    this._padPointer = null;
    this._shift = false;
  }

  _keys() {
    let [x, y] = [0, 0];
    for (const [dx, dy] of this._held.values()) [x, y] = [x + dx, y + dy];
    return headingTowards(Math.sign(x), Math.sign(y));
  }

  _down(event) {
    this._shift = event.shiftKey;
    if (
      !this._does.on() ||
      event.defaultPrevented ||
      event.isComposing ||
      document.querySelector("dialog:modal") ||
      event.target.closest?.(".window")
    ) {
      return;
    }
    if (takesWords(event.target) || event.altKey || event.metaKey) return;
    const way = KEYS.get(event.code);
    if (way && event.ctrlKey && event.code.startsWith("Key")) return; // Ctrl+A and the like are the browser's
    if (way && !event.target.closest?.("[role=tablist]")) {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat && !this._held.has(event.code)) return;
      if (event.ctrlKey) {
        this._does.turn(headingTowards(...way));
        return;
      }
      if (this._held.size === 0) {
        this._since = performance.now();
        this._unasked = true;
      }
      this._held.set(event.code, way);
      return;
    }
    if (event.ctrlKey || event.repeat) return;
    const presses = event.target.closest?.("button, a, summary, [role=tab], input");
    if ((event.key === "Enter" && !presses) || event.code === "KeyT")
      this._act(event, () => this._does.talk(""));
    else if (event.key === "/") this._act(event, () => this._does.talk("/"));
    else if (event.key === "Escape" && this._does.stop()) this._act(event, () => {});
    else if (event.code === "KeyC") this._act(event, () => this._does.sit());
    else if (event.code === "KeyJ") this._aside(event, () => this._does.journal());
    else if (event.code === "KeyM") this._aside(event, () => this._does.map());
    else if (event.code === "KeyP") this._aside(event, () => this._does.party());
    else if (SOCIETY.has(event.code)) this._aside(event, () => this._does.society(SOCIETY.get(event.code)));
    else if (event.code === "KeyQ") this._act(event, () => this._does.question());
    else if (event.code === "KeyF") this._aside(event, () => this._does.attack());
    else if (AIDS.has(event.code)) this._aside(event, () => this._does.aid(AIDS.get(event.code)));
  }

  /** What is done without a halt. */
  _aside(event, does) {
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  _act(event, does) {
    event.preventDefault();
    event.stopPropagation();
    this.release();
    does();
  }

  _up(event) {
    this._shift = event.shiftKey;
    if (this._unasked && this._tapped < 0 && this._held.has(event.code)) this._tapped = this._keys();
    this._held.delete(event.code);
  }

  _makePad() {
    const pad = el("div", { id: "pad", role: "group", "aria-label": "Walk" });
    for (const heading of PLACES) pad.append(heading === null ? this._runKey() : this._padKey(heading));
    const at = (event) => {
      const key = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#pad [data-heading]");
      return key ? Number(key.dataset.heading) : -1;
    };
    pad.addEventListener("pointerdown", (event) => {
      const heading = at(event);
      if (heading < 0) return;
      event.preventDefault();
      pad.setPointerCapture(event.pointerId);
      this._padPointer = event.pointerId;
      this._padHeading = heading;
      this._padUnasked = true;
    });
    pad.addEventListener("pointermove", (event) => {
      if (event.pointerId !== this._padPointer) return;
      const heading = at(event);
      if (heading >= 0) this._padHeading = heading;
    });
    for (const over of ["pointerup", "pointercancel", "lostpointercapture"]) {
      pad.addEventListener(over, (event) => {
        if (event.pointerId !== this._padPointer) return;
        if (this._padUnasked) this._tapped = this._padHeading;
        this._padPointer = null;
        this._padHeading = -1;
        this._padUnasked = false;
      });
    }
    pad.addEventListener("contextmenu", (event) => event.preventDefault());
    return pad;
  }

  _padKey(heading) {
    const press = (event) => this._press(event, heading);
    const label = `Go ${NAMES[heading]}`;
    return button(ARROWS[heading], press, { "aria-label": label, dataset: { heading } });
  }

  _runKey() {
    const press = (event) => this._toggleRun(event.currentTarget);
    return button("Run", press, { class: "run", "aria-pressed": "false", "aria-label": "Run" });
  }

  /** A press that came from a keyboard or a screen reader: one step. */
  _press(event, heading) {
    if (event.detail !== 0) return;
    this._tapped = heading;
  }

  _toggleRun(key) {
    this._does.run(key.getAttribute("aria-pressed") !== "true");
  }

  /** Show whether one runs without a key. */
  showRun(run) {
    this.pad.querySelector(".run").setAttribute("aria-pressed", String(run));
  }
}
