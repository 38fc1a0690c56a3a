/**
 * What walks on two legs and is nobody, by the word for its figure; functions as in beasts.js.
 *
 * All but the ghost and the stones are one body told apart by measures and by what it has: tusks, horns, a
 * crown, bones instead of flesh.
 */

import { blob, limb, mass, paint, polygon, shade } from "./strokes.js";

const BONE = "#e9e2cd";
const DARK = "#231c18";
const STEEL = "#b4bcc6";
const WOOD = "#7a5a38";

const PLAIN = {
  size: 1,
  wide: 0.22, // half of the shoulders
  head: 0.25, // radius
  cloth: "#6b5136", // what it wears around its hips; "" for nothing
  tunic: "", // or over its chest as well
  robe: "", // or down to its feet
  ears: "", // "pointed"
  eyes: DARK,
  weapon: "",
};

function humanoid(measures) {
  const shape = { ...PLAIN, ...measures };
  return (context, colour, heading, pose) => {
    const side = heading === 2;
    const swing = pose === "left" ? 1 : pose === "right" ? -1 : 0;
    const turn = heading === 1 || heading === 3 ? 0.06 : side ? 0.1 : 0;
    const figure = { ...shape, colour, side, back: heading < 2, turn, swing, hy: -0.98 - shape.head * 0.75 };
    if (shape.bones) figure.colour = colour || BONE;
    context.save();
    context.scale(shape.size, shape.size);
    if (shape.wings) wings(context, figure);
    if (shape.cloak && !figure.back) cloak(context, figure);
    legs(context, figure);
    if (!side) arms(context, figure, figure.back);
    torso(context, figure);
    if (shape.cloak && figure.back) cloak(context, figure);
    head(context, figure);
    if (side || !figure.back) arms(context, figure, false);
    context.restore();
  };
}

function legs(context, { robe, bones, side, swing, colour, wide, boots }) {
  if (robe) return;
  const apart = side ? 0.03 : wide * 0.5;
  const stride = side ? 0.14 * swing : 0;
  for (const foot of [-1, 1]) {
    const x = foot * (apart + stride);
    const y = swing === -foot ? -0.06 : 0;
    limb(context, foot * apart, -0.46, x, y - 0.08, bones ? 0.075 : wide * 0.8, colour);
    blob(context, x + (side ? 0.05 : 0), y - 0.045, 0.11, 0.06, boots || shade(colour, -0.12));
  }
}

function torso(context, figure) {
  const { wide, side, bones, colour, tunic, robe, cloth, belly } = figure;
  const half = side ? wide * 0.78 : wide;
  if (robe) {
    context.beginPath();
    context.moveTo(-half, -0.9);
    context.quadraticCurveTo(0, -1.02, half, -0.9);
    context.lineTo(half + 0.14, -0.03);
    for (const x of [0.66, 0.33, 0, -0.33, -0.66, -1].map((share) => share * (half + 0.14)))
      context.quadraticCurveTo(x + 0.06, -0.1, x, -0.02);
    context.closePath();
    paint(context, robe);
    limb(context, 0, -0.82, 0, -0.2, 0.03, shade(robe, -0.3));
  } else if (bones && !tunic) ribs(context, half, colour, figure.back);
  else {
    context.beginPath();
    context.moveTo(-half, -0.88);
    context.quadraticCurveTo(0, -1.0, half, -0.88);
    context.quadraticCurveTo(half + (belly ? 0.1 : 0), -0.55, half * 0.9, -0.38);
    context.quadraticCurveTo(0, -0.3, -half * 0.9, -0.38);
    context.quadraticCurveTo(-half - (belly ? 0.1 : 0), -0.55, -half, -0.88);
    paint(context, tunic || colour);
    if (belly && !figure.back) blob(context, figure.turn, -0.56, half * 0.72, 0.16, shade(colour, 0.14), false);
    if (tunic) limb(context, -half * 0.92, -0.47, half * 0.92, -0.47, 0.06, shade(tunic, -0.4));
  }
  if (cloth && !robe) {
    const hem = half * 1.02;
    const low = [[hem, -0.44], [hem * 1.1, -0.24], [hem * 0.4, -0.3], [0, -0.2], [-hem * 0.4, -0.3], [-hem * 1.1, -0.24]];
    polygon(context, [[-hem, -0.44], ...low], cloth);
  }
  if (figure.wraps) wraps(context, half);
}

