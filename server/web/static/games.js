/**
 * The colour, the shape and the letter that stand for each game.
 *
 *   GAMES                       // [{game, name, letter, colour, shape}], in the order of the legend
 *   gameOf("uo")                // one of them, or undefined
 *   drawShape(context, shape, x, y, radius)         // its path, not yet filled
 *   badge("uo", size)           // an <svg> element of its shape and letter, for HTML
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
