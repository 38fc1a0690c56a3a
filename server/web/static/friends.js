/**
 * Friends, with who is here and through which game, and those of whom one hears nothing: one list of each for all games.
 *
 * @module
 */

import { Asking, taken } from "./asking.js";
import { badge, gameOf } from "./games.js";
import { button, el, refill } from "./nodes.js";

const NONE = "You have no friends on your list yet. They need not be here.";

/** The pane of both lists. */
export class Friends extends Asking {
  /**
   * @param {(message: object) => boolean | void} send
   * @param {{closed: () => void, tell: (name: string) => void}} does `tell`: begin to tell somebody something
   */
  constructor(send, { closed, tell }) {
    super("friends", "Friends", send, closed);
    this._tell = tell;
    this._friends = new Map(); // by serial
    this._ignored = new Map(); // names, by serial
    const add = (t) => () => {
      const name = taken(this._name);
      if (name) this._ask({ t, name });
    };
    this._name = this._line("Name of somebody", 32, "friend-name", add("befriend"));
    this._add = el("p", { class: "coins" }, this._name, button("Add", add("befriend")), button("Ignore", add("ignore")));
  }

  has(id) {
    return this._friends.has(id);
  }

  ignores(id) {
    return this._ignored.has(id);
  }

  /** Both lists are wanted: of what changes the server tells. */
  begin() {
    this._send({ t: "friends" });
  }

  /** @param {object} message a `friends` */
  all({ friends = [], ignored = [] }) {
    this._friends = new Map(friends.map((friend) => [friend.id, friend]));
    this._ignored = new Map(ignored.map(({ id, name }) => [id, name]));
    this._changed();
  }

  /** @param {object} message a `friend` */
  friend({ friend, listed = true }) {
    if (listed) this._friends.set(friend.id, friend);
    else this._friends.delete(friend.id);
    this._changed();
  }

  /** @param {object} message an `ignored` */
  ignored({ ignored, listed = true }) {
    if (listed) this._ignored.set(ignored.id, ignored.name);
    else this._ignored.delete(ignored.id);
    this._changed();
  }

  /** Put somebody on the list of friends, or on that of those of whom one hears nothing; or take it off. */
  put(t, name) {
    this._ask({ t, name });
  }

  clear() {
    this._friends.clear();
    this._ignored.clear();
    this._pane.open = false;
  }

  _draw() {
    const friends = [...this._friends.values()];
    friends.sort((one, other) => Number(other.online ?? false) - Number(one.online ?? false));
    refill(
      this._list,
      this._add,
      friends.length === 0
        ? el("p", { class: "empty" }, NONE)
        : el("ul", { class: "rows" }, ...friends.map((friend) => this._friend(friend))),
      this._ignored.size > 0 && el("h3", {}, "You hear nothing of"),
      this._ignored.size > 0 &&
        el("ul", { class: "rows" }, ...[...this._ignored].map(([id, name]) => this._ignoredOne(id, name))),
    );
  }

  _friend({ id, name, online = false, game = "" }) {
    return el(
      "li",
      { dataset: online ? {} : { away: "" } },
      badge(game, 22),
      el("span", { class: "name" }, name, el("small", {}, online ? `here: ${gameOf(game)?.name ?? "somewhere"}` : "away")),
      el(
        "span",
        { class: "does" },
        online && this._does("Tell", name, `tell-${id}`, () => this._tell(name)),
        this._does("Remove", name, `unfriend-${id}`, () => this._ask({ t: "unfriend", name })),
      ),
    );
  }

  _ignoredOne(id, name) {
    return el(
      "li",
      {},
      el("span", {}),
      el("span", { class: "name" }, name),
      this._does("Hear again", name, `heed-${id}`, () => this._ask({ t: "heed", name })),
    );
  }
}
