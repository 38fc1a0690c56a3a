/**
 * Rain, snow and storms, over all of the picture: they fall in the window and not in the world, so that they
 * cost the same wherever one looks. Who wants no motion sees them hang.
 *
 * @module
 */

/** How much falls, how fast (pixels a second), how far aside, how long each streak is; how dark it gets. */
const KINDS = Object.freeze({
  rain: { drops: 70, speed: 620, aside: 0.12, length: 13, dark: 0.1 },
  snow: { drops: 70, speed: 60, aside: 0.25, length: 0, dark: 0.04 },
  storm: { drops: 130, speed: 860, aside: 0.5, length: 18, dark: 0.28 },
});
const GOLDEN = 0.6180339887; // spreads drops evenly without chance
const FLAKE = 2.4;

export class Weather {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} now in ms */
  draw(context, now) {
    const map = this._map;
    const kind = KINDS[map.world.weather];
    if (!kind) return;
    const { width, height } = map;
    context.fillStyle = `rgba(18, 26, 40, ${kind.dark})`;
    context.fillRect(0, 0, width, height);
    const seconds = map.calm.matches ? 0 : now / 1000;
    context.beginPath();
    for (let n = 0; n < kind.drops; n++) {
      const pace = 0.75 + 0.5 * ((n * 0.37) % 1);
      const fallen = ((n * GOLDEN) % 1) * height + seconds * kind.speed * pace;
      const y = fallen % (height + kind.length);
      const x = (((n * 0.754877) % 1) * width + fallen * kind.aside) % width;
      if (kind.length) {
        context.moveTo(x, y);
        context.lineTo(x - kind.length * kind.aside, y - kind.length);
      } else context.rect(x, y, FLAKE, FLAKE);
    }
    if (kind.length) {
      context.lineWidth = 1;
      context.strokeStyle = "rgba(190, 210, 235, 0.5)";
      context.stroke();
    } else {
      context.fillStyle = "rgba(255, 255, 255, 0.8)";
      context.fill();
    }
    if (!map.calm.matches) map.alive = true;
  }
}
