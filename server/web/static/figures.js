/**
 * Small figures drawn by code: people, beasts and things, from what the server says of their look; and the
 * colour, the shape and the letter that stand for each game.
 *
 *   GAMES                       // [{game, name, letter, colour, shape}], in the order of the legend
 *   gameOf("uo")                // one of them, or undefined
 *   drawShape(context, shape, x, y, radius)         // its path, not yet filled
 *   badge("uo", size)           // an <svg> element of its shape and letter, for HTML
 *   drawFigure(context, look, {heading, pose, dead})  // in units of a tile, (0, 0) between the feet, y down
 *   portrait(canvas, look, {heading})  // fills a <canvas> with one figure, sharp on every screen
 *   new Sprites().draw(context, look, heading, pose, dead, x, y, tile)   // fast: draws each figure once
 *   poses: "stand", "left", "right" (the two halves of a step), "sit"
 */

/**
 * @typedef {{game: string, name: string, letter: string, colour: string, shape: string}} Game
 */

/**
 * Colours by Okabe and Ito ("Color Universal Design"), which people with any of the common kinds of colour
 * blindness tell apart; the shapes and letters say the same once more.
 * @type {ReadonlyArray<Game>}
 */
export const GAMES = Object.freeze([
  { game: "uo", name: "Ultima Online", letter: "U", colour: "#e69f00", shape: "circle" },
  { game: "eo", name: "Endless Online", letter: "E", colour: "#56b4e9", shape: "square" },
  { game: "eq2", name: "EverQuest II", letter: "Q", colour: "#12b886", shape: "triangle" },
  { game: "l2", name: "Lineage II", letter: "L", colour: "#d58fc0", shape: "diamond" },
  { game: "co", name: "Conquer Online", letter: "C", colour: "#e8590c", shape: "hexagon" },
  { game: "web", name: "Browser", letter: "W", colour: "#f3e34a", shape: "star" },
]);

const BY_GAME = new Map(GAMES.map((game) => [game.game, game]));

/**
 * @param {string} key
 * @returns {Game | undefined}
 */
export function gameOf(key) {
  return BY_GAME.get(key);
}

/** Corners of the shapes that have some, as [angle in turns, share of the radius]; the first points up. */
const CORNERS = {
  square: [0.125, 0.375, 0.625, 0.875].map((turn) => [turn, 1.18]),
  triangle: [0, 1 / 3, 2 / 3].map((turn) => [turn, 1.28]),
  diamond: [0, 0.25, 0.5, 0.75].map((turn) => [turn, 1.22]),
  hexagon: [0, 1, 2, 3, 4, 5].map((n) => [n / 6, 1.1]),
  star: Array.from({ length: 10 }, (_, n) => [n / 10, n % 2 ? 0.68 : 1.34]),
};

/** The points of a shape with corners around (x, y). */
function cornersOf(shape, x, y, radius) {
  const down = shape === "triangle" ? radius * 0.18 : 0; // its middle is not the middle of its box
  return CORNERS[shape].map(([turn, share]) => {
    const angle = turn * 2 * Math.PI;
    return [x + Math.sin(angle) * radius * share, y + down - Math.cos(angle) * radius * share];
  });
}

/**
 * The path of a shape, to be filled or stroked by whoever asks.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {string} shape circle, square, triangle, diamond, hexagon or star
 */
export function drawShape(context, shape, x, y, radius) {
  context.beginPath();
  if (!(shape in CORNERS)) {
    context.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  for (const [px, py] of cornersOf(shape, x, y, radius)) context.lineTo(px, py);
  context.closePath();
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * A game's sign for HTML: its shape in its colour with its letter. It is only seen: say the name beside it.
 * @param {string} key
 * @param {number} [size] CSS pixels
 */
export function badge(key, size = 20) {
  const game = gameOf(key);
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ viewBox: "-12 -12 24 24", width: size, height: size }))
    svg.setAttribute(name, String(value));
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  svg.classList.add("badge");
  const shape = game?.shape ?? "circle";
  let outline;
  if (shape in CORNERS) {
    outline = document.createElementNS(SVG, "polygon");
    const points = cornersOf(shape, 0, 0, 8.7).map((point) => point.map((part) => part.toFixed(1)).join(","));
    outline.setAttribute("points", points.join(" "));
  } else {
    outline = document.createElementNS(SVG, "circle");
    outline.setAttribute("r", "9");
  }
  outline.setAttribute("fill", game?.colour ?? "#8a8f98");
  svg.append(outline);
  if (game) {
    const letter = document.createElementNS(SVG, "text");
    letter.setAttribute("text-anchor", "middle");
    letter.setAttribute("y", shape === "triangle" ? "5.8" : "4.1");
    letter.setAttribute("font-size", shape === "star" || shape === "triangle" ? "9.5" : "11.5");
    letter.textContent = game.letter;
    svg.append(letter);
  }
  return svg;
}

