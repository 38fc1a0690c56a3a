/**
 * What a page knows of the world: everybody and everything it was shown, where they are at this very
 * moment, what was said and what happened. No DOM, no drawing, no clock of its own: every method that needs
 * the time takes `now` in milliseconds (performance.now() if left out), so that tests can go through time
 * as they like.
 *
 * The server says where things are, a few times a second or at each step; the screen shows them sixty
 * times. So each thing that moved has a motion along the points it passed, at the pace that its last steps
 * had, drawn a little longer than it takes (SLACK): a message that comes late then stops nobody, and where
 * somebody is drawn lies behind by a part of one step. To guess where they will go next was not done:
 * people turn, and whoever is shown where they never were has to be drawn back.
 *
 *   const world = new World();
 *   world.apply(message, now)      // any message of protocol/web/packets; unknown ones are left alone
 *   world.things                   // Map of id -> Thing, all that are shown
 *   world.at(thing, now)           // {x, y, moving, hop} in tiles, smooth between two messages
 *   world.step(id, x, y, heading, ms, now)   // let a thing go there in so many ms (to predict one's own)
 *   world.put(id, x, y, heading)   // it is there at once
 *   world.self                     // id of one's own character, 0 for somebody who only watches
 *   world.realm                    // {name, title} or null
 *   world.clock(now)               // {hour, minute, hours} of the world, or null before the first `time`
 *   world.daylight(now)            // 0 (night) to 1 (day)
 *   world.bubbles                  // [{id, name, how, words, since, until}], oldest first
 *   world.prune(now)               // drop the bubbles that are over, and what has faded out
 *   world.events                   // [{kind, text, at, game}], oldest first, the last EVENTS_KEPT
 *   world.counts                   // the last `counts`, or null
 *   world.fights                   // who strikes whom, see fights.js
 *   world.leaving                  // what went out of sight a moment ago: [{thing, x, y, since}]
 *   world.listen(fn)               // fn(message, thing or undefined) after each; returns what ends it
 *   world.players()                // all with a game, sorted by name
 *   isPerson(thing)                // a player, or a resident who is no beast
 *   world.clear()                  // as at the beginning, listeners excepted
 */

import { Fights } from "./fights.js";

/** Milliseconds of a step whose pace is not known yet: a walk. */
export const WALK_MS = 400;
/** A step takes no longer than this, however long ago the last one was. */
const SLOWEST_MS = 650;
/** A pause longer than this is a rest: it tells nothing about the pace. */
const REST_MS = 900;
/** Somebody who is so many tiles from where he was did not walk there. */
const FARTHEST_STEP = 4;
/** Steps are drawn longer than they take by this factor, so that a message that comes late stops nobody. */
const SLACK = 1.15;

export const FADE_MS = 260;
export const EVENTS_KEPT = 200;
const BUBBLES_EACH = 2;
/** Ways of speaking that everybody nearby sees as a bubble. */
const ALOUD = new Set(["say", "yell", "emote", "whisper", "global"]);

/** Hours of the world between which it becomes light and dark. */
const DAWN = [5, 7.5];
const DUSK = [18.5, 21];

/**
 * @typedef {object} Look   how something is drawn; see Appearance in protocol/web/packets
 * @property {string} figure
 * @property {boolean} [female]
 * @property {string} [skin]
 * @property {string} [hair]
 * @property {string} [top]
 * @property {string} [legs]
 * @property {string} [feet]
 * @property {string} [head]
 * @property {string} [colour]
 *
 * @typedef {object} Motion   along `points`, evenly, from `starts` to `ends`
 * @property {{x: number, y: number}[]} points
 * @property {number} starts
 * @property {number} ends
 * @property {number} length   in tiles
 * @property {boolean} hop
 *
 * @typedef {object} Thing   all fields of Show, with their defaults, and what is below
 * @property {number} id
 * @property {"mobile" | "item"} kind
 * @property {string} name
 * @property {number} x   the tile it is on; where it is drawn is `World.at`
 * @property {number} y
 * @property {Look} look
 * @property {number} heading
 * @property {string} title
 * @property {string} game
 * @property {number} hits
 * @property {number} notoriety
 * @property {boolean} dead
 * @property {boolean} sitting
 * @property {boolean} resident
 * @property {number} level
 * @property {number} amount
 * @property {boolean} container   whether it can be opened
 * @property {boolean} fights   whether it is a creature, which anybody may fight
 * @property {boolean} corpse   whether it is one; its look is that of who it was
 * @property {boolean} fixed   whether it stays where it is: a board, a chest
 * @property {string} mark   "offers" a quest, "awaits" somebody with one, or ""
 * @property {boolean} poisoned   whether poison takes its hits
 * @property {number} since   when it was first shown
 * @property {Motion | null} motion
 * @property {number} movedAt   when it last moved
 * @property {number} pace   ms a tile, as far as known
 * @property {{gesture: string, since: number} | null} gesture   the last one
 */

