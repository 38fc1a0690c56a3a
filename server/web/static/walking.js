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

/** Milliseconds after which the answer to a step or to the question for a way is not waited for any more. */
const DEAF_MS = 4000;

/** The highest number of a step; 1 follows. */
const HIGHEST = 0xffff;

/** How often a way is asked for anew before one gives up. */
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

/**
 * A way to a tile, taken step by step. The server finds it, so it is asked for and waited for, and again when
 * something is in the way or the goal moves on; meanwhile the old one is gone on with, as long as it lasts.
 */
export class Route {
  /**
   * @param {{x: number, y: number}} goal
   * @param {(from: {x: number, y: number}, goal: {x: number, y: number}, within: number) => void} ask ask for
   *   a way; `found` hears the answer
   * @param {{run?: boolean, within?: number, arrived?: () => void}} [wish] `within`: how near is near enough
   */
  constructor(goal, ask, wish = {}) {
    this.goal = goal;
    this.run = wish.run ?? false;
    this.within = wish.within ?? 0;
    this.arrived = wish.arrived ?? null;
    this._ask = ask;
    /** What was asked, and when; null once it is answered. */
    this._asked = null;
    /** The last answer, until the next step is asked for. */
    this._answer = null;
    /** The headings that are left, from where, to which goal, and whether they lead to it. */
    this._way = null;
    this._at = { x: 0, y: 0 };
    this._end = goal;
    this._leads = false;
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
    this._way = this._asked = this._answer = null;
    this._detours += 1;
  }

  /** The goal is elsewhere now. */
  lead(goal) {
    if (same(goal, this.goal)) return;
    this.goal = goal;
    this._detours = 0;
  }

  /** Whether (x, y) is where it leads to. */
  isThere(x, y) {
    return Math.max(Math.abs(x - this.goal.x), Math.abs(y - this.goal.y)) <= this.within;
  }

  /**
   * The server's answer, if it is to what was asked last.
   *
   * @param {{x: number, y: number, to_x: number, to_y: number, headings: number[], ok?: boolean}} answer
   */
  found(answer) {
    const { _asked: asked } = this;
    const goal = { x: answer.to_x, y: answer.to_y };
    if (!asked || !same(asked.from, answer) || !same(asked.goal, goal)) return;
    this._asked = null;
    this._answer = { ...answer, goal };
  }

  /**
   * The heading of the next step, which counts as taken with `took`.
   *
   * @param {{x: number, y: number}} at where one stands
   * @param {number} now
   * @returns {number | "there" | "lost" | "wait"} "lost": there is no nearer place, too much was in the way,
   *   or the server does not answer; "wait": it has not answered yet
   */
  next(at, now) {
    this._begin(at);
    const holds = this._way !== null && same(this._at, at);
    const left = holds && this._way.length > 0;
    const there = this.isThere(at.x, at.y);
    if (holds && same(this._end, this.goal)) {
      if (left) return this._way[0];
      return there || this._leads ? "there" : "lost";
    }
    if (there) return "there";
    if (this._asked && now - this._asked.at > DEAF_MS) {
      this._asked = null;
      this._detours += 1;
    }
    if (!this._asked) {
      if (this._detours > MOST_DETOURS) return "lost";
      this._asked = { from: { x: at.x, y: at.y }, goal: this.goal, at: now };
      this._ask(this._asked.from, this.goal, this.within);
    }
    return left ? this._way[0] : "wait";
  }

  /** Take over the way that was found, if it leads by where one stands now. */
  _begin(at) {
    const { _answer: answer } = this;
    this._answer = null;
    if (!answer) return;
    const way = [...answer.headings];
    let { x, y } = answer;
    while (!same({ x, y }, at)) {
      if (way.length === 0) return;
      const [dx, dy] = OFFSETS[way.shift()];
      [x, y] = [x + dx, y + dy];
    }
    this._way = way;
    this._at = { x, y };
    this._end = answer.goal;
    this._leads = answer.ok ?? true;
  }

  /** The step that `next` told was taken. */
  took() {
    const [dx, dy] = OFFSETS[this._way.shift()];
    this._at = { x: this._at.x + dx, y: this._at.y + dy };
  }
}

function same(a, b) {
  return a.x === b.x && a.y === b.y;
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
