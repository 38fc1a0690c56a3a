/**
 * One's own fights: whom one has chosen, the wish to strike and to stop, what helps, and death.
 *
 * A fight is the server's: it strikes for whoever attacked until that one stops. So all that is known here is
 * whom one has chosen, and that the figure is to stay near the enemy (going.js).
 *
 * @module
 */

import { Actions, Death, Target } from "./hudfight.js";
import { Sounds } from "./sounds.js";

/** Tiles at which an attack with a weapon of the hand can begin: a step farther than it meets. */
const BEGINS = 2;
/** An archer stands no farther off than this, though the bow reaches farther: the prey moves. */
const SHOOTS = 7;
/** Creatures so far off are not attacked by a key. */
const FARTHEST = 10;

/** What an aid is called where there is none, and which purposes (protocol/web/packets) it can have. */
const AIDS = [
  { key: "potion", purposes: ["heal"], poisoned: ["cure", "heal"] },
  { key: "bandage", purposes: ["dress"] },
  { key: "food", purposes: ["eat"] },
];

export class Combat {
  /**
   * @param {import("./world.js").World} world
   * @param {import("./going.js").Going} going
   * @param {import("./canvas.js").MapCanvas} map
   * @param {import("./settings.js").Settings} settings
   * @param {{send: (message: object) => void, note: (text: string) => void, look: (id: number) => void,
   *   toMap: () => void, toSheet: () => void}} does
   */
  constructor(world, going, map, settings, does) {
    this._world = world;
    this._going = going;
    this._map = map;
    this._does = does;
    this._sheet = null;
    this._things = [];
    this.target = 0;
    this.sounds = new Sounds(() => settings.get("sound"));
    const { send } = does;
    this.frame = new Target({
      attack: () => this.toggle(),
      look: () => does.look(this.target),
      close: () => this.choose(0),
    });
    this.actions = new Actions({ attack: () => this.toggle(), aid: (key) => this.aid(key), points: () => does.toSheet() });
    this.death = new Death({ town: () => send({ t: "town" }), closed: () => does.toMap() });
  }

  /** Whether the server strikes for one. */
  get fighting() {
    return this._world.fights.enemies.get(this._world.self) ?? 0;
  }

  clear() {
    this.choose(0);
    this.death.close();
    this._sheet = null;
    this._things = [];
    this.actions.things({});
    this.actions.points(0);
  }

  // Wishes

  /** Somebody is the one that is meant; 0: nobody. */
  choose(id) {
    this.target = id;
    this._map.marked = id;
    this._map.touch();
    this._show();
  }

  /** A press on a creature: the first one chooses it, the next one attacks. */
  press(id) {
    if (id === this.target) this.attack(id);
    else this.choose(id);
  }

  /** Attack whom one has chosen, or else the nearest creature; or stop. */
  toggle() {
    if (this.fighting && (!this.target || this.fighting === this.target)) {
      this.stop();
      return;
    }
    const id = this.target || this._nearest();
    if (id) this.attack(id);
    else this._does.note("There is nobody to fight near you.");
  }

  /** Go there if need be, and strike. */
  attack(id) {
    if (!this._world.things.has(id)) return;
    this.choose(id);
    const reach = this._sheet?.reach ?? 1;
    const within = reach > 1 ? Math.min(reach, SHOOTS) : 1;
    const begins = reach > 1 ? reach : BEGINS;
    this._going.chase(id, { begins, within, arrived: () => this._does.send({ t: "attack", id }) });
  }

  stop() {
    this._does.send({ t: "stop" });
    this._going.stop();
  }

  /** Use what helps: on whom one has chosen, if that is another player and it is a bandage. */
  aid(key) {
    const thing = this._aidOf(key);
    if (!thing) {
      this._does.note(`You have no ${key}.`);
      return;
    }
    const message = { t: "use", id: thing.id };
    if (key === "bandage" && this._world.things.get(this.target)?.game) message.on = this.target;
    this._does.send(message);
  }

  // What is told

  sheet(sheet) {
    this._sheet = sheet;
    this.actions.points(sheet.points);
    this._showAids();
  }

  belongings(things) {
    this._things = things;
    this._showAids();
  }

  /** Any message, after the world's model has it. */
  heard(message) {
    const { id } = message;
    const own = id === this._world.self;
    switch (message.t) {
      case "struck":
        this._struck(message, own);
        break;
      case "engaged":
        if (own) this.choose(message.target);
        else if (message.target === this._world.self && !this.target) this.choose(id);
        break;
      case "gained":
        this._gained(message.experience);
        break;
      case "practised":
        // Each tenth rises over the figure; the chat keeps whole points.
        if (message.value % 10 === 0)
          this._does.note(`Your skill in ${message.skill} is now ${(message.value / 10).toFixed(1)}.`);
        break;
      case "advanced":
        this._advanced(message, own);
        break;
      case "mended":
        if (own) this.sounds.play("mended");
        break;
      case "died":
        this._died(message, own);
        break;
      case "revived":
        if (own) this.death.close();
        break;
      case "hide":
        if (id === this.target) this.choose(0);
        break;
      default:
    }
    if ([this.target, this._world.self].includes(id) || message.target === this.target) this._show();
  }

  _struck({ target, outcome }, own) {
    const hit = outcome === "hit" || outcome === "critical";
    if (own) this.sounds.play(outcome);
    else if (target === this._world.self) this.sounds.play(hit ? "hurt" : outcome);
  }

  _gained(experience) {
    const lost = experience < 0;
    this._does.note(`You ${lost ? "lose" : "gain"} ${Math.abs(experience)} experience.`);
    if (lost) this.death.lost(-experience);
  }

  _advanced({ id, level }, own) {
    const who = own ? "You are" : `${this._world.things.get(id)?.name ?? "Somebody"} is`;
    this._does.note(`${who} now of level ${level}.`);
    if (own) this.sounds.play("level");
  }

  _died({ id, by = 0, corpse = 0 }, own) {
    const name = (serial) => this._world.things.get(serial)?.name ?? "";
    if (!own) {
      if (id === this.target || by === this._world.self) this.sounds.play("kill");
      if (by === this._world.self) this._does.note(`You have killed ${name(id)}.`);
      return;
    }
    this.sounds.play("death");
    this._going.stop();
    this.choose(0);
    this.death.open(by === id ? "" : name(by), corpse !== 0);
  }

  // What is shown

  _show() {
    const thing = this._world.things.get(this.target);
    const { fighting } = this;
    this.frame.show(thing ?? null, fighting !== 0 && fighting === this.target);
    this.actions.fights(fighting !== 0);
  }

  _showAids() {
    const aids = {};
    for (const { key } of AIDS) aids[key] = this._aidOf(key);
    this.actions.things(aids);
  }

  _aidOf(key) {
    const aid = AIDS.find((one) => one.key === key);
    const purposes = (this._sheet?.poisoned && aid.poisoned) || aid.purposes;
    for (const purpose of purposes) {
      const found = this._things.find((thing) => thing.purpose === purpose && !thing.worn);
      if (found) return found;
    }
    return null;
  }

  _nearest() {
    const near = [...this._world.things.values()]
      .filter((thing) => thing.fights && this._going.far(thing) <= FARTHEST)
      .sort((a, b) => this._going.far(a) - this._going.far(b) || a.id - b.id);
    return near[0]?.id ?? 0;
  }
}
