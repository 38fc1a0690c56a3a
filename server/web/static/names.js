/**
 * Made-up names: of characters, and of the accounts that visitors get. Knows no page; randomness comes in as
 * a function `bytes(n)` that answers so many random bytes.
 *
 * @module
 */

const BEGINS = [
  "b",
  "br",
  "c",
  "d",
  "dr",
  "el",
  "f",
  "g",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "or",
  "r",
  "s",
  "t",
  "th",
  "v",
];
const VOWELS = ["a", "a", "e", "e", "i", "o", "u", "ae", "ia"];
const MIDDLES = ["l", "r", "n", "m", "d", "v", "s", "ll", "nn", "r", "th", "rn"];
const ENDS = ["", "", "n", "r", "s", "l", "m", "nd"];

/** What these syllables happen to spell, and nobody wants to be called. */
const UNLUCKY = /hor|homo|cum|con+|nud|moron|sod|turd|dil+d|fel+a/;

const DIGITS = "0123456789";
// Without 0, O, 1, I and l: people copy it from the screen into other clients.
const PASSWORD_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export const SHORTEST_NAME = 4;
export const LONGEST_NAME = 12;
export const SHORTEST_ACCOUNT = 4;
export const LONGEST_ACCOUNT = 14;
export const SHORTEST_PASSWORD = 6;
export const LONGEST_PASSWORD = 12;

/**
 * The browser's own randomness.
 *
 * @param {number} count
 * @returns {Uint8Array}
 */
export function browserBytes(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

/**
 * A number from 0 to `limit` - 1, all equally likely. `limit` is at most 256.
 *
 * @param {(count: number) => Uint8Array} bytes
 * @param {number} limit
 * @returns {number}
 */
export function below(bytes, limit) {
  const fair = 256 - (256 % limit);
  for (;;) {
    const [byte] = bytes(1);
    if (byte < fair) return byte % limit;
  }
}

/**
 * A name for a character: 4 to 12 letters that can be said aloud, with a capital.
 *
 * @param {(count: number) => Uint8Array} [bytes]
 * @returns {string}
 */
export function suggestName(bytes = browserBytes) {
  for (;;) {
    const name = syllables(bytes);
    if (!UNLUCKY.test(name)) return name[0].toUpperCase() + name.slice(1);
  }
}

function syllables(bytes) {
  const one = (list) => list[below(bytes, list.length)];
  let name = one(BEGINS) + one(VOWELS);
  const further = 1 + below(bytes, 2);
  for (let n = 0; n < further; n += 1) name += one(MIDDLES) + one(VOWELS);
  return (name + one(ENDS)).slice(0, LONGEST_NAME);
}

/**
 * Name and password of a new account, as every game's client can type them.
 *
 * @param {(count: number) => Uint8Array} [bytes]
 * @returns {{account: string, password: string}}
 */
export function makeAccount(bytes = browserBytes) {
  const some = (letters, count) =>
    Array.from({ length: count }, () => letters[below(bytes, letters.length)]).join("");
  const account = suggestName(bytes).toLowerCase().slice(0, 8) + some(DIGITS, 6);
  return { account, password: some(PASSWORD_LETTERS, LONGEST_PASSWORD) };
}

/**
 * What is wrong with a character's name, or "".
 *
 * @param {string} name
 * @returns {string}
 */
export function faultOfName(name) {
  return name.length >= 2 && name.length <= 16 && /^[A-Za-z]+([ '-][A-Za-z]+)*$/.test(name)
    ? ""
    : "A name has 2 to 16 letters from A to Z, with single blanks, apostrophes or hyphens between them.";
}

/**
 * What is wrong with an account's name and password, or "".
 *
 * @param {string} account
 * @param {string} password
 * @returns {string}
 */
export function faultOfAccount(account, password) {
  if (!/^[a-z0-9]{3,16}$/i.test(account)) return "An account's name has 3 to 16 letters or digits.";
  if (!/^[\x21-\x7e]{4,30}$/.test(password))
    return "A password has 4 to 30 letters, digits or signs, and no blanks.";
  return "";
}

/**
 * The games whose own clients cannot type what somebody chooses for a new account; see GET /session.
 *
 * @param {Record<string, Record<string, number[]>>} clients
 * @param {string} account
 * @param {string} password
 * @returns {string[]}
 */
export function cannotType(clients, account, password) {
  const fits = (range, text) => !range || (text.length >= range[0] && text.length <= range[1]);
  return Object.keys(clients).filter(
    (game) => !fits(clients[game].account, account) || !fits(clients[game].password, password),
  );
}
