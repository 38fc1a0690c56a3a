/**
 * All creatures, by the word for their figure (protocol/web/looks.py), and what else a map needs to know of
 * them: how high they are, and how they lie when they are dead.
 */

import { BEASTS } from "./beasts.js";
import { MONSTERS } from "./monsters.js";
import { VERMIN } from "./vermin.js";

export const CREATURES = { ...BEASTS, ...VERMIN, ...MONSTERS };

/** In tiles. */
const HEIGHTS = {
  ...{ horse: 1.6, deer: 1.35, bear: 1.05, wolf: 0.95, bat: 1.15, rat: 0.5, rabbit: 0.75, slime: 0.6 },
  ...{ goblin: 1.2, imp: 1.15, ghost: 1.55, elemental: 1.55, ogre: 1.65, troll: 1.65, captain: 1.68, king: 1.8 },
};

/** @param {string} figure @returns {number} how high it is, in tiles; 0: it is no creature */
export function heightOfCreature(figure) {
  if (!(figure in CREATURES)) return 0;
  return HEIGHTS[figure] ?? (figure in MONSTERS ? 1.5 : 0.8);
}

/** Turn what is drawn next into how it lies: on its side, on its back, or spread on the ground. */
export function layCreature(context, figure) {
  if (figure === "slime" || figure === "snake") context.scale(1.15, 0.5);
  else if (figure === "bat") context.translate(0, 0.6);
  else if (figure in MONSTERS) {
    context.translate(-0.62, -0.2);
    context.rotate(Math.PI / 2);
    context.scale(0.86, 0.86);
  } else if (figure in VERMIN) {
    context.translate(0, -0.42);
    context.scale(0.95, -0.95); // its legs point up
  }
}
