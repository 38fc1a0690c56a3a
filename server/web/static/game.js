/**
 * The world in first person: one's own figure on the map, and everything one hears, sees and has.
 *
 * @module
 */

import { Chat } from "./chat.js";
import { Controls } from "./controls.js";
import { Dialogs } from "./dialogs.js";
import { Banner, Bars, Card, Near } from "./hud.js";
import { el } from "./nodes.js";
import { Pack } from "./pack.js";
import { findPath, loadRealm } from "./realm.js";
import { Room } from "./room.js";
import { Route, Walker, along, headingTowards } from "./walking.js";
import { whereabouts } from "./words.js";
import { World } from "./world.js";

/** Tiles that hands reach. */
const REACH = 2;
/** Tiles at which one who follows stops. */
const BESIDE = 1;
/** Lines of the list of who is near. */
const MOST_NEAR = 15;
const NEAR_EVERY_MS = 500;
/** Milliseconds in which the figure slides back to where the server says it is, and how far it slides. */
const BACK_MS = 150;
const FARTHEST_BACK = 3;
/** CSS pixels of a tile at the beginning. */
const ZOOM = 36;
/** Things that one opens where they stand, rather than takes. */
const OPENED = new Set(["box"]);
const GHOST = "You are a ghost. Go to a healer, who will offer to bring you back to life.";

/** One character's stay in the world. */
export class Game {
  /**
   * @param {object} page see page.js
   * @param {import("./settings.js").Settings} settings
   * @param {{send: (message: object) => boolean, leave: () => void}} does
   */
  constructor(page, settings, does) {
    this._page = page;
    this._canvas = page.map.canvas;
    this._settings = settings;
    this._does = does;
    this.world = new World();
    this.id = 0;
    this.realm = null;
    this.walker = null;
    this.route = null;
    this._follows = 0;
    this._frame = 0;
    this._nearAt = 0;
    const send = (message) => does.send(message);
    this.chat = new Chat({ send, look: (name) => this._lookByName(name), done: () => this._toMap() });
    this.pack = new Pack(send);
    this.dialogs = new Dialogs((serial, number) => send({ t: "answer", serial, button: number }));
    this.bars = new Bars();
    this.banner = new Banner();
    this.card = new Card(() => this._toMap());
    this.near = new Near((id) => this.look(id));
    this.controls = new Controls({
      on: () => this.id !== 0,
      turn: (heading) => this._turn(heading),
      sit: () => send({ t: "sit" }),
      talk: (begin) => this._talk(begin),
      stop: () => this._stop(),
      run: (run) => this.room.set("run", run),
    });
    this.hudNode = el(
      "div",
      { id: "play-hud", hidden: true },
      this.bars.node,
      this.banner.node,
      this.card.node,
      this.chat.node,
      this.controls.pad,
    );
    const parts = { near: this.near.node, pack: this.pack.node, sheet: this.bars.details };
    this.room = new Room(settings, parts, {
      leave: () => does.leave(),
      changed: () => this._applySettings(),
    });
    this.world.listen((message) => this._heard(message));
  }

  /** Whether somebody is in the world. */
  get on() {
    return this.id !== 0;
  }

  /** The character stands in the world. */
  begin(entered) {
    const again = this.id === entered.id;
    this.id = entered.id;
    this.world.clear();
    this.world.apply(entered);
    this.realm = null;
    this.walker = new Walker(
      { walk: entered.walk_ms, run: entered.run_ms },
      (x, y) => this.realm?.walkable(x, y) ?? false,
    );
    this._stopGoing();
    this.dialogs.clear();
    this.pack.clear();
    this.banner.clear();
    this.card.close();
    this.bars.name(entered.name);
    if (!again) this.chat.clear();
    this.hudNode.hidden = this.room.node.hidden = false;
    // Its keys walk now: programs that read the screen leave them to the page.
    this._canvas.setAttribute("role", "application");
    this._canvas.setAttribute("aria-describedby", "play-help");
    this.room.show();
    this._applySettings();
    const { map } = this._page;
    this._page.show(this.world);
    Object.assign(map, {
      locked: true,
      sight: entered.sight,
      target: null,
      onPick: (...picked) => this._pick(...picked),
    });
    map.follow(this.id);
    if (!again) {
      map.zoomTo(ZOOM);
      const touched = matchMedia("(pointer: coarse)").matches;
      const how = touched
        ? "Tap where you want to go."
        : "Walk with the arrow keys or click where you want to go; Enter talks.";
      this.chat.note(`You are ${entered.name}. ${how}`);
      this._toMap();
    }
    if (!this._frame) this._frame = requestAnimationFrame((now) => this._run(now));
  }

