/**
 * People and things seen from afar: dots, and discs with a number where many are close together.
 */

import { gameOf } from "./games.js";
import { FONT } from "./labels.js";

const CROWD = 120; // so many dots in view are drawn as groups where they lie close
const CROWD_BELOW = 9;
const GROUP_CELL = 26;

export class Dots {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
    /** @type {{x: number, y: number, radius: number}[]} */
    this.groups = [];
  }

  /** Everything in view; `groups` are those of the last time. */
  draw(context) {
    this.groups = [];
    const mobiles = this._map.seen.filter(({ thing }) => thing.kind === "mobile");
    for (const { thing, x, y, alpha } of this._map.seen) {
      if (thing.kind !== "item" || this._map.zoom < 4) continue;
      context.globalAlpha = alpha * 0.9;
      context.fillStyle = "#f0dfae";
      context.fillRect(x - 1.5, y - 1.5, 3, 3);
    }
    let single = mobiles;
    if (this._map.zoom < CROWD_BELOW && mobiles.length > CROWD) single = this._drawGroups(context, mobiles);
    const size = Math.max(3.4, Math.min(6, this._map.zoom * 0.5));
    for (const { thing, x, y, alpha } of single) {
      context.globalAlpha = alpha;
      const game = gameOf(thing.game);
      const big =
        thing.id === this._map.following || thing === this._map.hovered || thing.id === this._map.world.self;
      if (game) this._map.sprites.drawMark(context, game, x, y, big ? size * 1.5 : size);
      else {
        context.beginPath();
        context.arc(x, y, size * (thing.resident ? 0.78 : 0.6), 0, 2 * Math.PI);
        context.fillStyle = thing.resident ? "#f4f1e8" : "#c9b08a";
        context.strokeStyle = "rgba(16, 20, 24, 0.75)";
        context.lineWidth = 1.4;
        context.stroke();
        context.fill();
      }
      if (big) {
        context.beginPath();
        context.arc(x, y, size * 2.3, 0, 2 * Math.PI);
        context.strokeStyle = "#ffffff";
        context.lineWidth = 2;
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  /** Where many are close together: one disc with their number, its rim shared out among the games. */
  _drawGroups(context, mobiles) {
    const cells = new Map();
    for (const seen of mobiles) {
      // Cells lie on the ground, so that groups keep their members while the map is moved.
      const size = GROUP_CELL / this._map.zoom;
      const key = `${Math.floor(seen.place.x / size)},${Math.floor(seen.place.y / size)}`;
      const cell = cells.get(key);
      if (cell) cell.push(seen);
      else cells.set(key, [seen]);
    }
    const single = [];
    for (const members of cells.values()) {
      if (members.length < 4 || members.some(({ thing }) => thing.id === this._map.following)) {
        single.push(...members);
        continue;
      }
      let x = 0;
      let y = 0;
      const games = new Map();
      for (const seen of members) {
        x += seen.x / members.length;
        y += seen.y / members.length;
        games.set(seen.thing.game, (games.get(seen.thing.game) ?? 0) + 1);
      }
      const radius = 8 + Math.min(8, Math.sqrt(members.length));
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = "rgba(22, 27, 34, 0.9)";
      context.fill();
      let angle = -Math.PI / 2;
      context.lineWidth = 3.5;
      for (const [game, count] of [...games].sort()) {
        const end = angle + (count / members.length) * 2 * Math.PI;
        context.beginPath();
        context.arc(x, y, radius, angle, end);
        context.strokeStyle = gameOf(game)?.colour ?? "#e8e4d8";
        context.stroke();
        angle = end;
      }
      context.font = `600 ${members.length > 99 ? 10 : 11.5}px ${FONT}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = "#ffffff";
      context.fillText(String(members.length), x, y + 0.5);
      this.groups.push({ x, y, radius });
    }
    return single;
  }
}