function ribs(context, half, colour, back) {
  limb(context, 0, -0.92, 0, -0.42, 0.08, colour);
  for (let n = 0; n < 4; n++) {
    const y = -0.86 + n * 0.1;
    const wide = half * (0.95 - n * 0.1);
    for (const side of [-1, 1]) {
      context.beginPath();
      context.moveTo(0, y);
      context.quadraticCurveTo(side * wide * 1.25, y + 0.01, side * wide * (back ? 0.9 : 0.55), y + 0.08);
      context.lineWidth = 0.075;
      context.stroke();
      const { strokeStyle } = context;
      context.lineWidth = 0.045;
      context.strokeStyle = colour;
      context.stroke();
      context.strokeStyle = strokeStyle;
      context.lineWidth = 0.035;
    }
  }
  mass(context, colour, [-0.08, -0.43, 0.09, 0.06], [0.08, -0.43, 0.09, 0.06]);
}

function wraps(context, half) {
  context.save();
  context.globalAlpha *= 0.5;
  for (const [y, slant] of [[-0.84, 0.05], [-0.73, -0.05], [-0.61, 0.05], [-0.5, -0.04]]) {
    context.beginPath();
    context.moveTo(-half, y);
    context.lineTo(half, y + slant);
    context.lineWidth = 0.025;
    context.stroke();
  }
  context.restore();
}

function arms(context, figure, behind) {
  const { wide, side, back, bones, colour, swing, reaches, robe, tunic, weapon, claws } = figure;
  if (behind && !back) return;
  const thick = bones && !robe ? 0.07 : wide * 0.6;
  const sleeve = robe || (bones ? tunic : "") || colour;
  for (const arm of side ? [1] : [-1, 1]) {
    const reach = side ? 0.16 * swing : 0;
    const [sx, sy] = side ? [0, -0.82] : [arm * (wide + 0.01), -0.82];
    let [hx, hy] = side ? [0.05 - reach, -0.48] : [arm * (wide + 0.1), -0.48 + arm * swing * 0.05];
    if (reaches) [hx, hy] = side ? [0.4, -0.76 + 0.03 * swing] : [arm * (wide + 0.05), back ? -0.7 : -0.6 + arm * 0.05];
    limb(context, sx, sy, hx, hy - 0.03, thick, sleeve);
    const armed = weapon && (side || arm === (back ? 1 : -1));
    if (armed) WEAPONS[weapon](context, hx, hy);
    blob(context, hx, hy, bones ? 0.06 : thick * 0.62, bones ? 0.06 : thick * 0.62, colour);
    if (claws)
      for (const n of [-1, 0, 1]) limb(context, hx + n * 0.035, hy + 0.05, hx + n * 0.045, hy + 0.11, 0.018, "#f3ecd8");
  }
}

