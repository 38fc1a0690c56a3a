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
 */

import { Sprites, gameOf, shade } from "./figures.js";
import { FADE_MS, isPerson } from "./world.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./world.js").Thing} Thing */
/** @typedef {import("./realm.js").Realm} Realm */

const START_ZOOM = 26;
const NEAREST = 84; // CSS pixels a tile at most
const FIGURES_FROM = 13; // below it, a dot
const NAMES_FROM = 44; // above it, everybody's name
const NAMES_OF_FEW = 22; // the same where few are in view
const FEW = 40;
const CROWD = 120; // so many dots in view are drawn as groups where they lie close
const CROWD_BELOW = 9;
const GROUP_CELL = 26;
const LABELS = [5, 30]; // pixels a tile between which places are named
const FINGER = 8; // pixels by which a finger may miss
const HELD = 14; // pixels by which whoever walks away from the mouse stays chosen
const DRAG_FROM = 5; // pixels; less is a click
const MOST_BUBBLES = 24;
const BUBBLES_FROM_AFAR = 6; // among dots
const MOST_LANTERNS = 500; // with more in view nobody carries a light
const STEP_PIXELS = 520; // an arrow key held down moves the map so far in a second
const IDLE_MS = 250; // how often it is drawn when nothing moves: lamps, the hour
const MOST_LEGS = 4000;
const STEP_LENGTH = 0.5; // tiles from one leg to the other