  /** The character is out of the world. */
  end() {
    if (!this.on) return;
    this.id = 0;
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    this._stopGoing();
    this.controls.release();
    this.dialogs.clear();
    this.card.close();
    this.banner.clear();
    this.hudNode.hidden = this.room.node.hidden = true;
    delete document.body.dataset.ghost;
    this._canvas.setAttribute("role", "img");
    this._canvas.setAttribute("aria-describedby", "map-help");
    const { map } = this._page;
    Object.assign(map, { locked: false, sight: 0, target: null });
    map.follow(0);
    this._page.show(null);
  }

  /** The connection is lost, and perhaps comes back: "" for nothing of that kind. */
  lost(text) {
    this.banner.set("link", text);
    if (!text) return;
    this._stopGoing();
    this.controls.release();
    this.walker?.lose();
  }

  /** Something the server says to one who is in the world. */
  take(message) {
    const own = message.id === this.id;
    switch (message.t) {
      case "move":
        if (own && this._expects(message)) return;
        break;
      case "turned":
        if (own && this.walker.forget()) this._slideBack();
        break;
      case "walked":
        this._walked(message);
        return;
      case "denied":
        this.chat.note(message.text);
        return;
      case "sheet":
        this.bars.sheet(message);
        return;
      case "belongings":
        this.pack.belongings(message.things);
        return;
      case "content":
        this.pack.content(message);
        this._page.selectTab("play");
        this._page.openSheet(true);
        return;
      case "seen":
        this.card.seen(message);
        return;
      case "ask":
        this._stopGoing();
        this.controls.release();
        this.dialogs.ask(message);
        return;
      case "close":
        this.dialogs.close(message.serial);
        return;
      default:
    }
    this.world.apply(message);
  }

  /** Look at somebody or something. */
  look(id) {
    const thing = this.world.things.get(id);
    if (!thing) return;
    this._does.send({ t: "look", id });
    this.card.open(thing, this._actions(thing));
  }

  // What was heard of the world, after the model has it

  _heard(message) {
    const { id } = message;
    switch (message.t) {
      case "realm":
        this._enterRealm(message);
        return;
      case "say":
        this.chat.said(message);
        return;
      case "gestured":
        this.chat.gestured(this.world.things.get(id)?.name ?? "Somebody", message.gesture);
        return;
      case "hide":
        if (id === this.card.id) this.card.close();
        if (id === this._follows) this._stopGoing();
        this.pack.close(id);
        return;
      default:
    }
    if (id === this.id && this.id) this._own(message);
  }

  /** Something about oneself. */
  _own(message) {
    const me = this.world.things.get(this.id);
    if (!me) return;
    if (message.t === "show" || message.t === "place" || message.t === "move") {
      const { walker } = this;
      const behind = Math.max(Math.abs(me.x - walker.x), Math.abs(me.y - walker.y));
      if (message.t === "show" && walker.ahead.length > 0 && behind <= walker.ahead.length) {
        // It shows where the server has one: the steps on their way there still count.
        this.world.put(this.id, walker.x, walker.y, walker.heading);
      } else {
        walker.place(me.x, me.y, me.heading);
        // Who was taken somewhere else wanted to get there, or nowhere.
        if (behind > 1) this._stopGoing();
        else this.route?.replan();
      }
    } else if (message.t === "turned") {
      this.walker.heading = me.heading;
    }
    this.banner.set("ghost", me.dead ? GHOST : "");
    if (me.dead) document.body.dataset.ghost = "";
    else delete document.body.dataset.ghost;
    this.bars.place(this.world.realm?.title, me.x, me.y);
  }