/** Fields of Show that the server leaves out when they have these values. */
const DEFAULTS = Object.freeze({
  heading: 4,
  title: "",
  game: "",
  hits: 100,
  notoriety: 1,
  dead: false,
  sitting: false,
  resident: false,
  level: 0,
  amount: 1,
  container: false,
  fights: false,
  corpse: false,
  fixed: false,
  poisoned: false,
  mark: "",
});

const CHANGEABLE = [
  ...["name", "title", "look", "game", "heading", "hits", "notoriety", "dead", "sitting", "level", "amount"],
  "poisoned",
];

export class World {
  constructor() {
    /** @type {Set<(message: any, thing?: Thing) => void>} */
    this._listeners = new Set();
    this.clear();
  }

  /** As at the beginning. Those who listen stay. */
  clear() {
    /** @type {Map<number, Thing>} */
    this.things = new Map();
    /** @type {{name: string, title: string} | null} */
    this.realm = null;
    this.self = 0;
    /** @type {{id: number, name: string, how: string, words: string, since: number, until: number}[]} */
    this.bubbles = [];
    /** @type {{kind: string, text: string, at: number, game: string}[]} */
    this.events = [];
    /** @type {{online: Record<string, number>, mobiles: number, items: number, viewers: number} | null} */
    this.counts = null;
    /** @type {{thing: Thing, x: number, y: number, since: number}[]} */
    this.leaving = [];
    /** @type {{hour: number, minute: number, pace: number, told: number} | null} */
    this.time = null;
    /** "clear", "rain", "snow" or "storm" */
    this.weather = "clear";
    this.fights = new Fights();
  }

  /**
   * Be told of every message, after it is applied.
   * @param {(message: any, thing?: Thing) => void} listener
   * @returns {() => void} ends it
   */
  listen(listener) {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  }

  /**
   * Take what the server says.
   * @param {{t: string, [field: string]: any}} message
   * @param {number} [now]
   */
  apply(message, now = performance.now()) {
    const thing = this._apply(message, now);
    for (const listener of this._listeners) listener(message, thing);
  }

  /** @returns {Thing | undefined} whom it is about */
  _apply(message, now) {
    const known = message.id === undefined ? undefined : this.things.get(message.id);
    this.fights.take(message, this, now);
    switch (message.t) {
      case "realm":
        this.realm = { name: message.name, title: message.title };
        this.things.clear();
        this.bubbles.length = 0;
        this.leaving.length = 0;
        this.events.length = 0; // the last ones of this realm follow
        return undefined;
      case "entered":
        this.self = message.id;
        this.weather = "clear"; // until it is told
        return known;
      case "left":
        this.self = 0;
        return undefined;
      case "show":
        return this._show(message, now);
      case "change":
        if (known)
          for (const field of CHANGEABLE)
            if (message[field] !== undefined && message[field] !== null) known[field] = message[field];
        return known;
      case "hide":
        if (known) this._hide(known, message.why ?? "walked", now);
        return known;
      case "move":
        if (known) this._go(known, message, now);
        return known;
      case "moves":
        for (const [id, x, y, heading] of message.moves) {
          const mover = this.things.get(id);
          if (mover) this._follow(mover, x, y, heading, message.ms ?? 100, now);
        }
        return undefined;
      case "place":
        this.put(message.id, message.x, message.y, message.heading ?? 4);
        return known;
      case "turned":
        if (known) known.heading = message.heading;
        return known;
      case "say":
        this._say(message, now);
        return known;
      case "gestured":
        if (known) known.gesture = { gesture: message.gesture, since: now };
        return known;
      case "struck": {
        const struck = this.things.get(message.target);
        if (struck) struck.hits = message.hits ?? 100;
        return known;
      }
      case "died":
        if (known) known.dead = true;
        return known;
      case "revived":
        if (known) known.dead = false;
        return known;
      case "marks":
        for (const { id, mark = "" } of message.marks) {
          const marked = this.things.get(id);
          if (marked) marked.mark = mark;
        }
        return undefined;
      case "weather":
        this.weather = message.kind;
        return undefined;
      case "time":
        this.time = { hour: message.hour, minute: message.minute, pace: message.pace ?? 1, told: now };
        return undefined;
      case "counts":
        this.counts = {
          online: message.online,
          mobiles: message.mobiles,
          items: message.items,
          viewers: message.viewers,
        };
        return undefined;
      case "event":
        this.events.push({ game: "", kind: message.kind, text: message.text, at: message.at });
        if (message.game) this.events[this.events.length - 1].game = message.game;
        if (this.events.length > EVENTS_KEPT) this.events.splice(0, this.events.length - EVENTS_KEPT);
        return undefined;
      default:
        return known;
    }
  }

