/**
 * What stands between the map and the world: trying it, logging in, and choosing or making a character.
 *
 * One pane that shows one step at a time, made anew for each. It sends nothing: each button calls a
 * function that answers with a promise (play.js), and until it is kept nothing else can be begun. What
 * fails is told above the step, which stays as it was filled in.
 *
 * @module
 */

import { confirm } from "./dialogs.js";
import { portrait } from "./figures.js";
import { cannotType, faultOfAccount, faultOfName, suggestName } from "./names.js";
import { button, el, field } from "./nodes.js";

/** Hair styles 0 to 9, which every game has; from 10 on they are the same again in other clients. */
const STYLES = [
  "Bald",
  "Short",
  "Long",
  "Ponytail",
  "Mohawk",
  "Pageboy",
  "Afro",
  "Receding or buns",
  "Two tails",
  "Krisna",
];

/** Hues of the world, what they are called, and how they are drawn (data/looks/people.toml). */
const HAIR_HUES = [
  [1119, "Brown", "#835f3c"],
  [1124, "Dark brown", "#443020"],
  [1109, "Black", "#2a2624"],
  [1126, "Fair", "#e2c27c"],
  [1129, "Blonde", "#b6985d"],
  [1134, "Ginger", "#c26a38"],
  [1138, "Red", "#874223"],
  [1105, "Grey", "#94908b"],
  [1102, "White", "#e4e0d8"],
];
const SKIN_HUES = [
  [1002, "Fair", "#efcbb0"],
  [1009, "Light", "#ddb495"],
  [1017, "Tanned", "#c99a76"],
  [1025, "Olive", "#aa7d5e"],
  [1033, "Brown", "#8a6046"],
  [1045, "Dark brown", "#714d38"],
  [1058, "Dark", "#553829"],
];

/** The pane of the panel in which all of that happens. */
export class Menu {
  /**
   * @param {object} does what the buttons do; all but the last two answer a promise that fails with what to
   *   tell
   * @param {(name: string, suggested: boolean) => Promise<void>} does.tryOut
   * @param {(account: string, password: string) => Promise<void>} does.logIn
   * @param {(account: string, password: string) => Promise<void>} does.register
   * @param {(wish: object) => Promise<void>} does.create
   * @param {(id: number) => Promise<void>} does.remove
   * @param {(id: number) => Promise<void>} does.enter
   * @param {() => void} does.logOut
   * @param {() => void} does.back to the map
   */
  constructor(does) {
    this._does = does;
    this._fault = el("p", { class: "fault", role: "alert" });
    this._body = el("div", { class: "menu-body" });
    this.node = el("div", { id: "play-menu", hidden: true }, this._fault, this._body);
  }

  /** Say what went wrong; "" for nothing. */
  fault(text) {
    this._fault.textContent = text;
  }

  hide() {
    this.node.hidden = true;
    this._body.replaceChildren();
    this.fault("");
  }

  /** Something is under way. */
  wait(text) {
    const back = button("Back to the map", () => this._does.back(), { class: "button quiet" });
    this._show(el("p", { class: "wait", role: "status" }, text), back);
  }

  /**
   * Nobody is logged in.
   *
   * @param {{may_register: boolean, why?: string}} session
   */
  welcome(session) {
    const parts = [];
    if (session.may_register) parts.push(this._tryForm());
    parts.push(this._loginForm(session));
    parts.push(button("Back to the map", () => this._does.back(), { class: "button quiet" }));
    this._show(...parts);
    (this._body.querySelector("#try") ?? this._body.querySelector("input")).focus({ preventScroll: true });
  }

  /**
   * Who is logged in, and the characters.
   *
   * @param {string} account
   * @param {Array<object>} characters lines as in the message
   * @param {number} limit how many there may be
   * @param {number} last the one played last
   */
  characters(account, characters, limit, last) {
    const list = el(
      "ul",
      { id: "characters", "aria-label": "Your characters" },
      ...characters.map((one) => this._character(one)),
    );
    const more = characters.length < limit;
    const create = more && this._createForm(characters.length === 0);
    this._show(
      el(
        "h2",
        { tabindex: "-1" },
        characters.length > 0 ? "Who do you want to be?" : "Make your first character",
      ),
      characters.length > 0 && list,
      create,
      this._passwordForm(),
      el(
        "p",
        { class: "menu-foot" },
        el("span", {}, "Logged in as ", el("b", {}, account), "."),
        button("Log out", () => this._does.logOut(), { id: "log-out", class: "button quiet" }),
        button("Back to the map", () => this._does.back(), { class: "button quiet" }),
      ),
    );
    const first = list.querySelector(`[data-id="${Number(last)}"] .enter`) ?? list.querySelector(".enter");
    (first ?? this._body.querySelector("#create-form input") ?? this._body.firstElementChild).focus({
      preventScroll: true,
    });
  }

