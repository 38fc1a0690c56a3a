/**
 * Playing in the browser: from the press of a button to the world and back, and the connection for it.
 *
 * A connection ends for many reasons, and what is to be done differs: the server restarts, the network
 * fails, somebody else logged in, one was sent away. So one object holds where one is on the way in (an
 * account, its characters, one of them in the world), and a connection that is lost is looked for without
 * leaving the world; only if that takes too long, or the server said farewell, one is back in the menu. One
 * request waits for its answer; a later one takes its place, and the first fails.
 *
 * Who somebody is says a cookie, which the server looks at when the connection comes (see signup.js); no
 * password is sent over it or kept anywhere.
 *
 * @module
 */

import { accountNote } from "./dialogs.js";
import { Game } from "./game.js";
import { Menu } from "./menu.js";
import { makeAccount, suggestName } from "./names.js";
import { Settings } from "./settings.js";
import { Refused, changePassword, logIn, logOut, register, session } from "./signup.js";
import { CLOSED, connect } from "./wire.js";

const PING_MS = 20_000;
/** How long the answer to a ping may take before the connection counts as lost. */
const DEAF_MS = 50_000;
/** How long a lost connection is looked for, and how long the first one. */
const RESUME_MS = 60_000;
const CONNECT_MS = 12_000;
const LOST = "The connection is lost. Trying again …";
/** How often a made-up name that is taken is replaced by another. */
const MOST_NAMES = 5;
/** Where the panel is a sheet over the map; as in narrow.css. */
const PHONE = "(max-width: 760px)";
/** Under this key this tab remembers which character it plays, for when the page is loaded anew. */
const PLAYING = "causeway.playing";

/** What is answered by which message, when it is not refused. */
const ANSWERS = {
  create: "characters",
  delete: "characters",
  list: "characters",
  enter: "entered",
  leave: "characters",
};

let play = null;

/** Put the play mode into the page; see page.js for what it gets. */
export function mount(page) {
  play = new Play(page);
  if (play.wasPlaying) play.start();
}

/** Somebody wants to play. */
export function start() {
  play.start();
}

class Play {
  constructor(page) {
    this._page = page;
    this.settings = new Settings();
    this.game = new Game(page, this.settings, {
      send: (message) => this._send(message),
      leave: () => this._leave(),
    });
    this.menu = new Menu({
      tryOut: (name, suggested) => this._tryOut(name, suggested),
      logIn: (account, password) => this._with(logIn(account, password)),
      register: (account, password) => this._with(register(account, password)),
      create: (wish) => this._create(wish),
      remove: (id) => this._ask({ t: "delete", id }).then(() => this._choose()),
      enter: (id) => this._enter(id),
      logOut: () => this._logOut(),
      password: (old, made) => this._with(changePassword(old, made)),
      back: () => this._back(),
      again: () => this.start(),
    });
    page.room.append(this.menu.node, this.game.room.node);
    page.hud.append(this.game.hudNode);
    this._wire = null;
    this._account = "";
    this._limit = 1;
    this._characters = [];
    this._waiting = null;
    this._resume = null;
    this._attempt = null;
    this._starting = false;
    this._made = false;
    this._heardAt = 0;
    this._pinged = 0;
    this._farewell = ""; // what the server said before it closed the connection
  }

  /** The character this tab played before the page was loaded anew; 0 for none. */
  get wasPlaying() {
    try {
      return Number(sessionStorage.getItem(PLAYING)) || 0;
    } catch {
      return 0;
    }
  }

  /** The way in. */
  async start() {
    const { _page: page } = this;
    if (this.game.on || this._starting) {
      page.selectTab("play");
      return;
    }
    this._starting = true;
    const attempt = (this._attempt = {});
    try {
      this._form("login");
      this.menu.wait("One moment …");
      const who = await session();
      if (!who.account) {
        this._remember(0);
        this._welcome(who);
        return;
      }
      await this._connect();
      const before = this._characters.find((one) => one.id === this.wasPlaying);
      if (before) await this._enter(before.id);
      else this._choose();
    } catch (error) {
      if (attempt !== this._attempt) return; // somebody did not want to wait for it
      this._remember(0);
      this._disconnect();
      this.menu.over("That did not work", error.message);
    } finally {
      if (attempt === this._attempt) this._starting = false;
    }
  }

  // Forms

  _form(mode) {
    const { _page: page } = this;
    page.setMode(mode);
    page.selectTab("play");
    page.openSheet?.(true);
    this._shown(true);
  }

