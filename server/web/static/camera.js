/**
 * The camera over a realm: which tile point is in the middle of the canvas, and how large a tile is. It is
 * moved at once, or glides to where it is to be; or it stays with a thing. It draws nothing and hears no
 * events.
 *
 * Each call sets an aim (a zoom around a point, a place, a thing), and `move` takes a share of what is left of
 * the way, the larger the longer the last frame was; so a new aim takes over in the middle of a glide, and
 * nothing has to be stopped. Who wants no motion (`calm`) is there at once.
 *
 *   camera.follow(id)            // it stays with a thing; 0: with none
 *   camera.centre(x, y)          // tiles
 *   camera.zoomTo(zoom), camera.zoomBy(factor)   // CSS pixels a tile, see `camera.zoom`
 *   camera.fit()                 // the whole realm
 *   camera.begin()               // where people are, as one who comes into a realm sees it
 *   camera.pan(dx, dy), camera.zoomAt(zoom, point)   // at once, in CSS pixels of the canvas
 *   camera.resize(width, height) // the canvas has another size
 *   camera.move(now, seconds, keys)   // as far as it comes in that time; whether it moved
 *   camera.sx(x), camera.sy(y), camera.toWorld(px, py)   // from tiles to CSS pixels of the canvas, and back
 *   camera.stale                 // whether something changed since whoever draws set it to false
 */

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./realm.js").Realm} Realm */

const START_ZOOM = 26;
const NEAREST = 84; // CSS pixels a tile at most
const STEP_PIXELS = 520; // an arrow key held down moves the map so far in a second

export class Camera {
  /** @param {World} world */
  constructor(world) {
    /** @type {World} */
    this.world = world;
    /** @type {Realm | null} */
    this.realm = null;
    this.following = 0;
    this.locked = false;
    this.inset = { bottom: 0 };
    this.onFollow = (_id) => {};
    this.x = 0; // the tile point in the middle of what is seen
    this.y = 0;
    this.zoom = 24;
    this.width = 1;
    this.height = 1;
    this.stale = true;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this._goal = null; // {zoom, px, py}: a zoom that is under way, around a point of the canvas
    this._slide = null; // {x, y}: a place the camera goes to
    this._fitted = true; // nobody has moved the camera since it showed everything
    this._caught = false; // whether it is where whom it follows is
  }

  /** Something changed: draw the next frame. */
  touch() {
    this.stale = true;
  }

  /** Where most people are, near enough to see them. */
  begin() {
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

  /** The canvas has another size, in CSS pixels. */
  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (this._fitted) this.fit();
    else {
      this.zoom = Math.max(this.zoom, this._least());
      this._clamp();
    }
    this.touch();
  }

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

  /**
   * @param {number} now
   * @param {number} seconds since the last time
   * @param {ReadonlySet<string>} keys that are held down
   * @returns {boolean} whether it moved
   */
  move(now, seconds, keys) {
    let moved = false;
    if (keys.size) {
      const by = STEP_PIXELS * seconds;
      const dx = (keys.has("ArrowLeft") ? by : 0) - (keys.has("ArrowRight") ? by : 0);
      const dy = (keys.has("ArrowUp") ? by : 0) - (keys.has("ArrowDown") ? by : 0);
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
}
