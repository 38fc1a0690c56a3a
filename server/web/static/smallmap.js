/**
 * The small map: all of a realm in a pane beside the map, with oneself, the places of quests, shops, and whom and
 * what one sees.
 *
 * The ground is drawn once for each realm, a pixel for each tile; the rest a few times a second, while the pane
 * is open.
 *
 * @module
 */

import { drawShape, gameOf } from "./games.js";
import { el } from "./nodes.js";
import { Pane } from "./panes.js";
import { drawCross, drawMark } from "./pointers.js";

/** Letters of the residents that one goes to, by role (server/web/realms.py). */
const LETTERS = { merchant: "S", banker: "B", healer: "H", innkeeper: "I", trainer: "T" };
const LEGEND = [
  "You are the yellow dot; other players are white, creatures red, your party has the signs of its games.",
  "S shop, B bank, H healer, I inn, T trainer.",
  "! has a quest for you, ? waits for you, a blue ring: your quest goes on there, + a corpse.",
  "Press a place to walk there.",
];
/** Pixels of the canvas for one of the page, at most. */
const SHARPEST = 2;

export class SmallMap {
  /**
   * @param {{closed: () => void, opened: () => void, go: (x: number, y: number) => void}} does `opened`: it is to be
   *   drawn; `go`: its player wants to be there
   */
  constructor({ closed, opened, go }) {
    this._closed = closed;
    this._opened = opened;
    this._pane = new Pane("small-map", { close: () => this.close() });
    this._pane.title.textContent = "Map";
    this._canvas = el("canvas", {
      role: "img",
      "aria-label": "The realm",
      onclick: (event) => {
        const box = this._canvas.getBoundingClientRect();
        if (!this._realm || !this._current) return;
        const x = Math.floor(((event.clientX - box.left) / box.width) * this._realm.width);
        const y = Math.floor(((event.clientY - box.top) / box.height) * this._realm.height);
        go(x, y);
      },
    });
    this._pane.body.tabIndex = 0; // nothing in it has the keyboard, and it may have to be scrolled
    this._pane.body.append(this._canvas, el("p", { class: "small" }, LEGEND.join(" ")));
    this.node = this._pane.node;
    this._realm = null;
    this._current = false; // whether it is the realm that its player is in
    this._ground = null;
  }

  get open() {
    return this._pane.open;
  }

  toggle() {
    if (this.open) this.close();
    else {
      this._pane.open = true;
      this._opened();
      this._pane.title.focus({ preventScroll: true });
    }
  }

  close() {
    const had = this._pane.focused;
    this._pane.open = false;
    if (had) this._closed();
  }

  /**
   * @param {import("./realm.js").Realm | null} realm
   * @param {import("./world.js").World} world
   * @param {{x: number, y: number}[]} places of quests
   * @param {{id: number, realm: string, x: number, y: number, game: string}[]} [company] one's party, wherever it is
   */
  draw(realm, world, places, company = []) {
    this._current = realm !== null;
    if (!this.open || !realm || this._pane.folded) return;
    if (this._realm !== realm) this._prepare(realm);
    const canvas = this._canvas;
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = Math.min(SHARPEST, devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * ratio)) {
      // As many pixels as it is large: letters have one size on every screen.
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round((canvas.width * realm.height) / realm.width);
    }
    const scale = width / realm.width;
    const context = canvas.getContext("2d");
    context.setTransform(canvas.width / width, 0, 0, canvas.width / width, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this._ground, 0, 0, width, height);
    const at = ({ x, y }) => [(x + 0.5) * scale, (y + 0.5) * scale];
    context.font = "700 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const place of realm.services) {
      const [x, y] = at(place);
      dot(context, x, y, 8, "#11161d");
      context.fillStyle = "#ffe9b0";
      context.fillText(LETTERS[place.role] ?? "S", x, y + 1);
    }
    for (const thing of world.things.values()) {
      const [x, y] = at(thing);
      if (thing.corpse) drawCross(context, x, y, 6);
      else if (thing.kind === "mobile" && thing.id !== world.self)
        dot(context, x, y, 3, thing.fights ? "#ff7a6b" : thing.game ? "#ffffff" : "#d8cba8");
      if (thing.mark) drawMark(context, thing.mark, x, y - 4, 18);
    }
    for (const place of places) {
      const [x, y] = at(place);
      context.beginPath();
      context.arc(x, y, 9, 0, 2 * Math.PI);
      context.lineWidth = 3;
      context.strokeStyle = "#7fd8ff";
      context.stroke();
    }
    for (const member of company) {
      if (member.realm !== realm.name || member.online === false) continue;
      const [x, y] = at(world.things.get(member.id) ?? member);
      const game = gameOf(member.game);
      drawShape(context, game?.shape ?? "circle", x, y, 5);
      paintSign(context, game?.colour ?? "#ffffff");
    }
    const me = world.things.get(world.self);
    if (!me) return;
    const [x, y] = at(me);
    dot(context, x, y, 6, "#ffd54a");
    const size = `${realm.width} × ${realm.height}`;
    canvas.setAttribute("aria-label", `${realm.title}: you are at ${me.x}, ${me.y} of ${size}`);
  }

  _prepare(realm) {
    this._realm = realm;
    const ground = new OffscreenCanvas(realm.width, realm.height);
    const context = ground.getContext("2d");
    const picture = context.createImageData(realm.width, realm.height);
    const colour = [1, 3, 5].map((at) => parseInt(realm.colour.slice(at, at + 2), 16));
    for (let y = 0; y < realm.height; y++)
      for (let x = 0; x < realm.width; x++) {
        const share = realm.walkable(x, y) ? 1 : 0.45;
        const [r, g, b] = colour.map((band) => Math.round(band * share));
        picture.data.set([r, g, b, 255], 4 * (y * realm.width + x));
      }
    context.putImageData(picture, 0, 0);
    this._ground = ground;
    this._canvas.style.aspectRatio = `${realm.width} / ${realm.height}`;
  }
}

function dot(context, x, y, radius, colour) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  paintSign(context, colour);
}

/** Fill the path, with a dark line around it. */
function paintSign(context, colour) {
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = "rgba(0, 0, 0, 0.7)";
  context.stroke();
}
