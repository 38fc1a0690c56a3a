/**
 * What a page knows of fights: who strikes whom, how a swing leans, the numbers that rise over those who are
 * hit. No DOM, no drawing, no clock of its own, as in world.js, whose World has one of these.
 *
 *   fights.take(message, world, now)   // any message; those that are of no fight are left alone
 *   fights.busy(id, now)               // whether somebody is in a fight, or was a moment ago
 *   fights.enemies                     // Map of id -> id of whom it strikes, blow after blow
 *   fights.lean(id, now)               // {x, y} in tiles by which a swing moves who strikes; null for none
 *   fights.swings                      // Map of id -> the last blow of that one, as long as it is drawn
 *   fights.numbers                     // [{id, x, y, text, kind, since, lane}], oldest first
 *   fights.prune(now)                  // forget what is over
 */

/** How long a swing is drawn at most, and which part of the time between two blows. */
const SWING_MS = 340;
const SWING_SHARE = 0.5;
/** Tiles that who strikes leans towards whom it strikes. */
const LEAN = 0.3;
export const NUMBER_MS = 1100;
/** Somebody counts as fighting this long after the last blow. */
const BUSY_MS = 7000;
/** Numbers that come one after the other in this time stand one over the other. */
const LANE_MS = 300;
const MOST_NUMBERS = 80;

const WORDS = { missed: "miss", blocked: "block" };

/** @typedef {{id: number, target: number, outcome: string, manner: string, since: number, ms: number,
 *   dx: number, dy: number}} Swing towards (dx, dy) tiles from whom strikes */

export class Fights {
  constructor() {
    this.clear();
  }

  clear() {
    /** @type {Map<number, number>} */
    this.enemies = new Map();
    /** @type {Map<number, Swing>} */
    this.swings = new Map();
    /** @type {{id: number, x: number, y: number, text: string, kind: string, since: number, lane: number}[]} */
    this.numbers = [];
    this._busy = new Map();
  }

  /**
   * @param {{t: string, [field: string]: any}} message
   * @param {import("./world.js").World} world as it is before it takes the message
   * @param {number} now
   */
  take(message, world, now) {
    const { id } = message;
    switch (message.t) {
      case "struck":
        this._struck(message, world, now);
        break;
      case "show":
        if (message.enemy) this.enemies.set(id, message.enemy);
        else this.enemies.delete(id);
        break;
      case "engaged":
        this.enemies.set(id, message.target);
        this._fights(now, id, message.target);
        break;
      case "disengaged":
        this.enemies.delete(id);
        break;
      case "mended":
        this._number(world, id, `+${message.hits}`, "mended", now);
        break;
      case "gained":
        if (message.experience > 0)
          this._number(world, world.self, `+${message.experience} xp`, "gained", now);
        break;
      case "practised":
        this._number(world, world.self, `${message.skill} ${(message.value / 10).toFixed(1)}`, "practised", now);
        break;
      case "advanced":
        this._number(world, id, `Level ${message.level}!`, "advanced", now);
        break;
      case "died":
      case "hide":
        this.enemies.delete(id);
        this._busy.delete(id);
        this.swings.delete(id);
        break;
      case "realm":
        this.clear();
        break;
      default:
    }
  }

  /** Whether somebody fights, or did a moment ago. */
  busy(id, now) {
    return this.enemies.has(id) || (this._busy.get(id) ?? 0) > now;
  }

  /** How far a swing has got, 0 to 1; null if there is none. */
  swing(id, now) {
    const swing = this.swings.get(id);
    if (!swing) return null;
    const part = (now - swing.since) / swing.ms;
    return part < 1 ? Math.max(0, part) : null;
  }

  /** By how much who strikes leans forward. */
  lean(id, now) {
    const part = this.swing(id, now);
    if (part === null) return null;
    const { dx, dy, manner } = this.swings.get(id);
    const length = Math.hypot(dx, dy);
    if (!length) return null;
    // Who shoots leans back a little.
    const far = (manner === "shoot" ? -0.12 : LEAN) * Math.sin(Math.PI * Math.min(1, part * 1.15));
    return { x: (dx / length) * far, y: (dy / length) * far };
  }

  prune(now) {
    for (const [id, swing] of this.swings) if (swing.since + swing.ms <= now) this.swings.delete(id);
    for (const [id, until] of this._busy) if (until <= now) this._busy.delete(id);
    if (this.numbers.length && this.numbers[0].since + NUMBER_MS <= now)
      this.numbers = this.numbers.filter(({ since }) => since + NUMBER_MS > now);
  }

  _struck(message, world, now) {
    const { id, target, outcome, damage = 0, manner = "fist", ms = 2000 } = message;
    const attacker = world.things.get(id);
    const struck = world.things.get(target);
    this._fights(now, id, target);
    if (attacker && struck) {
      const towards = { dx: struck.x - attacker.x, dy: struck.y - attacker.y };
      const time = Math.min(SWING_MS, ms * SWING_SHARE);
      this.swings.set(id, { id, target, outcome, manner, since: now, ms: time, ...towards });
    }
    if (!struck) return;
    const own = target === world.self ? "taken" : id === world.self ? "dealt" : "others";
    const kind = WORDS[outcome] ? "missed" : outcome === "critical" && own !== "taken" ? "critical" : own;
    this._number(world, target, WORDS[outcome] ?? `${damage}${outcome === "critical" ? "!" : ""}`, kind, now);
  }

  _fights(now, ...ids) {
    for (const id of ids) this._busy.set(id, now + BUSY_MS);
  }

  _number(world, id, text, kind, now) {
    const thing = world.things.get(id);
    if (!thing) return;
    this.prune(now); // nobody else does while the page is not seen
    const { x, y } = world.at(thing, now);
    const lane = this.numbers.filter((one) => one.id === id && now - one.since < LANE_MS).length;
    this.numbers.push({ id, x, y, text, kind, since: now, lane });
    if (this.numbers.length > MOST_NUMBERS) this.numbers.shift();
  }
}
