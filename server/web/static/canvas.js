/**
 * The map: draws a World on its realm's pictures, and is moved by pointer, wheel, touch and keys.
 *
 *   const map = new MapCanvas(canvas, world);
 *   map.setWorld(world)          // draw another one
 *   map.setRealm(realm or null)  // a Realm of realm.js; in another one the camera begins where people are
 *   map.follow(id)               // the camera stays with a thing; 0: with none
 *   map.following                // its id, 0
 *   map.centre(x, y)             // tiles
 *   map.zoomTo(zoom), map.zoomBy(factor)    // CSS pixels a tile, see `map.zoom`
 *   map.fit()                    // the whole realm
 *   map.pick(clientX, clientY)   // the Thing there, or null
 *   map.tileAt(clientX, clientY) // {x, y}, also outside of the realm
 *   map.screenOf(x, y)           // {x, y} in CSS pixels of the canvas, of the middle of a tile
 *   map.touch()                  // something changed that the map cannot know of: draw
 *   map.stats                    // {frames, ms, worst, drawn} since it was last read by map.takeStats()
 *
 *   map.onPick = (thing | null, tile, event) => {}   // clicked or tapped, not dragged
 *   map.onFollow = (id) => {}    // whom it follows has changed
 *   map.onHover = (thing | null) => {}
 *   map.onDraw = (context, view) => {}   // after the things, before names; view: {x(tile), y(tile), zoom,
 *                                        // now}, in CSS pixels
 *   map.keys = true              // arrow keys pan, + - 0 Escape work while the canvas has the focus
 *   map.locked = false           // true: dragging and arrow keys do not move the camera (play mode)
 *   map.sight = 0                // tiles one sees each way of world.self; what is beyond is dimmed
 *   map.target = null            // {x, y}: a mark on a tile, where one is going
 *   map.setInset({bottom: 0})    // CSS pixels of the canvas that something covers
 *
 * What is drawn in which way, and what fingers and keys do, is in modules of their own: ground.js, dots.js,
 * night.js, labels.js, pointing.js. They read of the map, besides what is above:
 *
 *   map.sx(x), map.sy(y), map.toWorld(px, py)    // from tiles to CSS pixels of the canvas, and back
 *   map.width, map.height, map.ratio             // its size in CSS pixels; device pixels in one of them
 *   map.seen                                     // what the last frame drew, back to front
 *   map.figures                                  // whether it is near enough to see figures
 *   map.sprites                                  // the Sprites of figures.js
 *   map.calm.matches                             // whether nothing is to move that need not
 *   map.pan(dx, dy), map.zoomAt(zoom, point)     // at once, in CSS pixels of the canvas
 *   map.alive = true                             // the next frame is different: draw it
 */

import { Dots } from "./dots.js";
import { Sprites, gameOf, heightOf, shade } from "./figures.js";
import { Ground } from "./ground.js";
import { Labels } from "./labels.js";
import { Night } from "./night.js";
import { Pointing } from "./pointing.js";
import { FADE_MS } from "./world.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Thing} Thing */
/** @typedef {import("./realm.js").Realm} Realm */

const START_ZOOM = 26;
const NEAREST = 84; // CSS pixels a tile at most
const FIGURES_FROM = 13; // below it, a dot
const LABELS = [5, 30]; // pixels a tile between which places are named
const STEP_PIXELS = 520; // an arrow key held down moves the map so far in a second
const IDLE_MS = 250; // how often it is drawn when nothing moves: lamps, the hour
const MOST_LEGS = 4000;
const STEP_LENGTH = 0.5; // tiles from one leg to the other

export class MapCanvas {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {World} world
   */
  constructor(canvas, world) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    /** @type {World} */
    this.world = world;
    /** @type {Realm | null} */
    this.realm = null;
    this.following = 0;
    this.keys = true;
    this.locked = false;
    this.sight = 0;
    /** @type {{x: number, y: number} | null} */
    this.target = null;
    this.inset = { bottom: 0 };
    /** @type {Thing | null} */
    this.hovered = null;
    this.onPick = (_thing, _tile, _event) => {};
    this.onFollow = (_id) => {};
    this.onHover = (_thing) => {};
    this.onDraw = null;