const WEAPONS = {
  club(context, x, y) {
    limb(context, x, y + 0.05, x - 0.1, y - 0.36, 0.08, WOOD);
    blob(context, x - 0.11, y - 0.4, 0.1, 0.13, shade(WOOD, -0.15));
    for (const [dx, dy] of [[-0.18, -0.44], [-0.04, -0.48], [-0.06, -0.34]]) blob(context, x + dx, y + dy, 0.025, 0.025, STEEL, false);
  },
  sword(context, x, y) {
    polygon(context, [[x - 0.06, y], [x - 0.26, y - 0.5], [x - 0.22, y - 0.56], [x - 0.15, y - 0.52], [x + 0.02, y - 0.03]], STEEL);
    limb(context, x - 0.11, y + 0.03, x + 0.08, y - 0.05, 0.045, "#8a6a3a");
  },
  great(context, x, y) {
    const points = [[x - 0.1, y], [x - 0.3, y - 0.78], [x - 0.24, y - 0.88], [x - 0.14, y - 0.82], [x + 0.02, y - 0.04]];
    polygon(context, points, STEEL);
    limb(context, x - 0.04, y - 0.06, x - 0.2, y - 0.74, 0.02, shade(STEEL, 0.4));
    limb(context, x - 0.18, y + 0.03, x + 0.12, y - 0.06, 0.06, "#c39a3c");
  },
  axe(context, x, y) {
    limb(context, x + 0.03, y + 0.12, x - 0.1, y - 0.46, 0.05, WOOD);
    polygon(context, [[x - 0.06, y - 0.5], [x - 0.32, y - 0.56], [x - 0.3, y - 0.26], [x - 0.04, y - 0.32]], STEEL);
  },
  staff(context, x, y) {
    limb(context, x + 0.02, y + 0.42, x - 0.05, y - 0.56, 0.05, WOOD);
    blob(context, x - 0.05, y - 0.62, 0.1, 0.1, "#79e0b4");
    blob(context, x - 0.08, y - 0.65, 0.03, 0.03, "#ffffff", false);
  },
  fetish(context, x, y) {
    limb(context, x + 0.02, y + 0.42, x - 0.04, y - 0.5, 0.05, WOOD);
    blob(context, x - 0.04, y - 0.56, 0.09, 0.1, BONE);
    for (const eye of [-0.075, -0.005]) blob(context, x + eye, y - 0.56, 0.022, 0.028, DARK, false);
    limb(context, x - 0.04, y - 0.44, x - 0.14, y - 0.32, 0.03, "#c0453a");
  },
};

function head(context, figure) {
  const { head: size, hy, colour, back, turn, bones, ears, horns, hood, crown, helm } = figure;
  if (ears)
    for (const side of [-1, 1]) {
      const x = side * size * 0.82;
      polygon(context, [[x, hy - 0.08], [x + side * size * 0.8, hy - size * 0.62], [x, hy + 0.09]], shade(colour, -0.1));
    }
  if (horns)
    for (const side of [-1, 1]) {
      const x = side * size * 0.55;
      polygon(context, [[x - 0.05, hy - size * 0.7], [x + side * 0.12, hy - size * 1.6], [x + 0.06, hy - size * 0.72]], "#e8dcc0");
    }
  if (hood) blob(context, 0, hy - 0.01, size * 1.22, size * 1.25, hood);
  if (bones) mass(context, colour, [0, hy - 0.02, size, size * 0.94], [turn, hy + size * 0.62, size * 0.56, size * 0.4]);
  else blob(context, 0, hy, size, size * 0.96, colour);
  if (helm) {
    context.beginPath();
    context.moveTo(-size * 1.06, hy + 0.02);
    context.bezierCurveTo(-size * 1.1, hy - size * 1.5, size * 1.1, hy - size * 1.5, size * 1.06, hy + 0.02);
    context.quadraticCurveTo(0, hy - size * 0.5, -size * 1.06, hy + 0.02);
    paint(context, helm);
  }
  if (hood && back) blob(context, 0, hy - 0.01, size * 1.2, size * 1.22, hood);
  if (!back) (bones ? skull : face)(context, figure);
  if (hood && !back) {
    context.beginPath();
    context.ellipse(0, hy - 0.01, size * 1.22, size * 1.25, 0, Math.PI * 0.86, Math.PI * 2.14);
    context.quadraticCurveTo(turn, hy - size * 0.95, -size * 1.12, hy + size * 0.5);
    paint(context, hood);
  }
  if (crown) {
    const [y, wide] = [hy - size * 0.62, size * 0.92];
    const points = [-1, -0.5, 0, 0.5, 1].map((n) => [n * wide, y - (n % 1 ? 0.12 : 0.26)]);
    polygon(context, [[-wide * 0.9, y + 0.06], ...points, [wide * 0.9, y + 0.06]], "#e6b93c");
    if (!back) blob(context, turn, y - 0.05, 0.045, 0.045, "#c8333b", false);
  }
}

