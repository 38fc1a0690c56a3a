/**
 * A WebSocket that carries lines of JSON and comes back by itself.
 *
 *   const wire = connect("/watch?realm=confluence", {
 *     line(message) {},            // one message of the server, parsed
 *     open() {},                   // each time the connection stands
 *     close(again, code, reason) {},  // each time it is lost; `again`: seconds until the next attempt, or null
 *     state(state) {},             // "connecting", "open", "waiting" or "closed", whenever that changes
 *   });
 *   wire.send({ t: "walk", sequence: 3, heading: 2 });   // false, and nothing sent, while it is not open
 *   wire.close();                  // for good
 *   wire.retry();                  // now, not after the pause
 *   wire.drop();                   // it counts as lost, whatever the socket thinks
 *   wire.state
 *
 * What a message of the WebSocket holds does not matter: lines are put together here, wherever they were cut.
 */

/** Why a server closes a connection, as far as it matters what one does then. */
export const CLOSED = Object.freeze({
  GOING_AWAY: 1001, // it stops, and perhaps starts again
  UNSUPPORTED: 1003,
  SAID_TOO_MUCH: 1008,
  FULL: 1013, // there is no place left
  NOT_HERE: 4404, // what was asked for does not exist
});

/** Seconds before the first attempts; every further one waits as long as the last. */
const PAUSES = [0.5, 1, 2, 4, 8, 15];

/** With these words of a server it is over: it would say them again. */
const FINAL = new Set([CLOSED.UNSUPPORTED, CLOSED.SAID_TOO_MUCH, CLOSED.NOT_HERE]);
/** Seconds before one asks again whether there is a place. */
const FULL_PAUSE = 30;

/** A connection that stood this long was a good one: the next loss begins with the shortest pause again. */
const GOOD_AFTER_MS = 5000;

/**
 * @typedef {"connecting" | "open" | "waiting" | "closed"} WireState
 * @typedef {{ t: string, [field: string]: any }} Message
 * @typedef {object} Handlers
 * @property {(message: Message) => void} line
 * @property {() => void} [open]
 * @property {(again: number | null, code: number, reason: string) => void} [close]
 * @property {(state: WireState) => void} [state]
 */

/**
 * Connect, and again whenever the connection is lost.
 * @param {string} path of this very server, beginning with a slash
 * @param {Handlers} handlers
 * @param {{ retry?: boolean }} [options] `retry`: whether to come back after a loss; true if left out
 */
export function connect(path, handlers, options = {}) {
  return new Wire(path, handlers, options.retry !== false);
}

/** See `connect`. */
export class Wire {
  /**
   * @param {string} path
   * @param {Handlers} handlers
   * @param {boolean} comesBack
   */
  constructor(path, handlers, comesBack) {
    /** @type {WireState} */
    this.state = "closed";
    this.path = path;
    this._handlers = handlers;
    this._comesBack = comesBack;
    this._losses = 0;
    this._timer = 0;
    /** @type {WebSocket | null} */
    this._socket = null;
    this._open();
  }

  /**
   * @param {object} message
   * @returns {boolean} whether it is on its way
   */
  send(message) {
    if (this.state !== "open" || !this._socket) return false;
    this._socket.send(JSON.stringify(message) + "\n");
    return true;
  }

  /** Close it for good. */
  close() {
    this._comesBack = false;
    clearTimeout(this._timer);
    const socket = this._socket;
    this._socket = null;
    if (socket) socket.close(1000);
    this._become("closed");
  }

  /** Try now instead of after the pause. */
  retry() {
    if (this.state !== "waiting") return;
    clearTimeout(this._timer);
    this._open();
  }

  /** The connection counts as lost, whatever its socket thinks: nothing came through it any more. */
  drop() {
    const socket = this._socket;
    if (!socket) return;
    socket.onclose?.(new CloseEvent("close"));
    socket.close();
  }

  _open() {
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const lines = new Lines();
    let since = 0;
    this._become("connecting");
    const socket = (this._socket = new WebSocket(url));
    socket.onopen = () => {
      if (socket !== this._socket) return;
      since = performance.now();
      this._become("open");
      this._handlers.open?.();
    };
    socket.onmessage = (event) => {
      if (typeof event.data !== "string") return;
      for (const message of lines.feed(event.data)) {
        if (socket !== this._socket) return; // a handler closed it
        this._handlers.line(message);
      }
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this._socket) return;
      this._socket = null;
      if (since && performance.now() - since > GOOD_AFTER_MS) this._losses = 0;
      if (!this._comesBack || FINAL.has(code)) {
        this._become("closed");
        this._handlers.close?.(null, code, reason);
        return;
      }
      const full = code === CLOSED.FULL;
      const pause = full ? FULL_PAUSE : PAUSES[Math.min(this._losses++, PAUSES.length - 1)];
      const again = pause * (0.8 + 0.4 * Math.random()); // a restart must not bring all viewers back at once
      this._timer = setTimeout(() => this._open(), again * 1000);
      this._become("waiting");
      this._handlers.close?.(again, code, reason);
    };
  }

  /** @param {WireState} state */
  _become(state) {
    if (state === this.state) return;
    this.state = state;
    this._handlers.state?.(state);
  }
}

/** Puts lines together and parses them; one that is no message is passed over. */
export class Lines {
  constructor() {
    this._rest = "";
  }

  /**
   * @param {string} text
   * @returns {Message[]} the messages that are complete with it
   */
  feed(text) {
    const lines = (this._rest + text).split("\n");
    this._rest = lines.pop() ?? "";
    const messages = [];
    for (const line of lines) {
      if (!line.trim()) continue;
      try {
        const message = JSON.parse(line);
        if (message && typeof message.t === "string") messages.push(message);
      } catch {
        // The server is the only one who writes here: a line that cannot be read is a fault of its own.
        console.warn("not a line of JSON", line.slice(0, 80));
      }
    }
    return messages;
  }
}
