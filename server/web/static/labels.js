/**
 * What is written on the map: the names of places and people, and what they say.
 */

import { heightOf } from "./figures.js";
import { isPerson } from "./world.js";

const NAMES_FROM = 44; // above it, everybody's name
const NAMES_OF_FEW = 22; // the same where few are in view
const FEW = 40;
const MOST_BUBBLES = 24;
const BUBBLES_FROM_AFAR = 6; // among dots

export const FONT = '"Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif';

export class Labels {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
    this._plates = new Map(); // names as pictures
    this._layouts = new WeakMap(); // of bubbles
  }

  /** The names of places. */
  drawPlaces(context) {
    context.textAlign = "center";
    context.textBaseline = "middle";
    const size = Math.max(11, Math.min(15, this._map.zoom * 1.1));
    context.font = `italic 600 ${size}px Georgia, "Times New Roman", serif`;
    context.lineJoin = "round";
    const taken = [];
    for (const sign of this._map.realm.signs) {
      const x = this._map.sx(sign.x + 0.5);
      const width = context.measureText(sign.title).width + 8;
      const box = { x: x - width / 2, y: this._map.sy(sign.y + 0.5) - 1.7 * size, width, height: size * 1.4 };
      if (!makeRoom(box, taken, 2, 0)) continue;
      const y = box.y + 0.7 * size;
      if (x < -80 || y < -20 || x > this._map.width + 80 || y > this._map.height + 20) continue;
      context.lineWidth = 3.5;
      context.strokeStyle = "rgba(20, 26, 20, 0.75)";
      context.strokeText(sign.title, x, y);
      context.fillStyle = "#fff6df";
      context.fillText(sign.title, x, y);
    }
  }

  /** The names of people, as far as there is room. */
  drawNames(context) {
    const mobiles = this._map.seen.filter(({ thing }) => thing.kind === "mobile");
    const all = this._map.zoom >= NAMES_FROM || (this._map.zoom >= NAMES_OF_FEW && mobiles.length <= FEW);
    const { hovered, following, marked, world } = this._map;
    const chosen = new Set([hovered?.id, following, marked, world.self]);
    const special = (thing) => chosen.has(thing.id);
    const taken = [];
    // In a fight, what one sees of both is worth more than names that one knows: they stand in the frames.
    const told = (thing) =>
      thing !== hovered &&
      [marked, world.self].includes(thing.id) &&
      world.fights.busy(thing.id, performance.now());
    for (const seen of this._map.seen) if (special(seen.thing) && !told(seen.thing)) this._drawName(context, seen, true, taken);
    if (!all) return;
    // From the front to the back: who stands behind others may have to do without.
    for (let n = this._map.seen.length - 1; n >= 0; n--) {
      const { thing } = this._map.seen[n];
      if ((isPerson(thing) || thing.fights) && !special(thing)) this._drawName(context, this._map.seen[n], false, taken);
    }
  }

  _drawName(context, { thing, x, y, alpha }, special, taken) {
    const text = titled(thing);
    if (!text) return;
    const plate = this._plateOf(text, special, thing.kind === "mobile" && !thing.game);
    const up = this._map.figures
      ? this._map.zoom * heightOf(thing) + (thing.game ? this._map.zoom * 0.3 : 0)
      : 10;
    const width = plate.width / this._map.ratio;
    const height = plate.height / this._map.ratio;
    const box = { x: Math.round(x - width / 2), y: Math.round(y - up - height), width, height: height - 4 };
    if (special) taken.push(box);
    else if (!makeRoom(box, taken, 2, 0)) return;
    context.globalAlpha = alpha;
    context.drawImage(plate, box.x, box.y, width, height);
    context.globalAlpha = 1;
  }

  /** A name as a picture: text with a halo costs much, and names change seldom. */
  _plateOf(text, special, quiet) {
    const key = `${text}|${special ? 1 : 0}${quiet ? 1 : 0}${this._map.ratio}`;
    let plate = this._plates.get(key);
    if (plate) return plate;
    const font = `${special ? 700 : 600} ${special ? 13 : 12}px ${FONT}`;
    const context = this._map.context;
    context.font = font;
    const shown = text.length > 28 ? `${text.slice(0, 27)}…` : text;
    const width = Math.ceil(context.measureText(shown).width) + 10;
    plate = new OffscreenCanvas(Math.ceil(width * this._map.ratio), Math.ceil(20 * this._map.ratio));
    const own = plate.getContext("2d");
    own.scale(this._map.ratio, this._map.ratio);
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
  drawBubbles(context, now) {
    const bubbles = this._map.world.bubbles;
    if (!bubbles.length) return;
    this._map.alive = true;
    const places = new Map(this._map.seen.map((seen) => [seen.thing.id, seen]));
    const taken = [];
    const drawn = [];
    const { figures } = this._map;
    const most = figures ? MOST_BUBBLES : BUBBLES_FROM_AFAR;
    for (let n = bubbles.length - 1; n >= 0 && drawn.length < most; n--) {
      const bubble = bubbles[n];
      const speaker = places.get(bubble.id);
      if (!speaker || bubble.until <= now) continue;
      const layout = this._layoutOf(bubble);
      const above = this._map.zoom * (heightOf(speaker.thing) + (speaker.thing.game ? 0.35 : 0.05));
      const foot = speaker.y - (figures ? above + (this._map.zoom >= NAMES_OF_FEW ? 18 : 2) : 12);
      const { width, height } = layout;
      const x = Math.max(4, Math.min(this._map.width - width - 4, speaker.x - width / 2));
      const box = { x, y: foot - height - 7, width, height };
      if (!makeRoom(box, taken, 8, 4)) continue;
      drawn.push({ bubble, layout, box, speaker, foot });
    }
    for (const { bubble, layout, box, speaker, foot } of drawn.reverse()) {
      const comes = this._map.calm.matches ? 1 : (now - bubble.since) / 140 + 0.1;
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
    this._map.context.font = font;
    const measure = (text) => this._map.context.measureText(text).width;
    const words = how === "emote" ? `${bubble.name} ${bubble.words}` : bubble.words;
    const lines = wrap(words, Math.min(210, this._map.width * 0.6), 5, measure);
    const width = Math.max(28, ...lines.map(measure)) + 20;
    layout = { font, lines, width, height: lines.length * 16.5 + 11 };
    this._layouts.set(bubble, layout);
    return layout;
  }
}

/** A name; with it how many they are, or of which level a creature is. */
export function titled(thing) {
  if (thing.amount > 1) return `${thing.amount} × ${thing.name}`;
  return thing.fights && thing.level ? `${thing.name} (${thing.level})` : thing.name;
}

/**
 * Move a box up until it covers none of the others, and put it among them.
 * @returns {boolean} false if that takes more than so many moves; then it is not among them
 */
function makeRoom(box, taken, moves, gap) {
  for (let hit; (hit = taken.find((other) => overlap(box, other)));) {
    if (!moves--) return false;
    box.y = Math.round(hit.y - box.height - gap);
  }
  taken.push(box);
  return true;
}

function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
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