function face(context, { head: size, hy, turn, side, eyes, tusks, colour, brow = true, moans, wraps: wrapped }) {
  const at = side ? [0.15] : [-size * 0.38 + turn, size * 0.38 + turn];
  for (const x of at) {
    if (eyes !== DARK) blob(context, x, hy + 0.02, 0.052, 0.05, eyes, false);
    blob(context, x, hy + 0.025, eyes === DARK ? 0.034 : 0.024, eyes === DARK ? 0.045 : 0.034, DARK, false);
    const inward = side ? 0.05 : x < turn ? 0.06 : -0.06;
    if (brow) limb(context, x - inward, hy - 0.09, x + inward, hy - 0.045, 0.024, shade(colour, -0.55));
  }
  const mouth = turn * 1.3;
  if (wrapped) limb(context, -size * 0.9, hy - 0.11, size * 0.9, hy - 0.15, 0.012, shade(colour, -0.4));
  if (moans) blob(context, mouth, hy + size * 0.55, 0.06, 0.075, "#3a1f1c", false);
  else limb(context, mouth - size * 0.3, hy + size * 0.5, mouth + size * 0.3, hy + size * 0.5, 0.016, "#3a1f1c");
  if (tusks)
    for (const x of side ? [0.2] : [mouth - size * 0.3, mouth + size * 0.3])
      polygon(context, [[x - 0.04, hy + size * 0.56], [x, hy + size * 0.08], [x + 0.04, hy + size * 0.56]], "#f6efdc");
}

function skull(context, { head: size, hy, turn, side, eyes }) {
  for (const x of side ? [0.13] : [-size * 0.38 + turn, size * 0.38 + turn]) {
    blob(context, x, hy + 0.03, size * 0.26, size * 0.3, "#2a2320", false);
    if (eyes !== DARK) blob(context, x, hy + 0.03, size * 0.12, size * 0.13, eyes, false);
  }
  const x = side ? 0.2 : turn;
  polygon(context, [[x - 0.025, hy + size * 0.55], [x, hy + size * 0.36], [x + 0.025, hy + size * 0.55]], "#2a2320");
  for (const n of [-1, 0, 1]) limb(context, turn + n * 0.055, hy + size * 0.74, turn + n * 0.055, hy + size * 0.92, 0.012, "#4a4034");
}

function wings(context, { wide, swing }) {
  for (const side of [-1, 1]) {
    const up = -1.16 + swing * 0.08;
    const points = [[0.05, -0.85], [0.5, up - 0.12], [0.74, up + 0.28], [0.56, up + 0.3], [0.46, up + 0.52], [0.3, up + 0.46], [0.05, -0.5]];
    polygon(context, points.map(([x, y]) => [side * (x + wide * 0.3), y]), "#6d2a26");
  }
}

function cloak(context, { wide, cloak: colour, swing }) {
  const hem = wide + 0.2 + swing * 0.02;
  polygon(context, [[-wide - 0.04, -0.92], [wide + 0.04, -0.92], [hem, -0.06], [hem * 0.3, -0.12], [-hem * 0.3, -0.06], [-hem, -0.1]], colour);
}

function ghost(context, colour, heading, pose) {
  const sway = pose === "left" ? 0.05 : pose === "right" ? -0.05 : 0;
  context.save();
  context.globalAlpha *= 0.82;
  for (const side of [-1, 1]) limb(context, side * 0.2, -0.86, side * 0.42, -0.66 + side * sway, 0.13, shade(colour, -0.1));
  context.beginPath();
  context.moveTo(-0.26, -0.3);
  context.bezierCurveTo(-0.36, -0.9, -0.34, -1.48, 0, -1.48);
  context.bezierCurveTo(0.34, -1.48, 0.36, -0.9, 0.26, -0.3);
  context.lineTo(0.32 + sway, -0.04);
  context.lineTo(0.14, -0.22);
  context.lineTo(0.04 + sway, -0.02);
  context.lineTo(-0.1, -0.22);
  context.lineTo(-0.24 + sway, -0.06);
  context.closePath();
  paint(context, colour);
  if (heading >= 2) {
    const turn = heading === 2 ? 0.09 : heading === 3 ? 0.05 : 0;
    blob(context, turn, -1.14, 0.2, 0.23, shade(colour, -0.72), false);
    for (const x of [-0.08, 0.08]) blob(context, turn + x, -1.17, 0.04, 0.055, "#a8fff0", false);
    blob(context, turn, -1.01, 0.035, 0.05, "#a8fff0", false);
  }
  context.restore();
}

