/**
 * The ground: the pictures of a realm, loaded as they come into view.
 */

export class Ground {
  /**
   * @param {import("./canvas.js").MapCanvas} map
   * @param {Map<string, {image: HTMLImageElement, ready: boolean}>} chunks by address; empty for a new realm
   */
  constructor(map, chunks) {
    this._map = map;
    this._chunks = chunks;
  }

  /** The realm, as far as it is in view and has come. */
  draw(context) {
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
    for (let cy = Math.max(0, Math.floor(first.y / chunk)); cy < rows && cy * chunk <= last.y; cy++)
      for (let cx = Math.max(0, Math.floor(first.x / chunk)); cx < columns && cx * chunk <= last.x; cx++) {
        const picture = this._chunkOf(cx, cy);
        if (!picture) continue;
        const x = snap(this._map.sx(cx * chunk));
        const y = snap(this._map.sy(cy * chunk));
        const tilesWide = picture.naturalWidth / tile;
        const tilesHigh = picture.naturalHeight / tile;
        const right = snap(this._map.sx(cx * chunk + tilesWide));
        const bottom = snap(this._map.sy(cy * chunk + tilesHigh));
        context.drawImage(picture, x, y, right - x, bottom - y);
      }
    context.imageSmoothingEnabled = true;
  }

  /** @returns {HTMLImageElement | null} null until it has come */
  _chunkOf(cx, cy) {
    const url = this._map.realm.chunkUrl(cx, cy);
    let entry = this._chunks.get(url);
    if (!entry) {
      const image = new Image();
      entry = { image, ready: false };
      this._chunks.set(url, entry);
      image.src = url;
      image.decode().then(
        () => {
          entry.ready = true;
          this._map.touch();
        },
        () => {}, // one that does not come leaves the realm's colour
      );
    }
    return entry.ready ? entry.image : null;
  }
}
