/**
 * A realm as the server tells it (/realms/NAME.json): its size, its pictures, where nobody can stand, and the
 * way from one tile to another. No DOM.
 *
 *   const realm = await loadRealm("confluence");    // one promise for each name; rejected if there is none
 *   realm.name, title, width, height, tile, chunk, picture, colour, signs, warps, lights
 *   realm.seatAt(x, y)                              // the heading one sits in, ANY_SIDE, or null for no seat
 *   realm.walkable(x, y)                            // whether somebody can stand there
 *   realm.canStep(x, y, heading)                    // whether the ground lets one go, as the server judges
 *   realm.chunkUrl(cx, cy)
 *   findPath(realm, {x, y}, {x, y})                 // headings, one a step; as near as one can come if no
 *                                                   // way leads there; [] if one is as near already
 *   OFFSETS[heading]                                // [dx, dy] of the headings 0 (north) to 7 (north west)
 */

/** @type {ReadonlyArray<readonly [number, number]>} */
export const OFFSETS = Object.freeze([[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]]);

/** The heading of a seat that may be taken from every side. */
export const ANY_SIDE = -1;

/** Tiles that a search looks at before it is content with the nearest it found. */
const LONGEST_SEARCH = 20000;
/** A diagonal step takes as long as any other; that it costs a little more only keeps ways straight. */
const DIAGONAL = 1.001;

export class Realm {
  /** @param {any} told what /realms/NAME.json says */
  constructor(told) {
    /** @type {string} */ this.name = told.name;
    /** @type {string} */ this.title = told.title;
    /** @type {number} */ this.width = told.width;
    /** @type {number} */ this.height = told.height;
    /** Pixels of a tile in the pictures. @type {number} */ this.tile = told.tile ?? 16;
    /** Tiles of a picture each way. @type {number} */ this.chunk = told.chunk ?? 32;
    /** Folder of the pictures. @type {string} */ this.picture = told.picture;
    /** Its average colour. @type {string} */ this.colour = told.colour ?? "#6a9a50";
    /** @type {{x: number, y: number, title: string, text: string}[]} */ this.signs = told.signs ?? [];
    /** @type {{x: number, y: number, realm: string}[]} */ this.warps = told.warps ?? [];
    /** What shines at night. @type {{x: number, y: number}[]} */ this.lights = told.lights ?? [];
    /** @type {Map<number, number>} */
    this._seats = new Map((told.seats ?? []).map(([x, y, heading]) => [y * this.width + x, heading]));
    this._blocked = bytesOf(told.blocked ?? "");
  }

  /** @param {number} x @param {number} y */
  inside(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height;
  }

  /** @param {number} x @param {number} y */
  walkable(x, y) {
    if (!this.inside(x, y)) return false;
    const bit = y * this.width + x;
    return !((this._blocked[bit >> 3] >> (7 - (bit & 7))) & 1);
  }

  /** @param {number} x @param {number} y @returns {number | null} */
  seatAt(x, y) {
    return (this.inside(x, y) && this._seats.get(y * this.width + x)) ?? null;
  }

  /**
   * A diagonal needs both tiles beside it, too.
   * @param {number} x
   * @param {number} y
   * @param {number} heading
   */
  canStep(x, y, heading) {
    const [dx, dy] = OFFSETS[heading];
    if (!this.walkable(x + dx, y + dy)) return false;
    return !(dx && dy) || (this.walkable(x + dx, y) && this.walkable(x, y + dy));
  }

  /** @param {number} cx @param {number} cy */
  chunkUrl(cx, cy) {
    return `${this.picture}${cx}-${cy}.png`;
  }
}

/** @type {Map<string, Promise<Realm>>} */
const loaded = new Map();

/**
 * @param {string} name
 * @returns {Promise<Realm>}
 */
export function loadRealm(name) {
  let promise = loaded.get(name);
  if (!promise) {
    promise = fetchRealm(name);
    promise.catch(() => loaded.delete(name)); // next time it is asked again
    loaded.set(name, promise);
  }
  return promise;
}

async function fetchRealm(name) {
  const response = await fetch(`/realms/${encodeURIComponent(name)}.json`);
  if (!response.ok) throw new Error(`no realm ${name}: ${response.status}`);
  return new Realm(await response.json());
}

/**
 * The shortest way, by A*.
 * @param {Realm} realm
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {number} [limit] tiles to look at
 * @returns {number[]} headings
 */
export function findPath(realm, from, to, limit = LONGEST_SEARCH) {
  const { width, height } = realm;
  if (!realm.inside(from.x, from.y)) return [];
  const start = from.y * width + from.x;
  const goal = realm.inside(to.x, to.y) ? to.y * width + to.x : -1;
  if (start === goal) return [];
  const costs = new Float64Array(width * height).fill(Infinity);
  const cameBy = new Int8Array(width * height).fill(-1);
  const done = new Uint8Array(width * height);
  const estimate = (x, y) => {
    const dx = Math.abs(x - to.x);
    const dy = Math.abs(y - to.y);
    return Math.max(dx, dy) + Math.min(dx, dy) * (DIAGONAL - 1);
  };
  const open = new Heap();
  costs[start] = 0;
  open.push(start, estimate(from.x, from.y));
  let nearest = start;
  let nearestBy = estimate(from.x, from.y);
  for (let looked = 0; open.size && looked < limit; looked++) {
    const at = open.pop();
    if (done[at]) continue;
    done[at] = 1;
    const x = at % width;
    const y = (at - x) / width;
    if (at === goal) {
      nearest = at;
      break;
    }
    const left = estimate(x, y);
    if (left < nearestBy) [nearest, nearestBy] = [at, left];
    for (let heading = 0; heading < 8; heading++) {
      if (!realm.canStep(x, y, heading)) continue;
      const [dx, dy] = OFFSETS[heading];
      const next = (y + dy) * width + x + dx;
      const cost = costs[at] + (dx && dy ? DIAGONAL : 1);
      if (done[next] || cost >= costs[next]) continue;
      costs[next] = cost;
      cameBy[next] = heading;
      open.push(next, cost + estimate(x + dx, y + dy));
    }
  }
  const way = [];
  for (let at = nearest; at !== start; ) {
    const heading = cameBy[at];
    way.push(heading);
    const [dx, dy] = OFFSETS[heading];
    at -= dy * width + dx;
  }
  return way.reverse();
}

/** A binary heap of numbers by cost, the least first. */
class Heap {
  constructor() {
    this._values = [];
    this._costs = [];
  }

  get size() {
    return this._values.length;
  }

  push(value, cost) {
    const values = this._values;
    const costs = this._costs;
    let at = values.push(value) - 1;
    costs.push(cost);
    while (at) {
      const above = (at - 1) >> 1;
      if (costs[above] <= cost) break;
      [values[at], costs[at]] = [values[above], costs[above]];
      at = above;
    }
    [values[at], costs[at]] = [value, cost];
  }

  pop() {
    const values = this._values;
    const costs = this._costs;
    const first = values[0];
    const value = values.pop();
    const cost = costs.pop();
    if (values.length) {
      let at = 0;
      for (;;) {
        let below = 2 * at + 1;
        if (below >= values.length) break;
        if (below + 1 < values.length && costs[below + 1] < costs[below]) below++;
        if (costs[below] >= cost) break;
        [values[at], costs[at]] = [values[below], costs[below]];
        at = below;
      }
      [values[at], costs[at]] = [value, cost];
    }
    return first;
  }
}

/** @param {string} base64 */
function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
