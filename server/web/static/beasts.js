/**
 * Beasts, by the word for their figure (protocol/web/looks.py): functions of a canvas, a colour, the heading
 * (0 to 4, from north over east to south) and the pose, in units of a tile.
 */

import { OUTLINE, blob, limb, paint, shade } from "./strokes.js";

const SMALL_BEAST = { wool: false, ears: "round", tail: "short", neck: 0, dark: -0.3 };

/** Beasts on four legs, told apart by their measures: seen from the side, or along their body. */
function fourLegs(measures) {
  const { long, high, thick, head, wool, ears, tail, neck, dark } = { ...SMALL_BEAST, ...measures };
  return (context, colour, heading, pose) => {
    const swing = pose === "left" ? 1 : pose === "right" ? -1 : 0;
    const lies = pose === "sit";
    const legs = lies ? 0.06 : high;
    const along = heading === 0 || heading === 4;
    const half = along ? thick * 1.05 : long / 2;
    const by = -legs - thick;
    const paw = shade(colour, dark);
    if (!lies)
      for (const [n, share] of (along ? [-0.6, 0.6] : [-0.72, -0.5, 0.5, 0.72]).entries()) {
        const shift = along ? 0 : swing * 0.07 * (n % 2 ? -1 : 1);
        const x = share * half;
        limb(context, x, by + thick * 0.4, x + shift, -0.03, Math.max(0.06, thick * 0.4), paw);
      }
    if (tail === "long" && heading !== 4) {
      context.beginPath();
      const from = heading === 0 ? 0 : -half * 0.85;
      context.moveTo(from, by);
      const tip = by - thick * (ears === "pointed" ? 1.6 : 0.4);
      context.quadraticCurveTo(from - 0.2, by + 0.02, from - 0.26, tip);
      context.lineWidth = 0.06;
      context.strokeStyle = paw;
      context.stroke();
      context.lineWidth = 0.035;
      context.strokeStyle = OUTLINE;
    }
    if (wool) {
      context.beginPath();
      for (let n = 0; n < 9; n++) {
        const angle = (n / 9) * 2 * Math.PI;
        const x = Math.cos(angle) * half * 0.75;
        const y = by + Math.sin(angle) * thick * 0.62;
        context.moveTo(x + thick * 0.5, y);
        context.arc(x, y, thick * 0.5, 0, 2 * Math.PI);
      }
      context.stroke();
      context.fillStyle = colour;
      context.fill();
      blob(context, 0, by, half * 0.75, thick * 0.62, colour, false);
    } else blob(context, 0, by, half, thick, colour);
    const hx = along ? 0 : half + head * 0.35;
    const hy = by - thick * 0.55 - neck + (heading === 4 ? head * 0.4 : 0);
    if (heading === 0) return; // its head is behind its body
    if (neck && !along) limb(context, half * 0.7, by - thick * 0.2, hx - head * 0.2, hy, head * 0.9, colour);
    const face = wool ? shade(colour, -0.55) : colour;
    const ear = shade(face, -0.2);
    for (const at of along ? [-1, 1] : [-0.4]) {
      context.beginPath();
      const ex = hx + at * head * 0.62;
      if (ears === "pointed") {
        context.moveTo(ex - head * 0.35, hy - head * 0.5);
        context.lineTo(ex, hy - head * 1.45);
        context.lineTo(ex + head * 0.35, hy - head * 0.5);
        context.closePath();
      } else context.ellipse(ex, hy - head * 0.65, head * 0.34, head * 0.4, 0, 0, 2 * Math.PI);
      paint(context, ear);
    }
    blob(context, hx, hy, along ? head * 0.85 : head * 1.1, head * 0.85, face);
    context.fillStyle = wool ? "#f4efe6" : "#231c18";
    for (const x of along ? [-head * 0.35, head * 0.35] : [hx + head * 0.35]) {
      context.beginPath();
      context.arc(x, hy - head * 0.1, Math.max(0.022, head * 0.15), 0, 2 * Math.PI);
      context.fill();
    }
  };
}

export const BEASTS = {
  sheep: fourLegs({ long: 0.66, high: 0.16, thick: 0.24, head: 0.15, wool: true, dark: -0.6 }),
  rat: fourLegs({ long: 0.44, high: 0.05, thick: 0.12, head: 0.1, tail: "long" }),
  dog: fourLegs({ long: 0.62, high: 0.22, thick: 0.16, head: 0.15, tail: "long", neck: 0.06, dark: -0.15 }),
  cat: fourLegs({ long: 0.46, high: 0.13, thick: 0.12, head: 0.12, ears: "pointed", tail: "long" }),
  horse: fourLegs({ long: 1, high: 0.5, thick: 0.26, head: 0.18, ears: "pointed", tail: "long", neck: 0.34 }),
  bird(context, colour, heading, pose) {
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
    context.beginPath();
    context.moveTo(0.24, -0.4);
    context.lineTo(0.36, -0.36);
    context.lineTo(0.24, -0.32);
    paint(context, "#e0a030");
    if (heading) blob(context, 0.18, -0.39, 0.02, 0.02, "#231c18", false);
  },
};
