/**
 * What one has to do with other players who need not be in sight: one's guild, friends, letters, reports; and a duel.
 *
 * Here is known which message concerns which of these panes, and which buttons and keys open them.
 *
 * @module
 */

import { Friends } from "./friends.js";
import { Guild } from "./guild.js";
import { Mail } from "./mail.js";
import { button } from "./nodes.js";
import { Report } from "./report.js";

/** All of them. */
export class Society {
  /**
   * @param {(message: object) => boolean | void} send
   * @param {{closed: () => void, self: () => number, tell: (name: string) => void, expect: () => void,
   *   state: (words: string) => void}} does as of the panes; `state`: a line over the map, "" for none
   */
  constructor(send, does) {
    this._does = does;
    this.guild = new Guild(send, does);
    this.friends = new Friends(send, does);
    this.mail = new Mail(send, does);
    this.report = new Report(send, does);
    this.panes = [this.guild, this.friends, this.mail, this.report];
    this._yield = button("Give up the duel", () => send({ t: "yield" }), { id: "yield", hidden: true });
    this._more = button("More", () => this._unfold(), { id: "open-more", "aria-expanded": "false" });
    /** For beside the map. Where there is little room the others are behind the last one. */
    this.buttons = [
      this._yield,
      this._opens("guild", "Guild", "G"),
      this._opens("friends", "Friends", "B"),
      this._opens("mail", "Letters", "L"),
      this._more,
    ];
  }

  /** Open one of them, or close it, by its name. */
  toggle(name) {
    this[name].toggle();
  }

  /** One is in the world. */
  begin() {
    this.clear();
    this.friends.begin();
  }

  clear() {
    for (const pane of this.panes) pane.clear();
    this._duels("");
  }

  /** What the server tells. Answers whether it was about one of these. */
  take(message) {
    switch (message.t) {
      case "guild":
      case "guild_member":
        this.guild[message.t](message);
        return true;
      case "friends":
        this.friends.all(message);
        return true;
      case "friend":
      case "ignored":
        this.friends[message.t](message);
        return true;
      case "mail":
        this.mail.mail(message);
        return true;
      case "letter_sent":
        this.mail.sent();
        return true;
      case "duel_count":
        this._duels(
          message.seconds > 0
            ? `Your duel with ${message.name} begins in ${message.seconds} …`
            : `You fight a duel with ${message.name}. Nobody dies of it.`,
        );
        return true;
      case "duel_over":
        this._duels("");
        return true;
      default:
        return false;
    }
  }

  /** The server's words. */
  said(words) {
    for (const pane of this.panes) pane.said(words);
  }

  sheet(sheet) {
    this.mail.sheet(sheet);
  }

  belongings(things) {
    this.mail.belongings(things);
  }

  _duels(words) {
    this._yield.hidden = !words;
    this._does.state(words);
  }

  _opens(name, label, key) {
    const open = () => {
      this._unfold(false);
      this.toggle(name);
    };
    return button(label, open, { id: `open-${name}`, class: "society", title: `${label} (${key})` });
  }

  _unfold(open = this._more.getAttribute("aria-expanded") !== "true") {
    this._more.setAttribute("aria-expanded", String(open));
  }
}
