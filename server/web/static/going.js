/**
 * One's own figure on its way: by held keys, to a place, after somebody; and what is done where it gets to.
 *
 * All three are a question that each frame asks anew: which step is next, if one is due? Held keys come
 * before a route, and a route before nothing; ways are found by the server, which knows them for everybody
 * who walks (protocol/web/packets/motion.py). What is shown goes ahead of it (walking.js), but what
 * is done at the end of a way waits until the server has one there, too: it would refuse a hand that does
 * not reach.
 *
 * @module
 */

import { ANY_SIDE } from "./realm.js";
import { OFFSETS, Route, Walker, along } from "./walking.js";

/** Tiles that hands reach. */
const REACH = 2;
/** Tiles at which one who follows stops. */
export const BESIDE = 1;
/** Milliseconds in which the figure slides back to where the server says it is, and how far it slides. */
const BACK_MS = 150;
const FARTHEST_BACK = 3;
/** Milliseconds that standing up may take before it is asked for again. */
const STAND_MS = 600;

/** Walks in a World. */
export class Going {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./canvas.js").MapCanvas} map which marks where it goes
   * @param {import("./controls.js").Controls} controls
   * @param {import("./settings.js").Settings} settings
   * @param {{send: (message: object) => void, note: (text: string) => void, stands: (x: number, y: number) =>
   *   void}} does
   */
  constructor(world, map, controls, settings, does) {
    this.world = world;
    this.realm = null;
    this.walker = null;
    this.route = null;
    /** Id of whom it goes after; 0 for nobody. */
    this.follows = 0;
    this._map = map;
    this._controls = controls;
    this._settings = settings;
    this._does = does;
  }

  /** A character has come into the world. */
  begin({ walk_ms: walk, run_ms: run }) {
    this.realm = null;
    this.walker = new Walker({ walk, run }, (x, y) => this.realm?.walkable(x, y) ?? false);
    this.stop();
  }

  /** Where it stands is not known for now: another realm, or no connection. */
  lose() {
    this.stop();
    this.walker?.lose();
  }

  /** Whether it can go anywhere. */
  get ready() {
    return Boolean(this.walker?.placed) && this.realm !== null;
  }

  /** A frame of the page: the next step, if it is due. */
  tick(now) {
    const { walker } = this;
    if (walker.unanswered(now) && walker.forget()) this._slideBack();
    if (walker.ready(now) && this.realm) this._go(now);
  }

  /** Whether it has gone on since what the server has answered. */
  get isAhead() {
    return this.walker.ahead.length > 0;
  }

  /** The server has let it face another way, and so has forgotten what it has not answered. */
  turned() {
    if (this.walker.forget()) this._slideBack();
  }

  /** Something that may have put it elsewhere is in the world's model. */
  moved(message, me) {
    const { walker } = this;
    if (message.t === "turned") walker.heading = me.heading;
    if (!["show", "place", "move"].includes(message.t)) return;
    const behind = this.far(me);
    if (message.t === "show" && walker.ahead.length > 0 && behind <= walker.ahead.length) {
      // It shows where the server has one: the steps on their way there still count.
      this.world.put(me.id, walker.x, walker.y, walker.heading);
      return;
    }
    walker.place(me.x, me.y, me.heading);
    // Who was taken somewhere else wanted to get there, or nowhere.
    if (behind > 1) this.stop();
    else this.route?.replan();
  }

  _go(now) {
    const { _controls: controls, walker } = this;
    const { held } = controls;
    const heading = controls.heading(now, walker.moving(now - 50));
    const run = this._settings.get("run") !== controls.shift;
    if (held) {
      this.stop();
      if (heading < 0) return;
      const free = along(walker, heading);
      if (free >= 0) this._step(free, run, now);
      else if (this._seated) this._standUp(now);
      else if (walker.heading !== heading) this.turn(heading);
      return;
    }
    if (this.follows) this._keepUp();
    if (!this.route) return;
    const next = this.route.next(walker, now);
    if (typeof next === "number") {
      if (this._step(next, this.route.run || run, now)) this.route.took();
      return;
    }
    if (next === "wait") return;
    if (this.follows) {
      if (next === "there" && walker.ahead.length === 0) this.route.reached();
      return;
    }
    // What is done there is done by where the server has one.
    if (next === "there" && walker.ahead.length > 0) return;
    const { route } = this;
    this.stop();
    if (next === "there") route.arrived?.();
    else if (route.arrived || this.far(route.goal) > 1) this._does.note("There is no way to get there.");
  }

  /** Whether it sits on a seat, which lets it face only one way. */
  get _seated() {
    const me = this.world.things.get(this.world.self);
    return Boolean(me?.sitting) && (this.realm?.seatAt(me.x, me.y) ?? null) !== null;
  }

  _standUp(now) {
    this._does.send({ t: "sit" });
    this.walker.rest(now + STAND_MS);
  }

  _step(heading, run, now) {
    const step = this.walker.step(heading, run, now);
    if (!step) return false;
    this._does.send(step.message);
    this.world.step(this.world.self, step.x, step.y, step.heading, step.ms, now);
    this._does.stands(step.x, step.y);
    return true;
  }