  async _enterRealm({ name, title }) {
    this.realm = null;
    this.walker.lose();
    this._stopGoing();
    this.card.close();
    this.pack.closeAll();
    this._page.announce(title);
    try {
      const realm = await loadRealm(name);
      if (this.on && this.world.realm?.name === name) this.realm = realm;
    } catch {
      this.chat.note("The picture of this place did not arrive: you cannot walk here. Load the page anew.");
    }
  }

  // Going

  _run(now) {
    this._frame = requestAnimationFrame((next) => this._run(next));
    if (this.walker.unanswered(now) && this.walker.forget()) this._slideBack();
    if (this.walker.ready(now) && this.realm) this._go(now);
    if (now >= this._nearAt) {
      this._nearAt = now + NEAR_EVERY_MS;
      this.near.show(this._whoIsNear());
    }
  }

  _go(now) {
    const { controls, walker } = this;
    const { held } = controls;
    const heading = controls.heading(now, walker.moving(now - 50));
    const run = this._settings.get("run") !== controls.shift;
    if (held) {
      this._stopGoing();
      if (heading < 0) return;
      const free = along(walker, heading);
      if (free >= 0) this._step(free, run, now);
      else if (walker.heading !== heading) this._turn(heading);
      return;
    }
    if (this._follows) this._keepUp();
    if (!this.route) return;
    const next = this.route.next(walker);
    if (typeof next === "number") {
      if (this._step(next, this.route.run || run, now)) this.route.took();
      return;
    }
    if (this._follows) return;
    const { route } = this;
    this._stopGoing();
    if (next === "there") route.arrived?.();
    else if (route.arrived) this.chat.note("There is no way to get there.");
  }

  _step(heading, run, now) {
    const step = this.walker.step(heading, run, now);
    if (!step) return false;
    this._does.send(step.message);
    this.world.step(this.id, step.x, step.y, step.heading, step.ms, now);
    this.bars.place(this.world.realm?.title, step.x, step.y);
    return true;
  }

  _walked(message) {
    const { walker, world } = this;
    if (!walker?.placed) return;
    const elsewhere = walker.answered(message);
    if (message.ok === false) walker.rest(performance.now() + BACK_MS);
    if (!elsewhere && message.ok !== false) return;
    this.route?.replan();
    const me = world.things.get(this.id);
    if (!me) return;
    me.heading = walker.heading;
    if (elsewhere) this._slideBack();
  }

  /** The figure was put elsewhere than it is shown: let it be seen there. */
  _slideBack() {
    const { walker, world } = this;
    const { x, y, heading } = walker;
    const me = world.things.get(this.id);
    if (!me) return;
    const far = Math.max(Math.abs(me.x - x), Math.abs(me.y - y));
    if (far > FARTHEST_BACK) world.put(this.id, x, y, heading);
    else {
      // Straight back, not first to where it never was.
      const at = world.at(me);
      Object.assign(me, { x: at.x, y: at.y, motion: null });
      world.step(this.id, x, y, heading, BACK_MS);
    }
    this.bars.place(world.realm?.title, x, y);
  }

  /** Whether a move of oneself is one that is shown already. */
  _expects(move) {
    const { walker } = this;
    if (move.jump) return false;
    return (
      (walker.x === move.x && walker.y === move.y) ||
      walker.ahead.some(({ x, y }) => x === move.x && y === move.y)
    );
  }

  _travel(goal, wish = {}) {
    this._follows = 0;
    this.route = new Route(goal, (from, to) => findPath(this.realm, from, to), wish);
    this._page.map.target = goal;
  }

  /** Go where something is, and then do what is to be done there. */
  _goTo(thing, within, arrived) {
    if (!this.walker.placed || !this.realm) return;
    this._travel({ x: thing.x, y: thing.y }, { within, arrived });
  }

