/**
 * One's guild: who is in it and through which game, what it is to others, what has happened, and what one may do.
 *
 * What each rank may do comes with the guild, and the page offers nothing else. Whoever is in none and asks for it
 * is asked by the world whether to found one.
 *
 * @module
 */

import { Asking, taken } from "./asking.js";
import { confirm } from "./dialogs.js";
import { badge, gameOf } from "./games.js";
import { button, el, refill } from "./nodes.js";
import { Rows, gold } from "./rows.js";
import { ago } from "./words.js";

const LONGEST_NAME = 32;
const LONGEST_NOTICE = 128; // world/guilds.py
const BONDS = { war: "at war", allied: "allied" };

/** The pane of a guild. */
export class Guild extends Asking {
  /**
   * @param {(message: object) => boolean | void} send
   * @param {{closed: () => void, self: () => number, tell: (name: string) => void, expect: () => void}} does `self`:
   *   one's own serial; `tell`: begin to tell somebody something; `expect`: a question that comes now is the answer
   */
  constructor(send, { closed, self, tell, expect }) {
    super("guild", "Your guild", send, closed);
    this._self = self;
    this._tell = tell;
    this._expect = expect;
    this._guild = null;
    this._chosen = 0; // of whom one sees what can be done
    this._rows = new Rows({ ask: (message) => this._ask(message), told: (words) => (this._told.textContent = words) });
    const invite = () => this._named(this._name, { t: "guild_invite" });
    this._name = this._line("Name of whom to ask", LONGEST_NAME, "guild-name", invite);
    this._invite = el("p", { class: "coins" }, this._name, button("Ask into the guild", invite));
    const write = () => this._ask({ t: "guild_notice", text: this._notice.value.trim() });
    this._notice = this._line("A notice for all members", LONGEST_NOTICE, "guild-notice", write);
    this._write = el("p", { class: "coins" }, this._notice, button("Write it", write));
    const tie = (what) => () => this._named(this._other, { t: "guild_tie", ...(what === "war" ? {} : { tie: what }) });
    this._other = this._line("Name or tag of a guild", LONGEST_NAME, "guild-other", tie("alliance"));
    const ties = [button("Ask for an alliance", tie("alliance")), button("Declare war", tie("war"))];
    this._newTie = el("p", { class: "coins" }, this._other, ...ties);
    this._log = el("ol", { class: "log" });
    this._happened = el("details", {}, el("summary", {}, "What has happened"), this._log);
  }

  /** Whether one may ask somebody into it. */
  get asks() {
    return this._may("invite");
  }

  has(id) {
    return Boolean(this._guild?.members.some((member) => member.id === id));
  }

  /** @param {object} message a `guild` */
  guild({ number = 0, opened = false, members = [], ...told }) {
    this._guild = number ? { number, ties: [], log: [], ranks: [], gold: 0, ...told, members: [...members] } : null;
    if (!number) this.close();
    else if (opened) this.open();
    else this._changed();
  }

  /** @param {object} message a `guild_member` */
  guild_member({ member }) {
    const members = this._guild?.members ?? [];
    const at = members.findIndex(({ id }) => id === member.id);
    if (at < 0) return;
    members[at] = member;
    members.sort((one, other) => other.rank - one.rank);
    this._changed();
  }

  toggle() {
    if (this._pane.open) this.close();
    else this.want();
  }

  /** Ask for it: it is opened when it comes. */
  want() {
    this._expect();
    this._ask({ t: "guild" });
  }

  /** Ask somebody in sight. */
  ask(id) {
    this._ask({ t: "guild_invite", id });
  }

  clear() {
    this._guild = null;
    this._chosen = 0;
    this._pane.open = false;
  }

  get _own() {
    return this._guild?.members.find(({ id }) => id === this._self());
  }

  /** Whether one's rank allows that. */
  _may(right) {
    const rank = this._own?.rank;
    return rank !== undefined && Boolean(this._guild.ranks[rank]?.rights?.includes(right));
  }

  _named(field, message) {
    const name = taken(field);
    if (name) this._ask({ ...message, name });
  }

  _draw() {
    const guild = this._guild;
    if (!guild) return;
    const { members, notice = "" } = guild;
    const here = members.filter(({ online = false }) => online).length;
    this._pane.title.textContent = `${guild.name} [${guild.short}]`;
    this._log.replaceChildren(
      ...guild.log.map(({ at, who, deed }) => el("li", {}, `${who} ${deed} `, el("small", {}, ago(at)))),
    );
    refill(
      this._list,
      el("p", { class: "notice" }, notice || "No notice."),
      this._may("notice") && this._write,
      el("h3", {}, `Members: ${members.length}, ${here} of them here`),
      el("ul", { class: "rows members" }, ...members.map((member) => this._member(member))),
      this._may("invite") && this._invite,
      el("h3", {}, "Allies and enemies"),
      this._rows.list(
        guild.ties.map((tie) => this._tie(tie)),
        "None.",
      ),
      this._may("ties") && this._newTie,
      el("h3", {}, `The guild's bank: ${gold(guild.gold)}`),
      this._bank(),
      this._happened,
      el("div", { class: "foot" }, this._end()),
    );
  }

