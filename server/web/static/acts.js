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
  const onMap = (does) =>
    closing(() => {
      toMap();
      does();
    });
  const face = () => going.turn(headingTowards(thing.x - going.walker.x, thing.y - going.walker.y));
  /** Where one can be heard. */
  const near = (does) =>
    closing(() => {
      if (going.far(thing) <= TALKING) does();
      else going.goTo(thing, TALKING, does);
    });
  const talk = near(() => {
    face();
    game.dialogs.expect();
    use();
  });
  const attack = onMap(() => game.combat.attack(thing.id));
  const follow = onMap(() => going.follow(thing.id));
  if (thing.fights) return [["Attack", attack], ["Face", face]];
  if (!thing.game) return [["Talk", talk], ["Follow", follow], ["Face", face]];
  return [
    ["Tell", () => game.chat.tellTo(thing.name)],
    ["Follow", follow],
    ["Trade", near(() => send({ t: "trade", id: thing.id }))],
    ...(game.party.asks && !game.party.has(thing.id) ? [["Invite", closing(() => game.party.ask(thing.id))]] : []),
    ...(thing.name ? [["Give", () => give(game, send, thing, toMap)]] : []),
    ["Face", face],
    ["Attack", attack],
  ];
}

/** Choose something of the pack for somebody, and hand it over: with the command that every game has. */
function give({ card, going, pack }, send, thing, toMap) {
  card.choose(pack.carried, ({ name, amount }) => {
    card.close();
    toMap();
    const words = `.give ${thing.name} ${amount} ${name}`;
    going.near(thing, () => send({ t: "speak", words }));
  });
}
