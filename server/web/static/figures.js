/**
 * Small figures drawn by code: people, beasts and things, from what the server says of their look.
 *
 *   drawFigure(context, look, {heading, pose, dead})  // in units of a tile, (0, 0) between the feet, y down
 *   portrait(canvas, look, {heading})  // fills a <canvas> with one figure, sharp on every screen
 *   heightOf(thing)                    // in tiles
 *   poses: "stand", "left", "right" (the two halves of a step), "sit", "lie" (a corpse)
 */

import { BEASTS } from "./beasts.js";
import { CREATURES, heightOfCreature, layCreature } from "./creatures.js";
import { ITEMS } from "./items.js";
import { OUTLINE, blob, limb, paint, shade } from "./strokes.js";

const LINEN = "#d9cfb8"; // what those wear who wear nothing
/** What a figure may fill around its feet, in tiles. */
export const BOX = { left: 0.75, right: 0.75, up: 1.85, down: 0.25 };

/**
 * A figure at (0, 0), in units of a tile.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {import("./world.js").Look} look
 * @param {{heading?: number, pose?: string, dead?: boolean}} [how]
 */
export function drawFigure(context, look, { heading = 4, pose = "stand", dead = false } = {}) {
  context.save();
  context.lineJoin = "round";
  context.lineCap = "round";
  context.lineWidth = 0.035;
  context.strokeStyle = OUTLINE;
  if (heading > 4) {
    context.scale(-1, 1); // what looks west is what looks east in a mirror
    heading = 8 - heading;
  }
  const draw = CREATURES[look.figure] ?? ITEMS[look.figure];
  if (pose === "lie") {
    layDown(context, look);
    if (!(look.figure in BEASTS)) pose = "stand"; // they know how to lie
  }
  if (draw) draw(context, look.colour || "#a98c66", heading, pose);
  else if (dead) drawGhost(context, heading);
  else drawPerson(context, look, heading, pose);
  context.restore();
}

/** Turn what is drawn next onto its side, and let the colour go out of it. */
function layDown(context, look) {
  context.globalAlpha *= 0.9;
  context.filter = "saturate(0.6) brightness(0.9)";
  if (look.figure in CREATURES) layCreature(context, look.figure);
  else if (!(look.figure in ITEMS)) {
    context.translate(-0.66, -0.2);
    context.rotate(Math.PI / 2);
    context.scale(0.92, 0.92);
  }
}