  _follow(id) {
    const thing = this.world.things.get(id);
    if (!thing) return;
    this._goTo(thing, BESIDE);
    this._follows = id;
    this._page.map.target = null;
    this.chat.note(`You follow ${thing.name}. Any walking key or Escape ends it.`);
  }

  _keepUp() {
    const thing = this.world.things.get(this._follows);
    if (!thing) this._stopGoing();
    else this.route?.lead({ x: thing.x, y: thing.y });
  }

  _stopGoing() {
    this.route = null;
    this._follows = 0;
    this._page.map.target = null;
  }

  _turn(heading) {
    if (heading < 0 || !this.walker?.placed) return;
    this.walker.heading = heading;
    const me = this.world.things.get(this.id);
    if (me) me.heading = heading;
    this._does.send({ t: "turn", heading });
  }

  /** Escape: whether there was anything to end. */
  _stop() {
    if (this.card.id) {
      this.card.close();
      return true;
    }
    const went = this.route !== null;
    this._stopGoing();
    return went;
  }

  // Pointing

  _pick(thing, tile, event) {
    if (!this.on || !this.walker.placed || !this.realm) return;
    if (thing && thing.id !== this.id) {
      if (thing.kind === "mobile") this.look(thing.id);
      else this._fetch(thing);
      return;
    }
    this.card.close();
    if (tile.x === this.walker.x && tile.y === this.walker.y) return;
    this._travel({ x: tile.x, y: tile.y }, { run: Boolean(event?.shiftKey) });
  }

  /** Take what lies there, or open it. */
  _fetch(thing) {
    const t = OPENED.has(thing.look.figure) ? "use" : "take";
    this._near(thing, () => this._does.send({ t, id: thing.id }));
  }

  /** Do something once it is within reach. */
  _near(thing, does) {
    const far = Math.max(Math.abs(thing.x - this.walker.x), Math.abs(thing.y - this.walker.y));
    if (far <= REACH) does();
    else this._goTo(thing, REACH, does);
  }

  _actions(thing) {
    const { send } = this._does;
    const use = () => send({ t: "use", id: thing.id });
    if (thing.id === this.id) return [];
    if (thing.kind === "item") {
      return [
        ["Take", () => this._near(thing, () => send({ t: "take", id: thing.id }))],
        ["Open or use", () => this._near(thing, use)],
        ["Go there", () => this._goTo(thing, BESIDE)],
      ];
    }
    const face = () => this._turn(headingTowards(thing.x - this.walker.x, thing.y - this.walker.y));
    const talk = () => {
      face();
      use();
      this.card.close();
    };
    return [
      thing.game ? ["Tell", () => this.chat.tellTo(thing.name)] : ["Talk", talk],
      [
        "Follow",
        () => {
          this.card.close();
          this._toMap();
          this._follow(thing.id);
        },
      ],
      ["Face", face],
    ];
  }

  _lookByName(name) {
    const wanted = name.toLowerCase();
    const found = [...this.world.things.values()].find((thing) =>
      thing.name.toLowerCase().startsWith(wanted),
    );
    if (found) this.look(found.id);
    else this.chat.note(`You see no ${name}.`);
  }

  _whoIsNear() {
    const { x, y } = this.walker;
    const far = (thing) => Math.max(Math.abs(thing.x - x), Math.abs(thing.y - y));
    return [...this.world.things.values()]
      .filter((thing) => thing.id !== this.id && thing.name)
      .sort((a, b) => far(a) - far(b) || a.id - b.id)
      .slice(0, MOST_NEAR)
      .map((thing) => ({
        id: thing.id,
        name: thing.amount > 1 ? `${thing.name} × ${thing.amount}` : thing.name,
        where: whereabouts(thing.x - x, thing.y - y),
      }));
  }

  _applySettings() {
    this.controls.showRun(this._settings.get("run"));
    this.hudNode.dataset.pad = this._settings.get("pad");
    this.hudNode.toggleAttribute("data-large", this._settings.get("large"));
  }

  _talk(begin) {
    this.chat.focus();
    if (begin && !this.chat.words.value) this.chat.words.value = begin;
  }

  _toMap() {
    this._canvas.focus({ preventScroll: true });
  }
}
