/**
 * The sheet of one's own character: level, experience, attributes with what can be spent on them, skills.
 *
 * @module
 */

import { button, el, refill } from "./nodes.js";

const ATTRIBUTES = ["strength", "dexterity", "intelligence", "vitality"];
/** What may become of a skill (world/parts.py, Lock): a sign, and what is said of it. */
const LOCKS = [
  ["▲", "may rise"],
  ["▼", "may fall"],
  ["■", "stays as it is"],
];

const title = (word) => word[0].toUpperCase() + word.slice(1);
const whole = (number) => number.toLocaleString("en");

/** All numbers of a character. */
export class Sheet {
  /** @param {{spend: (attribute: string) => void, lock: (skill: string, way: number) => void}} does */
  constructor(does) {
    this._does = does;
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
    refill(
      this._learned,
      el("h3", {}, "Skills"),
      skills.length === 0
        ? el("p", { class: "empty" }, "None yet: they grow by use.")
        : el(
            "dl",
            {},
            ...skills.flatMap(({ name, value, lock = 0 }) => [
              el("dt", {}, title(name)),
              el("dd", {}, (value / 10).toFixed(1), this._lock(name, lock)),
            ]),
          ),
      el(
        "p",
        { class: "small" },
        `At this level they grow to ${(cap / 10).toFixed(1)}. ${LOCKS.map((one) => one.join(" ")).join(", ")}.`,
      ),
    );
  }

  /** Show it where points are spent. */
  open() {
    this.node.open = true;
    this.node.scrollIntoView({ block: "start" });
    (this.node.querySelector(".more") ?? this.summary).focus({ preventScroll: true });
  }

  _more(name) {
    return button("+", () => this._does.spend(name), {
      class: "more",
      "aria-label": `Raise ${name}`,
      dataset: { key: `more-${name}` },
    });
  }

  /** A button that shows what may become of a skill, and lets the next thing become of it. */
  _lock(name, lock) {
    const next = (lock + 1) % LOCKS.length;
    const [[sign, now], [, then]] = [LOCKS[lock], LOCKS[next]];
    return button(sign, () => this._does.lock(name, next), {
      class: "lock",
      title: `${title(name)} ${now}. Press, and it ${then}.`,
      "aria-label": `${title(name)} ${now}`,
      dataset: { key: `lock-${name}`, lock },
    });
  }
}