const FONT = '"Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif';
const NIGHT = [13, 20, 58];
const DARKEST = 0.62;

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
    this._width = 1;
    this._height = 1;
    this._ratio = 1;
    this._pointers = new Map();
    this._dragged = false;
    this._held = new Set();
    this._mouse = null; // where it rests
    this._last = 0;
    this._drawn = 0;
    this._stale = true;
    this._chunks = new Map();
    this._sprites = new Sprites();
    this._plates = new Map();
    this._layouts = new WeakMap();
    this._seen = []; // what the last frame drew, back to front: {thing, x, y, ...}
    this._groups = [];
    this._legs = new Map(); // id -> tiles gone, for the legs
    this._calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.stats = { frames: 0, ms: 0, worst: 0, drawn: 0 };

    this._unlisten = world.listen(() => this.touch());
    this._bind();
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
    this.x = middle(those.map(({ x }) => x), this.realm.width / 2);
    this.y = middle(those.map(({ y }) => y), this.realm.height / 2);
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
    if (this._calm.matches) [this.x, this.y] = [x + 0.5, y + 0.5];
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
    const goal = Math.min(NEAREST, Math.max(this._least(), zoom));
    const middle = { x: this._width / 2, y: this._middle() };
    const { x, y } = this.following || !around ? middle : around;
    this._goal = { zoom: goal, px: x, py: y };
    this._fitted = false;
    if (this._calm.matches) this._zoomNow(goal, x, y);
    this.touch();
  }

  zoomBy(factor, around) {
    this.zoomTo((this._goal?.zoom ?? this.zoom) * factor, around);
  }

  /** @returns {{x: number, y: number}} */
  tileAt(clientX, clientY) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const point = this._toWorld(clientX - left, clientY - top);
    return { x: Math.floor(point.x), y: Math.floor(point.y) };
  }

  /** @returns {{x: number, y: number}} */
  screenOf(x, y) {
    return { x: this._sx(x + 0.5), y: this._sy(y + 0.5) };
  }

  /** @returns {Thing | null} */
  pick(clientX, clientY, reach = 0, only = null) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const px = clientX - left;
    const py = clientY - top;
    for (let n = this._seen.length - 1; n >= 0; n--) {
      const { thing, x, y } = this._seen[n];
      if (this.world.things.get(thing.id) !== thing || (only && thing !== only)) continue;
      const figure = this.zoom >= FIGURES_FROM;
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

  // Camera --------------------------------------------------------------------------------------------

  _middle() {
    return (this._height - this.inset.bottom) / 2;
  }

  _sx(x) {
    return (x - this.x) * this.zoom + this._width / 2;
  }

  _sy(y) {
    return (y - this.y) * this.zoom + this._middle();
  }

  _toWorld(px, py) {
    return {
      x: (px - this._width / 2) / this.zoom + this.x,
      y: (py - this._middle()) / this.zoom + this.y,
    };
  }

  /** The zoom that shows all of the realm. */
  _least() {
    if (!this.realm) return 4;
    const high = Math.max(60, this._height - this.inset.bottom);
    return Math.max(1, Math.min(this._width / (this.realm.width + 2), high / (this.realm.height + 2), 24));
  }

  _zoomNow(zoom, px, py) {
    const before = this._toWorld(px, py);
    this.zoom = zoom;
    const after = this._toWorld(px, py);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
    this._clamp();
  }

  _pan(dx, dy) {
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
    this.x = within(this.x, this.realm.width, this._width);
    this.y = within(this.y, this.realm.height, this._height - this.inset.bottom);
  }

  _resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    this._width = Math.max(1, width);
    this._height = Math.max(1, height);
    this._ratio = this._sprites.ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(this._width * this._ratio);
    this.canvas.height = Math.round(this._height * this._ratio);
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
    if (this._held.size) {
      const by = STEP_PIXELS * seconds;
      const dx = (this._held.has("ArrowLeft") ? by : 0) - (this._held.has("ArrowRight") ? by : 0);
      const dy = (this._held.has("ArrowUp") ? by : 0) - (this._held.has("ArrowDown") ? by : 0);
      if (dx || dy) this._pan(dx, dy);
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
        const jumps = this._calm.matches || (followed && (this._caught || far > 60));
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
    if (!moved && !this._stale && !this._alive && now - this._drawn < IDLE_MS) return;
    this._stale = false;
    this._draw(now);
    if (this._mouse && !this._pointers.size) this._hover(this._under(this._mouse)); // they walk, it rests
    const ms = performance.now() - now;
    this.stats.frames++;
    this.stats.ms += ms;
    this.stats.worst = Math.max(this.stats.worst, ms);
    this.stats.drawn = this._seen.length;
  }

  _draw(now) {
    this._drawn = now;
    this._alive = false; // whether something of this frame is different in the next
    const context = this.context;
    context.setTransform(this._ratio, 0, 0, this._ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = this._backdrop || "#1d2a2b";
    context.fillRect(0, 0, this._width, this._height);
    if (!this.realm) {
      this._seen = [];
      return;
    }
    this._drawGround(context);
    this._gather(now);
    const figures = this.zoom >= FIGURES_FROM;
    if (this.target) this._drawTarget(context, now);
    this._sprites.begin(now);
    if (figures) this._drawFigures(context);
    if (this._sprites.late) this._alive = true;
    this._drawNight(context, now);
    if (!figures) this._drawDots(context); // dots are signs, not things: night does not fall on them
    if (this.sight) this._drawSight(context, now);
    if (this.onDraw) {
      const view = { x: (x) => this._sx(x + 0.5), y: (y) => this._sy(y + 0.5), zoom: this.zoom, now };
      this.onDraw(context, view);
    }
    if (this.zoom >= LABELS[0] && this.zoom <= LABELS[1]) this._drawLabels(context);
    this._drawNames(context, figures);
    this._drawBubbles(context, now);
  }

  _drawGround(context) {
    const { width, height, chunk, tile, colour } = this.realm;
    const ratio = this._ratio;
    const snap = (value) => Math.round(value * ratio) / ratio; // no seams between the pictures
    const left = snap(this._sx(0));
    const top = snap(this._sy(0));
    context.fillStyle = colour;
    context.fillRect(left, top, snap(this._sx(width)) - left, snap(this._sy(height)) - top);
    const scale = (this.zoom * ratio) / tile;
    context.imageSmoothingEnabled = scale < 1 || scale % 1 !== 0;
    context.imageSmoothingQuality = scale < 1 ? "medium" : "low";
    const first = this._toWorld(0, 0);
    const last = this._toWorld(this._width, this._height);
    const columns = Math.ceil(width / chunk);
    const rows = Math.ceil(height / chunk);
    for (let cy = Math.max(0, Math.floor(first.y / chunk)); cy < rows && cy * chunk <= last.y; cy++)
      for (let cx = Math.max(0, Math.floor(first.x / chunk)); cx < columns && cx * chunk <= last.x; cx++) {
        const picture = this._chunkOf(cx, cy);
        if (!picture) continue;
        const x = snap(this._sx(cx * chunk));
        const y = snap(this._sy(cy * chunk));
        const tilesWide = picture.naturalWidth / tile;
        const tilesHigh = picture.naturalHeight / tile;
        const right = snap(this._sx(cx * chunk + tilesWide));
        const bottom = snap(this._sy(cy * chunk + tilesHigh));
        context.drawImage(picture, x, y, right - x, bottom - y);
      }
    context.imageSmoothingEnabled = true;
  }

  /** @returns {HTMLImageElement | null} null until it has come */
  _chunkOf(cx, cy) {
    const url = this.realm.chunkUrl(cx, cy);
    let entry = this._chunks.get(url);
    if (!entry) {
      const image = new Image();
      entry = { image, ready: false };
      this._chunks.set(url, entry);
      image.src = url;
      image.decode().then(
        () => {
          entry.ready = true;
          this.touch();
        },
        () => {}, // one that does not come leaves the realm's colour
      );
    }
    return entry.ready ? entry.image : null;
  }

  /** What is in view, back to front. */
  _gather(now) {
    const seen = [];
    const margin = this.zoom * 2;
    const add = (thing, place, alpha) => {
      const x = this._sx(place.x + 0.5);
      const y = this._sy(place.y + 0.68) - (place.hop ? place.hop * this.zoom * 1.2 : 0);
      if (x < -margin || y < -margin || x > this._width + margin || y > this._height + margin) return;
      seen.push({ thing, x, y, order: place.y + (thing.kind === "item" ? -0.3 : 0), alpha, place });
    };
    for (const thing of this.world.things.values()) {
      const place = this.world.at(thing, now);
      const age = now - thing.since;
      const alpha = age < FADE_MS && !this._calm.matches ? Math.max(0.05, age / FADE_MS) : 1;
      if (alpha < 1 || place.moving) this._alive = true;
      add(thing, place, alpha);
    }
    for (const { thing, x, y, since } of this.world.leaving) {
      const left = 1 - (now - since) / FADE_MS;
      this._alive = true;
      if (left > 0 && !this._calm.matches) add(thing, { x, y, moving: false, hop: 0 }, left);
    }
    this._seen = seen.sort((a, b) => a.order - b.order || a.thing.id - b.thing.id);
  }

  _drawFigures(context) {
    const tile = this.zoom;
    const chosen = this.following;
    for (const { thing, x, y, place, alpha } of this._seen) {
      context.globalAlpha = alpha;
      if (thing.kind === "item") {
        this._sprites.draw(context, thing.look, 4, "stand", false, x, y, tile * 0.85);
        continue;
      }
      const ground = y + place.hop * tile * 1.2;
      const game = gameOf(thing.game);
      this._sprites.drawBase(context, game, x, ground, tile);
      if (thing.id === chosen || thing === this.hovered) {
        context.beginPath();
        context.ellipse(x, ground, tile * 0.47, tile * 0.23, 0, 0, 2 * Math.PI);
        context.lineWidth = Math.max(1.2, tile * 0.035);
        context.strokeStyle = "#ffffff";
        context.stroke();
      }
      const pose = this._poseOf(thing, place);
      this._sprites.draw(context, thing.look, thing.heading, pose, thing.dead, x, y, tile);
      if (game) {
        const mark = Math.max(3.6, Math.min(7, tile * 0.14));
        this._sprites.drawMark(context, game, x, y - tile * (heightOf(thing) + 0.1), mark);
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

  _drawDots(context) {
    this._groups = [];
    const mobiles = this._seen.filter(({ thing }) => thing.kind === "mobile");
    for (const { thing, x, y, alpha } of this._seen) {
      if (thing.kind !== "item" || this.zoom < 4) continue;
      context.globalAlpha = alpha * 0.9;
      context.fillStyle = "#f0dfae";
      context.fillRect(x - 1.5, y - 1.5, 3, 3);
    }
    let single = mobiles;
    if (this.zoom < CROWD_BELOW && mobiles.length > CROWD) single = this._drawGroups(context, mobiles);
    const size = Math.max(3.4, Math.min(6, this.zoom * 0.5));
    for (const { thing, x, y, alpha } of single) {
      context.globalAlpha = alpha;
      const game = gameOf(thing.game);
      const big = thing.id === this.following || thing === this.hovered || thing.id === this.world.self;
      if (game) this._sprites.drawMark(context, game, x, y, big ? size * 1.5 : size);
      else {
        context.beginPath();
        context.arc(x, y, size * (thing.resident ? 0.78 : 0.6), 0, 2 * Math.PI);
        context.fillStyle = thing.resident ? "#f4f1e8" : "#c9b08a";
        context.strokeStyle = "rgba(16, 20, 24, 0.75)";
        context.lineWidth = 1.4;
        context.stroke();
        context.fill();
      }
      if (big) {
        context.beginPath();
        context.arc(x, y, size * 2.3, 0, 2 * Math.PI);
        context.strokeStyle = "#ffffff";
        context.lineWidth = 2;
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  /** Where many are close together: one disc with their number, its rim shared out among the games. */
  _drawGroups(context, mobiles) {
    const cells = new Map();
    for (const seen of mobiles) {
      // Cells lie on the ground, so that groups keep their members while the map is moved.
      const size = GROUP_CELL / this.zoom;
      const key = `${Math.floor(seen.place.x / size)},${Math.floor(seen.place.y / size)}`;
      const cell = cells.get(key);
      if (cell) cell.push(seen);
      else cells.set(key, [seen]);
    }
    const single = [];
    for (const members of cells.values()) {
      if (members.length < 4 || members.some(({ thing }) => thing.id === this.following)) {
        single.push(...members);
        continue;
      }
      let x = 0;
      let y = 0;
      const games = new Map();
      for (const seen of members) {
        x += seen.x / members.length;
        y += seen.y / members.length;
        games.set(seen.thing.game, (games.get(seen.thing.game) ?? 0) + 1);
      }
      const radius = 8 + Math.min(8, Math.sqrt(members.length));
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = "rgba(22, 27, 34, 0.9)";
      context.fill();
      let angle = -Math.PI / 2;
      context.lineWidth = 3.5;
      for (const [game, count] of [...games].sort()) {
        const end = angle + (count / members.length) * 2 * Math.PI;
        context.beginPath();
        context.arc(x, y, radius, angle, end);
        context.strokeStyle = gameOf(game)?.colour ?? "#e8e4d8";
        context.stroke();
        angle = end;
      }
      context.font = `600 ${members.length > 99 ? 10 : 11.5}px ${FONT}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = "#ffffff";
      context.fillText(String(members.length), x, y + 0.5);
      this._groups.push({ x, y, radius, members });
    }
    return single;
  }

  /** Darkness is a picture of its own, a quarter as fine, out of which lights are cut. */
  _drawNight(context, now) {
    const day = this.world.daylight(now);
    if (day >= 1) return;
    const quarter = 4;
    const width = Math.ceil(this._width / quarter);
    const height = Math.ceil(this._height / quarter);
    if (this._dark?.width !== width || this._dark.height !== height)
      this._dark = new OffscreenCanvas(width, height);
    const dark = this._dark.getContext("2d");
    dark.globalCompositeOperation = "copy";
    const [r, g, b] = NIGHT;
    dark.fillStyle = `rgba(${r}, ${g}, ${b}, ${DARKEST * (1 - day)})`;
    dark.fillRect(0, 0, width, height);
    dark.globalCompositeOperation = "destination-out";
    this._glow ??= glowOf(64);
    const shine = (glow, x, y, tiles, strength) => {
      const radius = (tiles * this.zoom) / quarter;
      x /= quarter;
      y /= quarter;
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) return;
      dark.globalAlpha = strength;
      dark.drawImage(glow, x - radius, y - radius, 2 * radius, 2 * radius);
    };
    const lamps = this.realm.lights.map(({ x, y }) => [this._sx(x + 0.5), this._sy(y + 0.4)]);
    for (const [x, y] of lamps) shine(this._glow, x, y, 4.2, 1);
    const near = this.zoom >= FIGURES_FROM && this._seen.length <= MOST_LANTERNS;
    for (const { thing, x, y } of this._seen) {
      const lamp = thing.look.figure === "candle" || thing.look.figure === "lantern";
      if (lamp || (near && thing.game)) shine(this._glow, x, y - this.zoom * 0.6, lamp ? 3 : 2.6, 0.75);
    }
    // What is lit is lit warmly.
    dark.globalCompositeOperation = "source-over";
    this._warm ??= glowOf(64, [255, 186, 84]);
    for (const [x, y] of lamps) shine(this._warm, x, y, 3, 0.2 * (1 - day));
    dark.globalAlpha = 1;
    context.drawImage(this._dark, 0, 0, width * quarter, height * quarter);
  }

  /** What lies beyond one's own sight. */
  _drawSight(context, now) {
    const self = this.world.things.get(this.world.self);
    if (!self) return;
    const place = this.world.at(self, now);
    const x = this._sx(place.x - this.sight);
    const y = this._sy(place.y - this.sight);
    const size = (2 * this.sight + 1) * this.zoom;
    context.beginPath();
    context.rect(0, 0, this._width, this._height);
    context.roundRect(x, y, size, size, this.zoom);
    context.fillStyle = "rgba(14, 20, 24, 0.5)";
    context.fill("evenodd");
  }

  _drawTarget(context, now) {
    const x = this._sx(this.target.x + 0.5);
    const y = this._sy(this.target.y + 0.6);
    const beat = this._calm.matches ? 0.5 : 0.5 + 0.5 * Math.sin(now / 220);
    context.beginPath();
    const radius = this.zoom * (0.3 + 0.1 * beat);
    context.ellipse(x, y, radius, radius * 0.57, 0, 0, 2 * Math.PI);
    context.lineWidth = Math.max(2, this.zoom * 0.06);
    context.strokeStyle = "rgba(20, 24, 30, 0.6)";
    context.stroke();
    context.lineWidth *= 0.55;
    context.strokeStyle = "#ffffff";
    context.stroke();
    this._alive = true;
  }

  _drawLabels(context) {
    context.textAlign = "center";
    context.textBaseline = "middle";
    const size = Math.max(11, Math.min(15, this.zoom * 1.1));
    context.font = `italic 600 ${size}px Georgia, "Times New Roman", serif`;
    context.lineJoin = "round";
    const taken = [];
    for (const sign of this.realm.signs) {
      const x = this._sx(sign.x + 0.5);
      const width = context.measureText(sign.title).width + 8;
      const box = { x: x - width / 2, y: this._sy(sign.y + 0.5) - 1.7 * size, width, height: size * 1.4 };
      if (!makeRoom(box, taken, 2, 0)) continue;
      const y = box.y + 0.7 * size;
      if (x < -80 || y < -20 || x > this._width + 80 || y > this._height + 20) continue;
      context.lineWidth = 3.5;
      context.strokeStyle = "rgba(20, 26, 20, 0.75)";
      context.strokeText(sign.title, x, y);
      context.fillStyle = "#fff6df";
      context.fillText(sign.title, x, y);
    }
  }

  _drawNames(context, figures) {
    const mobiles = this._seen.filter(({ thing }) => thing.kind === "mobile");
    const all = this.zoom >= NAMES_FROM || (this.zoom >= NAMES_OF_FEW && mobiles.length <= FEW);
    const chosen = new Set([this.hovered?.id, this.following, this.world.self]);
    const special = (thing) => chosen.has(thing.id);
    const taken = [];
    for (const seen of this._seen)
      if (special(seen.thing)) this._drawName(context, seen, figures, true, taken);
    if (!all) return;
    // From the front to the back: who stands behind others may have to do without.
    for (let n = this._seen.length - 1; n >= 0; n--) {
      const { thing } = this._seen[n];
      if (isPerson(thing) && !special(thing))
        this._drawName(context, this._seen[n], figures, false, taken);
    }
  }

  _drawName(context, { thing, x, y, alpha }, figures, special, taken) {
    const text = thing.amount > 1 ? `${thing.amount} × ${thing.name}` : thing.name;
    if (!text) return;
    const plate = this._plateOf(text, special, thing.kind === "mobile" && !thing.game);
    const up = figures ? this.zoom * heightOf(thing) + (thing.game ? this.zoom * 0.3 : 0) : 10;
    const width = plate.width / this._ratio;
    const height = plate.height / this._ratio;
    const box = { x: Math.round(x - width / 2), y: Math.round(y - up - height), width, height: height - 4 };
    if (special) taken.push(box);
    else if (!makeRoom(box, taken, 2, 0)) return;
    context.globalAlpha = alpha;
    context.drawImage(plate, box.x, box.y, width, height);
    context.globalAlpha = 1;
  }

  /** A name as a picture: text with a halo costs much, and names change seldom. */
  _plateOf(text, special, quiet) {
    const key = `${text}|${special ? 1 : 0}${quiet ? 1 : 0}${this._ratio}`;
    let plate = this._plates.get(key);
    if (plate) return plate;
    const font = `${special ? 700 : 600} ${special ? 13 : 12}px ${FONT}`;
    const context = this.context;
    context.font = font;
    const shown = text.length > 28 ? `${text.slice(0, 27)}…` : text;
    const width = Math.ceil(context.measureText(shown).width) + 10;
    plate = new OffscreenCanvas(Math.ceil(width * this._ratio), Math.ceil(20 * this._ratio));
    const own = plate.getContext("2d");
    own.scale(this._ratio, this._ratio);
    own.font = font;
    own.textAlign = "center";
    own.textBaseline = "middle";
    own.lineJoin = "round";
    if (special) {
      own.beginPath();
      own.roundRect(0.5, 1, width - 1, 18, 9);
      own.fillStyle = "rgba(18, 22, 28, 0.86)";
      own.fill();
    } else {
      own.lineWidth = 3.2;
      own.strokeStyle = "rgba(14, 18, 22, 0.82)";
      own.strokeText(shown, width / 2, 10.5);
    }
    own.fillStyle = quiet && !special ? "#e6e0d0" : "#ffffff";
    own.fillText(shown, width / 2, 10.5);
    if (this._plates.size > 1500) this._plates.clear();
    this._plates.set(key, plate);
    return plate;
  }

  /** The newest lie where they belong; older ones make room upwards. */
  _drawBubbles(context, now) {
    const bubbles = this.world.bubbles;
    if (!bubbles.length) return;
    this._alive = true;
    const places = new Map(this._seen.map((seen) => [seen.thing.id, seen]));
    const taken = [];
    const drawn = [];
    const figures = this.zoom >= FIGURES_FROM;
    const most = figures ? MOST_BUBBLES : BUBBLES_FROM_AFAR;
    for (let n = bubbles.length - 1; n >= 0 && drawn.length < most; n--) {
      const bubble = bubbles[n];
      const speaker = places.get(bubble.id);
      if (!speaker || bubble.until <= now) continue;
      const layout = this._layoutOf(bubble);
      const above = this.zoom * (heightOf(speaker.thing) + (speaker.thing.game ? 0.35 : 0.05));
      const foot = speaker.y - (figures ? above + (this.zoom >= NAMES_OF_FEW ? 18 : 2) : 12);
      const { width, height } = layout;
      const x = Math.max(4, Math.min(this._width - width - 4, speaker.x - width / 2));
      const box = { x, y: foot - height - 7, width, height };
      if (!makeRoom(box, taken, 8, 4)) continue;
      drawn.push({ bubble, layout, box, speaker, foot });
    }
    for (const { bubble, layout, box, speaker, foot } of drawn.reverse()) {
      const comes = this._calm.matches ? 1 : (now - bubble.since) / 140 + 0.1;
      const alpha = Math.min(1, comes, (bubble.until - now) / 500);
      context.globalAlpha = Math.max(0, alpha) * (bubble.how === "whisper" ? 0.85 : 1);
      this._drawBubble(context, bubble, layout, box, speaker.x, foot);
    }
    context.globalAlpha = 1;
  }

  _drawBubble(context, bubble, layout, box, x, foot) {
    const emote = bubble.how === "emote";
    const yell = bubble.how === "yell";
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, 9);
    const tail = Math.max(box.x + 14, Math.min(box.x + box.width - 14, x));
    if (!emote && box.y + box.height > foot - 40) {
      context.moveTo(tail - 6, box.y + box.height - 0.5);
      context.lineTo(x + (tail - x) * 0.4, box.y + box.height + 7);
      context.lineTo(tail + 6, box.y + box.height - 0.5);
    }
    context.shadowColor = "rgba(0, 0, 0, 0.3)";
    context.shadowBlur = 6;
    context.shadowOffsetY = 1;
    context.fillStyle = emote ? "rgba(32, 36, 46, 0.9)" : "rgba(255, 253, 246, 0.97)";
    context.fill();
    context.shadowColor = "transparent";
    if (yell) {
      context.lineWidth = 2;
      context.strokeStyle = "#b3400a";
      context.stroke();
    }
    context.font = layout.font;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillStyle = emote ? "#f2ecdc" : "#1d2125";
    layout.lines.forEach((line, n) => context.fillText(line, box.x + 10, box.y + 18 + n * 16.5));
  }

  _layoutOf(bubble) {
    let layout = this._layouts.get(bubble);
    if (layout) return layout;
    const { how } = bubble;
    const font = `${how === "emote" ? "italic " : ""}${how === "yell" ? 700 : 500} 13px ${FONT}`;
    this.context.font = font;
    const measure = (text) => this.context.measureText(text).width;
    const words = how === "emote" ? `${bubble.name} ${bubble.words}` : bubble.words;
    const lines = wrap(words, Math.min(210, this._width * 0.6), 5, measure);
    const width = Math.max(28, ...lines.map(measure)) + 20;
    layout = { font, lines, width, height: lines.length * 16.5 + 11 };
    this._layouts.set(bubble, layout);
    return layout;
  }

  // Pointer and keys ----------------------------------------------------------------------------------

  _bind() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => this._down(event));
    canvas.addEventListener("pointermove", (event) => this._move(event));
    canvas.addEventListener("pointerup", (event) => this._up(event));
    canvas.addEventListener("pointercancel", (event) => this._pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => {
      this._mouse = null;
      this._hover(null);
    });
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this._key(event));
    canvas.addEventListener("keyup", (event) => this._held.delete(event.key));
    canvas.addEventListener("blur", () => this._held.clear());
  }

  _pointOf(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  _down(event) {
    if (event.button) return;
    this.canvas.setPointerCapture(event.pointerId);
    if (!this._pointers.size) this._dragged = false;
    const { pointerId, clientX, clientY } = event;
    this._pointers.set(pointerId, { ...this._pointOf(event), startX: clientX, startY: clientY });
    if (this._pointers.size > 1) this._dragged = true;
  }

  _move(event) {
    const pointer = this._pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType !== "mouse") return;
      this._mouse = { clientX: event.clientX, clientY: event.clientY };
      this._hover(this._under(this._mouse));
      return;
    }
    const point = this._pointOf(event);
    if (!this._dragged) {
      const far = Math.hypot(event.clientX - pointer.startX, event.clientY - pointer.startY);
      if (far < (event.pointerType === "mouse" ? DRAG_FROM : 2 * DRAG_FROM)) return;
      this._dragged = true;
      this.canvas.dataset.dragging = this.locked ? "" : "yes";
    }
    if (this._pointers.size === 1) this._pan(point.x - pointer.x, point.y - pointer.y);
    else if (this._pointers.size === 2) this._pinch(event.pointerId, pointer, point);
    pointer.x = point.x;
    pointer.y = point.y;
  }

  /** One of two fingers moves: what lies between them stays between them. */
  _pinch(id, from, to) {
    const [other] = [...this._pointers].filter(([key]) => key !== id).map(([, pointer]) => pointer);
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    if (!before || !after) return;
    const middle = { x: (from.x + other.x) / 2, y: (from.y + other.y) / 2 };
    if (!this.following) this._pan((to.x - from.x) / 2, (to.y - from.y) / 2);
    const zoom = Math.min(NEAREST, Math.max(this._least(), (this.zoom * after) / before));
    this._goal = null;
    this._fitted = false;
    if (this.following) [middle.x, middle.y] = [this._width / 2, this._middle()];
    this._zoomNow(zoom, middle.x, middle.y);
    this.touch();
  }

  _up(event) {
    const pointer = this._pointers.get(event.pointerId);
    this._pointers.delete(event.pointerId);
    if (!this._pointers.size) delete this.canvas.dataset.dragging;
    if (!pointer || this._dragged) return;
    const mouse = event.pointerType === "mouse";
    const thing = mouse ? this._under(event) : this.pick(event.clientX, event.clientY, FINGER);
    const point = this._pointOf(event);
    const group = this._groups.find(({ x, y, radius }) => Math.hypot(x - point.x, y - point.y) <= radius + 3);
    if (group && this.zoom < FIGURES_FROM) this.zoomBy(2.2, point);
    else this.onPick(thing, this.tileAt(event.clientX, event.clientY), event);
  }

  /** What the mouse is on: who walks is not lost at once. */
  _under({ clientX, clientY }) {
    const hovered = this.hovered;
    return this.pick(clientX, clientY) ?? (hovered && this.pick(clientX, clientY, HELD, hovered));
  }

  _hover(thing) {
    if (thing === this.hovered) return;
    this.hovered = thing;
    if (thing) this.canvas.dataset.over = thing.kind;
    else delete this.canvas.dataset.over;
    this.onHover(thing);
    this.touch();
  }

  _wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.zoomBy(Math.exp(-delta * (event.ctrlKey ? 0.01 : 0.0022)), this._pointOf(event));
  }

  _key(event) {
    if (!this.keys || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow") && !this.locked) {
      this._held.add(event.key);
      this.touch();
    } else if (event.key === "+" || event.key === "=") this.zoomBy(1.35);
    else if (event.key === "-" || event.key === "_") this.zoomBy(1 / 1.35);
    else if (event.key === "0" && !this.locked) {
      this.follow(0);
      this.fit();
    } else if (event.key === "Escape" && this.following && !this.locked) this.follow(0);
    else return;
    event.preventDefault();
  }
}

/** How high a figure is, in tiles. */
function heightOf(thing) {
  if (thing.kind === "item") return 0.5;
  if (thing.sitting) return 1.25;
  return thing.look.figure === "person" ? 1.52 : thing.look.figure === "horse" ? 1.6 : 0.8;
}

/**
 * Move a box up until it covers none of the others, and put it among them.
 * @returns {boolean} false if that takes more than so many moves; then it is not among them
 */
function makeRoom(box, taken, moves, gap) {
  for (let hit; (hit = taken.find((other) => overlap(box, other))); ) {
    if (!moves--) return false;
    box.y = Math.round(hit.y - box.height - gap);
  }
  taken.push(box);
  return true;
}

function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** A soft round light: in the middle all of the colour, at the rim none. */
function glowOf(radius, [r, g, b] = [0, 0, 0]) {
  const glow = new OffscreenCanvas(2 * radius, 2 * radius);
  const context = glow.getContext("2d");
  const light = context.createRadialGradient(radius, radius, 0, radius, radius, radius);
  light.addColorStop(0, `rgba(${r}, ${g}, ${b}, 1)`);
  light.addColorStop(0.35, `rgba(${r}, ${g}, ${b}, 0.75)`);
  light.addColorStop(1, `rgba(${r}, ${g}, ${b}, 0)`);
  context.fillStyle = light;
  context.fillRect(0, 0, 2 * radius, 2 * radius);
  return glow;
}

/** Text in lines no wider than that; a word that is too long is cut, what does not fit ends in "…". */
export function wrap(text, width, most, measure) {
  const lines = [];
  let line = "";
  const words = text.split(/\s+/);
  for (let n = 0; n < words.length; n++) {
    let word = words[n];
    while (measure(word) > width && word.length > 1) {
      let fits = word.length - 1;
      while (fits > 1 && measure(word.slice(0, fits)) > width) fits--;
      words.splice(n + 1, 0, word.slice(fits));
      word = word.slice(0, fits);
    }
    if (line && measure(`${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(line);
  if (lines.length > most) lines.splice(most - 1, lines.length, `${lines[most - 1]} …`);
  return lines;
}
