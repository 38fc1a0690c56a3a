/**
 * The sheet of one's own character: level, experience, attributes with what can be spent on them, skills.
 *
 * @module
 */

import { button, el, refill } from "./nodes.js";

const ATTRIBUTES = ["strength", "dexterity", "intelligence", "vitality"];
const LOCKS = ["", "falls", "fixed"];

const title = (word) => word[0].toUpperCase() + word.slice(1);
const whole = (number) => number.toLocaleString("en");

/** All numbers of a character. */
export class Sheet {
  /** @param {(attribute: string) => void} spend a point */
  constructor(spend) {
    this._spend = spend;
    this._skills = [];
    this._cap = 1000;
    this.summary = el("summary", {}, "Character");
    this._numbers = el("div", { id: "sheet" });
    this._learned = el("div", { id: "skills" });
    this.node = el("details", { id: "character" }, this.summary, this._numbers, this._learned);
  }

  /** @param {Record<string, number>} sheet a `sheet` message */
  sheet(sheet) {
    const { level, experience, points } = sheet;
    this.summary.textContent = points
      ? `Character (${points} ${points === 1 ? "point" : "points"} to spend)`
      : "Character";
    const [from, to] = [sheet.level_from, sheet.level_to];
    const share = Math.max(0, Math.min(1, (experience - from) / Math.max(1, to - from)));
    const meter = el(
      "div",
      {
        class: "bar-meter",
        role: "meter",
        "aria-label": "Experience of this level",
        "aria-valuemin": from,
        "aria-valuemax": to,
        "aria-valuenow": Math.min(experience, to),
        "aria-valuetext": `${whole(experience)} of ${whole(to)}`,
        dataset: { bar: "experience" },
      },
      el("i"),
    );
    meter.firstElementChild.style.width = `${100 * share}%`;
    const facts = [
      ["Damage", `${sheet.damage_least} to ${sheet.damage_most}`],
      ["A blow every", `${(sheet.blow_ms / 1000).toFixed(1)} s`],
      ["Armour", sheet.armour],
      ["Gold", whole(sheet.gold)],
      ["Weight", `${sheet.weight} of ${sheet.weight_max}`],
    ];
    refill(
      this._numbers,
      el("p", { class: "level" }, el("b", {}, `Level ${level}`), ` ${whole(experience)} experience`),
      meter,
      el("p", { class: "small" }, `${whole(Math.max(0, to - experience))} to the next level`),
      el(
        "dl",
        {},
        ...ATTRIBUTES.flatMap((name) => [
          el("dt", {}, title(name)),
          el("dd", {}, String(sheet[name]), points > 0 && this._more(name)),
        ]),
        ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]),
      ),
    );
  }

  /** @param {{skills: {name: string, value: number, lock?: number}[], cap?: number}} message */
  skills({ skills, cap = 1000 }) {
    this._learned.replaceChildren(
      el("h3", {}, "Skills"),
      skills.length === 0
        ? el("p", { class: "empty" }, "None yet: they grow by use.")
        : el(
            "dl",
            {},
            ...skills.flatMap(({ name, value, lock = 0 }) => [
              el("dt", {}, title(name), LOCKS[lock] && " ", LOCKS[lock] && el("small", {}, LOCKS[lock])),
              el("dd", {}, (value / 10).toFixed(1)),
            ]),
          ),
      el("p", { class: "small" }, `At this level they grow to ${(cap / 10).toFixed(1)}.`),
    );
  }

  _more(name) {
    return button("+", () => this._spend(name), {
      class: "more",
      "aria-label": `Raise ${name}`,
      dataset: { key: `more-${name}` },
    });
  }
}
