/**
 * How to connect with one's own client: a card for each game, from /connect.json, with lines to copy.
 *
 *   await showConnect(node, announce)     // announce(text): for those who listen
 */

import { badge } from "./games.js";
import { el } from "./nodes.js";

/** How long a button says that it has copied. */
const COPIED_MS = 2200;

/**
 * @param {HTMLElement} node
 * @param {(text: string) => void} announce
 */
export async function showConnect(node, announce) {
  let told;
  try {
    const response = await fetch("/connect.json");
    if (!response.ok) throw new Error(String(response.status));
    told = await response.json();
  } catch {
    const retry = () => showConnect(node, announce);
    const again = el("button", { type: "button", class: "button", onclick: retry }, "Try again");
    node.replaceChildren(el("p", { class: "empty" }, "The addresses did not arrive."), again);
    return;
  }
  const games = told.games ?? [];
  // One card is open, so that everybody sees what the cards are.
  const first = games.find((game) => game.game !== "web");
  const notes = [
    "You bring the client of your game along. All of them lead into the same world, with the same account.",
    accountNote(told.accounts),
  ];
  node.replaceChildren(
    ...notes.filter(Boolean).map((note) => el("p", { class: "small" }, note)),
    ...games.map((game) => cardOf(game, game === first, announce)),
  );
  if (!games.length) node.append(el("p", { class: "empty" }, "No game's door is open here."));
}

function accountNote(accounts) {
  if (!accounts) return "";
  return accounts.may_register
    ? "An account comes into being with its first login, in any of the clients or under Play."
    : "Accounts are made by whoever runs this server.";
}

function cardOf(game, open, announce) {
  const summary = el(
    "summary",
    {},
    badge(game.game, 24),
    el("span", { class: "game-name" }, game.name),
    el("span", { class: "game-versions" }, game.versions ?? ""),
  );
  const steps = el("ol", { class: "steps" }, ...(game.steps ?? []).map((step) => stepOf(step, announce)));
  const note = game.note ? el("p", { class: "small game-note" }, game.note) : null;
  const card = el("details", { class: "game-card", dataset: { game: game.game } }, summary, note, steps);
  card.open = open;
  return card;
}

function stepOf({ text, file, line }, announce) {
  const item = el("li", {}, el("span", {}, text));
  if (!line) return item;
  const code = el("code", {}, line);
  const button = el("button", { type: "button", class: "copy" }, "Copy");
  button.setAttribute("aria-label", `Copy: ${line}`);
  button.addEventListener("click", async () => {
    const copied = await copy(line, code);
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
    announce(copied ? `Copied: ${line}` : "The line is selected. Press Control and C to copy it.");
    setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
  });
  const row = el("div", { class: "copy-row" }, code, button);
  item.append(el("div", { class: "copy-line" }, file && el("span", { class: "file" }, file), row));
  return item;
}

/** @returns {Promise<boolean>} whether it is on the clipboard; if not, it is selected */
async function copy(text, node) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https, and not on this very machine, browsers have no clipboard for a page.
    const selection = getSelection();
    selection.selectAllChildren(node);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }
}
