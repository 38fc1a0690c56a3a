/**
 * The ground: the pictures of a realm, loaded as they come into view, those in its middle first. Where one has
 * not come yet, the ground has the realm's average colour.
 *
 * @typedef {object} Chunk
 * @property {HTMLImageElement} image
 * @property {number} from    when its picture came; Infinity before
 * @property {number} whole   when it is all there: a while later, if it came late
 */

/** A picture that took longer than this to come is faded in: what is there at once is no change to be shown. */
const LATE_MS = 120;
const FADE_MS = 220;

export class Ground {
  /**
   * @param {import("./canvas.js").MapCanvas} map
   * @param {Map<string, Chunk>} chunks by address; empty for a new realm
   */
  constructor(map, chunks) {
    this._map = map;
    this._chunks = chunks;
  }

  /** The realm, as far as it is in view and has come. */
  draw(context, now) {
    const { width, height, chunk, tile, colour } = this._map.realm;
    const ratio = this._map.ratio;
    const snap = (value) => Math.round(value * ratio) / ratio; // no seams between the pictures
    const left = snap(this._map.sx(0));
    const top = snap(this._map.sy(0));
    context.fillStyle = colour;
    context.fillRect(left, top, snap(this._map.sx(width)) - left, snap(this._map.sy(height)) - top);
    const scale = (this._map.zoom * ratio) / tile;
    context.imageSmoothingEnabled = scale < 1 || scale % 1 !== 0;
    context.imageSmoothingQuality = scale < 1 ? "medium" : "low";
    const first = this._map.toWorld(0, 0);
    const last = this._map.toWorld(this._map.width, this._map.height);
    const columns = Math.ceil(width / chunk);
    const rows = Math.ceil(height / chunk);
    const missing = [];
    for (let cy = Math.max(0, Math.floor(first.y / chunk)); cy < rows && cy * chunk <= last.y; cy++)
      for (let cx = Math.max(0, Math.floor(first.x / chunk)); cx < columns && cx * chunk <= last.x; cx++) {
        const entry = this._chunks.get(this._map.realm.chunkUrl(cx, cy));
        if (!entry) missing.push([cx, cy]);
        if (!entry || entry.from > now) continue;
        const picture = entry.image;
        const x = snap(this._map.sx(cx * chunk));
        const y = snap(this._map.sy(cy * chunk));
        const tilesWide = picture.naturalWidth / tile;
        const tilesHigh = picture.naturalHeight / tile;
        const right = snap(this._map.sx(cx * chunk + tilesWide));
        const bottom = snap(this._map.sy(cy * chunk + tilesHigh));
        if (entry.whole > now) {
          context.globalAlpha = (now - entry.from) / (entry.whole - entry.from);
          this._map.alive = true;
        }
        context.drawImage(picture, x, y, right - x, bottom - y);
        context.globalAlpha = 1;
      }
    context.imageSmoothingEnabled = true;
    this._ask(missing);
  }

  /** Browsers fetch pictures in the order in which they are asked for: the nearest to the camera come first. */
  _ask(missing) {
    const { realm, calm } = this._map;
    const far = ([cx, cy]) =>
      Math.hypot((cx + 0.5) * realm.chunk - this._map.x, (cy + 0.5) * realm.chunk - this._map.y);
    const asked = performance.now();
    for (const [cx, cy] of missing.sort((a, b) => far(a) - far(b))) {
      const image = new Image();
      const entry = { image, from: Infinity, whole: Infinity };
      const url = realm.chunkUrl(cx, cy);
      this._chunks.set(url, entry);
      image.src = url;
      image.decode().then(
        () => {
          entry.from = entry.whole = performance.now();
          if (entry.from - asked > LATE_MS && !calm.matches) entry.whole += FADE_MS;
          this._map.touch();
        },
        () => {}, // one that does not come leaves the realm's colour
      );
    }
  }
}
