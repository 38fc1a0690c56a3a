/**
 * Who is here: a button for each, which lets the map follow; and how many play, by game, which is also the
 * legend of the map.
 *
 *   const people = new People({list, none, filter, words}, follow);
 *   people.show(world, following)      // cheap: rows stay the same nodes, so that nobody loses the focus
 *   showCounts(list, online)
 */

import { GAMES, badge, gameOf } from "./games.js";
import { el } from "./nodes.js";
import { isPerson } from "./world.js";

/** More than so many can be filtered. */
const FILTER_FROM = 30;
/** More rows than this are not put on the page; the filter finds the others. */
const MOST_ROWS = 250;

/** @typedef {import("./world.js").Thing} Thing */

export class People {
  /**
   * @param {{list: HTMLElement, none: HTMLElement, filter: HTMLElement, words: HTMLInputElement}} nodes
   * @param {(id: number) => void} follow
   */
  constructor(nodes, follow) {
    this._nodes = nodes;
    this._follow = follow;
    /** @type {Map<number, {row: HTMLElement, button: HTMLElement, key: string}>} */
    this._rows = new Map();
    this._more = el("li", { class: "people-more" });
    this._last = null;
    nodes.words.addEventListener("input", () => {
      if (this._last) this.show(...this._last);
    });
  }

  /**
   * @param {import("./world.js").World} world
   * @param {number} following
   */
  show(world, following) {
    this._last = [world, following];
    const { list, none, filter, words } = this._nodes;
    const everybody = [...world.things.values()].filter(isPerson).sort(byRank);
    filter.hidden = everybody.length <= FILTER_FROM && !words.value;
    const wanted = words.value.trim().toLocaleLowerCase();
    const found = wanted ? everybody.filter((thing) => matches(thing, wanted)) : everybody;
    const shown = found.slice(0, MOST_ROWS);
    const rows = shown.map((thing) => this._rowOf(thing, following));
    if (found.length > shown.length) {
      this._more.textContent = `and ${found.length - shown.length} more: filter by name to find them`;
      rows.push(this._more);
    }
    arrange(list, rows);
    const still = new Set(shown.map((thing) => thing.id));
    for (const id of this._rows.keys()) if (!still.has(id)) this._rows.delete(id);
    none.hidden = shown.length > 0;
    none.textContent = wanted ? `Nobody here is called “${words.value.trim()}”.` : "Nobody is here yet.";
  }

  /** @param {Thing} thing @param {number} following */
  _rowOf(thing, following) {
    let entry = this._rows.get(thing.id);
    const key = [thing.name, thing.title, thing.game, thing.dead].join("|");
    if (!entry) {
      const button = el("button", { type: "button", class: "person", onclick: () => this._follow(thing.id) });
      entry = { row: el("li", {}, button), button, key: "" };
      this._rows.set(thing.id, entry);
    }
    if (entry.key !== key) {
      entry.key = key;
      const game = gameOf(thing.game);
      const note = thing.title || game?.name || "lives here";
      entry.button.replaceChildren(
        game ? badge(thing.game, 20) : el("span", { class: "badge resident", "aria-hidden": "true" }),
        el("span", { class: "person-name" }, thing.name),
        el("span", { class: "person-note" }, thing.dead ? `a ghost, ${note}` : note),
      );
    }
    const pressed = String(thing.id === following);
    if (entry.button.ariaPressed !== pressed) entry.button.ariaPressed = pressed;
    return entry.row;
  }
}

/** Players first, then those who live here; by name. */
function byRank(a, b) {
  return Number(!a.game) - Number(!b.game) || a.name.localeCompare(b.name) || a.id - b.id;
}

function matches(thing, wanted) {
  const words = `${thing.name} ${thing.title} ${gameOf(thing.game)?.name ?? "resident"}`;
  return words.toLocaleLowerCase().includes(wanted);
}

/** Let a list have these children in this order, touching only what is not in its place. */
function arrange(list, rows) {
  let at = list.firstElementChild;
  for (const row of rows) {
    if (row === at) at = at.nextElementSibling;
    else list.insertBefore(row, at);
  }
  while (at) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
}

/**
 * The games, each with its sign and how many come through it.
 * @param {HTMLElement} list
 * @param {Record<string, number>} online
 */
export function showCounts(list, online) {
  if (!list.childElementCount)
    list.append(
      ...GAMES.map(({ game, name }) => {
        const label = el("span", { class: "count-name" }, name);
        return el("li", { dataset: { game } }, badge(game, 22), label, el("b", { class: "count" }, "0"));
      }),
    );
  for (const row of list.children) {
    const count = online[row.dataset.game] ?? 0;
    const number = row.querySelector(".count");
    if (number.textContent !== String(count)) number.textContent = String(count);
    row.classList.toggle("none", !count);
  }
}