  /**
   * Where something is drawn now: between two tiles while it moves.
   * @param {Thing} thing
   * @param {number} [now]
   * @returns {{x: number, y: number, moving: boolean, hop: number}} `hop`: 0 (ground) to 1 (top of a jump)
   */
  at(thing, now = performance.now()) {
    const motion = thing.motion;
    if (!motion) return { x: thing.x, y: thing.y, moving: false, hop: 0 };
    const part = (now - motion.starts) / (motion.ends - motion.starts);
    if (!(part < 1)) {
      thing.motion = null;
      return { x: thing.x, y: thing.y, moving: false, hop: 0 };
    }
    const gone = Math.max(0, part);
    let left = gone * motion.length;
    const points = motion.points;
    for (let i = 1; i < points.length; i++) {
      const from = points[i - 1];
      const to = points[i];
      const length = distance(from, to);
      if (left <= length || i === points.length - 1) {
        const share = length ? Math.min(1, left / length) : 1;
        return {
          x: from.x + (to.x - from.x) * share,
          y: from.y + (to.y - from.y) * share,
          moving: true,
          hop: motion.hop ? Math.sin(Math.PI * gone) : 0,
        };
      }
      left -= length;
    }
    return { x: thing.x, y: thing.y, moving: false, hop: 0 };
  }

  /**
   * Let something go to a tile in so many milliseconds, from where it is drawn now.
   * @param {number} id
   * @param {number} x
   * @param {number} y
   * @param {number} heading
   * @param {number} ms
   * @param {number} [now]
   */
  step(id, x, y, heading, ms, now = performance.now()) {
    const thing = this.things.get(id);
    if (thing) this._walk(thing, x, y, heading, ms, false, now);
  }

  /**
   * Something is elsewhere at once.
   * @param {number} id
   * @param {number} x
   * @param {number} y
   * @param {number} [heading] as it was, if left out
   */
  put(id, x, y, heading) {
    const thing = this.things.get(id);
    if (!thing) return;
    thing.x = x;
    thing.y = y;
    if (heading !== undefined) thing.heading = heading;
    thing.motion = null;
  }

