/**
 * What all figures are made of: outlined shapes on a canvas, and lighter and darker colours.
 */

export const OUTLINE = "rgba(30, 24, 20, 0.55)";

export function paint(context, colour) {
  context.fillStyle = colour;
  context.fill();
  context.stroke();
}

export function blob(context, x, y, rx, ry, colour, outlined = true) {
  context.beginPath();
  context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  if (outlined) context.stroke();
}

/** Ellipses [x, y, rx, ry] that have one outline around all of them. */
export function mass(context, colour, ...blobs) {
  const { lineWidth } = context;
  context.lineWidth = lineWidth * 1.5;
  for (const fills of [false, true]) {
    for (const [x, y, rx, ry] of blobs) {
      context.beginPath();
      context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
      if (!fills) context.stroke();
      context.fillStyle = colour;
      if (fills) context.fill();
    }
  }
  context.lineWidth = lineWidth;
}

export function polygon(context, points, colour) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.closePath();
  paint(context, colour);
}

/** A stroke with an outline around it: arms, legs, straps. */
export function limb(context, x1, y1, x2, y2, width, colour) {
  const { strokeStyle, lineWidth } = context;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.lineWidth = width + lineWidth;
  context.stroke();
  context.lineWidth = width - lineWidth * 0.4;
  context.strokeStyle = colour;
  context.stroke();
  context.strokeStyle = strokeStyle;
  context.lineWidth = lineWidth;
}

/** @type {Map<string, string>} */
const shades = new Map();

/**
 * A colour "#rrggbb", or one made here, that is lighter (0 to 1) or darker (0 to -1).
 * @param {string} colour
 * @param {number} by
 */
export function shade(colour, by) {
  const key = colour + by;
  let made = shades.get(key);
  if (made === undefined) {
    const parts = partsOf(colour).map((value) => Math.round(by < 0 ? value * (1 + by) : value + (255 - value) * by));
    made = `rgb(${parts.join(", ")})`;
    if (shades.size > 4000) shades.clear();
    shades.set(key, made);
  }
  return made;
}

/** Red, green and blue; grey for what is no colour. */
function partsOf(colour) {
  const made = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
  if (made) return made.slice(1).map(Number);
  const rgb = /^#[0-9a-f]{6}$/i.test(colour) ? parseInt(colour.slice(1), 16) : 0x999999;
  return [16, 8, 0].map((bits) => (rgb >> bits) & 255);
}