  /** What was said no to, and a way to try again. */
  over(title, text) {
    this._show(
      el("h2", { tabindex: "-1" }, title),
      el("p", {}, text),
      el(
        "p",
        { class: "menu-foot" },
        button("Play again", () => this._does.again(), { id: "again", class: "button primary" }),
        button("Back to the map", () => this._does.back(), { class: "button quiet" }),
      ),
    );
    this._body.querySelector("h2").focus();
  }

  _show(...children) {
    this.fault("");
    this._body.replaceChildren(...children.filter(Boolean));
    this.node.hidden = false;
  }

  /** Another password, folded away until somebody wants one. */
  _passwordForm() {
    const old = el("input", { name: "old", type: "password", autocomplete: "current-password" });
    const made = el("input", { name: "password", type: "password", autocomplete: "new-password", required: true });
    const form = el(
      "form",
      {
        id: "password-form",
        onsubmit: (event) => this._submit(event, () => this._does.password(old.value, made.value)),
      },
      field("Old password", old, "Not needed in the browser that made the account."),
      field("New password", made),
      el("button", { type: "submit", id: "set-password", class: "button" }, "Set it"),
    );
    return el("details", { class: "making" }, el("summary", {}, "Set another password"), form);
  }

  _tryForm() {
    let suggested = suggestName();
    const name = el("input", {
      name: "character",
      value: suggested,
      maxlength: "16",
      autocomplete: "off",
      autocapitalize: "words",
      spellcheck: "false",
      required: true,
    });
    const other = button("Another", () => (name.value = suggested = suggestName()), {
      class: "button quiet",
      "aria-label": "Suggest another name",
    });
    const row = field("Your character's name", name);
    row.append(other);
    return el(
      "form",
      {
        id: "try-form",
        autocomplete: "off",
        onsubmit: (event) =>
          this._submit(event, () => {
            const fault = faultOfName(name.value.trim());
            if (fault) throw new Error(fault);
            return this._does.tryOut(name.value.trim(), name.value === suggested);
          }),
      },
      el("h2", {}, "Try it now"),
      row,
      el("button", { id: "try", type: "submit", class: "button primary big" }, "Enter the world"),
      el("p", { class: "small" }, "You get an account of your own, which works in every game client."),
    );
  }

  _loginForm(session) {
    const account = el("input", {
      name: "account",
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
      maxlength: "64",
      required: true,
    });
    const password = el("input", {
      name: "password",
      type: "password",
      autocomplete: "current-password",
      maxlength: "128",
      required: true,
    });
    const register =
      session.may_register &&
      button(
        "Make this account",
        (event) =>
          this._submit(event, () => {
            const fault = faultOfAccount(account.value.trim(), password.value);
            if (fault) throw new Error(fault);
            return this._does.register(account.value.trim(), password.value);
          }),
        { id: "register", class: "button" },
      );
    const shutOut = el("p", { id: "cannot-type", class: "small", role: "status" });
    const look = () => {
      const chosen = account.value.trim() && password.value;
      const games = chosen ? cannotType(session.clients || {}, account.value.trim(), password.value) : [];
      shutOut.textContent = games.length ? `This cannot be typed in: ${games.join(", ")}.` : "";
    };
    return el(
      "form",
      {
        id: "login-form",
        oninput: look,
        onsubmit: (event) =>
          this._submit(event, () => this._does.logIn(account.value.trim(), password.value)),
      },
      el("h2", {}, session.may_register ? "Or with your own account" : "Log in"),
      field("Account", account),
      field("Password", password),
      el(
        "p",
        { class: "buttons" },
        el("button", { id: "log-in", type: "submit", class: "button primary" }, "Log in"),
        register,
      ),
      session.may_register && shutOut,
      !session.may_register &&
        el(
          "p",
          { class: "small" },
          session.why || "Accounts are made by the people who run this server.",
          " Ask them for one: it works in the browser and in every game client.",
        ),
    );
  }

