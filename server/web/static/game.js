/**
 * The world in first person: one's own figure on the map, and everything one hears, sees and has.
 *
 * Each part of the screen is a module that knows its own nodes and nothing of the others; what they want is
 * handed to them as functions. Here alone is known which message concerns whom (`_heard`) and what a press
 * comes to, so that to follow a message one reads this and one other module. Who and what is in sight is
 * kept in one place, the World, which the map draws.
 *
 * @module
 */

import { actions } from "./acts.js";
import { Chat } from "./chat.js";
import { Combat } from "./combat.js";
import { Controls } from "./controls.js";
import { Counter } from "./counter.js";
import { Dialogs } from "./dialogs.js";
import { Going } from "./going.js";
import { Banner, Bars, Card, Near, whoIsNear } from "./hud.js";
import { Journal } from "./journal.js";
import { button, el } from "./nodes.js";
import { Pack } from "./pack.js";
import { Party } from "./party.js";
import { loadRealm } from "./realm.js";
import { Room } from "./room.js";
import { Sheet } from "./sheet.js";
import { SmallMap } from "./smallmap.js";
import { Society } from "./society.js";
import { Trading } from "./trading.js";
import { World } from "./world.js";

const NEAR_EVERY_MS = 500;
/** CSS pixels of a tile at the beginning. */
const ZOOM = 36;
/** Where the panel is a sheet over the map; as in narrow.css. */
const PHONE = "(max-width: 760px)";
const READING = 5; // tiles, as the world has it (world/signs.py)
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
    const send = (message) => {
      if (message.t === "use" || message.t === "take") this.pack.expect(message.id);
      return does.send(message);
    };
    this._does = { ...does, send };
    this.world = new World();
    this.id = 0;
    this._frame = 0;
    this._nearAt = 0;
    this.chat = new Chat({ send, look: (name) => this._lookByName(name), done: () => this._toMap() });
    this.pack = new Pack(send);
    this.dialogs = new Dialogs(
      (serial, number, filled) =>
        send({ t: "answer", serial, button: number, ...(filled.length > 0 ? { filled } : {}) }),
      { announce: (text) => page.announce(text), closed: () => this._toMap() },
    );
    const closed = () => this._toMap();
    const opened = () => page.openSheet(!matchMedia(PHONE).matches);
    this.counter = new Counter(send, { closed, opened });
    this.trading = new Trading(send, { closed, opened });
    const go = (x, y) => {
      if (this.going.ready) this.going.travel({ x, y }, { run: true });
    };
    const here = () => this.world.realm?.name;
    this.journal = new Journal(send, { closed, changed: () => this._point(), go, here });
    this.party = new Party(send, { closed, self: () => this.id, here, look: (id) => this.look(id) });
    this.society = new Society(send, {
      closed,
      self: () => this.id,
      tell: (name) => this.chat.tellTo(name),
      expect: () => this.dialogs.expect(),
      state: (words) => this.banner?.set("duel", words),
    });
    this.smallMap = new SmallMap({ closed, go, opened: () => (this._nearAt = 0) });
    this.bars = new Bars();
    this.banner = new Banner();
    this.card = new Card(() => this._toMap());
    this.near = new Near((id) => this.look(id));
    this.controls = new Controls({
      on: () => this.id !== 0,
      turn: (heading) => this.going.turn(heading),
      sit: () => send({ t: "sit" }),
      talk: (begin) => this._talk(begin),
      stop: () => this._stop(),
      run: (run) => this.room.set("run", run),
      attack: () => this.combat.toggle(),
      aid: (key) => this.combat.aid(key),
      question: () => this.dialogs.focus() || this.trading.focus(),
      journal: () => this.journal.toggle(),
      map: () => this.smallMap.toggle(),
      party: () => this.party.toggle(),
      society: (name) => this.society.toggle(name),
    });
    this.going = new Going(this.world, page.map, this.controls, settings, {
      send,
      note: (text) => this.chat.note(text),
      stands: (x, y) => this.bars.place(this.world.realm?.title, x, y),
    });
    this.combat = new Combat(this.world, this.going, page.map, settings, {
      send,
      note: (text) => this.chat.note(text),
      look: (id) => this.look(id),
      toMap: () => this._toMap(),
      toSheet: () => this._toSheet(),
    });
    this.sheet = new Sheet({
      spend: (attribute) => send({ t: "spend", attribute }),
      lock: (skill, way) => send({ t: "lock", skill, way }),
    });
    this.chat.node.insertBefore(this.combat.actions.node, this.chat.form);
    this.combat.actions.node.append(
      button("Quests", () => this.journal.toggle(), { id: "open-journal", title: "Quests (J)" }),
      button("Map", () => this.smallMap.toggle(), { id: "open-map", title: "Map (M)" }),
      button("Party", () => this.party.toggle(), { id: "open-party", title: "Party (P)" }),
      ...this.society.buttons,
    );
    this.hudNode = el(
      "div",
      { id: "play-hud", hidden: true },
      el("div", { id: "own" }, this.bars.node, this.party.frames),
      this.combat.frame.node,
      this.banner.node,
      this.combat.death.node,
      el(
        "div",
        { id: "side" },
        ...[this.card, this.dialogs, this.trading, this.counter, this.journal, this.party].map(({ node }) => node),
        ...[...this.society.panes, this.smallMap].map(({ node }) => node),
      ),
      this.chat.node,
      this.controls.pad,
    );
    const parts = { near: this.near.node, pack: this.pack.node, sheet: this.sheet.node };
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
    delete document.body.dataset.lost;
    this.id = entered.id;
    this.world.clear();
    this.world.apply(entered);
    this.going.begin(entered);
    this.dialogs.clear();
    this.counter.close();
    this.trading.clear();
    this.party.clear();
    this.journal.clear();
    this.pack.clear();
    this.combat.clear();
    this.banner.clear();
    this.society.begin();
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
      onMenu: (thing) => this._menu(thing),
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
    this.going.stop();
    this.controls.release();
    this.dialogs.clear();
    this.counter.close();
    this.trading.clear();
    this.party.clear();
    this.society.clear();
    this.journal.clear();
    this.smallMap.close();
    this.card.close();
    this.combat.clear();
    this.banner.clear();
    this.hudNode.hidden = this.room.node.hidden = true;
    delete document.body.dataset.ghost;
    delete document.body.dataset.lost;
    this._canvas.setAttribute("role", "img");
    this._canvas.setAttribute("aria-describedby", "map-help");
    const { map } = this._page;
    Object.assign(map, { locked: false, sight: 0, target: null });
    map.follow(0);
    this._page.show(null);
  }

  /** The connection is lost, and perhaps comes back. */
  lost(text) {
    this.banner.set("link", text);
    document.body.dataset.lost = "";
    this.going.lose();
    this.controls.release();
  }

  /** Something the server says to one who is in the world. */
  take(message) {
    const own = message.id === this.id;
    switch (message.t) {
      case "move":
        if (own && this.going.expects(message)) return;
        break;
      case "turned":
        if (own && message.crossed && this.going.isAhead) return;
        if (own && !message.crossed) this.going.turned();
        break;
      case "walked":
        this.going.walked(message);
        return;
      case "way":
        this.going.found(message);
        return;
      case "denied":
        this.chat.note(message.text);
        return;
      case "sheet":
        this.bars.sheet(message);
        this.sheet.sheet(message);
        this.combat.sheet(message);
        this.counter.sheet(message);
        this.trading.sheet(message);
        this.society.sheet(message);
        return;
      case "skills":
        this.sheet.skills(message);
        return;
      case "belongings":
        this.pack.belongings(message.things);
        this.combat.belongings(message.things);
        this.counter.belongings(message.things);
        this.trading.belongings(message.things);
        this.society.belongings(message.things);
        return;
      case "content":
        if (!this.pack.content(message)) return;
        this._page.selectTab("play");
        this._page.openSheet(true);
        return;
      case "seen":
        this.card.seen(message);
        return;
      case "ask":
        this.dialogs.ask(message);
        return;
      case "close":
        this.dialogs.close(message.serial);
        return;
      case "shop":
      case "bank":
        this.counter.show(message);
        return;
      case "counter_closed":
        this.counter.close(message.host);
        return;
      case "bargain":
        this.trading.show(message);
        return;
      case "bargain_over":
        this.trading.over(message);
        return;
      case "party":
      case "member":
        this.party[message.t](message);
        return;
      case "journal":
      case "quest":
        this.journal[message.t](message);
        return;
      default:
        if (this.society.take(message)) return;
    }
    this.world.apply(message);
  }

  /** Look at somebody or something; whether it is there. */
  look(id) {
    const thing = this.world.things.get(id);
    if (!thing) return false;
    this._does.send({ t: "look", id });
    this.card.open(thing, actions(this, this._does.send, thing, () => this._toMap()));
    return true;
  }

  // What was heard of the world, after the model has it

  _heard(message) {
    const { id } = message;
    this.combat.heard(message);
    switch (message.t) {
      case "realm":
        this._enterRealm(message);
        return;
      case "say":
        this.chat.said(message);
        if (!id) for (const pane of [this.counter, this.trading, this.party, this.society]) pane.said(message.words);
        return;
      case "gestured":
        this.chat.gestured(this.world.things.get(id)?.name ?? "Somebody", message.gesture);
        return;
      case "hide":
        if (id === this.card.id) this.card.close();
        if (id === this.going.follows) this.going.stop();
        this.pack.close(id);
        this.counter.leave(id); // who served is gone
        return;
      default:
    }
    if (id === this.id && this.id) this._own(message);
  }

  /** Something about oneself. */
  _own(message) {
    const me = this.world.things.get(this.id);
    if (!me) return;
    this.going.moved(message, me);
    this.banner.set("ghost", me.dead ? GHOST : "");
    if (me.dead) document.body.dataset.ghost = "";
    else delete document.body.dataset.ghost;
    this.bars.place(this.world.realm?.title, me.x, me.y);
  }

  async _enterRealm({ name, title }) {
    this.going.realm = null;
    this.going.lose();
    this.card.close();
    this.pack.closeAll();
    this._page.announce(title);
    try {
      const realm = await loadRealm(name);
      if (!this.on || this.world.realm?.name !== name) return;
      this.going.realm = realm;
      this.journal.draw();
      this._point();
    } catch {
      this.chat.note("The picture of this place did not arrive: you cannot walk here. Load the page anew.");
    }
  }

  _run(now) {
    this._frame = requestAnimationFrame((next) => this._run(next));
    this.going.tick(now);
    if (now >= this._nearAt) {
      this._nearAt = now + NEAR_EVERY_MS;
      this.near.show(whoIsNear(this.world, this.going.walker));
      this.smallMap.draw(this.going.realm, this.world, this._page.map.pointers, this.party.others);
      this.party.places(this.going.walker);
    }
  }

  /** Where one has to go: told when a quest or the realm changes, not looked for. */
  _point() {
    this._page.map.pointers = this.id ? this.journal.places(this.world.realm?.name) : [];
    this._page.map.touch();
  }

  /** Escape: whether there was anything to end. */
  _stop() {
    if (this.card.id) {
      this.card.close();
      return true;
    }
    const went = this.going.route !== null;
    this.going.stop();
    if (this.combat.fighting) {
      this.combat.stop();
      return true;
    }
    const chose = this.combat.target !== 0;
    this.combat.choose(0);
    return went || chose;
  }

  // Pointing

  _pick(thing, tile, event) {
    if (!this.on || !this.going.ready) return;
    if (thing && thing.id !== this.id) {
      if (thing.fights) this.combat.press(thing.id);
      else if (thing.kind === "mobile") this.look(thing.id);
      else this._fetch(thing);
      return;
    }
    this.card.close();
    if (this.going.far(tile) === 0) return;
    const sign = this.going.realm.signs.find(({ x, y }) => x === tile.x && y === tile.y);
    if (sign) {
      const read = () => this._does.send({ t: "read", x: sign.x, y: sign.y });
      if (this.going.far(sign) <= READING) read();
      else this.going.goTo(sign, READING, read);
      return;
    }
    const opening = this.going.realm.seatAt(tile.x, tile.y);
    if (opening !== null) this.going.takeSeat(tile, opening);
    else this.going.travel({ x: tile.x, y: tile.y }, { run: Boolean(event?.shiftKey) });
  }

  /** The other button of the mouse: what can be done with somebody. */
  _menu(thing) {
    return this.on && thing?.kind === "mobile" && thing.id !== this.id && this.look(thing.id);
  }

  /** Take what lies there, or open it. */
  _fetch(thing) {
    const t = thing.container ? "use" : "take";
    this.going.near(thing, () => this._does.send({ t, id: thing.id }));
  }

  _lookByName(name) {
    const wanted = name.toLowerCase();
    const found = [...this.world.things.values()].find((thing) =>
      thing.name.toLowerCase().startsWith(wanted),
    );
    if (found) this.look(found.id);
    else this.chat.note(`You see no ${name}.`);
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

  _toSheet() {
    this._page.selectTab("play");
    this._page.openSheet(true);
    this.sheet.open();
  }

  _toMap() {
    this._canvas.focus({ preventScroll: true });
  }
}
