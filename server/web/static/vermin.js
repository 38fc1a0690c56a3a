/**
 * What creeps, flies and flows, by the word for its figure; functions as in beasts.js.
 */

import { blob, limb, paint, polygon, shade } from "./strokes.js";

const DARK = "#231c18";
const walks = (pose) => (pose === "left" ? 1 : pose === "right" ? -1 : 0);

/** A long body of one thickness, along a curve that `way` lays. */
function tube(context, way, width, colour) {
  const { lineWidth, strokeStyle } = context;
  for (const [wide, ink] of [[width + lineWidth * 1.4, strokeStyle], [width, colour]]) {
    context.beginPath();
    way();
    context.lineWidth = wide;
    context.strokeStyle = ink;
    context.stroke();
  }
  context.lineWidth = lineWidth;
  context.strokeStyle = strokeStyle;
}

function spiderLegs(context, colour, along, swing, near) {
  for (let n = 0; n < 4; n++) {
    const step = swing * (n % 2 ? 0.05 : -0.05);
    const sides = along ? [-1, 1] : [near ? 1 : -1];
    for (const side of sides) {
      const spread = (n - 1.5) * 0.2;
      const [hipX, hipY] = along ? [side * 0.08, -0.26] : [spread * 0.3 + 0.04, -0.24];
      const [kneeX, kneeY] = along
        ? [side * (0.34 + 0.05 * (n % 2)), -0.52 + n * 0.1]
        : [spread * 1.5 + 0.04, near ? -0.4 : -0.55];
      const [footX, footY] = along
        ? [side * (0.56 - 0.06 * Math.abs(n - 1.5)) + step * side, -0.24 + n * 0.09]
        : [spread * 2.3 + 0.04 + step, near ? 0 : -0.18];
      limb(context, hipX, hipY, kneeX, kneeY, 0.05, colour);
      limb(context, kneeX, kneeY, footX, footY, 0.04, colour);
    }
  }
}

function spider(context, colour, heading, pose) {
  const along = heading === 0 || heading === 4;
  const legs = shade(colour, 0.12);
  const back = along ? [0, heading === 4 ? -0.4 : -0.16] : [-0.27, -0.32];
  const front = along ? [0, heading === 4 ? -0.2 : -0.4] : [0.14, -0.24];
  const abdomen = () => {
    blob(context, ...back, along ? 0.25 : 0.28, 0.23, colour);
    blob(context, back[0] - 0.03, back[1] - 0.06, 0.1, 0.07, shade(colour, 0.28), false);
    polygon(context, [[back[0] - 0.05, back[1] + 0.02], [back[0] + 0.05, back[1] + 0.02], [back[0], back[1] + 0.1]], "#b8322c");
  };
  spiderLegs(context, along ? legs : shade(colour, -0.1), along, walks(pose), false);
  if (heading !== 0) abdomen();
  blob(context, ...front, 0.16, 0.14, shade(colour, 0.1));
  if (heading === 0) abdomen();
  if (!along) spiderLegs(context, legs, along, walks(pose), true);
  if (heading === 0) return;
  for (const [x, y, size] of along ? [[-0.07, -0.24, 0.035], [0.07, -0.24, 0.035], [-0.03, -0.18, 0.022], [0.03, -0.18, 0.022]] : [[0.21, -0.29, 0.035], [0.27, -0.25, 0.024]])
    blob(context, x, y, size, size, "#ff5a48", false);
  for (const x of along ? [-0.05, 0.05] : [0.27]) limb(context, x, front[1] + 0.1, x, front[1] + 0.17, 0.03, "#efe6cf");
}

function snake(context, colour, heading, pose) {
  const along = heading === 0 || heading === 4;
  const wave = walks(pose) * 0.05;
  const dark = shade(colour, -0.25);
  if (along) {
    for (const [y, wide] of [[-0.08, 0.3], [-0.17, 0.23]])
      tube(context, () => context.ellipse(0, y, wide, wide * 0.36, 0, 0, 2 * Math.PI), 0.13, y < -0.1 ? colour : dark);
    tube(context, () => {
      context.moveTo(0.1, -0.2);
      context.quadraticCurveTo(-0.16 + wave, -0.34, 0, -0.5);
    }, 0.12, colour);
  } else {
    tube(context, () => {
      context.moveTo(-0.58, -0.04);
      context.bezierCurveTo(-0.44, -0.26 + wave, -0.36, 0.12 + wave, -0.18, -0.07);
      context.bezierCurveTo(-0.04, -0.24 - wave, 0.1, 0.08 - wave, 0.2, -0.1);
      context.quadraticCurveTo(0.3, -0.26, 0.18, -0.44);
    }, 0.13, colour);
    for (const [x, y] of [[-0.42, -0.08], [-0.28, -0.03], [-0.1, -0.11], [0.06, -0.05]])
      blob(context, x, y, 0.035, 0.03, dark, false);
  }
  const [x, y] = along ? [0, -0.52] : [0.24, -0.47];
  if (heading !== 0) {
    const [tipX, tipY] = along ? [0, y + 0.2] : [x + 0.26, y + 0.06];
    limb(context, x, y, tipX, tipY, 0.02, "#c8333b");
  }
  blob(context, x, y, along ? 0.12 : 0.15, 0.1, colour);
  if (heading === 0) return;
  for (const eye of along ? [-0.06, 0.06] : [0.07]) {
    blob(context, x + eye, y - 0.03, 0.03, 0.034, "#ffd84a", false);
    blob(context, x + eye, y - 0.03, 0.011, 0.03, DARK, false);
  }
}

