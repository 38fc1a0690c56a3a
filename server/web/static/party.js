/**
 * One's party: frames with the bars of the others, and a pane in which one asks, leaves and, leading it, decides.
 *
 * Members may be realms away: both are drawn from what the server tells of them, and not from what is in sight.
 *
 * @module
 */

import { Asking } from "./asking.js";
import { badge, gameOf } from "./games.js";
import { button, el, refill } from "./nodes.js";
import { once } from "./rows.js";
import { whereabouts } from "./words.js";

const RULES = [
  ["finder", "whoever finds it"],
  ["turns", "each in turn"],
  ["leader", "the leader"],
];
const BARS = [
  ["hits", "Health"],
  ["mana", "Mana"],
  ["stam", "Stamina"],
];
const NONE = "You are in no party. Ask somebody into one: whoever asks first leads it.";

/** Frames and pane of a party. */
export class Party extends Asking {
  /**
   * @param {(message: object) => boolean | void} send
   * @param {{closed: () => void, self: () => number, here: () => string | undefined, look: (id: number) => boolean}} does
   *   `self`: one's own serial; `here`: the name of the realm; `look`: at somebody in sight, false if nobody is there
   */
  constructor(send, { closed, self, here, look }) {
    super("party", "Your party", send, closed);
    this._self = self;
    this._here = here;
    this._look = look;
    /** By serial, the leader first. @type {Map<number, object>} */
    this._members = new Map();
    this._loot = "finder";
    this._frames = new Map(); // what changes of each member, by serial
    this.frames = el("ul", { id: "party-frames", "aria-label": "Your party", hidden: true });
    this._name = el("input", {
      maxlength: "32",
      autocomplete: "off",
      "aria-label": "Name of whom to ask",
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.repeat) this._invite();
      },
    });
    const ask = button("Ask into the party", () => this._invite());
    this._pane.body.append(el("p", { class: "coins" }, this._name, ask));
    this._draw();
  }

  /** The others. */
  get others() {
    return [...this._members.values()].filter(({ id }) => id !== this._self());
  }

  /** Whether one may ask somebody. */
  get asks() {
    return this._members.size === 0 || this._leads;
  }

  get _leads() {
    return this._members.keys().next().value === this._self();
  }

  has(id) {
    return this._members.has(id);
  }

  /** @param {object} message a `party` */
  party({ members = [], loot = "finder" }) {
    this._members = new Map(members.map((member) => [member.id, { ...member }]));
    this._loot = loot;
    this._frame();
    this._draw();
  }

  /** @param {object} message a `member`: differences */
  member({ t: _, ...changes }) {
    const member = this._members.get(changes.id);
    if (!member) return;
    Object.assign(member, changes);
    this._fill(member);
    if ("level" in changes || "game" in changes) this._draw();
  }

  clear() {
    this.party({});
    this._pane.open = false;
  }

  /** Ask somebody in sight. */
  ask(id) {
    this._ask({ t: "invite", id });
  }

  /** Where the others are, seen from oneself. @param {{x: number, y: number} | null} from */
  places(from) {
    for (const member of this.others) {
      const place = this._frames.get(member.id)?.place;
      const words = this._place(member, from);
      if (place && place.textContent !== words) place.textContent = words;
    }
  }

  _invite() {
    const name = this._name.value.trim();
    if (!name) return;
    this._name.value = "";
    this._ask({ t: "invite", name });
  }

  // Frames

  _frame() {
    this._frames.clear();
    const others = this.others;
    this.frames.hidden = others.length === 0;
    refill(this.frames, ...others.map((member) => this._one(member)));
  }

  _one({ id, name, game }) {
    const meters = BARS.slice(0, 2).map(([key, label]) => {
      const props = { class: "bar-meter", role: "meter", "aria-valuemin": "0", dataset: { bar: key } };
      return [key, el("div", { ...props, "aria-label": `${label} of ${name}` }, el("i"))];
    });
    const parts = {
      node: button("", () => this._look(id) || this.open(), {
        dataset: { key: `frame-${id}` },
        title: gameOf(game)?.name ?? "",
      }),
      badge: el("span", {}),
      level: el("small", {}),
      place: el("small", { class: "member-place" }),
      meters: new Map(meters),
    };
    parts.node.append(
      el("span", { class: "member-line" }, parts.badge, el("b", {}, name), parts.level),
      parts.place,
    );
    this._frames.set(id, parts);
    this._fill(this._members.get(id));
    return el("li", {}, parts.node, ...parts.meters.values());
  }

  /** How a member fares, in its frame. */
  _fill(member) {
    const parts = this._frames.get(member.id);
    if (!parts) return;
    const { node, meters } = parts;
    const { game, dead = false, online = true } = member;
    node.toggleAttribute("data-away", !online);
    if (parts.game !== game) {
      parts.game = game;
      const from = gameOf(game)?.name ?? "";
      node.title = from;
      parts.badge.replaceChildren(badge(game, 18), el("span", { class: "visually-hidden" }, from ? `${from}: ` : ""));
    }
    const leads = this._members.keys().next().value === member.id ? " ★ leads" : "";
    parts.level.textContent = `${online ? (dead ? "ghost" : `level ${member.level ?? 0}`) : "away"}${leads}`;
    for (const [key, meter] of meters) {
      const [now, most] = [member[key] ?? 0, Math.max(member[`${key}_max`] ?? 0, 1)];
      meter.setAttribute("aria-valuemax", most);
      meter.setAttribute("aria-valuenow", Math.min(now, most));
      meter.setAttribute("aria-valuetext", `${now} of ${most}`);
      meter.firstElementChild.style.width = `${Math.min(100, (100 * now) / most)}%`;
    }
  }

  /** Where a member is, for people. */
  _place({ online = true, realm = "", title = "", x = 0, y = 0 }, from) {
    if (!online) return "the party waits for five minutes";
    if (!from || realm !== this._here()) return title;
    return whereabouts(x - from.x, y - from.y);
  }

  // The pane

  _draw() {
    const members = [...this._members.values()];
    if (members.length === 0) {
      refill(this._list, el("p", { class: "empty" }, NONE));
      return;
    }
    refill(
      this._list,
      el("ul", { class: "rows members" }, ...members.map((member, place) => this._row(member, place === 0))),
      el(
        "label",
        { class: "blank" },
        "Loot is for",
        el(
          "select",
          {
            disabled: !this._leads,
            dataset: { key: "loot" },
            onchange: (event) => this._ask({ t: "loot", rule: event.target.value }),
          },
          ...RULES.map(([rule, words]) => el("option", { value: rule, selected: rule === this._loot }, words)),
        ),
      ),
      el(
        "div",
        { class: "foot" },
        button("Leave the party", once(() => this._ask({ t: "leave_party" })), { dataset: { key: "leave" } }),
      ),
    );
  }

  _row({ id, name, game, level = 0, online = true }, leads) {
    const own = id === this._self();
    const does = (label, t) =>
      button(label, once(() => this._ask({ t, id })), {
        "aria-label": `${label}: ${name}`,
        dataset: { key: `${t}-${id}` },
      });
    const notes = [gameOf(game)?.name, level ? `level ${level}` : "", own ? "you" : "", online ? "" : "away"];
    return el(
      "li",
      {},
      badge(game, 22),
      el(
        "span",
        { class: "name" },
        leads ? `${name} ★ leads` : name,
        el("small", {}, notes.filter(Boolean).join(", ")),
      ),
      el(
        "span",
        { class: "does" },
        this._leads && !own && online && does("Let lead", "lead"),
        this._leads && !own && does("Send out", "expel"),
      ),
    );
  }
}