  /** The server's answer to a step. */
  walked(message) {
    const { walker, world } = this;
    if (!walker?.placed) return;
    const elsewhere = walker.answered(message);
    if (message.ok === false) walker.rest(performance.now() + BACK_MS);
    if (!elsewhere && message.ok !== false) return;
    this.route?.replan();
    const me = world.things.get(this.world.self);
    if (!me) return;
    me.heading = walker.heading;
    if (elsewhere) this._slideBack();
  }

  /** The figure was put elsewhere than it is shown: let it be seen there. */
  _slideBack() {
    const { walker, world } = this;
    const { x, y, heading } = walker;
    const me = world.things.get(this.world.self);
    if (!me) return;
    const far = Math.max(Math.abs(me.x - x), Math.abs(me.y - y));
    if (far > FARTHEST_BACK) world.put(this.world.self, x, y, heading);
    else {
      // Straight back, not first to where it never was.
      const at = world.at(me);
      Object.assign(me, { x: at.x, y: at.y, motion: null });
      world.step(this.world.self, x, y, heading, BACK_MS);
    }
    this._does.stands(x, y);
  }

  /** Whether a move of oneself is one that is shown already. */
  expects(move) {
    const { walker } = this;
    if (move.jump) return false;
    return (
      (walker.x === move.x && walker.y === move.y) ||
      walker.ahead.some(({ x, y }) => x === move.x && y === move.y)
    );
  }

  /** Go to a tile, or to the nearest one of the realm. For `wish` see Route. */
  travel(tile, wish = {}) {
    const { width, height } = this.realm;
    const goal = { x: clamped(tile.x, width), y: clamped(tile.y, height) };
    this.follows = 0;
    this.route = new Route(goal, (...asked) => this._askWay(...asked), wish);
    this._map.target = goal;
  }

  _askWay({ x, y }, goal, within) {
    const message = { t: "way", x, y, to_x: goal.x, to_y: goal.y };
    if (within > 0) message.within = within;
    this._does.send(message);
  }

  /** The server has found a way. */
  found(message) {
    this.route?.found(message);
  }

  /** Go where something is, and then do what is to be done there. */
  goTo(thing, within, arrived) {
    if (!this.ready) return;
    this.travel({ x: thing.x, y: thing.y }, { within, arrived });
  }

  /** Go where somebody goes. */
  follow(id) {
    const thing = this.world.things.get(id);
    if (!thing) return;
    this.goTo(thing, BESIDE);
    this.follows = id;
    this._map.target = null;
    this._does.note(`You follow ${thing.name}. Any walking key or Escape ends it.`);
  }

  /**
   * Stay near an enemy, wherever it goes.
   * @param {number} id
   * @param {{begins: number, within: number, arrived: () => void}} wish what is done, once, when it is no
   *   farther than `begins`; and how near to stay
   */
  chase(id, { begins, within, arrived }) {
    const thing = this.world.things.get(id);
    if (!thing || !this.ready) return;
    const near = this.far(thing) <= begins;
    if (near) arrived();
    this.travel({ x: thing.x, y: thing.y }, { within, run: true, arrived: near ? null : arrived });
    this.follows = id;
    this._map.target = null;
  }

  _keepUp() {
    const thing = this.world.things.get(this.follows);
    if (!thing) this.stop();
    else this.route?.lead({ x: thing.x, y: thing.y });
  }

  /** Stay, and go nowhere further. */
  stop() {
    this.route = null;
    this.follows = 0;
    this._map.target = null;
  }

  /** Face another way; -1 for none. */
  turn(heading) {
    if (heading < 0 || !this.walker?.placed || this._seated) return;
    this.walker.heading = heading;
    const me = this.world.things.get(this.world.self);
    if (me) me.heading = heading;
    this._does.send({ t: "turn", heading });
  }

  /** Sit down on the seat of a tile, from the side it opens to. */
  takeSeat(tile, opening) {
    const sides = opening === ANY_SIDE ? [0, 2, 4, 6] : [opening];
    const [before] = sides
      .map((side) => ({ side, x: tile.x + OFFSETS[side][0], y: tile.y + OFFSETS[side][1] }))
      .filter(({ x, y }) => this.realm.walkable(x, y))
      .sort((a, b) => this.far(a) - this.far(b));
    if (!before) return;
    const { side, x, y } = before;
    const sit = () => {
      this.turn((side + 4) % 8);
      this._does.send({ t: "sit" });
    };
    this.goTo({ x, y }, 0, sit);
    this._map.target = tile;
  }

  /** Tiles from one's own to another. */
  far({ x, y }) {
    return Math.max(Math.abs(x - this.walker.x), Math.abs(y - this.walker.y));
  }

  /** Do something once it is within reach. */
  near(thing, does) {
    if (this.far(thing) <= REACH) does();
    else this.goTo(thing, REACH, does);
  }
}

function clamped(at, size) {
  return Math.min(Math.max(at, 0), size - 1);
}