// Figures ---------------------------------------------------------------------------------------------

const OUTLINE = "rgba(30, 24, 20, 0.55)";
const LINEN = "#d9cfb8"; // what those wear who wear nothing
/** What a figure may fill around its feet, in tiles. */
const BOX = { left: 0.75, right: 0.75, up: 1.85, down: 0.25 };

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
  const draw = BEASTS[look.figure] ?? ITEMS[look.figure];
  if (draw) draw(context, look.colour || "#a98c66", heading, pose);
  else if (dead) drawGhost(context, heading);
  else drawPerson(context, look, heading, pose);
  context.restore();
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

const BEASTS = {
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

// Things lie there: about half a tile large.
const ITEMS = {
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

function paint(context, colour) {
  context.fillStyle = colour;
  context.fill();
  context.stroke();
}

function blob(context, x, y, rx, ry, colour, outlined = true) {
  context.beginPath();
  context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  if (outlined) context.stroke();
}

function polygon(context, points, colour) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.closePath();
  paint(context, colour);
}

/** A stroke with an outline around it: arms, legs, straps. */
function limb(context, x1, y1, x2, y2, width, colour) {
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
 * A colour "#rrggbb" that is lighter (0 to 1) or darker (0 to -1).
 * @param {string} colour
 * @param {number} by
 */
export function shade(colour, by) {
  const key = colour + by;
  let made = shades.get(key);
  if (made === undefined) {
    const rgb = /^#[0-9a-f]{6}$/i.test(colour) ? parseInt(colour.slice(1), 16) : 0x999999;
    const part = (bits) => {
      const value = (rgb >> bits) & 255;
      return Math.round(by < 0 ? value * (1 + by) : value + (255 - value) * by);
    };
    made = `rgb(${part(16)}, ${part(8)}, ${part(0)})`;
    if (shades.size > 4000) shades.clear();
    shades.set(key, made);
  }
  return made;
}

/** Figures are drawn at these sizes (pixels a tile) and scaled from there. */
const SIZES = [12, 18, 26, 36, 52, 74, 104, 148];
/** At this size and below nobody sees whether somebody looks east or south east, or which leg is in front. */
const COARSE = 1;
/** Drawn figures are kept as long as they have no more pixels than this together. */
const MOST_PIXELS = 16_000_000;
/** How much of a frame may go into new ones. */
const MAKING_MS = 5;

/** Figures as pictures: each is drawn once in each size, heading and pose that is needed, and kept. */
export class Sprites {
  constructor() {
    /** The oldest first. @type {Map<string, ImageBitmap>} */
    this._made = new Map();
    this._pixels = 0;
    /** Small things that many share. @type {Map<string, OffscreenCanvas>} */
    this._shared = new Map();
    /** @type {WeakMap<object, string>} */
    this._keys = new WeakMap();
    /** Pixels of the screen in one of the canvas. */
    this.ratio = 1;
    /** Whether a figure of this frame was drawn otherwise than it should be, or not at all. */
    this.late = false;
    this._until = Infinity;
  }

  /** A new frame: new pictures may take some milliseconds of it, and what is not ready then comes later. */
  begin(now) {
    this._until = now + MAKING_MS;
    this.late = false;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import("./world.js").Look} look
   * @param {number} heading
   * @param {string} pose
   * @param {boolean} dead
   * @param {number} x pixels of the canvas
   * @param {number} y
   * @param {number} tile pixels of a tile
   */
  draw(context, look, heading, pose, dead, x, y, tile) {
    const size = this._sizeFor(tile);
    const mirrored = heading > 4;
    if (mirrored) heading = 8 - heading;
    if (size <= COARSE) {
      if (heading % 2) heading = 2;
      if (pose === "right") pose = "left";
    }
    const key = `${this._keyOf(look)}|${heading}${pose}${dead ? "d" : ""}${size}`;
    let sprite = this._made.get(key);
    if (!sprite) {
      if (performance.now() < this._until) {
        sprite = this._make(key, look, { heading, pose, dead }, SIZES[size]);
      } else {
        this.late = true;
        sprite = this._made.get(`${this._keyOf(look)}|${heading}stand${dead ? "d" : ""}${size}`);
        if (!sprite) return;
      }
    }
    const scale = tile / SIZES[size];
    const left = -BOX.left * tile;
    const top = y - BOX.up * tile;
    const wide = sprite.width * scale;
    const high = sprite.height * scale;
    if (!mirrored) {
      context.drawImage(sprite, x + left, top, wide, high);
      return;
    }
    context.save();
    context.translate(x, 0);
    context.scale(-1, 1);
    context.drawImage(sprite, left, top, wide, high);
    context.restore();
  }

  /**
   * Pictures that never change, one for each: out of a canvas that is still drawn on, every drawing would be
   * a copy of all of it.
   */
  _make(key, look, how, unit) {
    const wide = Math.ceil((BOX.left + BOX.right) * unit);
    const high = Math.ceil((BOX.up + BOX.down) * unit);
    const canvas = new OffscreenCanvas(wide, high);
    const context = canvas.getContext("2d");
    context.translate(BOX.left * unit, BOX.up * unit);
    context.scale(unit, unit);
    drawFigure(context, look, how);
    const sprite = canvas.transferToImageBitmap();
    this._made.set(key, sprite);
    this._pixels += sprite.width * sprite.height;
    while (this._pixels > MOST_PIXELS) {
      const [oldest, gone] = this._made.entries().next().value;
      this._pixels -= gone.width * gone.height;
      this._made.delete(oldest);
      gone.close();
    }
    return sprite;
  }

  /**
   * What is around somebody's feet: a shadow, and a ring in the colour of the game.
   * @param {CanvasRenderingContext2D} context
   * @param {Game | undefined} game
   */
  drawBase(context, game, x, y, tile) {
    const size = this._sizeFor(tile);
    const sprite = this._get(`base ${game?.game} ${size}`, () => {
      const unit = SIZES[size];
      const made = new OffscreenCanvas(unit, Math.ceil(unit / 2));
      const own = made.getContext("2d");
      own.ellipse(unit / 2, unit / 4, unit * 0.36, unit * 0.16, 0, 0, 2 * Math.PI);
      own.fillStyle = "rgba(10, 16, 12, 0.32)";
      own.fill();
      if (game) {
        own.lineWidth = Math.max(1.6, unit * 0.075);
        own.strokeStyle = game.colour;
        own.stroke();
      }
      return made;
    });
    context.drawImage(sprite, x - tile / 2, y - tile / 4, tile, tile / 2);
  }

  /**
   * The sign of a game.
   * @param {CanvasRenderingContext2D} context
   * @param {Game} game
   */
  drawMark(context, game, x, y, radius) {
    const fine = Math.round(radius * 2 * this.ratio) / 2; // in half pixels of the screen
    const half = Math.ceil(fine * 1.6 + 1);
    const sprite = this._get(`mark ${game.game} ${fine}`, () => {
      const made = new OffscreenCanvas(2 * half, 2 * half);
      const own = made.getContext("2d");
      own.lineJoin = "round";
      drawShape(own, game.shape, half, half, fine);
      own.lineWidth = Math.max(1.5, fine * 0.35);
      own.strokeStyle = "rgba(16, 20, 24, 0.85)";
      own.stroke();
      own.fillStyle = game.colour;
      own.fill();
      return made;
    });
    const size = half / this.ratio;
    context.drawImage(sprite, x - size, y - size, 2 * size, 2 * size);
  }

  _sizeFor(tile) {
    let size = SIZES.length - 1;
    while (size && SIZES[size - 1] >= tile * this.ratio * 0.95) size--;
    return size;
  }

  /** @param {string} key @param {() => OffscreenCanvas} make */
  _get(key, make) {
    let made = this._shared.get(key);
    if (!made) this._shared.set(key, (made = make()));
    return made;
  }

  _keyOf(look) {
    let key = this._keys.get(look);
    if (key === undefined) {
      const { figure, female, skin, hair, top, legs, feet, head, colour, held, held_colour: its } = look;
      key = [figure, female ? "f" : "m", skin, hair, top, legs, feet, head, colour, held, its].join(" ");
      this._keys.set(look, key);
    }
    return key;
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
  const tall = look.figure in ITEMS ? 0.75 : look.figure === "horse" || !(look.figure in BEASTS) ? 1.7 : 0.95;
  const unit = Math.min(canvas.height / tall, canvas.width / (tall * 0.72));
  context.translate(canvas.width / 2, canvas.height - unit * 0.1);
  context.scale(unit, unit);
  drawFigure(context, look, { heading, dead });
}

/** How high a figure is, in tiles. */
export function heightOf(thing) {
  if (thing.kind === "item") return 0.5;
  if (thing.sitting) return 1.25;
  return thing.look.figure === "person" ? 1.52 : thing.look.figure === "horse" ? 1.6 : 0.8;
}