  /** The button that starts it all has no place beside what it started. */
  _shown(shown) {
    const begin = document.getElementById("play-start");
    if (begin) begin.hidden = shown;
  }

  _welcome(who, fault = "") {
    this._form("login");
    this.menu.welcome(who);
    this.menu.fault(fault);
  }

  _choose(fault = "") {
    this._form("menu");
    this.menu.characters(this._account, this._characters, this._limit, this.settings.get("character"));
    if (fault) this.menu.fault(fault);
  }

  _back() {
    this._attempt = null;
    this._starting = false;
    this._disconnect();
    this.menu.hide();
    this._shown(false);
    this._page.setMode("watch");
    this._page.selectTab("world");
    document.getElementById("play-now")?.focus();
  }

  async _with(request) {
    await request;
    await this._connect();
    this._choose();
  }

  async _tryOut(name, suggested) {
    // If something went wrong after it was made, it is there already.
    if (!this._made || !(await session()).account) {
      const folded = matchMedia(PHONE).matches;
      const note = accountNote(await this._makeAccount(), { folded });
      this._made = true;
      // Where it is in nobody's way: beside the map, or over it where the panel would cover the map.
      if (folded) this._page.hud.append(note);
      else this._page.room.prepend(note);
    }
    await this._connect();
    let wish = name;
    for (let tries = 1; ; tries += 1) {
      try {
        await this._ask({ t: "create", character: wish, ...looks() });
        break;
      } catch (error) {
        if (error.why !== "exists" || !suggested || tries >= MOST_NAMES) {
          this._choose(error.message);
          return;
        }
        wish = suggestName();
      }
    }
    await this._enter(this._characters.at(-1).id);
  }

  async _makeAccount() {
    for (let tries = 1; ; tries += 1) {
      const made = makeAccount();
      try {
        await register(made.account, made.password);
        return made;
      } catch (error) {
        if (error.why !== "exists" || tries >= MOST_NAMES) throw error;
      }
    }
  }

  async _create(wish) {
    await this._ask({ t: "create", ...wish });
    this._choose();
  }

  async _enter(id) {
    const entered = await this._ask({ t: "enter", id });
    this._began(entered);
  }

  _began(entered) {
    this.settings.set("character", entered.id);
    this._remember(entered.id);
    this._resume = null;
    this.menu.hide();
    this._shown(true);
    this._page.setMode("play");
    this._page.selectTab("play");
    this._page.openSheet?.(false);
  }

  async _leave() {
    this._remember(0);
    try {
      await this._ask({ t: "leave" });
      this._choose();
    } catch {
      this.start();
    }
  }

  async _logOut() {
    this._made = false;
    this._disconnect();
    try {
      await logOut();
      this._welcome(await session());
    } catch (error) {
      this.menu.fault(error.message);
    }
  }

  _remember(id) {
    try {
      if (id) sessionStorage.setItem(PLAYING, String(id));
      else sessionStorage.removeItem(PLAYING);
    } catch {
      // Then the page, loaded anew, begins with the menu.
    }
  }

  // The connection

  _send(message) {
    return this._wire?.send(message) ?? false;
  }

  /** Send a request and wait for its answer. Fails with what to tell people. */
  _ask(message) {
    return new Promise((resolve, reject) => {
      this._settle(new Refused("unavailable", "Something else came first."));
      this._waiting = { t: message.t, answer: ANSWERS[message.t], resolve, reject };
      if (message.t !== "connect" && !this._send(message)) {
        this._settle(new Refused("unavailable", "There is no connection to the server."));
      }
    });
  }

  _settle(error, answer) {
    const { _waiting: waiting } = this;
    this._waiting = null;
    if (error) waiting?.reject(error);
    else waiting?.resolve(answer);
  }

  /** Connect as who is logged in; done when the characters are known. */
  _connect() {
    this._disconnect();
    const done = this._ask({ t: "connect" });
    this._waiting.answer = "characters";
    const until = performance.now() + CONNECT_MS;
    this._wire = connect("/play", {
      line: (message) => this._line(message),
      open: () => this._open(),
      close: (again, code) => this._closed(again, code, until),
    });
    this._ticking = setInterval(() => this._tick(), PING_MS / 4);
    return done;
  }

  _disconnect() {
    clearInterval(this._ticking);
    this._resume = null;
    const { _wire: wire } = this;
    this._wire = null;
    wire?.close();
    this.game.end();
    this._settle(new Refused("unavailable", "The connection was closed."));
  }