    this.x = 0; // the tile point in the middle of what is seen
    this.y = 0;
    this.zoom = 24;
    this._goal = null; // {zoom, px, py}: a zoom that is under way, around a point of the canvas
    this._slide = null; // {x, y}: a place the camera goes to
    this._fitted = true; // nobody has moved the camera since it showed everything
    this.width = 1;
    this.height = 1;
    this.ratio = 1;
    this._last = 0;
    this._drawn = 0;
    this._stale = true;
    this._chunks = new Map();
    this.sprites = new Sprites();
    this.seen = []; // what the last frame drew, back to front: {thing, x, y, ...}
    this._legs = new Map(); // id -> tiles gone, for the legs
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.stats = { frames: 0, ms: 0, worst: 0, drawn: 0 };

    this._unlisten = world.listen(() => this.touch());
    this._ground = new Ground(this, this._chunks);
    this._dots = new Dots(this);
    this._night = new Night(this);
    this._labels = new Labels(this);
    this._pointing = new Pointing(this);
    new ResizeObserver(() => this._resize()).observe(canvas);
    this._resize();
    requestAnimationFrame((now) => this._frame(now));
  }

  // What others call ----------------------------------------------------------------------------------

  /** @param {World} world */
  setWorld(world) {
    if (world === this.world) return;
    this._unlisten();
    this.world = world;
    this._unlisten = world.listen(() => this.touch());
    this.hovered = null;
    this._legs.clear();
    this.follow(0);
    this.touch();
  }

  /** @param {Realm | null} realm */
  setRealm(realm) {
    const other = realm?.name !== this.realm?.name;
    this.realm = realm;
    this.touch();
    if (!other) return;
    this._chunks.clear();
    this.target = null;
    this._backdrop = realm ? shade(realm.colour, -0.68) : "";
    if (realm && !this.following) this._begin();
  }

  /** Where most people are, near enough to see them. */
  _begin() {
    const players = this.world.players();
    const those = players.length ? players : this.realm.lights; // where lamps are is the town
    const middle = (values, otherwise) => values.sort((a, b) => a - b)[values.length >> 1] ?? otherwise;
    this._goal = this._slide = null;
    this._fitted = false;
    this.zoom = Math.max(this._least(), START_ZOOM);
    this.x = middle(
      those.map(({ x }) => x),
      this.realm.width / 2,
    );
    this.y = middle(
      those.map(({ y }) => y),
      this.realm.height / 2,
    );
    this._clamp();
  }

  /** @param {number} id */
  follow(id) {
    if (id === this.following) return;
    this.following = id;
    if (id) this._slide = null;
    this._fitted = false;
    this._caught = false;
    this.onFollow(id);
    this.touch();
  }

  /** @param {{bottom: number}} inset */
  setInset(inset) {
    this.inset = inset;
    if (this._fitted) this.fit();
    this.touch();
  }

  centre(x, y) {
    this._fitted = false;
    if (this.calm.matches) [this.x, this.y] = [x + 0.5, y + 0.5];
    else this._slide = { x: x + 0.5, y: y + 0.5 };
    this.touch();
  }

  fit() {
    if (!this.realm) return;
    this._goal = this._slide = null;
    this.zoom = this._least();
    this.x = this.realm.width / 2;
    this.y = this.realm.height / 2;
    this._fitted = true;
    this.touch();
  }

  /**
   * @param {number} zoom
   * @param {{x: number, y: number}} [around] a point of the canvas, its middle if left out
   */
  zoomTo(zoom, around) {
    if (this.calm.matches) {
      this.zoomAt(zoom, around);
      return;
    }
    const { x, y } = this._pivot(around);
    this._goal = { zoom: this._bounded(zoom), px: x, py: y };
    this._fitted = false;
    this.touch();
  }

  /**
   * As `zoomTo`, but at once.
   * @param {number} zoom
   * @param {{x: number, y: number}} [around]
   */
  zoomAt(zoom, around) {
    const { x, y } = this._pivot(around);
    this._goal = null;
    this._fitted = false;
    this._zoomNow(this._bounded(zoom), x, y);
    this.touch();
  }

  /** What stays in its place while the zoom changes: whoever is followed, before all. */
  _pivot(around) {
    return this.following || !around ? { x: this.width / 2, y: this._middle() } : around;
  }

  zoomBy(factor, around) {
    this.zoomTo((this._goal?.zoom ?? this.zoom) * factor, around);
  }

  /** @returns {{x: number, y: number}} */
  tileAt(clientX, clientY) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const point = this.toWorld(clientX - left, clientY - top);
    return { x: Math.floor(point.x), y: Math.floor(point.y) };
  }

  /** @returns {{x: number, y: number}} */
  screenOf(x, y) {
    return { x: this.sx(x + 0.5), y: this.sy(y + 0.5) };
  }

  /** @returns {Thing | null} */
  pick(clientX, clientY, reach = 0, only = null) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const px = clientX - left;
    const py = clientY - top;
    for (let n = this.seen.length - 1; n >= 0; n--) {
      const { thing, x, y } = this.seen[n];
      if (this.world.things.get(thing.id) !== thing || (only && thing !== only)) continue;
      const figure = this.figures;
      const wide = Math.max(figure ? this.zoom * 0.36 : 0, 8) + reach;
      const up = (!figure ? 8 : thing.kind === "item" ? this.zoom * 0.5 : this.zoom * 1.45) + reach;
      const down = Math.max(figure ? this.zoom * 0.15 : 8, 4) + reach;
      if (Math.abs(px - x) <= wide && py >= y - up && py <= y + down) return thing;
    }
    return null;
  }

  /** Something changed: draw the next frame. */
  touch() {
    this._stale = true;
  }

  /** What was measured since the last call. */
  takeStats() {
    const stats = this.stats;
    this.stats = { frames: 0, ms: 0, worst: 0, drawn: 0 };
    return stats;
  }

  /** Whether one sees figures, not dots. */
  get figures() {
    return this.zoom >= FIGURES_FROM;
  }

  /** How many are where, as discs, while only dots are seen. */
  get groups() {
    return this._dots.groups;
  }

  // Camera --------------------------------------------------------------------------------------------

  _middle() {
    return (this.height - this.inset.bottom) / 2;
  }

  sx(x) {
    return (x - this.x) * this.zoom + this.width / 2;
  }

  sy(y) {
    return (y - this.y) * this.zoom + this._middle();
  }

  toWorld(px, py) {
    return {
      x: (px - this.width / 2) / this.zoom + this.x,
      y: (py - this._middle()) / this.zoom + this.y,
    };
  }

  /** The zoom that shows all of the realm. */
  _least() {
    if (!this.realm) return 4;
    const high = Math.max(60, this.height - this.inset.bottom);
    return Math.max(1, Math.min(this.width / (this.realm.width + 2), high / (this.realm.height + 2), 24));
  }

  /** The zoom nearest to this one that there is. */
  _bounded(zoom) {
    return Math.min(NEAREST, Math.max(this._least(), zoom));
  }

  _zoomNow(zoom, px, py) {
    const before = this.toWorld(px, py);
    this.zoom = zoom;
    const after = this.toWorld(px, py);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
    this._clamp();
  }

  pan(dx, dy) {
    if (this.locked) return;
    if (this.following) this.follow(0);
    this._slide = null;
    this._fitted = false;
    this.x -= dx / this.zoom;
    this.y -= dy / this.zoom;
    this._clamp();
    this.touch();
  }

  /** The realm fills the window, or lies in its middle; but whoever is followed comes first. */
  _clamp() {
    if (!this.realm || this.following) return;
    const within = (value, size, seen) => {
      const half = seen / this.zoom / 2 - 1;
      return 2 * half >= size ? size / 2 : Math.min(size - half, Math.max(half, value));
    };
    this.x = within(this.x, this.realm.width, this.width);
    this.y = within(this.y, this.realm.height, this.height - this.inset.bottom);
  }

  _resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.ratio = this.sprites.ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    if (this._fitted) this.fit();
    else {
      this.zoom = Math.max(this.zoom, this._least());
      this._clamp();
    }
    this._stale = true;
    this._draw(performance.now()); // now, or the resized canvas is empty for a frame
  }

  /** @returns {boolean} whether the camera moved */
  _moveCamera(now, seconds) {
    let moved = false;
    if (this._pointing.held.size) {
      const by = STEP_PIXELS * seconds;
      const dx =
        (this._pointing.held.has("ArrowLeft") ? by : 0) - (this._pointing.held.has("ArrowRight") ? by : 0);
      const dy =
        (this._pointing.held.has("ArrowUp") ? by : 0) - (this._pointing.held.has("ArrowDown") ? by : 0);
      if (dx || dy) this.pan(dx, dy);
      moved = true;
    }
    if (this._goal) {
      const { zoom, px, py } = this._goal;
      const ratio = zoom / this.zoom;
      const near = Math.abs(ratio - 1) < 0.003;
      this._zoomNow(near ? zoom : this.zoom * ratio ** Math.min(1, seconds * 14), px, py);
      if (near) this._goal = null;
      moved = true;
    }
    const followed = this.following && this.world.things.get(this.following);
    const aim = followed ? this._placeOf(followed, now) : this._slide;
    if (aim) {
      const dx = aim.x - this.x;
      const dy = aim.y - this.y;
      const far = Math.hypot(dx, dy);
      if (far > 1e-4) {
        // It swings towards whom it follows and then goes exactly with them: a lag would make them quiver.
        const jumps = this.calm.matches || (followed && (this._caught || far > 60));
        const share = jumps || far < 0.02 ? 1 : Math.min(1, seconds * 9);
        this.x += dx * share;
        this.y += dy * share;
        moved = true;
      }
      if (far < 0.06) {
        this._caught = true;
        if (!followed) this._slide = null;
      }
    }
    return moved;
  }

  _placeOf(thing, now) {
    const { x, y } = this.world.at(thing, now);
    return { x: x + 0.5, y: y + 0.5 };
  }

  // Drawing -------------------------------------------------------------------------------------------

  _frame(now) {
    requestAnimationFrame((later) => this._frame(later));
    now = performance.now();
    const seconds = Math.min(0.1, (now - this._last) / 1000);
    this._last = now;
    const moved = this._moveCamera(now, seconds);
    this.world.prune(now);
    if (!moved && !this._stale && !this.alive && now - this._drawn < IDLE_MS) return;
    this._stale = false;
    this._draw(now);
    this._pointing.rest();
    const ms = performance.now() - now;
    this.stats.frames++;
    this.stats.ms += ms;
    this.stats.worst = Math.max(this.stats.worst, ms);
    this.stats.drawn = this.seen.length;
  }

  _draw(now) {
    this._drawn = now;
    this.alive = false; // whether something of this frame is different in the next
    const context = this.context;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = this._backdrop || "#1d2a2b";
    context.fillRect(0, 0, this.width, this.height);
    if (!this.realm) {
      this.seen = [];
      return;
    }
    this._ground.draw(context, now);
    this._gather(now);
    const { figures } = this;
    if (this.target) this._drawTarget(context, now);
    this.sprites.begin(now);
    if (figures) this._drawFigures(context);
    if (this.sprites.late) this.alive = true;
    this._night.draw(context, now);
    if (!figures) this._dots.draw(context); // dots are signs, not things: night does not fall on them
    if (this.sight) this._night.drawSight(context, now);
    if (this.onDraw) {
      const view = { x: (x) => this.sx(x + 0.5), y: (y) => this.sy(y + 0.5), zoom: this.zoom, now };
      this.onDraw(context, view);
    }
    if (this.zoom >= LABELS[0] && this.zoom <= LABELS[1]) this._labels.drawPlaces(context);
    this._labels.drawNames(context);
    this._labels.drawBubbles(context, now);
  }

  /** What is in view, back to front. */
  _gather(now) {
    const seen = [];
    const margin = this.zoom * 2;
    const add = (thing, place, alpha) => {
      const x = this.sx(place.x + 0.5);
      const y = this.sy(place.y + 0.68) - (place.hop ? place.hop * this.zoom * 1.2 : 0);
      if (x < -margin || y < -margin || x > this.width + margin || y > this.height + margin) return;
      seen.push({ thing, x, y, order: place.y + (thing.kind === "item" ? -0.3 : 0), alpha, place });
    };
    for (const thing of this.world.things.values()) {
      const place = this.world.at(thing, now);
      const age = now - thing.since;
      const alpha = age < FADE_MS && !this.calm.matches ? Math.max(0.05, age / FADE_MS) : 1;
      if (alpha < 1 || place.moving) this.alive = true;
      add(thing, place, alpha);
    }
    for (const { thing, x, y, since } of this.world.leaving) {
      const left = 1 - (now - since) / FADE_MS;
      this.alive = true;
      if (left > 0 && !this.calm.matches) add(thing, { x, y, moving: false, hop: 0 }, left);
    }
    this.seen = seen.sort((a, b) => a.order - b.order || a.thing.id - b.thing.id);
  }

  _drawFigures(context) {
    const tile = this.zoom;
    const chosen = this.following;
    for (const { thing, x, y, place, alpha } of this.seen) {
      context.globalAlpha = alpha;
      if (thing.kind === "item") {
        this.sprites.draw(context, thing.look, 4, "stand", false, x, y, tile * 0.85);
        continue;
      }
      const ground = y + place.hop * tile * 1.2;
      const game = gameOf(thing.game);
      this.sprites.drawBase(context, game, x, ground, tile);
      if (thing.id === chosen || thing === this.hovered) {
        context.beginPath();
        context.ellipse(x, ground, tile * 0.47, tile * 0.23, 0, 0, 2 * Math.PI);
        context.lineWidth = Math.max(1.2, tile * 0.035);
        context.strokeStyle = "#ffffff";
        context.stroke();
      }
      const pose = this._poseOf(thing, place);
      this.sprites.draw(context, thing.look, thing.heading, pose, thing.dead, x, y, tile);
      if (game) {
        const mark = Math.max(3.6, Math.min(7, tile * 0.14));
        this.sprites.drawMark(context, game, x, y - tile * (heightOf(thing) + 0.1), mark);
      }
    }
    context.globalAlpha = 1;
  }

  _poseOf(thing, place) {
    if (thing.sitting && !place.moving) return "sit";
    if (!place.moving || place.hop) {
      this._legs.delete(thing.id);
      return "stand";
    }
    // Legs go with the way, not with the clock: nobody slides.
    if (this._legs.size > MOST_LEGS) this._legs.clear(); // those of who went out of sight on the way
    const last = this._legs.get(thing.id);
    const gone = last ? last.gone + Math.min(1, Math.hypot(place.x - last.x, place.y - last.y)) : 0.2;
    this._legs.set(thing.id, { x: place.x, y: place.y, gone });
    const phase = Math.floor(gone / (STEP_LENGTH / 2)) % 4;
    return phase === 0 ? "left" : phase === 2 ? "right" : "stand";
  }

  _drawTarget(context, now) {
    const x = this.sx(this.target.x + 0.5);
    const y = this.sy(this.target.y + 0.6);
    const beat = this.calm.matches ? 0.5 : 0.5 + 0.5 * Math.sin(now / 220);
    context.beginPath();
    const radius = this.zoom * (0.3 + 0.1 * beat);
    context.ellipse(x, y, radius, radius * 0.57, 0, 0, 2 * Math.PI);
    context.lineWidth = Math.max(2, this.zoom * 0.06);
    context.strokeStyle = "rgba(20, 24, 30, 0.6)";
    context.stroke();
    context.lineWidth *= 0.55;
    context.strokeStyle = "#ffffff";
    context.stroke();
    this.alive = true;
  }
}
