/**
 * Building the page's nodes. Texts become text nodes, never markup.
 *
 * @module
 */

/**
 * An element. `props` are attributes, but: a function is a listener ("onclick"), `true` an attribute without
 * value, `false`, null and undefined none, and `dataset` an object.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [props]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A button that submits nothing. */
export function button(label, onclick, props = {}) {
  return el("button", { type: "button", onclick, ...props }, label);
}

/** A field with its label. */
export function field(label, input, hint = null) {
  const id = input.id || `field-${(field.made = (field.made ?? 0) + 1)}`;
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el(
    "p",
    { class: "field" },
    el("label", { for: id }, label),
    input,
    hint && el("small", { id: `${id}-hint` }, hint),
  );
}

/**
 * Put new children into a node without losing the keyboard's place in it: what has the same `data-key` as
 * what had the focus gets it, if it can, or else the node itself.
 *
 * @param {HTMLElement} node
 * @param {...(Node | null | false)} children
 */
export function refill(node, ...children) {
  const had = node.contains(document.activeElement) ? document.activeElement : null;
  node.replaceChildren(...children.filter(Boolean));
  if (!had || had === node) return;
  const key = had.dataset.key;
  const same = key && [...node.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (same && !same.disabled) {
    same.focus();
    if (same.type === "number") [same.value, same.value] = ["", same.value]; // typed on behind it, not before it
  } else {
    node.tabIndex = -1;
    node.focus();
  }
}

/** Whether keys that are typed there are words. */
export function takesWords(node) {
  if (!(node instanceof HTMLElement)) return false;
  if (node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT") return true;
  if (node.tagName !== "INPUT") return false;
  return !["button", "checkbox", "submit", "reset"].includes(node.type);
}