function drawPerson(context, look, heading, pose) {
  const skin = look.skin || "#dcb491";
  const side = heading === 2;
  const back = heading < 2;
  const turn = heading === 1 || heading === 3 ? 0.06 : side ? 0.1 : 0;
  const sits = pose === "sit";
  const swing = pose === "left" ? 1 : pose === "right" ? -1 : 0;
  const lift = sits ? 0.26 : swing ? -0.03 : 0; // a step lifts the body a little

  // Legs and feet
  const robed = look.legs && look.legs === look.top; // one piece from shoulder to hem
  const legs = look.legs || skin;
  if (sits) {
    if (!back) {
      limb(context, -0.1, -0.2, -0.13, -0.06, 0.2, legs);
      limb(context, 0.1, -0.2, 0.13, -0.06, 0.2, legs);
      blob(context, -0.14, -0.02, 0.1, 0.07, look.feet || skin);
      blob(context, 0.14, -0.02, 0.1, 0.07, look.feet || skin);
    } else blob(context, 0, -0.14, 0.27, 0.13, legs);
  } else {
    const apart = side ? 0.02 : 0.1;
    const stride = side ? 0.15 * swing : 0;
    const rise = side ? 0.03 * Math.abs(swing) : 0.09;
    const one = { x: -apart - stride, y: swing > 0 ? -rise : 0 };
    const other = { x: apart + stride, y: swing < 0 ? -rise : 0 };
    for (const foot of [one, other]) {
      limb(context, Math.sign(foot.x) * Math.min(apart, 0.1), -0.46, foot.x, foot.y - 0.1, 0.17, legs);
      const [toes, long] = side ? [0.04, 0.115] : [0, 0.095];
      blob(context, foot.x + toes, foot.y - 0.05, long, 0.065, look.feet || skin);
    }
  }

  const y = lift;
  const hy = -1.16 + y;
  const hair = look.hair;
  if (hair && look.female && !back) {
    context.beginPath(); // what falls behind the shoulders
    context.roundRect(side ? -0.31 : -0.3, hy - 0.12, side ? 0.34 : 0.6, 0.52, 0.15);
    paint(context, shade(hair, -0.14));
  }

  // Body, and the arms beside it
  const top = look.top || LINEN;
  const reach = side ? 0.16 * swing : 0;
  if (side) limb(context, 0.02, -0.84 + y, 0.02 + reach, -0.55 + y, 0.13, shade(top, -0.16));
  context.beginPath();
  const hem = robed && !sits ? -0.1 : -0.38;
  const wide = side ? 0.17 : 0.22;
  const flare = robed ? 0.1 : 0.01;
  context.moveTo(-wide, -0.86 + y);
  context.quadraticCurveTo(0, -0.98 + y, wide, -0.86 + y);
  context.lineTo(wide + flare, hem + y);
  context.quadraticCurveTo(0, hem + 0.07 + y, -wide - flare, hem + y);
  context.closePath();
  paint(context, top);
  if (!robed) {
    context.fillStyle = shade(top, -0.3); // a belt
    context.fillRect(-wide - 0.005, -0.455 + y, 2 * wide + 0.01, 0.055);
  }
  if (side) {
    limb(context, -0.01, -0.83 + y, -0.01 - reach, -0.53 + y, 0.13, top);
    blob(context, -0.01 - reach, -0.49 + y, 0.065, 0.065, skin);
    if (look.held) drawHeld(context, look, 0.02 - reach, -0.46 + y);
  } else {
    for (const arm of [-1, 1]) {
      const hand = -0.5 + y + arm * swing * 0.05;
      limb(context, arm * (wide + 0.01), -0.82 + y, arm * (wide + 0.08), hand - 0.04, 0.125, top);
      if (look.held && arm === (back ? 1 : -1)) drawHeld(context, look, arm * (wide + 0.1), hand + 0.04);
      blob(context, arm * (wide + 0.085), hand, 0.065, 0.065, skin);
    }
  }

  // Head
  blob(context, 0, hy, 0.265, 0.265, skin);
  if (!back) drawFace(context, turn, hy, side);
  if (hair) drawHair(context, hair, { hy, turn, side, back, female: !!look.female });
  if (look.head) drawHat(context, look.head, hy, turn);
}

/** A thing in the hand, smaller than it lies about. */
function drawHeld(context, look, x, y) {
  const draw = ITEMS[look.held];
  if (!draw) return;
  context.save();
  context.translate(x, y);
  context.scale(0.8, 0.8);
  draw(context, look.held_colour || "#b9bfc8");
  context.restore();
}

