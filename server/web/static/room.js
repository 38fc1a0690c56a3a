/**
 * The part of the panel that one sees while one plays: who is near, what one has, keys and settings.
 *
 * @module
 */

import { button, el } from "./nodes.js";

const KEYS =
  "Walk: arrow keys, W A S D or the number pad, two keys for a slant; Shift runs, Ctrl and an arrow turns. " +
  "F attacks whom you have chosen, or the nearest creature, and stops; a click on a creature chooses it, a second one attacks; " +
  "1, 2 and 3 use a potion, a bandage and food. " +
  "C sits down, on a chair if you face one, and a click on a chair does so too; Enter or T talks, / begins a command, Escape stops; Q goes to the question that is asked at the side of the map, J opens the journal of your quests, M the map of the realm, P your party, G your guild, B your friends, L your letters. " +
  "All who are near are in the list Near you.";

/** When there are buttons to walk with on the map. */
const PADS = [
  ["auto", "on touch screens"],
  ["on", "always"],
  ["off", "never"],
];

/** The room beside the map. */
export class Room {
  /**
   * @param {import("./settings.js").Settings} settings
   * @param {{near: Element, pack: Element, sheet: Element}} parts what it shows
   * @param {{leave: () => void, changed: () => void}} does `changed`: a setting is another
   */
  constructor(settings, parts, does) {
    this._settings = settings;
    this._does = does;
    const set = (name, value) => this.set(name, value);
    this._run = el("input", { type: "checkbox", onchange: () => set("run", this._run.checked) });
    this._large = el("input", { type: "checkbox", onchange: () => set("large", this._large.checked) });
    this._sound = el("input", { type: "checkbox", onchange: () => set("sound", this._sound.checked) });
    this._pad = el(
      "select",
      { onchange: () => set("pad", this._pad.value) },
      ...PADS.map(([value, label]) => el("option", { value }, label)),
    );
    const leave = button("Leave the world", () => does.leave(), { id: "leave", class: "button" });
    this.node = el(
      "div",
      { id: "play-world", hidden: true },
      el("p", { class: "leave" }, leave),
      el("h2", {}, "Near you"),
      parts.near,
      el("h2", {}, "Belongings"),
      parts.pack,
      parts.sheet,
      el(
        "details",
        {},
        el("summary", {}, "Keys and settings"),
        el("p", { class: "small", id: "play-help" }, KEYS),
        el("label", { class: "setting" }, this._run, " Always run"),
        el("label", { class: "setting" }, this._large, " Larger letters in the chat"),
        el("label", { class: "setting" }, this._sound, " Sounds of fights"),
        el("label", { class: "setting" }, "Walking buttons on the map ", this._pad),
      ),
    );
  }

  /** Change a setting, and show that it is another. */
  set(name, value) {
    this._settings.set(name, value);
    this.show();
    this._does.changed();
  }

  /** Show the settings as they are. */
  show() {
    this._run.checked = this._settings.get("run");
    this._large.checked = this._settings.get("large");
    this._sound.checked = this._settings.get("sound");
    this._pad.value = this._settings.get("pad");
  }
}
