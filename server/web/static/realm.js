/**
 * A realm as the server tells it (/realms/NAME.json): its size, its pictures and where nobody can stand. No
 * DOM.
 *
 *   const realm = await loadRealm("confluence");    // one promise for each name; rejected if there is none
 *   realm.name, title, width, height, tile, chunk, picture, colour, signs, warps, lights
 *   realm.seatAt(x, y)                              // the heading one sits in, ANY_SIDE, or null for no seat
 *   realm.walkable(x, y)                            // whether somebody can stand there
 *   realm.chunkUrl(cx, cy)
 */

/** The heading of a seat that may be taken from every side. */
export const ANY_SIDE = -1;

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
    /** Who serves where. @type {{x: number, y: number, role: string, name: string}[]} */
    this.services = told.services ?? [];
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

/** @param {string} base64 */
function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