  _character(one) {
    const picture = el("canvas", { width: "48", height: "64", class: "portrait", "aria-hidden": "true" });
    portrait(picture, one.look, { heading: 4 });
    const remove = async () => {
      const sure = await confirm(
        `Delete ${one.name}?`,
        "The character and all it has are gone for good.",
        "Delete",
      );
      if (sure) await this._run(() => this._does.remove(one.id));
    };
    return el(
      "li",
      { dataset: { id: one.id } },
      picture,
      el(
        "span",
        { class: "who" },
        el("b", {}, one.name),
        el("small", {}, [`level ${one.level}`, one.realm].filter(Boolean).join(", ")),
      ),
      button("Enter", () => this._run(() => this._does.enter(one.id)), {
        class: "button primary enter",
        "aria-label": `Enter the world as ${one.name}`,
      }),
      button("Delete", remove, { class: "button quiet", "aria-label": `Delete ${one.name}` }),
    );
  }

  _createForm(first) {
    const name = el("input", {
      name: "name",
      value: suggestName(),
      maxlength: "16",
      autocomplete: "off",
      spellcheck: "false",
      required: true,
    });
    const another = button("Another", () => (name.value = suggestName()), {
      class: "button quiet",
      "aria-label": "Suggest another name",
    });
    const naming = field("Name", name);
    naming.append(another);
    const preview = el("canvas", { width: "72", height: "96", class: "portrait", "aria-hidden": "true" });
    const style = el(
      "select",
      { name: "hair" },
      ...STYLES.map((label, value) => el("option", { value, selected: value === 1 }, label)),
    );
    const sexes = choices("sex", "Sex", [
      ["male", "Man"],
      ["female", "Woman"],
    ]);
    const hairs = swatches("hair_hue", "Hair colour", HAIR_HUES);
    const skins = swatches("skin_hue", "Skin", SKIN_HUES);
    const form = el(
      "form",
      {
        id: "create-form",
        autocomplete: "off",
        onchange: () => draw(),
        onsubmit: (event) =>
          this._submit(event, () => {
            const fault = faultOfName(name.value.trim());
            if (fault) throw new Error(fault);
            return this._does.create(wish());
          }),
      },
      el(
        "div",
        { class: "create" },
        preview,
        el("div", {}, naming, sexes, field("Hair", style), hairs, skins),
      ),
      el("button", { id: "create", type: "submit", class: "button primary" }, "Make this character"),
    );
    const picked = (of) => form.elements.namedItem(of).value;
    const wish = () => ({
      character: name.value.trim(),
      female: picked("sex") === "female",
      hair: Number(style.value),
      hair_hue: Number(picked("hair_hue")),
      skin_hue: Number(picked("skin_hue")),
    });
    const draw = () => {
      const { female, hair, hair_hue, skin_hue } = wish();
      const colour = (hues, hue) => hues.find(([one]) => one === hue)[2];
      portrait(
        preview,
        {
          figure: "person",
          female,
          skin: colour(SKIN_HUES, skin_hue),
          hair: hair > 0 ? colour(HAIR_HUES, hair_hue) : "",
          top: "#4d6a8f",
          legs: "#5a4b3c",
          feet: "#3b2c20",
        },
        { heading: 4 },
      );
    };
    draw();
    if (first) return el("section", { class: "making" }, form);
    return el("details", { class: "making" }, el("summary", {}, "Make another character"), form);
  }

  _submit(event, does) {
    event.preventDefault();
    return this._run(does);
  }

  /** Do something, with its buttons disabled meanwhile, and tell why it could not be done. */
  async _run(does) {
    if (this._busy) return;
    this._busy = true;
    this.fault("");
    this.node.setAttribute("aria-busy", "true");
    try {
      await does();
    } catch (error) {
      this.fault(error.message);
    } finally {
      this._busy = false;
      this.node.removeAttribute("aria-busy");
    }
  }
}

function choices(name, legend, list) {
  return el(
    "fieldset",
    { class: "choices" },
    el("legend", {}, legend),
    ...list.map(([value, label], index) =>
      el("label", {}, el("input", { type: "radio", name, value, checked: index === 0 }), label),
    ),
  );
}

function swatches(name, legend, hues) {
  return el(
    "fieldset",
    { class: "swatches" },
    el("legend", {}, legend),
    ...hues.map(([value, label, colour], index) => {
      const mark = el("i", { "aria-hidden": "true" });
      mark.style.backgroundColor = colour;
      return el(
        "label",
        { title: label },
        el("input", { type: "radio", name, value, checked: index === 0, "aria-label": label }),
        mark,
      );
    }),
  );
}
