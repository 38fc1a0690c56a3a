/**
 * What somebody typed, as what is meant by it; and what was said, as a line of the chat. Knows no page.
 *
 * @module
 */

export const LONGEST_WORDS = 128;

/** Ways of speaking that can be chosen, in the order they are offered. */
export const WAYS = ["say", "whisper", "yell", "party", "guild", "global", "tell", "emote"];

const WORDS_FOR_WAYS = new Map([
  ["say", "say"],
  ["s", "say"],
  ["yell", "yell"],
  ["y", "yell"],
  ["shout", "yell"],
  ["whisper", "whisper"],
  ["w", "whisper"],
  ["global", "global"],
  ["g", "global"],
  ["me", "emote"],
  ["emote", "emote"],
  ["party", "party"],
  ["p", "party"],
  ["guild", "guild"],
  ["gu", "guild"],
  ["alliance", "alliance"],
  ["tell", "tell"],
  ["t", "tell"],
]);

/** What the help line of the chat says. */
export const HELP =
  "/say, /yell (or !words), /whisper (or ;words), /tell NAME words, /party words, /guild words, /global (or ~words), " +
  "/me does something, /sit, /look NAME, and gestures such as /bow. " +
  "Everything else after / goes to the server, which tells its own:";

/**
 * Read one line of the chat box.
 *
 * @param {string} line what was typed
 * @param {string} chosen the way of speaking that is chosen beside the box
 * @param {string} to to whom, if that way is "tell"
 * @param {Iterable<string>} gestures all the server knows
 * @returns {{message?: object, look?: string, help?: boolean, fault?: string} | null} a message to send, whom
 *   to
 *   look at, that help is wanted, or what is wrong; null if there is nothing in it
 */
export function read(line, chosen, to, gestures) {
  const typed = line.trim();
  if (!typed) return null;
  const command = /^\/([a-z]+)(?:\s+(.*))?$/is.exec(typed);
  if (command) {
    const word = command[1].toLowerCase();
    const rest = (command[2] ?? "").trim();
    if (word === "help") return { help: true, ...speak(typed, "say") };
    if (word === "sit") return { message: { t: "sit" } };
    if (word === "look" && rest) return { look: rest };
    const way = WORDS_FOR_WAYS.get(word);
    if (way === "tell") return tell(rest);
    if (way) return speak(rest, way);
    if (!rest && [...gestures].includes(word)) return { message: { t: "gesture", gesture: word } };
    return speak(typed, "say");
  }
  if (/^!\p{L}/u.test(typed)) return speak(typed.slice(1), "yell");
  if (/^;\s*\p{L}/u.test(typed)) return speak(typed.slice(1), "whisper");
  if (/^~\s*\S/u.test(typed)) return speak(typed.slice(1), "global");
  return chosen === "tell" ? speak(typed, "tell", to.trim()) : speak(typed, chosen);
}

/** `NAME words`, to one alone. */
function tell(rest) {
  const parts = /^(\S+)\s+(.+)$/s.exec(rest);
  return parts ? speak(parts[2], "tell", parts[1]) : { fault: "To whom, and what? /tell NAME words" };
}

function speak(words, how, to = "") {
  const said = words.trim();
  if (!said) return null;
  if (how === "tell" && !to) return { fault: "Write the name of whom you want to tell it." };
  if ([...said].length > LONGEST_WORDS) return { fault: `That is longer than ${LONGEST_WORDS} letters.` };
  const message = { t: "speak", words: said };
  if (how !== "say") message.how = how;
  if (to) message.to = to;
  return { message };
}

/**
 * How something that was said stands in the chat.
 *
 * @param {{name: string, how: string, words: string}} said a `say` message
 * @returns {{kind: string, before: string, words: string}} `before` names the speaker, and is empty for the
 *   server's own words
 */
export function line(said) {
  const { name, how, words } = said;
  switch (how) {
    case "system":
    case "announce":
      return { kind: how, before: "", words };
    case "emote":
      return { kind: how, before: name, words };
    case "whisper":
      return { kind: how, before: `${name} whispers:`, words };
    case "yell":
      return { kind: how, before: `${name} yells:`, words };
    case "tell":
      return { kind: how, before: `${name} tells you:`, words };
    case "party":
    case "guild":
    case "alliance":
      return { kind: "tell", before: `[${how}] ${name}:`, words };
    case "global":
      return { kind: how, before: `[global] ${name}:`, words };
    default:
      return { kind: "say", before: `${name}:`, words };
  }
}

const SPANS = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/**
 * How long ago something was: "5 minutes ago".
 *
 * @param {number} at seconds UTC
 * @param {number} [now] the same
 * @returns {string}
 */
export function ago(at, now = Date.now() / 1000) {
  for (const [length, name] of SPANS) {
    const count = Math.floor((now - at) / length);
    if (count > 0) return `${count} ${name}${count > 1 ? "s" : ""} ago`;
  }
  return "just now";
}

/**
 * The day of a moment: "2026-03-01".
 *
 * @param {number} at seconds UTC
 * @returns {string}
 */
export function day(at) {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

const DOINGS = new Map([
  ["happy", "smiles"],
  ["depressed", "looks depressed"],
  ["sad", "looks sad"],
  ["angry", "is angry"],
  ["confused", "is confused"],
  ["surprised", "is surprised"],
  ["love", "is in love"],
  ["moon", "moons"],
  ["suicidal", "despairs"],
  ["embarrassed", "blushes"],
  ["drunk", "sways"],
  ["laugh", "laughs"],
  ["bow", "bows"],
  ["salute", "salutes"],
  ["wave", "waves"],
  ["dance", "dances"],
  ["kneel", "kneels"],
  ["pose", "strikes a pose"],
]);

/**
 * A gesture in words: "bows".
 *
 * @param {string} gesture
 * @returns {string}
 */
export function doing(gesture) {
  return DOINGS.get(gesture) ?? `makes a gesture (${gesture})`;
}

const COMPASS = ["north", "north east", "east", "south east", "south", "south west", "west", "north west"];

/**
 * Where something is, seen from somewhere: "3 north east", "here".
 *
 * @param {number} dx tiles to the east
 * @param {number} dy tiles to the south
 * @returns {string}
 */
export function whereabouts(dx, dy) {
  const distance = Math.max(Math.abs(dx), Math.abs(dy));
  if (distance === 0) return "here";
  const octant = Math.round((Math.atan2(dx, -dy) / Math.PI) * 4);
  return `${distance} ${COMPASS[(octant + 8) % 8]}`;
}
