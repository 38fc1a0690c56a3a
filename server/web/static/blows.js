/**
 * Fights on the map: the arc of a swing, a shot on its way, the bars of those who fight, the numbers that
 * rise. What there is to draw is in fights.js.
 */

import { heightOf } from "./figures.js";
import { NUMBER_MS } from "./fights.js";
import { FONT } from "./labels.js";

/** Colours of the numbers by their kind, and their size. */
const KINDS = {
  taken: ["#ff7a6b", 17],
  dealt: ["#ffffff", 16],
  critical: ["#ffd23e", 21],
  others: ["#d5dae0", 13],
  missed: ["#c2cad3", 13],
  mended: ["#7ee88f", 16],
  practised: ["#bcd7ff", 12],
  gained: ["#ffd98a", 14],
  advanced: ["#ffe27a", 20],
};
const RISE = 1.1; // tiles
const LANE = 17; // pixels
/** Tiles to the side, to the right and to the left in turn: over heads there are names. */
const ASIDE = 0.36;

/** Colours of a bar that is nearly full, half full, nearly empty. */
const FULL = "#6fd06a";
const HALF = "#e8bd3f";
const LOW = "#ef5b4c";
const POISONED = "#b78bff";

export class Blows {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
  }

  /** Swings and bars, over the things that the last frame drew. */
  draw(context, now) {
    const { _map: map } = this;
    const { fights } = map.world;
    fights.prune(now);
    if (fights.swings.size || fights.numbers.length) map.alive = true;
    if (map.figures) {
      const places = new Map(map.seen.map((seen) => [seen.thing.id, seen]));
      for (const seen of map.seen) this._bar(context, seen, now);
      if (!map.calm.matches)
        for (const swing of fights.swings.values()) this._swing(context, swing, places, now);
    }
  }

  /** How it fares, at its feet: names and words are over its head. */
  _bar(context, { thing, x, y, place, alpha }, now) {
    const { world, zoom, marked } = this._map;
    if (thing.kind !== "mobile" || thing.dead || !world.things.has(thing.id)) return;
    if (thing.id !== marked && !world.fights.busy(thing.id, now)) return;
    const wide = Math.max(24, zoom * 0.76);
    const high = Math.max(4, Math.min(7, zoom * 0.13));
    const left = Math.round(x - wide / 2);
    const top = Math.round(y + place.hop * zoom * 1.2 + zoom * 0.16);
    const share = Math.max(0, Math.min(1, thing.hits / 100));
    context.globalAlpha = alpha;
    context.fillStyle = "rgba(12, 16, 20, 0.82)";
    context.fillRect(left - 1, top - 1, wide + 2, high + 2);
    context.fillStyle = thing.poisoned ? POISONED : share > 0.6 ? FULL : share > 0.3 ? HALF : LOW;
    context.fillRect(left, top, wide * share, high);
    context.globalAlpha = 1;
  }

  _swing(context, swing, places, now) {
    const part = this._map.world.fights.swing(swing.id, now);
    const from = places.get(swing.id);
    const to = places.get(swing.target);
    if (part === null || !from || !to) return;
    const tile = this._map.zoom;
    const chest = (seen) => seen.y - tile * heightOf(seen.thing) * 0.5;
    const [ax, ay, bx, by] = [from.x, chest(from), to.x, chest(to)];
    context.lineCap = "round";
    if (swing.manner === "shoot") this._shot(context, ax, ay, bx, by, Math.min(1, part * 1.4), tile);
    else if (swing.manner !== "bite") this._arc(context, ax, ay, bx, by, part, swing, tile);
    if (swing.outcome === "hit" || swing.outcome === "critical") this._sparks(context, bx, by, part, tile);
    context.globalAlpha = 1;
  }

  /** A crescent that goes from one side to the other before who strikes; a thrust goes straight. */
  _arc(context, ax, ay, bx, by, part, { manner }, tile) {
    const angle = Math.atan2(by - ay, bx - ax);
    const fade = 1 - part;
    context.globalAlpha = 0.85 * fade;
    context.strokeStyle = "#fffbe8";
    context.lineWidth = tile * 0.09 * (0.4 + fade);
    context.beginPath();
    if (manner === "pierce" || manner === "fist") {
      const far = tile * (0.35 + 0.5 * Math.sin(Math.PI * part));
      context.moveTo(ax + Math.cos(angle) * tile * 0.3, ay + Math.sin(angle) * tile * 0.3);
      context.lineTo(ax + Math.cos(angle) * far, ay + Math.sin(angle) * far);
    } else {
      const begin = angle - 1.15;
      context.arc(ax, ay, tile * 0.72, begin, begin + 2.3 * Math.min(1, part * 1.5));
    }
    context.stroke();
  }

  _shot(context, ax, ay, bx, by, part, tile) {
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    const [x, y] = [ax + (bx - ax) * part, ay + (by - ay) * part];
    context.globalAlpha = part < 1 ? 1 : 0;
    context.strokeStyle = "#5a4630";
    context.lineWidth = Math.max(2, tile * 0.07);
    context.beginPath();
    context.moveTo(x - ux * tile * 0.45, y - uy * tile * 0.45);
    context.lineTo(x, y);
    context.stroke();
  }

  _sparks(context, x, y, part, tile) {
    const out = tile * (0.12 + 0.32 * part);
    context.globalAlpha = 1 - part;
    context.strokeStyle = "#ffe7a3";
    context.lineWidth = Math.max(1.5, tile * 0.05);
    context.beginPath();
    for (let n = 0; n < 6; n++) {
      const angle = (n / 6) * 2 * Math.PI + 0.4;
      context.moveTo(x + Math.cos(angle) * out * 0.6, y + Math.sin(angle) * out * 0.6);
      context.lineTo(x + Math.cos(angle) * out, y + Math.sin(angle) * out);
    }
    context.stroke();
  }

  /** The numbers, over names. */
  drawNumbers(context, now) {
    const { _map: map } = this;
    const calm = map.calm.matches;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.lineJoin = "round";
    for (const number of map.world.fights.numbers) {
      const part = (now - number.since) / NUMBER_MS;
      if (part >= 1) continue;
      const thing = map.world.things.get(number.id);
      if (thing) Object.assign(number, (({ x, y }) => ({ x, y }))(map.world.at(thing, now)));
      const rise = calm ? RISE * 0.4 : RISE * (1 - (1 - part) ** 2);
      const high = thing ? heightOf(thing) * 0.6 : 0.6;
      const aside = (number.lane % 2 ? -1 : 1) * ASIDE * (1 + 0.4 * (calm ? 0 : part));
      const x = map.sx(number.x + 0.5 + aside);
      const y = map.sy(number.y + 0.68) - map.zoom * (high + rise * 0.6) + Math.floor(number.lane / 2) * LANE;
      const [colour, size] = KINDS[number.kind];
      context.globalAlpha = part < 0.6 ? 1 : (1 - part) / 0.4;
      context.font = `800 ${size}px ${FONT}`;
      context.lineWidth = 4;
      context.strokeStyle = "rgba(12, 14, 18, 0.85)";
      context.strokeText(number.text, x, y);
      context.fillStyle = colour;
      context.fillText(number.text, x, y);
    }
    context.globalAlpha = 1;
  }
}
