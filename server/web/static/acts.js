/**
 * What can be done with somebody or something that one looks at: the buttons of its card.
 *
 * @module
 */

import { BESIDE } from "./going.js";
import { headingTowards } from "./walking.js";

const TALKING = 10; // tiles, as the world has it (world/reach.py)

/**
 * @param {import("./game.js").Game} game its parts, which these buttons are about
 * @param {(message: object) => boolean} send
 * @param {object} thing as `World` has it
 * @param {() => void} toMap the keyboard goes back to the map
 * @returns {Array<[string, () => void]>} labels and what they do
 */
export function actions(game, send, thing, toMap) {
  if (thing.id === game.id) return [];
  const { card, going } = game;
  const closing = (does) => () => {
    card.close();
    does();
  };
  const use = () => send({ t: "use", id: thing.id });
  if (thing.kind === "item") {
    const take = () => going.near(thing, () => send({ t: "take", id: thing.id }));
    const reads = thing.fixed && !thing.container;
    return [
      ...(thing.container ? [["Open", closing(() => going.near(thing, use))]] : []),
      ...(thing.fixed && !reads ? [] : [[reads ? "Read" : "Take", closing(take)]]),
      ["Go there", closing(() => going.goTo(thing, BESIDE))],
    ];
  }
  const it = {
    game,
    send,
    thing,
    toMap,
    closing: (does) => closing(does)(),
    onMap: (does) => {
      card.close();
      toMap();
      does();
    },
    /** Where one can be heard. */
    near: (does) => {
      card.close();
      if (going.far(thing) <= TALKING) does();
      else going.goTo(thing, TALKING, does);
    },
  };
  const table = thing.fights ? WITH_CREATURES : thing.game ? WITH_PLAYERS : WITH_RESIDENTS;
  return table.filter(({ offered = () => true }) => offered(it)).map(({ label, does }) => [label, () => does(it)]);
}

const face = ({ game, thing }) => {
  const { walker } = game.going;
  game.going.turn(headingTowards(thing.x - walker.x, thing.y - walker.y));
};
const FACE = { label: "Face", does: (it) => it.closing(() => face(it)) };
const FOLLOW = { label: "Follow", does: ({ game, thing, onMap }) => onMap(() => game.going.follow(thing.id)) };
const ATTACK = { label: "Attack", does: ({ game, thing, onMap }) => onMap(() => game.combat.attack(thing.id)) };
const TALK = {
  label: "Talk",
  does: (it) =>
    it.near(() => {
      face(it);
      it.game.dialogs.expect();
      it.send({ t: "use", id: it.thing.id });
    }),
};
const WITH_CREATURES = [ATTACK, FACE];
const WITH_RESIDENTS = [TALK, FOLLOW, FACE];

/** What is put on a list, or taken off it, by name. */
const lists = (label, t, offered) => ({
  label,
  offered: ({ game, thing }) => Boolean(thing.name) && offered(game.society.friends, thing.id),
  does: ({ game, thing, closing }) => closing(() => game.society.friends.put(t, thing.name)),
});

/** What one can do with another player, in the order of its buttons. What does not suit is not `offered`. */
export const WITH_PLAYERS = [
  { label: "Tell", does: ({ game, thing }) => game.chat.tellTo(thing.name) },
  FOLLOW,
  { label: "Trade", does: ({ near, send, thing }) => near(() => send({ t: "trade", id: thing.id })) },
  { label: "Give", offered: ({ thing }) => Boolean(thing.name), does: (it) => give(it) },
  {
    label: "Invite to party",
    offered: ({ game, thing }) => game.party.asks && !game.party.has(thing.id),
    does: ({ game, thing, closing }) => closing(() => game.party.ask(thing.id)),
  },
  {
    label: "Invite to guild",
    offered: ({ game, thing }) => game.society.guild.asks && !game.society.guild.has(thing.id),
    does: ({ game, thing, closing }) => closing(() => game.society.guild.ask(thing.id)),
  },
  lists("Add friend", "befriend", (friends, id) => !friends.has(id)),
  lists("Remove friend", "unfriend", (friends, id) => friends.has(id)),
  lists("Ignore", "ignore", (friends, id) => !friends.ignores(id)),
  lists("Hear again", "heed", (friends, id) => friends.ignores(id)),
  { label: "Duel", does: ({ near, send, thing }) => near(() => send({ t: "duel", id: thing.id })) },
  FACE,
  ATTACK,
  {
    label: "Report",
    offered: ({ thing }) => Boolean(thing.name),
    does: ({ game, thing, closing }) => closing(() => game.society.report.about(thing.name)),
  },
];

/** Choose something of the pack for somebody, and hand it over: with the command that every game has. */
function give({ game: { card, going, pack }, send, thing, toMap }) {
  card.choose(pack.carried, ({ name, amount }) => {
    card.close();
    toMap();
    const words = `.give ${thing.name} ${amount} ${name}`;
    going.near(thing, () => send({ t: "speak", words }));
  });
}
