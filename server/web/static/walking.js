/**
 * How one's own figure goes: at once, ahead of the server's word, and along a way to a place. Knows no
 * page, no socket and no clock: `now` is in milliseconds and comes in.
 *
 * Whoever waited for the answer to each step would see their own figure lag by the whole way to the server
 * and back. So it goes as soon as the key is down, and `ahead` holds the steps that are not answered yet:
 * each answer takes the first of them.
 *
 * The server takes one step per pace whatever is sent, answers each with `walked`, and says where one
 * stands. A step that it refuses, or that leads elsewhere, makes everything that was shown ahead of it
 * void. It takes no further step then, nor after it has put somebody elsewhere, before one with the number
 * 0.
 *
 * @module
 */

/** (dx, dy) of one step, by heading: 0 is north, clockwise. */
export const OFFSETS = [
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
];

/** Steps that may be on their way to the server. */
export const MOST_AHEAD = 3;

/** Milliseconds by which a frame may be late and the next step still follows the last without a pause. */
const SLACK_MS = 100;

/** Milliseconds after which a step that was not answered is not waited for any more. */
const DEAF_MS = 4000;

/** The highest number of a step; 1 follows. */
const HIGHEST = 0xffff;

/** How often a way is looked for anew before one gives up. */
const MOST_DETOURS = 4;

/**
 * The heading that best points along (dx, dy); -1 for (0, 0).
 *
 * @param {number} dx
 * @param {number} dy
 * @returns {number}
 */
export function headingTowards(dx, dy) {
  if (dx === 0 && dy === 0) return -1;
  return (Math.round((Math.atan2(dx, -dy) / Math.PI) * 4) + 8) % 8;
}

/** One's own figure, as far as it goes somewhere. */
export class Walker {
  /**
   * @param {{walk: number, run: number}} pace milliseconds of one step
   * @param {(x: number, y: number) => boolean} free whether the ground lets somebody stand there
   */
  constructor(pace, free) {
    this.pace = pace;
    this.free = free;
    this.x = 0;
    this.y = 0;
    this.heading = 4;
    /** Whether its place is known at all. */
    this.placed = false;
    /** Steps that the server has not answered. */
    this.ahead = [];
    /** Where the server had it last. */
    this.sure = { x: 0, y: 0, heading: 4 };
    this._sequence = 0;
    this._next = 0;
  }

  /** Stand there, whatever was under way; the steps count anew. */
  place(x, y, heading = this.heading) {
    Object.assign(this, { x, y, heading, placed: true, ahead: [], sure: { x, y, heading }, _sequence: 0 });
  }

  /** The place is not known until the next `place`: another realm, another connection. */
  lose() {
    this.placed = false;
    this.ahead = [];
    this._sequence = 0;
  }

  /**
   * The server forgot the steps it has not answered: stand where it had one last.
   *
   * @returns {boolean} whether that is elsewhere than shown
   */
  forget() {
    const { x, y, heading } = this.sure;
    return this._correct(x, y, heading);
  }

  /** Whether an answer is overdue. */
  unanswered(now) {
    return this.ahead.length > 0 && now - this.ahead[0].at > DEAF_MS;
  }

  /** Whether a step from where it stands can be tried. A diagonal needs both tiles beside it, too. */
  canStep(heading) {
    const [dx, dy] = OFFSETS[heading];
    const { x, y, free } = this;
    return free(x + dx, y + dy) && (!dx || !dy || (free(x + dx, y) && free(x, y + dy)));
  }

  /** Whether the next step is due. */
  ready(now) {
    return this.placed && now >= this._next && this.ahead.length < MOST_AHEAD;
  }

  /** Something was in the way: try nothing for a moment. */
  rest(until) {
    this._next = Math.max(this._next, until);
  }

  /** Whether a step is being shown or waits for its answer. */
  moving(now) {
    return this.ahead.length > 0 || now < this._next;
  }