  /** All who play, by name. */
  players() {
    const players = [...this.things.values()].filter((thing) => thing.kind === "mobile" && thing.game);
    return players.sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id);
  }

  /**
   * What time it is in the world.
   * @param {number} [now]
   * @returns {{hour: number, minute: number, hours: number} | null} `hours` with its fraction
   */
  clock(now = performance.now()) {
    if (!this.time) return null;
    const { hour, minute, pace, told } = this.time;
    const minutes = (hour * 60 + minute + ((now - told) / 1000) * pace) % 1440;
    return { hour: Math.floor(minutes / 60), minute: Math.floor(minutes % 60), hours: minutes / 60 };
  }

  /**
   * How light it is, 0 to 1; day while the time is not known.
   * @param {number} [now]
   */
  daylight(now = performance.now()) {
    const clock = this.clock(now);
    if (!clock) return 1;
    if (clock.hours < 12) return smooth((clock.hours - DAWN[0]) / (DAWN[1] - DAWN[0]));
    return 1 - smooth((clock.hours - DUSK[0]) / (DUSK[1] - DUSK[0]));
  }

  /**
   * Forget what is over: bubbles, and things that have faded out.
   * @param {number} [now]
   */
  prune(now = performance.now()) {
    if (this.bubbles.some((bubble) => bubble.until <= now))
      this.bubbles = this.bubbles.filter((bubble) => bubble.until > now);
    if (this.leaving.length && this.leaving[0].since + FADE_MS <= now)
      this.leaving = this.leaving.filter((gone) => gone.since + FADE_MS > now);
  }

  _show(message, now) {
    const before = this.things.get(message.id);
    const { t: _, ...fields } = message;
    /** @type {Thing} */
    const thing = {
      ...DEFAULTS,
      ...fields,
      since: before ? before.since : now,
      motion: null,
      movedAt: 0,
      pace: WALK_MS,
      gesture: null,
    };
    this.things.set(thing.id, thing);
    return thing;
  }

  _hide(thing, why, now) {
    const { x, y } = this.at(thing, now);
    this.things.delete(thing.id);
    this.prune(now); // nobody else does while the page is not seen
    this.leaving.push({ thing, x, y, since: now, why });
    this.bubbles = this.bubbles.filter((bubble) => bubble.id !== thing.id);
  }

  /** A move whose length in time the server tells. */
  _go(thing, { x, y, heading, ms = WALK_MS, jump = false }, now) {
    if (!jump && chebyshev(thing, x, y) > FARTHEST_STEP) this.put(thing.id, x, y, heading);
    else this._walk(thing, x, y, heading, jump ? ms : ms * 1.05, jump, now);
  }

  /** A move that tells where it is, but not how fast it goes: that follows from when it last moved. */
  _follow(thing, x, y, heading, ms, now) {
    const tiles = chebyshev(thing, x, y);
    if (tiles > FARTHEST_STEP) {
      this.put(thing.id, x, y, heading);
      thing.movedAt = now;
      return;
    }
    if (!tiles) {
      thing.heading = heading;
      return;
    }
    const passed = now - thing.movedAt;
    if (thing.movedAt && passed < REST_MS) {
      const seen = Math.max(ms, passed) / tiles;
      thing.pace += (seen - thing.pace) * 0.5;
    } else thing.pace = Math.max(thing.pace, WALK_MS / 2);
    thing.movedAt = now;
    this._walk(thing, x, y, heading, Math.min(SLOWEST_MS, thing.pace * tiles) * SLACK, false, now);
  }

  /** Along what is left of the way it is on, and then to (x, y): all of it in `ms`. */
  _walk(thing, x, y, heading, ms, hop, now) {
    const here = this.at(thing, now);
    const points = [{ x: here.x, y: here.y }];
    if (thing.motion && !hop) points.push({ x: thing.x, y: thing.y }); // the rest of the way it is on
    points.push({ x, y });
    let length = 0;
    for (let i = 1; i < points.length; i++) length += distance(points[i - 1], points[i]);
    thing.x = x;
    thing.y = y;
    thing.heading = heading;
    thing.motion = length && ms > 0 ? { points, starts: now, ends: now + ms, length, hop } : null;
  }

  _say(message, now) {
    if (!message.id || !ALOUD.has(message.how) || !this.things.has(message.id)) return;
    this.prune(now);
    const until = now + Math.min(9000, 2800 + message.words.length * 60);
    const { id, name, how, words } = message;
    this.bubbles.push({ id, name, how, words, since: now, until });
    const own = this.bubbles.filter((bubble) => bubble.id === id);
    if (own.length > BUBBLES_EACH) this.bubbles.splice(this.bubbles.indexOf(own[0]), 1);
  }
}

/** @param {Thing} thing */
export function isPerson(thing) {
  return thing.kind === "mobile" && (thing.game !== "" || (thing.resident && thing.look.figure === "person"));
}

/** Which of the eight headings leads from one tile towards another; `otherwise` if they are the same. */
export function headingTo(from, to, otherwise = 4) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  if (!dx && !dy) return otherwise;
  return (Math.round(Math.atan2(dx, -dy) / (Math.PI / 4)) + 8) % 8;
}

const distance = (a, b) => Math.hypot(b.x - a.x, b.y - a.y);
const chebyshev = (thing, x, y) => Math.max(Math.abs(x - thing.x), Math.abs(y - thing.y));

function smooth(part) {
  const p = Math.min(1, Math.max(0, part));
  return p * p * (3 - 2 * p);
}
