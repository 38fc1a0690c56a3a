/**
 * Beasts on four legs, by the word for their figure (protocol/web/looks.py): functions of a canvas, a colour,
 * the heading (0 to 4, from north over east to south) and the pose, in units of a tile.
 *
 * All are one body told apart by measures, seen from the side or along their body: what a wolf has more than
 * a rabbit are numbers and a few words (ears, tail), so that a new beast is a line.
 */

import { OUTLINE, blob, limb, mass, paint, polygon, shade } from "./strokes.js";

const PLAIN = {
  long: 0.6, // of the body
  high: 0.2, // of the legs
  thick: 0.16, // half of the body's height
  head: 0.15, // its radius
  snout: 0, // how far it reaches beyond the head
  neck: 0, // how far the head is above the back
  hump: 0, // of the shoulders, above the back
  dark: -0.3, // of legs and tail
  belly: 0.14,
  ears: "round", // or pointed, long, leaf
  tail: "short", // or long, bare, bushy, tuft
};

const DARK = "#231c18";
const HORN = "#efe6cf";

function fourLegs(measures) {
  const shape = { ...PLAIN, ...measures };
  return (context, colour, heading, pose) => {
    if (pose === "lie") {
      lies(context, shape, colour);
      return;
    }
    const along = heading === 0 || heading === 4;
    const legs = pose === "sit" ? 0.06 : shape.high;
    const half = along ? shape.thick * 1.05 : shape.long / 2;
    const body = { along, heading, half, y: -legs - shape.thick, paw: shade(colour, shape.dark) };
    if (heading !== 4) tail(context, shape, colour, body);
    if (pose !== "sit") drawLegs(context, shape, body, pose);
    if (heading === 0) head(context, shape, colour, body);
    trunk(context, shape, colour, body);
    if (heading !== 0) head(context, shape, colour, body);
  };
}

/** On its side, as one sees it who stands over it. */
function lies(context, shape, colour) {
  const { long, thick, high, dark } = shape;
  const half = long / 2;
  const body = { along: false, heading: 2, half, y: -thick - 0.06, paw: shade(colour, dark) };
  if (shape.tail !== "tuft") tail(context, shape, colour, body);
  trunk(context, { ...shape, hump: 0, bristles: false }, colour, body);
  const wide = Math.max(0.06, thick * 0.36);
  for (const [n, share] of [-0.75, -0.45, 0.4, 0.7].entries()) {
    const x = share * half;
    const out = (n < 2 ? -1 : 1) * high * 0.45 + (n % 2 ? 0.06 : -0.02);
    limb(context, x, body.y + thick * 0.55, x + out, body.y + thick * 0.8 + high * 0.5, wide, body.paw);
  }
  head(context, { ...shape, neck: Math.min(0.02, shape.neck) - thick * 0.5, hump: 0, shut: true }, colour, body);
}

function drawLegs(context, { thick }, { along, half, y, paw }, pose) {
  const swing = pose === "left" ? 1 : pose === "right" ? -1 : 0;
  const wide = Math.max(0.06, thick * 0.4);
  for (const [n, share] of (along ? [-0.6, 0.6] : [-0.72, -0.5, 0.5, 0.72]).entries()) {
    const shift = along ? 0 : swing * 0.07 * (n % 2 ? -1 : 1);
    const up = along && swing === (n ? 1 : -1) ? 0.05 : 0;
    // Those of the far side are darker.
    const far = !along && (n === 1 || n === 3);
    limb(context, share * half, y + thick * 0.4, share * half + shift, -0.03 - up, wide, far ? shade(paw, -0.2) : paw);
  }
}