  async _open() {
    this._heardAt = this._pinged = performance.now();
    if (!this._resume) return;
    const { _wire: wire } = this;
    try {
      const who = await session();
      if (wire !== this._wire || who.account) return;
      this._disconnect();
      this._remember(0);
      this._welcome(who, "The server does not know you any more. Please log in again.");
    } catch {
      // It is lost again, then; or it is not, and the characters come.
    }
  }

  /** Somebody who was sent away stays away: two pages with one account would throw each other out for ever. */
  _closed(again, code, until) {
    const stops = code === CLOSED.GOING_AWAY;
    const farewell = stops ? "" : this._farewell;
    this._farewell = "";
    if (farewell) this._sentAway(farewell);
    else if (again === null) this._sentAway("The server closed the connection.");
    else if (code === CLOSED.FULL)
      this._giveUp("So many are playing that there is no place left. Try again in a while.");
    else this._lost(until, stops ? "The server is being restarted. Waiting for it …" : LOST);
  }

  _lost(until, text) {
    const now = performance.now();
    if (this._waiting?.t === "connect") {
      if (now > until) this._giveUp("The server cannot be reached. Try again in a moment.");
      return;
    }
    this._settle(new Refused("unavailable", "The connection was lost."));
    this._resume ??= { id: this.game.id, until: now + RESUME_MS, text };
    if (now > this._resume.until) {
      this._giveUp("The connection was lost, and did not come back within a minute.");
      return;
    }
    if (this.game.on) this.game.lost(this._resume.text);
    else this.menu.wait(this._resume.text);
  }

  _giveUp(text) {
    this._over("No connection", text);
  }

  /** The server has ended it, and said why. */
  _sentAway(text) {
    this._remember(0);
    this._over("You are out of the world", text);
  }

  _over(title, text) {
    const asked = this._waiting !== null && !this._resume; // who asked tells it
    this._settle(new Refused("unavailable", text));
    this._disconnect();
    if (asked) return;
    this._form("login");
    this.menu.over(title, text);
  }

  _tick() {
    const now = performance.now();
    if (this._wire?.state !== "open") return;
    if (now - this._heardAt > DEAF_MS) {
      this._wire.drop(); // it stands, but nothing comes through
    } else if (now - this._pinged >= PING_MS) {
      this._pinged = now;
      this._send({ t: "ping" });
    }
  }

  _line(message) {
    this._heardAt = performance.now();
    const { _waiting: waiting } = this;
    switch (message.t) {
      case "account":
        this._account = message.account;
        this._limit = message.limit;
        this.game.chat.setGestures(message.gestures ?? []);
        return;
      case "characters":
        this._characters = message.characters;
        if (this._resume) this._resumed();
        else if (waiting?.answer === "characters") this._settle(null, message);
        return;
      case "entered":
        this.game.begin(message);
        if (waiting?.answer === "entered") this._settle(null, message);
        else this._began(message);
        return;
      case "left":
        this._remember(0);
        this.game.end();
        return;
      case "denied":
        this._denied(message);
        return;
      case "goodbye":
        this._farewell = message.text;
        return;
      case "welcome":
      case "pong":
        return;
      default:
        if (this.game.on) this.game.take(message);
    }
  }

  _denied(message) {
    const { _waiting: waiting } = this;
    const refused = new Refused(message.why, message.text);
    if (["ticket", "login", "register"].includes(message.to)) {
      this._settle(refused);
      this._disconnect();
      this._remember(0);
      session()
        .then((who) => this._welcome(who, message.text))
        .catch((error) => this.menu.over("That did not work", error.message));
    } else if (waiting && (!message.to || waiting.t === message.to)) this._settle(refused);
    else if (this.game.on) this.game.take(message);
    else this.menu.fault(message.text);
  }

  /** The connection is back, and the characters are known: go on as before. */
  async _resumed() {
    const { id } = this._resume;
    if (!id) {
      this._resume = null;
      this._choose();
      return;
    }
    try {
      await this._enter(id);
      this.game.chat.note("The connection is back.");
    } catch (error) {
      if (!this._wire || this._wire.state !== "open") return; // lost again
      this._resume = null;
      this.game.end();
      this._choose(error.message);
    }
  }
}

/** A look for somebody who did not choose one. */
function looks() {
  const one = (list) => list[Math.floor(Math.random() * list.length)];
  return {
    female: Math.random() < 0.5,
    hair: 1 + Math.floor(Math.random() * 9),
    hair_hue: one([1119, 1124, 1109, 1129, 1134]),
    skin_hue: one([1002, 1009, 1017, 1025, 1033, 1045]),
  };
}
