/**
 * Mouse, fingers, wheel and keys on the map.
 */

const FINGER = 8; // pixels by which a finger may miss
const HELD = 14; // pixels by which whoever walks away from the mouse stays chosen
const DRAG_FROM = 5; // pixels; less is a click

export class Pointing {
  /** @param {import("./canvas.js").MapCanvas} map */
  constructor(map) {
    this._map = map;
    /** Keys that are held down. @type {Set<string>} */
    this.held = new Set();
    this._pointers = new Map();
    this._dragged = false;
    this._mouse = null; // where it rests
    this._bind();
  }

  /** Who walks comes under the mouse, or from under it, while it rests. */
  rest() {
    if (this._mouse && !this._pointers.size) this._hover(this._under(this._mouse));
  }

  _bind() {
    const canvas = this._map.canvas;
    canvas.addEventListener("pointerdown", (event) => this._down(event));
    canvas.addEventListener("pointermove", (event) => this._move(event));
    canvas.addEventListener("pointerup", (event) => this._up(event));
    canvas.addEventListener("pointercancel", (event) => this._pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => {
      this._mouse = null;
      this._hover(null);
    });
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => {
      if (this._map.onMenu(this._under(event), event)) event.preventDefault();
    });
    canvas.addEventListener("keydown", (event) => this._key(event));
    canvas.addEventListener("keyup", (event) => this.held.delete(event.key));
    canvas.addEventListener("blur", () => this.held.clear());
  }

  _pointOf(event) {
    const { left, top } = this._map.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  _down(event) {
    if (event.button) return;
    this._map.canvas.setPointerCapture(event.pointerId);
    if (!this._pointers.size) this._dragged = false;
    const { pointerId, clientX, clientY } = event;
    this._pointers.set(pointerId, { ...this._pointOf(event), startX: clientX, startY: clientY });
    if (this._pointers.size > 1) this._dragged = true;
  }

  _move(event) {
    const pointer = this._pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType !== "mouse") return;
      this._mouse = { clientX: event.clientX, clientY: event.clientY };
      this._hover(this._under(this._mouse));
      return;
    }
    const point = this._pointOf(event);
    if (!this._dragged) {
      const far = Math.hypot(event.clientX - pointer.startX, event.clientY - pointer.startY);
      if (far < (event.pointerType === "mouse" ? DRAG_FROM : 2 * DRAG_FROM)) return;
      this._dragged = true;
      this._map.canvas.dataset.dragging = this._map.locked ? "" : "yes";
    }
    if (this._pointers.size === 1) this._map.pan(point.x - pointer.x, point.y - pointer.y);
    else if (this._pointers.size === 2) this._pinch(event.pointerId, pointer, point);
    pointer.x = point.x;
    pointer.y = point.y;
  }

  /** One of two fingers moves: what lies between them stays between them. */
  _pinch(id, from, to) {
    const [other] = [...this._pointers].filter(([key]) => key !== id).map(([, pointer]) => pointer);
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    if (!before || !after) return;
    if (!this._map.following) this._map.pan((to.x - from.x) / 2, (to.y - from.y) / 2);
    const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
    this._map.zoomAt((this._map.zoom * after) / before, middle);
  }

  _up(event) {
    const pointer = this._pointers.get(event.pointerId);
    this._pointers.delete(event.pointerId);
    if (!this._pointers.size) delete this._map.canvas.dataset.dragging;
    if (!pointer || this._dragged) return;
    const mouse = event.pointerType === "mouse";
    const thing = mouse ? this._under(event) : this._map.pick(event.clientX, event.clientY, FINGER);
    const point = this._pointOf(event);
    const group = this._map.groups.find(
      ({ x, y, radius }) => Math.hypot(x - point.x, y - point.y) <= radius + 3,
    );
    if (group && !this._map.figures) this._map.zoomBy(2.2, point);
    else this._map.onPick(thing, this._map.tileAt(event.clientX, event.clientY), event);
  }

  /** What the mouse is on: who walks is not lost at once. */
  _under({ clientX, clientY }) {
    const hovered = this._map.hovered;
    return this._map.pick(clientX, clientY) ?? (hovered && this._map.pick(clientX, clientY, HELD, hovered));
  }

  _hover(thing) {
    if (thing === this._map.hovered) return;
    this._map.hovered = thing;
    if (thing) this._map.canvas.dataset.over = thing.kind;
    else delete this._map.canvas.dataset.over;
    this._map.onHover(thing);
    this._map.touch();
  }

  _wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines));
    this._map.zoomBy(Math.exp(-delta * (event.ctrlKey ? 0.01 : 0.0022)), this._pointOf(event));
  }

  _key(event) {
    if (!this._map.keys || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow") && !this._map.locked) {
      this.held.add(event.key);
      this._map.touch();
    } else if (event.key === "+" || event.key === "=") this._map.zoomBy(1.35);
    else if (event.key === "-" || event.key === "_") this._map.zoomBy(1 / 1.35);
    else if (event.key === "0" && !this._map.locked) {
      this._map.follow(0);
      this._map.fit();
    } else if (event.key === "Escape" && this._map.following && !this._map.locked) this._map.follow(0);
    else return;
    event.preventDefault();
  }
}