  // Members

  _member(member) {
    const { id, name, game = "", level = 0, rank, online = false, seen = 0, given = 0 } = member;
    const notes = [
      this._guild.ranks[rank]?.name,
      `level ${level}`,
      online ? (gameOf(game)?.name ?? "here") : `seen ${ago(seen)}`,
      given > 0 && `gave ${gold(given)}`,
      id === this._self() && "you",
    ];
    const deeds = this._deeds(member);
    const chosen = this._chosen === id;
    return el(
      "li",
      { dataset: online ? {} : { away: "" } },
      badge(game, 22),
      el("span", { class: "name" }, name, el("small", {}, notes.filter(Boolean).join(", "))),
      deeds.length > 0 &&
        button("…", () => this._choose(id), {
          "aria-label": `What to do: ${name}`,
          "aria-expanded": String(chosen),
          dataset: { key: `member-${id}` },
        }),
      chosen && deeds.length > 0 && el("span", { class: "does" }, ...deeds),
    );
  }

  _choose(id) {
    this._chosen = this._chosen === id ? 0 : id;
    this._draw();
  }

  /** Buttons for what one may do with a member: nobody does anything to those of its own rank or a higher one. */
  _deeds({ id, name, rank, online = false }) {
    const own = this._own?.rank ?? 0;
    if (id === this._self()) return [];
    const does = (label, message) =>
      this._does(label, name, `${label}-${id}`, () => this._ask({ ...message, name }));
    return [
      online && this._does("Tell", name, `tell-${id}`, () => this._tell(name)),
      this._may("promote") && rank + 1 < own && does("Promote", { t: "guild_rank" }),
      this._may("promote") && rank < own && rank > 0 && does("Demote", { t: "guild_rank", up: false }),
      this._may("expel") && rank < own && does("Expel", { t: "guild_expel" }),
      this._may("lead") && this._does("Let lead", name, `lead-${id}`, () => this._handOver(name)),
    ].filter(Boolean);
  }

  async _handOver(name) {
    const words = "You are an officer then, and cannot take it back.";
    if (await confirm(`Let ${name} lead ${this._guild?.name}?`, words, "Hand it over"))
      this._ask({ t: "guild_lead", name });
  }

  // Others, gold, and the end

  _tie({ name, short, bond, ours = false, since = 0 }) {
    const whose = bond === "war" ? (ours ? ", which you declared" : ", which they declared") : "";
    const label = bond === "war" && !ours ? "Ask for peace" : "End it";
    return el(
      "li",
      {},
      el("span", { class: `bond ${bond}`, "aria-hidden": "true" }, bond === "war" ? "⚔" : "✓"),
      el("span", { class: "name" }, `${name} [${short}]`, el("small", {}, `${BONDS[bond] ?? bond}${whose}, ${ago(since)}`)),
      this._may("ties") && this._does(label, name, `end-${short}`, () => this._ask({ t: "guild_tie", name, tie: "end" })),
    );
  }

  /** Gold that goes in, or out by whose rank allows it; beside a banker. */
  _bank() {
    const key = "guild-gold";
    const move = (out) => () => {
      const amount = this._rows.amount(key);
      if (amount < 1) this._told.textContent = "How much gold?";
      else this._ask({ t: "guild_gold", amount, ...(out ? { out } : {}) });
    };
    const put = this._does("Put in", "gold", "gold-in", move(false));
    const field = this._rows.field({ key, name: "gold for the guild", most: -1 }, { does: put });
    const take = this._may("withdraw") && this._does("Take out", "gold", "gold-out", move(true));
    return el("p", { class: "coins" }, field, put, take);
  }

  _end() {
    const leads = this._may("lead");
    const name = this._guild.name;
    const end = async () => {
      const title = leads ? `Disband ${name} for good?` : `Leave ${name}?`;
      const words = leads ? "It is no more for all its members, and its name is free." : "Who wants to come back has to be asked again.";
      if (await confirm(title, words, leads ? "Disband it" : "Leave it"))
        this._ask({ t: leads ? "guild_disband" : "guild_leave" });
    };
    return this._does(leads ? "Disband the guild" : "Leave the guild", "", "guild-end", end);
  }
}