function bat(context, colour, heading, pose) {
  const beat = pose === "stand" ? -0.04 : pose === "left" ? -0.2 : 0.12;
  const y = -0.66;
  const skin = shade(colour, 0.16);
  const narrow = heading === 2 ? 0.86 : 1;
  for (const side of [-1, 1]) {
    const at = (x) => side * x * narrow;
    context.beginPath();
    context.moveTo(at(0.06), y - 0.06);
    context.quadraticCurveTo(at(0.3), y - 0.3 + beat, at(0.66), y - 0.16 + beat);
    context.quadraticCurveTo(at(0.56), y + 0.02 + beat, at(0.56), y + 0.14 + beat * 0.6);
    context.quadraticCurveTo(at(0.42), y + 0.02, at(0.34), y + 0.16 + beat * 0.3);
    context.quadraticCurveTo(at(0.2), y + 0.04, at(0.06), y + 0.14);
    context.closePath();
    paint(context, skin);
    for (const [x, down] of [[0.56, 0.14], [0.34, 0.16]])
      limb(context, at(0.12), y - 0.06, at(x - 0.02), y + down - 0.03 + beat * 0.5, 0.012, shade(colour, -0.2));
  }
  blob(context, 0, y + 0.04, 0.12, 0.19, colour);
  for (const side of [-1, 1])
    polygon(context, [[side * 0.02, y - 0.2], [side * 0.13, y - 0.42], [side * 0.15, y - 0.16]], colour);
  blob(context, 0, y - 0.15, 0.14, 0.125, colour);
  if (heading < 2) return;
  const turn = heading === 2 ? 0.05 : heading === 3 ? 0.025 : 0;
  for (const side of [-1, 1]) {
    blob(context, turn + side * 0.055, y - 0.17, 0.028, 0.032, "#ffcf4a", false);
    polygon(context, [[turn + side * 0.05 - 0.02, y - 0.08], [turn + side * 0.05 + 0.02, y - 0.08], [turn + side * 0.05, y - 0.02]], "#f7f1e3");
  }
}

function bird(context, colour, heading, pose) {
  const up = pose === "left" || pose === "right" ? -0.12 : 0;
  limb(context, -0.04, -0.1, -0.05, -0.01, 0.03, "#c98a2d");
  limb(context, 0.05, -0.1, 0.06, -0.01, 0.03, "#c98a2d");
  context.beginPath();
  context.moveTo(-0.34, -0.27);
  context.quadraticCurveTo(-0.12, -0.02, 0.14, -0.1);
  context.quadraticCurveTo(0.28, -0.24, 0.14, -0.33);
  context.quadraticCurveTo(-0.1, -0.3, -0.34, -0.27);
  paint(context, colour);
  blob(context, 0.15, -0.37, 0.11, 0.11, colour);
  context.beginPath();
  context.moveTo(-0.2, -0.24 + up);
  context.quadraticCurveTo(-0.04, -0.08, 0.08, -0.23);
  context.quadraticCurveTo(-0.04, -0.3, -0.2, -0.24 + up);
  paint(context, shade(colour, -0.22));
  polygon(context, [[0.24, -0.4], [0.36, -0.36], [0.24, -0.32]], "#e0a030");
  if (heading) blob(context, 0.18, -0.39, 0.02, 0.02, DARK, false);
}

function slime(context, colour, heading, pose) {
  const squash = walks(pose) * 0.06;
  const [wide, top] = [0.42 + squash, -0.52 + squash];
  const { globalAlpha } = context;
  context.globalAlpha = globalAlpha * 0.88;
  context.beginPath();
  context.moveTo(-wide, -0.06);
  context.bezierCurveTo(-wide, -0.34, -0.24, top, 0, top);
  context.bezierCurveTo(0.26, top, wide, -0.34, wide, -0.06);
  for (const [x, to] of [[wide * 0.78, wide * 0.5], [wide * 0.22, -wide * 0.05], [-wide * 0.35, -wide * 0.62], [-wide * 0.9, -wide]])
    context.quadraticCurveTo(x, 0.06, to, -0.02);
  context.closePath();
  paint(context, colour);
  context.globalAlpha = globalAlpha;
  blob(context, 0, -0.13, wide * 0.7, 0.1, shade(colour, -0.22), false);
  blob(context, -0.15, -0.38 + squash, 0.09, 0.055, shade(colour, 0.6), false);
  for (const [x, y, size] of [[0.22, -0.16, 0.035], [-0.24, -0.18, 0.028], [0.05, -0.1, 0.022]])
    blob(context, x, y, size, size, shade(colour, 0.4), false);
  if (heading < 2) return;
  const turn = heading === 2 ? 0.14 : heading === 3 ? 0.07 : 0;
  for (const x of [-0.1, 0.1]) blob(context, turn + x, -0.29 + squash, 0.04, 0.06, DARK, false);
  limb(context, turn - 0.06, -0.2 + squash, turn + 0.06, -0.2 + squash, 0.014, DARK);
}

export const VERMIN = { spider, snake, bat, bird, slime };
