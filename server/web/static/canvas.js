/**
 * The map: draws a World on its realm's pictures, and is moved by pointer, wheel, touch and keys.
 *
 * A MapCanvas is a Camera (camera.js) that draws what it sees: all of it, in each frame in which something
 * is different, and a few times a second otherwise. Nothing is kept from one frame to the next but
 * pictures, so nothing that is drawn can be out of date. To draw only what changed was not done: whoever
 * follows somebody moves all of it in each frame.
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
 *   map.onMenu = (thing | null, event) => false     // the other button of the mouse; whether that was all of it
 *   map.onHover = (thing | null) => {}
 *   map.onDraw = (context, view) => {}   // after the things, before names; view: {x(tile), y(tile), zoom,
 *                                        // now}, in CSS pixels
 *   map.keys = true              // arrow keys pan, + - 0 Escape work while the canvas has the focus
 *   map.locked = false           // true: dragging and arrow keys do not move the camera (play mode)
 *   map.sight = 0                // tiles one sees each way of world.self; what is beyond is dimmed
 *   map.target = null            // {x, y}: a mark on a tile, where one is going
 *   map.pointers = []            // [{x, y}]: where something is to be done
 *   map.marked = 0               // id of whom one means to fight: a ring and a bar
 *   map.setInset({bottom: 0})    // CSS pixels of the canvas that something covers
 *
 * What is drawn in which way, and what fingers and keys do, is in modules of their own: ground.js, dots.js,
 * night.js, weather.js, labels.js, pointing.js. They read of the map, besides what is above:
 *
 *   map.sx(x), map.sy(y), map.toWorld(px, py)    // from tiles to CSS pixels of the canvas, and back
 *   map.width, map.height, map.ratio             // its size in CSS pixels; device pixels in one of them
 *   map.seen                                     // what the last frame drew, back to front
 *   map.figures                                  // whether it is near enough to see figures
 *   map.sprites                                  // the Sprites of sprites.js
 *   map.calm.matches                             // whether nothing is to move that need not
 *   map.pan(dx, dy), map.zoomAt(zoom, point)     // at once, in CSS pixels of the canvas
 *   map.alive = true                             // the next frame is different: draw it
 */

import { Blows } from "./blows.js";
import { Camera } from "./camera.js";
import { Dots } from "./dots.js";
import { heightOf } from "./figures.js";
import { gameOf } from "./games.js";
import { Ground } from "./ground.js";
import { Labels } from "./labels.js";
import { Night } from "./night.js";
import { drawCross, drawMark, drawPointer } from "./pointers.js";
import { Pointing } from "./pointing.js";
import { Sprites } from "./sprites.js";
import { shade } from "./strokes.js";
import { Weather } from "./weather.js";
import { FADE_MS } from "./world.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Thing} Thing */
/** @typedef {import("./realm.js").Realm} Realm */

const FIGURES_FROM = 13; // below it, a dot
const LABELS = [5, 30]; // pixels a tile between which places are named
const IDLE_MS = 250; // how often it is drawn when nothing moves: lamps, the hour
const MOST_LEGS = 4000;
const STEP_LENGTH = 0.5; // tiles from one leg to the other

export class MapCanvas extends Camera {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {World} world
   */
  constructor(canvas, world) {
    super(world);
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.keys = true;
    this.sight = 0;
    /** @type {{x: number, y: number} | null} */
    this.target = null;
    this.marked = 0;
    /** @type {{x: number, y: number}[]} */
    this.pointers = [];
    /** @type {Thing | null} */
    this.hovered = null;
    this.onPick = (_thing, _tile, _event) => {};
    this.onMenu = (_thing, _event) => false;
    this.onHover = (_thing) => {};
    this.onDraw = null;

    this.ratio = 1;
    this._last = 0;
    this._drawn = 0;
    this._chunks = new Map();
    this.sprites = new Sprites();
    this.seen = []; // what the last frame drew, back to front: {thing, x, y, ...}
    this._legs = new Map(); // id -> tiles gone, for the legs
    this.stats = { frames: 0, ms: 0, worst: 0, drawn: 0 };

    this._unlisten = world.listen(() => this.touch());
    this._ground = new Ground(this, this._chunks);
    this._dots = new Dots(this);
    this._night = new Night(this);
    this._weather = new Weather(this);
    this._labels = new Labels(this);
    this._blows = new Blows(this);
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
    if (realm && !this.following) this.begin();
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
    let own = null; // one's own figure is in nobody's way: what lies behind it comes first
    for (let n = this.seen.length - 1; n >= 0; n--) {
      const { thing, x, y } = this.seen[n];
      if (this.world.things.get(thing.id) !== thing || (only && thing !== only)) continue;
      const figure = this.figures;
      const wide = Math.max(figure ? this.zoom * 0.36 : 0, 8) + reach;
      const up = (!figure ? 8 : thing.kind === "item" ? this.zoom * 0.5 : this.zoom * 1.45) + reach;
      const down = Math.max(figure ? this.zoom * 0.15 : 8, 4) + reach;
      if (Math.abs(px - x) > wide || py < y - up || py > y + down) continue;
      if (thing.id !== this.world.self) return thing;
      own = thing;
    }
    return own;
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

  // Drawing -------------------------------------------------------------------------------------------

  _resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    this.resize(width, height);
    this.ratio = this.sprites.ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this._draw(performance.now()); // now, or the resized canvas is empty for a frame
  }

