/**
 * Figures as pictures, for a map that shows thousands of them sixty times a second.
 *
 *   const sprites = new Sprites();
 *   sprites.begin(now)                  // a new frame
 *   sprites.draw(context, look, heading, pose, dead, x, y, tile)   // each figure is drawn once, and kept
 *   sprites.drawBase(context, game, x, y, tile), sprites.drawMark(context, game, x, y, radius)
 *   sprites.late                        // whether something of this frame has to be drawn again
 */

import { BOX, drawFigure } from "./figures.js";
import { drawShape } from "./games.js";

/** @typedef {import("./games.js").Game} Game */

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