function tail(context, { tail: kind, thick }, colour, { along, half, y, paw }) {
  const x = along ? 0 : -half * 0.85;
  if (kind === "tuft") blob(context, x - (along ? 0 : 0.03), y - thick * 0.2, thick * 0.42, thick * 0.42, "#f6f0e2");
  else if (kind === "bushy") {
    context.beginPath();
    context.moveTo(x + 0.04, y - thick * 0.5);
    context.quadraticCurveTo(x - 0.16, y - thick * 0.9, x - 0.34, y + thick * 0.5);
    context.quadraticCurveTo(x - 0.14, y + thick * 0.5, x + 0.02, y + thick * 0.2);
    context.closePath();
    paint(context, shade(colour, -0.12));
  } else if (kind !== "short") {
    const bare = kind === "bare";
    context.beginPath();
    context.moveTo(x, y);
    context.quadraticCurveTo(x - 0.2, y + (bare ? 0.14 : 0.02), x - 0.3, y - thick * (bare ? 0.1 : 1.3));
    context.lineWidth = 0.075;
    context.stroke();
    context.lineWidth = 0.04;
    context.strokeStyle = bare ? "#c9968c" : paw;
    context.stroke();
    context.lineWidth = 0.035;
    context.strokeStyle = OUTLINE;
  }
}

function trunk(context, shape, colour, { along, half, y, heading }) {
  const { thick, hump, belly, bristles, wool } = shape;
  if (wool) {
    wooly(context, half, y, thick, colour);
    return;
  }
  const rise = hump ? [[along ? 0 : half * 0.38, y - hump, along ? half * 0.8 : half * 0.5, thick * 0.95]] : [];
  if (bristles && !along) {
    const [from, to] = [-half * 0.5, half * 0.75];
    for (let n = 0; n < 6; n++) {
      const x = from + ((to - from) * n) / 5;
      const top = y - thick * 0.9 - hump * (n / 5);
      polygon(context, [[x - 0.05, top + 0.06], [x - 0.03, top - 0.1], [x + 0.06, top + 0.06]], shade(colour, -0.35));
    }
  }
  mass(context, colour, [0, y, half, thick], ...rise);
  if (heading !== 0 && belly)
    blob(context, 0, y + thick * 0.45, half * 0.72, thick * 0.42, shade(colour, belly), false);
}

function wooly(context, half, y, thick, colour) {
  context.beginPath();
  for (let n = 0; n < 9; n++) {
    const angle = (n / 9) * 2 * Math.PI;
    const x = Math.cos(angle) * half * 0.75;
    const up = y + Math.sin(angle) * thick * 0.62;
    context.moveTo(x + thick * 0.5, up);
    context.arc(x, up, thick * 0.5, 0, 2 * Math.PI);
  }
  context.stroke();
  context.fillStyle = colour;
  context.fill();
  blob(context, 0, y, half * 0.75, thick * 0.62, colour, false);
}

function head(context, shape, colour, body) {
  const { head: size, snout, neck, thick, hump, wool, shut } = shape;
  const { along, half, heading } = body;
  const x = along ? 0 : half + size * 0.35 - hump * 0.3;
  const y = body.y - thick * 0.55 - neck + (heading === 4 ? size * 0.4 : heading === 0 ? -size * 0.5 : 0);
  const face = wool ? shade(colour, -0.55) : colour;
  if (neck && !along) limb(context, half * 0.7, body.y - thick * 0.2, x - size * 0.2, y, size * 1.1, colour);
  if (neck > 0.15 && along) limb(context, 0, body.y - thick * 0.2, 0, y, size * 1.1, colour);
  if (shape.antlers) antlers(context, x, y - size * 0.7, along);
  for (const side of along ? [-1, 1] : [-0.4]) ear(context, shape, face, x + side * size * 0.62, y, side);
  if (heading === 0) {
    blob(context, x, y, size * 0.85, size * 0.85, face);
    return;
  }
  if (along) {
    blob(context, x, y, size * 0.9, size * 0.88, face);
    if (snout) blob(context, x, y + size * 0.42, size * 0.5, size * 0.38, shade(face, 0.18));
    blob(context, x, y + size * (snout ? 0.28 : 0.35), size * 0.2, size * 0.14, DARK, false);
  } else {
    mass(context, face, [x, y, size * 1.05, size * 0.87], [x + size * 0.7, y + size * 0.24, snout + size * 0.2, size * 0.42]);
    if (snout) blob(context, x + size * 0.75 + snout, y + size * 0.14, size * 0.18, size * 0.15, DARK, false);
  }
  if (shape.tusks) tusks(context, x, y, size, snout, along);
  for (const side of along ? [-1, 1] : [0.85]) {
    const radius = Math.max(0.022, size * 0.15);
    if (shut) limb(context, x + size * 0.2, y - size * 0.1, x + size * 0.5, y - size * 0.1, 0.012, DARK);
    else blob(context, x + side * size * 0.4, y - size * 0.12, radius, radius * 1.15, wool ? "#f4efe6" : DARK, false);
  }
}