  /**
   * Take a step.
   *
   * @param {number} heading
   * @param {boolean} run
   * @param {number} now
   * @returns {{message: object, x: number, y: number, heading: number, ms: number} | null} what to send,
   *   where the
   *   figure goes and in which time; null if it is not due or the ground is in the way
   */
  step(heading, run, now) {
    if (!this.ready(now) || !this.canStep(heading)) return null;
    const pace = run ? this.pace.run : this.pace.walk;
    const start = now - this._next <= SLACK_MS ? this._next : now;
    this._next = start + pace;
    const [dx, dy] = OFFSETS[heading];
    Object.assign(this, { x: this.x + dx, y: this.y + dy, heading });
    const { x, y, _sequence: sequence } = this;
    this._sequence = sequence < HIGHEST ? sequence + 1 : 1;
    this.ahead.push({ sequence, x, y, at: now });
    const message = { t: "walk", sequence, heading };
    if (run) message.run = true;
    return { message, x, y, heading, ms: Math.max(this._next - now, 1) };
  }

  /**
   * Hear the server's answer to a step.
   *
   * @param {{sequence: number, x: number, y: number, heading: number, ok?: boolean}} walked
   * @returns {boolean} whether the figure stands elsewhere than shown, and has been put there
   */
  answered(walked) {
    const { x, y, heading } = walked;
    const index = this.ahead.findIndex((step) => step.sequence === walked.sequence);
    if (walked.ok === false) {
      // A step from before the last refusal: that one said already where it stands.
      if (index < 0 && this.ahead.length > 0) return false;
      return this._correct(x, y, heading);
    }
    if (index < 0) return this.ahead.length === 0 && this._correct(x, y, heading);
    const step = this.ahead[index];
    this.ahead.splice(0, index + 1);
    this.sure = { x, y, heading };
    return (step.x !== x || step.y !== y) && this._correct(x, y, heading);
  }

  _correct(x, y, heading) {
    const elsewhere = this.x !== x || this.y !== y;
    this.place(x, y, heading);
    return elsewhere;
  }
}

/** A way to a tile, taken step by step and looked for anew when something is in the way. */
export class Route {
  /**
   * @param {{x: number, y: number}} goal
   * @param {(from: {x: number, y: number}, goal: {x: number, y: number}) => number[]} find find a way: its
   *   headings,
   *   as near to the goal as there is one
   * @param {{run?: boolean, within?: number, arrived?: () => void}} [wish] `within`: how near is near enough
   */
  constructor(goal, find, wish = {}) {
    this.goal = goal;
    this.run = wish.run ?? false;
    this.within = wish.within ?? 0;
    this.arrived = wish.arrived ?? null;
    this._find = find;
    this._way = null;
    this._at = { x: 0, y: 0 };
    this._detours = 0;
  }

  /** It is there; what was to be done there is done once, though the way may go on. */
  reached() {
    const { arrived } = this;
    this.arrived = null;
    arrived?.();
  }

  /** Somebody was put elsewhere than he went: the way does not hold. */
  replan() {
    this._way = null;
    this._detours += 1;
  }

  /** The goal is elsewhere now. */
  lead(goal) {
    if (goal.x === this.goal.x && goal.y === this.goal.y) return;
    this.goal = goal;
    this._way = null;
    this._detours = 0;
  }

  /** Whether (x, y) is where it leads to. */
  isThere(x, y) {
    return Math.max(Math.abs(x - this.goal.x), Math.abs(y - this.goal.y)) <= this.within;
  }

  /**
   * The heading of the next step, which counts as taken with `took`.
   *
   * @param {{x: number, y: number}} at where one stands
   * @returns {number | "there" | "lost"} "lost": there is no nearer place, or too much was in the way
   */
  next(at) {
    if (this.isThere(at.x, at.y)) return "there";
    if (this._way === null || this._at.x !== at.x || this._at.y !== at.y) {
      if (this._detours > MOST_DETOURS) return "lost";
      this._way = [...this._find({ x: at.x, y: at.y }, this.goal)];
      this._at = { x: at.x, y: at.y };
    }
    return this._way.length > 0 ? this._way[0] : "lost";
  }

  /** The step that `next` told was taken. */
  took() {
    const [dx, dy] = OFFSETS[this._way.shift()];
    this._at = { x: this._at.x + dx, y: this._at.y + dy };
  }
}

/**
 * Where held keys lead, with what the ground allows: along a wall if it is met at a slant.
 *
 * @param {Walker} walker
 * @param {number} heading
 * @returns {number} -1 if nowhere
 */
export function along(walker, heading) {
  if (walker.canStep(heading)) return heading;
  if (heading % 2 === 1) {
    for (const beside of [(heading + 7) % 8, (heading + 1) % 8]) if (walker.canStep(beside)) return beside;
  }
  return -1;
}
