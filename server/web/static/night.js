/**
 * Darkness: the night with its lamps, and what lies beyond one's own sight.
 */

const MOST_LANTERNS = 500; // with more in view nobody carries a light
const BEYOND = 0.6; // how dark it is beyond one's own sight
const SIGHT_LAYERS = 10;
const SIGHT_SOFT = 3; // tiles over which it becomes so
const NIGHT = [13, 20, 58];
const DARKEST = 0.62;

export class Night {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
    this._dark = null;
    this._glow = glowOf(64);
    this._warm = glowOf(64, [255, 186, 84]);
  }

  /** Darkness is a picture of its own, a quarter as fine, out of which lights are cut. */
  draw(context, now) {
    const day = this._map.world.daylight(now);
    if (day >= 1) return;
    const quarter = 4;
    const width = Math.ceil(this._map.width / quarter);
    const height = Math.ceil(this._map.height / quarter);
    if (this._dark?.width !== width || this._dark.height !== height)
      this._dark = new OffscreenCanvas(width, height);
    const dark = this._dark.getContext("2d");
    dark.globalCompositeOperation = "copy";
    const [r, g, b] = NIGHT;
    dark.fillStyle = `rgba(${r}, ${g}, ${b}, ${DARKEST * (1 - day)})`;
    dark.fillRect(0, 0, width, height);
    dark.globalCompositeOperation = "destination-out";
    const shine = (glow, x, y, tiles, strength) => {
      const radius = (tiles * this._map.zoom) / quarter;
      x /= quarter;
      y /= quarter;
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) return;
      dark.globalAlpha = strength;
      dark.drawImage(glow, x - radius, y - radius, 2 * radius, 2 * radius);
    };
    const lamps = this._map.realm.lights.map(({ x, y }) => [this._map.sx(x + 0.5), this._map.sy(y + 0.4)]);
    for (const [x, y] of lamps) shine(this._glow, x, y, 4.2, 1);
    const near = this._map.figures && this._map.seen.length <= MOST_LANTERNS;
    for (const { thing, x, y } of this._map.seen) {
      const lamp = thing.look.figure === "candle" || thing.look.figure === "lantern";
      if (lamp || (near && thing.game)) shine(this._glow, x, y - this._map.zoom * 0.6, lamp ? 3 : 2.6, 0.75);
    }
    // What is lit is lit warmly.
    dark.globalCompositeOperation = "source-over";
    for (const [x, y] of lamps) shine(this._warm, x, y, 3, 0.2 * (1 - day));
    dark.globalAlpha = 1;
    context.drawImage(this._dark, 0, 0, width * quarter, height * quarter);
  }

  /** What lies beyond one's own sight grows dark: layer upon layer, each a little farther out. */
  drawSight(context, now) {
    const self = this._map.world.things.get(this._map.world.self);
    if (!self) return;
    const place = this._map.world.at(self, now);
    context.fillStyle = `rgba(14, 20, 24, ${BEYOND / SIGHT_LAYERS})`;
    for (let layer = 0; layer < SIGHT_LAYERS; layer++) {
      const within = this._map.sight - SIGHT_SOFT * (1 - layer / SIGHT_LAYERS);
      const x = this._map.sx(place.x - within);
      const y = this._map.sy(place.y - within);
      const size = (2 * within + 1) * this._map.zoom;
      if (x <= 0 && y <= 0 && x + size >= this._map.width && y + size >= this._map.height) return;
      context.beginPath();
      context.rect(0, 0, this._map.width, this._map.height);
      context.roundRect(x, y, size, size, 3 * this._map.zoom);
      context.fill("evenodd");
    }
  }
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
