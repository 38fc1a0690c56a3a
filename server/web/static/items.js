/**
 * Things, by the word for their figure (protocol/web/looks.py): functions of a canvas and a colour, in units
 * of a tile.
 */

import { blob, limb, paint, polygon, shade } from "./strokes.js";

// Things lie there: about half a tile large.
export const ITEMS = {
  coin(context, colour) {
    const heap = [[-0.12, -0.08], [0.12, -0.08], [0, -0.12], [-0.01, -0.19]];
    for (const [x, y] of heap) blob(context, x, y, 0.13, 0.075, colour);
  },
  bag(context, colour) {
    context.beginPath();
    context.moveTo(-0.08, -0.4);
    context.bezierCurveTo(-0.4, -0.26, -0.3, 0, 0, 0);
    context.bezierCurveTo(0.3, 0, 0.4, -0.26, 0.08, -0.4);
    context.closePath();
    paint(context, colour);
    limb(context, -0.09, -0.37, 0.09, -0.37, 0.05, shade(colour, -0.35));
  },
  box(context, colour) {
    polygon(context, [[-0.3, -0.34], [0.3, -0.34], [0.3, 0], [-0.3, 0]], colour);
    polygon(context, [[-0.3, -0.34], [-0.24, -0.46], [0.24, -0.46], [0.3, -0.34]], shade(colour, 0.18));
    context.fillStyle = shade(colour, -0.35);
    context.fillRect(-0.3, -0.24, 0.6, 0.05);
    blob(context, 0, -0.2, 0.05, 0.06, "#e3c15a");
  },
  shirt(context, colour) {
    const outline = [[-0.1, -0.44], [0.1, -0.44], [0.32, -0.32], [0.24, -0.2], [0.16, -0.24], [0.17, 0]];
    polygon(context, [...outline, [-0.17, 0], [-0.16, -0.24], [-0.24, -0.2], [-0.32, -0.32]], colour);
  },
  trousers(context, colour) {
    const outline = [[-0.19, -0.44], [0.19, -0.44], [0.22, 0], [0.06, 0], [0, -0.25], [-0.06, 0], [-0.22, 0]];
    polygon(context, outline, colour);
  },
  skirt(context, colour) {
    polygon(context, [[-0.14, -0.4], [0.14, -0.4], [0.3, 0], [-0.3, 0]], colour);
  },
  robe(context, colour) {
    const outline = [[-0.1, -0.52], [0.1, -0.52], [0.34, -0.3], [0.26, -0.2], [0.15, -0.27], [0.25, 0]];
    polygon(context, [...outline, [-0.25, 0], [-0.15, -0.27], [-0.26, -0.2], [-0.34, -0.3]], colour);
  },
  apron(context, colour) {
    const outline = [[-0.1, -0.46], [0.1, -0.46], [0.13, -0.28], [0.24, -0.26], [0.24, 0], [-0.24, 0]];
    polygon(context, [...outline, [-0.24, -0.26], [-0.13, -0.28]], colour);
  },
  shoes(context, colour) {
    const outline = [[-0.1, -0.24], [0.02, -0.24], [0.03, -0.11], [0.15, -0.08], [0.15, 0], [-0.1, 0]];
    for (const at of [-0.15, 0.13]) polygon(context, outline.map(([x, y]) => [at + x, y]), colour);
  },
  hat(context, colour) {
    blob(context, 0, -0.08, 0.34, 0.09, shade(colour, -0.12));
    polygon(context, [[-0.18, -0.1], [-0.14, -0.34], [0.14, -0.34], [0.18, -0.1]], colour);
  },
  blade(context, colour) {
    polygon(context, [[-0.3, -0.02], [0.28, -0.5], [0.34, -0.5], [0.33, -0.43], [-0.24, 0.02]], colour);
    limb(context, -0.29, -0.17, -0.13, 0.02, 0.06, "#8a6a3a");
    limb(context, -0.27, -0.02, -0.34, 0.04, 0.07, "#5c4426");
  },
  staff(context, colour) {
    limb(context, -0.28, 0.02, 0.28, -0.56, 0.07, colour);
    blob(context, 0.28, -0.56, 0.07, 0.07, shade(colour, 0.2));
  },
  shield(context, colour) {
    context.beginPath();
    context.moveTo(-0.24, -0.46);
    context.quadraticCurveTo(0, -0.54, 0.24, -0.46);
    context.bezierCurveTo(0.26, -0.2, 0.14, -0.06, 0, 0.02);
    context.bezierCurveTo(-0.14, -0.06, -0.26, -0.2, -0.24, -0.46);
    paint(context, colour);
    limb(context, 0, -0.44, 0, -0.08, 0.05, shade(colour, 0.3));
  },
  candle(context, colour) {
    polygon(context, [[-0.06, -0.34], [0.06, -0.34], [0.06, 0], [-0.06, 0]], colour);
    flame(context, 0, -0.42);
  },
  lantern(context, colour) {
    polygon(context, [[-0.15, -0.36], [0.15, -0.36], [0.17, 0], [-0.17, 0]], colour);
    polygon(context, [[-0.1, -0.32], [0.1, -0.32], [0.11, -0.06], [-0.11, -0.06]], "#ffe9a8");
    flame(context, 0, -0.17);
    limb(context, -0.08, -0.4, 0.08, -0.4, 0.06, shade(colour, -0.3));
  },
  loaf(context, colour) {
    blob(context, 0, -0.13, 0.3, 0.15, colour);
    for (const x of [-0.12, 0.02, 0.16]) limb(context, x, -0.22, x - 0.05, -0.14, 0.03, shade(colour, 0.3));
  },
  fruit(context, colour) {
    blob(context, 0, -0.16, 0.18, 0.17, colour);
    limb(context, 0, -0.31, 0.04, -0.39, 0.03, "#5c4426");
    blob(context, 0.09, -0.36, 0.07, 0.035, "#4f8a3c");
  },
  potion(context, colour) {
    context.beginPath();
    context.moveTo(-0.06, -0.44);
    context.lineTo(-0.06, -0.3);
    context.bezierCurveTo(-0.3, -0.2, -0.24, 0, 0, 0);
    context.bezierCurveTo(0.24, 0, 0.3, -0.2, 0.06, -0.3);
    context.lineTo(0.06, -0.44);
    context.closePath();
    paint(context, colour);
    limb(context, -0.04, -0.46, 0.04, -0.46, 0.07, "#8a6a3a");
    blob(context, -0.08, -0.15, 0.035, 0.05, "rgba(255, 255, 255, 0.65)", false);
  },
  cloth(context, colour) {
    polygon(context, [[-0.26, -0.2], [0.16, -0.28], [0.28, -0.08], [-0.14, 0]], colour);
    limb(context, -0.2, -0.12, 0.2, -0.19, 0.025, shade(colour, -0.2));
  },
  book(context, colour) {
    polygon(context, [[-0.22, -0.38], [0.16, -0.38], [0.22, -0.32], [0.22, 0], [-0.22, 0]], "#f3ead2");
    polygon(context, [[-0.24, -0.4], [0.14, -0.4], [0.14, -0.02], [-0.24, -0.02]], colour);
    limb(context, -0.14, -0.29, 0.05, -0.29, 0.03, shade(colour, 0.35));
  },
  thing(context, colour) {
    blob(context, 0, -0.14, 0.2, 0.15, colour);
    blob(context, -0.06, -0.19, 0.06, 0.035, shade(colour, 0.25), false);
  },
};

function flame(context, x, y) {
  context.beginPath();
  context.moveTo(x, y - 0.12);
  context.quadraticCurveTo(x + 0.1, y + 0.03, x, y + 0.07);
  context.quadraticCurveTo(x - 0.1, y + 0.03, x, y - 0.12);
  context.fillStyle = "#ffb02e";
  context.fill();
}