/** Stones that hold together. */
function elemental(context, colour, heading, pose) {
  const swing = pose === "left" ? 1 : pose === "right" ? -1 : 0;
  const rock = (x, y, r, by, n = 7) => {
    const points = [];
    for (let at = 0; at < n; at++) {
      const angle = (at / n) * 2 * Math.PI + by;
      const far = r * (at % 2 ? 1.04 : 0.9);
      points.push([x + Math.cos(angle) * far * 1.08, y + Math.sin(angle) * far]);
    }
    polygon(context, points, shade(colour, by - 0.1));
    limb(context, x - r * 0.3, y - r * 0.4, x + r * 0.1, y - r * 0.1, 0.018, shade(colour, -0.4));
  };
  for (const side of [-1, 1]) rock(side * 0.2, -0.16 - (swing === side ? 0.06 : 0), 0.19, 0.02);
  for (const side of [-1, 1]) {
    rock(side * 0.5, -0.84, 0.2, 0.1);
    rock(side * 0.56, -0.5 + side * swing * 0.05, 0.22, 0);
  }
  rock(0, -0.68, 0.4, 0.14, 9);
  blob(context, -0.16, -0.92, 0.16, 0.06, "#6f8f4a", false);
  rock(0, -1.2, 0.25, 0.2);
  if (heading < 2) return;
  const turn = heading === 2 ? 0.09 : heading === 3 ? 0.05 : 0;
  for (const x of [-0.09, 0.09]) blob(context, turn + x, -1.2, 0.05, 0.035, "#ffc24a", false);
}

export const MONSTERS = {
  goblin: humanoid({ size: 0.76, wide: 0.2, head: 0.3, ears: "pointed", eyes: "#ffe25a", tusks: false, tunic: "#7a5c3c", cloth: "", weapon: "sword" }),
  orc: humanoid({ wide: 0.26, head: 0.25, tusks: true, ears: "pointed", eyes: "#ffd23e", tunic: "#5b4a3a", weapon: "axe", boots: "#4a3826" }),
  shaman: humanoid({ wide: 0.23, tusks: true, ears: "pointed", eyes: "#7fe6ff", robe: "#6a3b5e", weapon: "fetish" }),
  captain: humanoid({ size: 1.1, wide: 0.28, head: 0.24, tusks: true, eyes: "#ff8a3e", tunic: "#68707c", helm: "#7d8794", horns: true, cloak: "#8f2f2a", weapon: "axe", boots: "#3c3028" }),
  ogre: humanoid({ size: 1.2, wide: 0.34, head: 0.22, belly: true, tusks: true, weapon: "club" }),
  troll: humanoid({ size: 1.18, wide: 0.28, head: 0.2, ears: "pointed", eyes: "#ffb23e", claws: true, cloth: "#4a4034", weapon: "club" }),
  zombie: humanoid({ reaches: true, eyes: "#f2efd8", moans: true, brow: false, cloth: "#57503f", tunic: "#6c6f5c" }),
  ghoul: humanoid({ reaches: true, wide: 0.19, eyes: "#ff5a48", claws: true, ears: "pointed", moans: true, cloth: "#4c4338" }),
  mummy: humanoid({ reaches: true, eyes: "#8dffb0", wraps: true, brow: false, cloth: "" }),
  skeleton: humanoid({ bones: true, head: 0.24, cloth: "", weapon: "sword" }),
  knight: humanoid({ size: 1.06, bones: true, head: 0.23, tunic: "#5f6b7a", helm: "#8c98a6", eyes: "#7fd4ff", cloth: "#3f4b63", weapon: "sword", boots: "#55606e" }),
  lich: humanoid({ bones: true, head: 0.23, robe: "#4b3568", hood: "#3a2852", eyes: "#79ffb4", weapon: "staff" }),
  king: humanoid({ size: 1.14, bones: true, wide: 0.26, head: 0.24, tunic: "#3b3f4c", cloak: "#8a1f2a", crown: true, eyes: "#ff5038", cloth: "#6e1a22", weapon: "great", boots: "#2e323c" }),
  imp: humanoid({ size: 0.68, wide: 0.19, head: 0.29, horns: true, wings: true, ears: "pointed", eyes: "#ffe25a", claws: true, cloth: "" }),
  ghost,
  elemental,
};