function ear(context, { ears, head: size }, face, x, y, side) {
  const colour = shade(face, -0.2);
  context.beginPath();
  if (ears === "pointed") {
    context.moveTo(x - size * 0.38, y - size * 0.45);
    context.lineTo(x + size * 0.1 * side, y - size * 1.5);
    context.lineTo(x + size * 0.38, y - size * 0.45);
    context.closePath();
  } else if (ears === "long")
    context.ellipse(x, y - size * 1.35, size * 0.27, size * 0.95, side * 0.16, 0, 2 * Math.PI);
  else if (ears === "leaf")
    context.ellipse(x + side * size * 0.3, y - size * 0.7, size * 0.26, size * 0.62, side * 0.8, 0, 2 * Math.PI);
  else context.ellipse(x, y - size * 0.68, size * 0.36, size * 0.4, 0, 0, 2 * Math.PI);
  paint(context, colour);
  if (ears === "long") blob(context, x, y - size * 1.35, size * 0.11, size * 0.6, "#e3b3a6", false);
}

function antlers(context, x, y, along) {
  for (const side of along ? [-1, 1] : [-0.25, 0.75]) {
    const out = x + side * 0.17;
    limb(context, x + side * 0.05, y, out, y - 0.2, 0.045, "#d9c49a");
    limb(context, out, y - 0.2, out + side * 0.03, y - 0.36, 0.04, "#d9c49a");
    limb(context, x + side * 0.1, y - 0.1, x + side * 0.22, y - 0.14, 0.035, "#d9c49a");
  }
}

function tusks(context, x, y, size, snout, along) {
  for (const side of along ? [-1, 1] : [1]) {
    const at = along ? x + side * size * 0.42 : x + size * 0.6 + snout * 0.6;
    const foot = y + size * 0.62;
    const out = along ? side * 0.035 : 0.03;
    polygon(context, [[at - 0.03, foot], [at + out, foot - 0.14], [at + 0.03, foot]], HORN);
  }
}

export const BEASTS = {
  sheep: fourLegs({ long: 0.66, high: 0.16, thick: 0.24, wool: true, dark: -0.6 }),
  rat: fourLegs({ long: 0.46, high: 0.05, thick: 0.13, head: 0.11, snout: 0.07, tail: "bare" }),
  rabbit: fourLegs({ long: 0.36, high: 0.06, thick: 0.15, head: 0.13, ears: "long", tail: "tuft", dark: -0.1 }),
  deer: fourLegs({
    ...{ long: 0.76, high: 0.42, thick: 0.18, head: 0.13, snout: 0.08, neck: 0.28 },
    ...{ ears: "leaf", tail: "tuft", antlers: true, dark: -0.22, belly: 0.25 },
  }),
  dog: fourLegs({ long: 0.62, high: 0.22, snout: 0.07, tail: "long", neck: 0.06, dark: -0.15 }),
  wolf: fourLegs({
    ...{ long: 0.78, high: 0.26, thick: 0.18, head: 0.16, snout: 0.1, neck: 0.05, hump: 0.04 },
    ...{ ears: "pointed", tail: "bushy", dark: -0.2, belly: 0.22 },
  }),
  boar: fourLegs({
    ...{ long: 0.8, high: 0.14, thick: 0.25, head: 0.19, snout: 0.12, hump: 0.05 },
    ...{ ears: "pointed", tusks: true, bristles: true },
  }),
  bear: fourLegs({ long: 1.04, high: 0.2, thick: 0.33, head: 0.22, snout: 0.08, hump: 0.08, dark: -0.18 }),
  cat: fourLegs({ long: 0.46, high: 0.13, thick: 0.12, head: 0.12, ears: "pointed", tail: "long" }),
  horse: fourLegs({
    ...{ long: 1, high: 0.5, thick: 0.26, head: 0.18, snout: 0.14, neck: 0.34 },
    ...{ ears: "pointed", tail: "bushy" },
  }),
};
