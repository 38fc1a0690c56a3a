/**
 * What this browser remembers of how somebody likes to play. Never a password.
 *
 * @module
 */

const KEY = "causeway.play";

const DEFAULTS = Object.freeze({
  /** Serial of the character that was played last. */
  character: 0,
  /** Go at a run without holding a key. */
  run: false,
  /** Buttons to walk with, on the screen: "auto" where fingers point. */
  pad: "auto",
  /** Larger letters in the chat. */
  large: false,
  /** Sounds of fights. */
  sound: false,
});

/** The settings; changes are written at once, and lost where the browser keeps nothing. */
export class Settings {
  /** @param {Storage | null} storage */
  constructor(storage = browserStorage()) {
    this._storage = storage;
    this._values = { ...DEFAULTS };
    try {
      const kept = JSON.parse(storage?.getItem(KEY) ?? "{}");
      for (const name of Object.keys(DEFAULTS)) {
        if (typeof kept?.[name] === typeof DEFAULTS[name]) this._values[name] = kept[name];
      }
    } catch {
      // What is kept there is not ours: begin anew.
    }
  }

  get(name) {
    return this._values[name];
  }

  set(name, value) {
    this._values[name] = value;
    try {
      this._storage?.setItem(KEY, JSON.stringify(this._values));
    } catch {
      // It is full, or private: then it is forgotten.
    }
  }
}

function browserStorage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