function drawFace(context, turn, hy, side) {
  context.fillStyle = "#2b2320";
  const eyes = side ? [0.16] : [-0.09 + turn, 0.09 + turn];
  for (const x of eyes) {
    context.beginPath();
    context.ellipse(x, hy + 0.035, 0.028, 0.042, 0, 0, 2 * Math.PI);
    context.fill();
  }
  context.fillStyle = "rgba(214, 96, 80, 0.28)";
  for (const x of side ? [0.1] : [-0.15 + turn, 0.15 + turn]) {
    context.beginPath();
    context.arc(x, hy + 0.11, 0.042, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawHair(context, colour, { hy, turn, side, back, female }) {
  context.beginPath();
  if (back) {
    context.ellipse(0, hy - 0.02, 0.29, 0.285, 0, 0, 2 * Math.PI);
    if (female) context.roundRect(-0.26, hy - 0.02, 0.52, 0.4, 0.16);
  } else if (side) {
    context.moveTo(0.21, hy - 0.12);
    context.bezierCurveTo(0.14, hy - 0.42, -0.34, hy - 0.36, -0.3, hy + 0.04);
    context.bezierCurveTo(-0.29, hy + 0.16, -0.14, hy + 0.2, -0.1, hy + 0.14);
    context.quadraticCurveTo(-0.1, hy - 0.06, 0.21, hy - 0.12);
  } else {
    const parting = 0.05 + turn;
    context.moveTo(-0.29, hy + 0.06);
    context.bezierCurveTo(-0.35, hy - 0.4, 0.35, hy - 0.4, 0.29, hy + 0.06);
    context.quadraticCurveTo(0.25, hy - 0.08, parting + 0.05, hy - 0.12);
    context.quadraticCurveTo(parting - 0.12, hy - 0.06, -0.23, hy - 0.05);
    context.closePath();
  }
  paint(context, colour);
}

function drawHat(context, colour, hy, turn) {
  context.beginPath();
  context.ellipse(turn * 0.3, hy - 0.13, 0.36, 0.1, 0, 0, 2 * Math.PI);
  paint(context, shade(colour, -0.12));
  context.beginPath();
  context.moveTo(-0.22, hy - 0.15);
  context.bezierCurveTo(-0.2, hy - 0.46, 0.2, hy - 0.46, 0.22, hy - 0.15);
  context.quadraticCurveTo(0, hy - 0.08, -0.22, hy - 0.15);
  paint(context, colour);
}

/** The dead: a pale shape that ends above the ground, seen through. */
function drawGhost(context, heading) {
  const back = heading < 2;
  const turn = heading === 2 ? 0.1 : heading % 2 ? 0.06 : 0;
  context.globalAlpha *= 0.72;
  context.beginPath();
  context.moveTo(-0.32, -0.1);
  context.bezierCurveTo(-0.34, -0.9, -0.34, -1.42, 0, -1.42);
  context.bezierCurveTo(0.34, -1.42, 0.34, -0.9, 0.32, -0.1);
  context.quadraticCurveTo(0.21, -0.24, 0.11, -0.1);
  context.quadraticCurveTo(0, -0.24, -0.11, -0.1);
  context.quadraticCurveTo(-0.21, -0.24, -0.32, -0.1);
  paint(context, "#cfd8e6");
  if (back) return;
  context.fillStyle = "#39435a";
  for (const x of [-0.1 + turn, 0.1 + turn]) {
    context.beginPath();
    context.ellipse(x, -1.1, 0.045, 0.07, 0, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * Fill a canvas element with one figure.
 * @param {HTMLCanvasElement} canvas its size in CSS pixels are its attributes the first time
 * @param {import("./world.js").Look} look
 * @param {{heading?: number, dead?: boolean}} [how]
 */
export function portrait(canvas, look, { heading = 4, dead = false } = {}) {
  const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
  const width = Number((canvas.dataset.width ??= String(canvas.width)));
  const height = Number((canvas.dataset.height ??= String(canvas.height)));
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  const high = heightOfCreature(look.figure);
  const tall = look.figure in ITEMS ? 0.75 : high ? Math.max(0.95, high + 0.2) : 1.7;
  const unit = Math.min(canvas.height / tall, canvas.width / (tall * 0.72));
  context.translate(canvas.width / 2, canvas.height - unit * 0.1);
  context.scale(unit, unit);
  drawFigure(context, look, { heading, dead });
}

/**
 * A thing as it lies about, beside words that say what it is.
 * @param {import("./world.js").Look} [look] nothing is drawn without one
 */
export function picture(look) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 32, height: 32, ariaHidden: "true" });
  if (look) portrait(canvas, look);
  return canvas;
}

/** How high a figure is, in tiles. */
export function heightOf(thing) {
  if (thing.kind === "item") return 0.5;
  if (thing.sitting) return 1.25;
  return heightOfCreature(thing.look.figure) || 1.52;
}
