/**
 * Marks on the map: over the heads of those who have a quest or wait for one, where a step is to be done, and on
 * corpses.
 */

const OFFERS = "#ffd54a";
const AWAITS = "#7fd8ff";

/** A sign over a head: "!" of who has a quest, "?" of who waits for what was asked. */
export function drawMark(context, mark, x, y, size) {
  const colour = mark === "awaits" ? AWAITS : OFFERS;
  context.font = `900 ${Math.round(size)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  context.lineWidth = Math.max(3, size * 0.22);
  context.strokeStyle = "rgba(14, 18, 22, 0.9)";
  const sign = mark === "awaits" ? "?" : "!";
  context.strokeText(sign, x, y);
  context.fillStyle = colour;
  context.fillText(sign, x, y);
}

/** A cross, so that a corpse is told from one who lies there. */
export function drawCross(context, x, y, size) {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x, y + size);
  context.moveTo(x - size * 0.6, y - size * 0.35);
  context.lineTo(x + size * 0.6, y - size * 0.35);
  context.lineWidth = Math.max(2, size * 0.3);
  context.strokeStyle = "rgba(14, 18, 22, 0.85)";
  context.stroke();
  context.lineWidth *= 0.5;
  context.strokeStyle = "#f4f1ea";
  context.stroke();
}

/**
 * Where a step is to be done: a ring on the tile, or, where that is not in view, an arrow at the edge.
 *
 * @param {{sx: Function, sy: Function, width: number, height: number, inset: {bottom: number}, zoom: number}} map
 * @param {{x: number, y: number}} place
 */
export function drawPointer(context, map, place) {
  const [x, y] = [map.sx(place.x + 0.5), map.sy(place.y + 0.5)];
  const [width, height] = [map.width, map.height - map.inset.bottom];
  context.strokeStyle = context.fillStyle = AWAITS;
  if (x >= 0 && y >= 0 && x <= width && y <= height) {
    context.beginPath();
    context.ellipse(x, y, map.zoom * 0.6, map.zoom * 0.34, 0, 0, 2 * Math.PI);
    context.lineWidth = 3;
    context.stroke();
    return;
  }
  const [dx, dy] = [x - width / 2, y - height / 2];
  const scale = Math.min((width / 2 - 26) / Math.abs(dx || 1), (height / 2 - 26) / Math.abs(dy || 1));
  context.save();
  context.translate(width / 2 + dx * scale, height / 2 + dy * scale);
  context.rotate(Math.atan2(dy, dx));
  context.beginPath();
  context.moveTo(16, 0);
  context.lineTo(-10, -11);
  context.lineTo(-4, 0);
  context.lineTo(-10, 11);
  context.closePath();
  context.lineWidth = 4;
  context.strokeStyle = "rgba(14, 18, 22, 0.9)";
  context.stroke();
  context.fill();
  context.restore();
}