  _frame(now) {
    requestAnimationFrame((later) => this._frame(later));
    now = performance.now();
    const seconds = Math.min(0.1, (now - this._last) / 1000);
    this._last = now;
    const moved = this.move(now, seconds, this._pointing.held);
    this.world.prune(now);
    if (!moved && !this.stale && !this.alive && now - this._drawn < IDLE_MS) return;
    this.stale = false;
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
    this._weather.draw(context, now);
    if (this.sight) this._night.drawSight(context, now);
    this._blows.draw(context, now);
    if (this.onDraw) {
      const view = { x: (x) => this.sx(x + 0.5), y: (y) => this.sy(y + 0.5), zoom: this.zoom, now };
      this.onDraw(context, view);
    }
    if (this.zoom >= LABELS[0] && this.zoom <= LABELS[1]) this._labels.drawPlaces(context);
    this._labels.drawNames(context);
    for (const place of this.pointers) drawPointer(context, this, place);
    this._blows.drawNumbers(context, now);
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
      const lean = this.calm.matches ? null : this.world.fights.lean(thing.id, now);
      if (lean) {
        place.x += lean.x;
        place.y += lean.y;
      }
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
        const pose = thing.corpse ? "lie" : "stand";
        if (thing.corpse) this._drawStain(context, x, y);
        this.sprites.draw(context, thing.look, 4, pose, false, x, y, thing.corpse ? tile : tile * 0.85);
        if (thing.corpse) drawCross(context, x, y - tile * 0.55, Math.max(5, tile * 0.13));
        continue;
      }
      const ground = y + place.hop * tile * 1.2;
      const game = gameOf(thing.game);
      this.sprites.drawBase(context, game, x, ground, tile);
      if (thing.id === this.marked) this._drawRing(context, x, ground, "#ff5a4d", 0.07);
      else if (thing.id === chosen || thing === this.hovered) {
        this._drawRing(context, x, ground, "#ffffff", 0.035);
      }

      const pose = this._poseOf(thing, place);
      this.sprites.draw(context, thing.look, thing.heading, pose, thing.dead, x, y, tile);
      if (game) {
        const mark = Math.max(3.6, Math.min(7, tile * 0.14));
        this.sprites.drawMark(context, game, x, y - tile * (heightOf(thing) + 0.1), mark);
      }
      if (thing.mark) {
        const size = Math.max(15, tile * 0.55);
        drawMark(context, thing.mark, x, y - tile * heightOf(thing) - 20, size);
      }
    }
    context.globalAlpha = 1;
  }

  /** So that a corpse is seen on any ground. */
  _drawStain(context, x, y) {
    const tile = this.zoom;
    context.beginPath();
    context.ellipse(x, y - tile * 0.1, tile * 0.5, tile * 0.24, 0, 0, 2 * Math.PI);
    context.fillStyle = "rgba(70, 18, 14, 0.45)";
    context.fill();
  }

  _drawRing(context, x, ground, colour, share) {
    const tile = this.zoom;
    context.beginPath();
    context.ellipse(x, ground, tile * 0.47, tile * 0.23, 0, 0, 2 * Math.PI);
    context.lineWidth = Math.max(1.2, tile * share);
    context.strokeStyle = colour;
    context.stroke();
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
