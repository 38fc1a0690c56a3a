/**
 * The page's entry: puts the parts together, and is what the play mode builds on.
 *
 * There is one map and two Worlds that it may show: that of those who only watch, of a whole realm, and the
 * one of whoever plays, with what a character sees. They are told in the same messages on two connections,
 * of which one is open at a time. The play mode is told nothing of the first, and this module nothing of
 * the second but which World to show.
 *
 * `page`, handed to play.js:
 *   page.map                MapCanvas of #map (canvas.js)
 *   page.world              the World of /watch; a play mode has one of its own for `page.show(world)`
 *   page.show(world)        let the map draw that World (and load its realms); null: the watched one again.
 *                           While another is shown, the connection of /watch is closed
 *   page.setMode(mode)      "watch", "login", "menu" or "play": document.body.dataset.mode
 *   page.selectTab(name)    "world", "connect" or "play"
 *   page.room               #play-room, the element of the panel that belongs to the play mode
 *   page.hud                #hud, the element over the map that belongs to the play mode
 *   page.announce(text)     tell those who listen instead of look (aria-live, polite)
 *   page.mapIsOn            whether there is a live map to watch
 *   page.openSheet(open)    on phones: the panel as a sheet over the map, up or down
 *
 * play.js exports `mount(page)`, called once when the page is ready, and `start()`, called for a press of
 * #play-button or #play-now.
 */

import { MapCanvas } from "./canvas.js";
import { showConnect } from "./connect.js";
import { Feed } from "./feed.js";
import { el } from "./nodes.js";
import { People, showCounts } from "./people.js";
import { mount, start } from "./play.js";
import { loadRealm } from "./realm.js";
import { CLOSED, connect } from "./wire.js";
import { World } from "./world.js";

const TABS = ["world", "connect", "play"];
/** The lists follow the world at most so often. */
const LIST_MS = 400;
/** How near the map comes to whoever is followed. */
const FOLLOW_ZOOM = 40;
/** While somebody plays, nobody tells the page how many there are: it asks. */
const COUNTS_MS = 15_000;

/** What stands in place of the feed while it is empty. */
const FEED_EMPTY = "Nothing has happened yet.";
const FEED_WHILE_PLAYING = "While you play, the chat tells what happens around you.";

const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const phone = matchMedia("(max-width: 760px)");

class Page {
  constructor() {
    this.mapIsOn = document.body.dataset.map === "on";
    this.world = new World();
    this.shown = this.world;
    this.map = new MapCanvas(/** @type {HTMLCanvasElement} */ (byId("map")), this.world);
    this.room = byId("play-room");
    this.hud = byId("hud");
    /** @type {import("./wire.js").Wire | null} */
    this.wire = null;
    this.state = "closed"; // of the connection of /watch
    this._full = false; // whether too many watch
    this._realmName = "";
    this._sheetOpen = true;
    this._dismissed = false;
    this._listTimer = 0;
    this._announceTimer = 0;
    this._feed = new Feed(byId("feed"), byId("feed-none"), (text) => this.announce(text));
    this._people = new People(
      {
        list: byId("people"),
        none: byId("people-none"),
        filter: byId("people-filter"),
        words: /** @type {HTMLInputElement} */ (byId("people-words")),
      },
      (id) => this._followPerson(id),
    );
    this._bindTabs();
    this._bindMap();
    this._bindSheet();
    this._unlisten = this.world.listen((message) => this._heard(message));
    showCounts(byId("counts"), {});
    this._showLists();
    showConnect(byId("connect-games"), (text) => this.announce(text));
    for (const id of ["play-now", "play-button"]) byId(id).addEventListener("click", () => start());
    setInterval(() => this._tick(), 500);
    setInterval(() => this._askCounts(), COUNTS_MS);
    if (this.mapIsOn) {
      this._loadRealms();
      this._watch();
    } else this.selectTab("connect");
    this._showLink();
    this._showNote();
  }

  // What the play mode uses ---------------------------------------------------------------------------

  show(world) {
    this.shown = world ?? this.world;
    this._feed.clear();
    byId("people-title").textContent = world ? "Whom you see" : "Who is here";
    byId("feed-none").textContent = world ? FEED_WHILE_PLAYING : FEED_EMPTY;
    this._unlisten();
    this._unlisten = this.shown.listen((message) => this._heard(message));
    if (world) {
      this.wire?.close();
      this.wire = null;
      this._full = false;
      this._askCounts();
    }
    this.map.setWorld(this.shown);
    if (!world) {
      this.map.onPick = (thing, _tile, event) => this._picked(thing, event);
      this.world.clear();
      if (this.mapIsOn) this._watch();
      else this.map.setRealm(null);
    }
    this._realmChanged();
    this._showLists();
    this._showNote();
  }

  setMode(mode) {
    document.body.dataset.mode = mode;
    this._showLink();
    this._showNote();
  }

  selectTab(name) {
    for (const tab of TABS) {
      const chosen = tab === name;
      const button = byId(`tab-${tab}`);
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      byId(tab).hidden = !chosen;
    }
    document.body.dataset.tab = name;
  }

  announce(text) {
    const node = byId("announcer");
    clearTimeout(this._announceTimer);
    node.textContent = text;
    // So that the same words can be told again.
    this._announceTimer = setTimeout(() => (node.textContent = ""), 5000);
  }

  openSheet(open) {
    this._sheetOpen = open;
    byId("panel").dataset.open = open ? "yes" : "no";
    byId("panel-handle").setAttribute("aria-expanded", String(open));
    this._insetMap();
  }

  // The map -------------------------------------------------------------------------------------------

  _watch(realm = this._realmName) {
    this.wire?.close();
    const query = realm ? `?realm=${encodeURIComponent(realm)}` : "";
    this.wire = connect(`/watch${query}`, {
      line: (message) => this.world.apply(message),
      state: (state) => {
        this.state = state;
        this._full = false;
        this._showLink();
      },
      close: (_again, code) => {
        this._full = code === CLOSED.FULL;
        if (code === CLOSED.NOT_HERE) this._refused(realm);
        this._showLink();
        this._showNote();
      },
    });
  }

  /** The server shows no such realm, or no map at all. */
  _refused(realm) {
    this._realmName = "";
    if (realm) this._watch();
    else this.mapIsOn = false;
  }

  _heard(message) {
    if (message.t === "realm") {
      this._feed.clear();
      this._realmChanged();
    }
    if (message.t === "event") this._feed.add(message);
    this._listTimer ||= setTimeout(() => this._showLists(), LIST_MS);
  }

  async _realmChanged() {
    const told = this.shown.realm;
    const world = this.shown;
    if (!told) return;
    if (world === this.world) this._realmName = told.name;
    const select = /** @type {HTMLSelectElement} */ (byId("realm-select"));
    select.value = told.name;
    byId("map").setAttribute("aria-label", `Live map of ${told.title}`);
    try {
      const realm = await loadRealm(told.name);
      if (this.shown === world && world.realm?.name === realm.name) this.map.setRealm(realm);
    } catch {
      // Its picture does not come: the lists and the feed still tell what there is. Ask again in a while.
      setTimeout(() => this.shown.realm?.name === told.name && this._realmChanged(), 5000);
    }
    this._showNote();
  }

  async _loadRealms() {
    try {
      const { realms, start: first } = await (await fetch("/realms.json")).json();
      const select = /** @type {HTMLSelectElement} */ (byId("realm-select"));
      select.replaceChildren(...realms.map(({ name, title }) => el("option", { value: name }, title)));
      select.value = this._realmName || first;
      byId("realm-choice").hidden = realms.length < 2;
      select.addEventListener("change", () => {
        this.map.follow(0);
        this._watch(select.value);
      });
    } catch {
      // The realm that /watch begins with is shown all the same.
    }
  }

  _bindMap() {
    const { map } = this;
    map.onPick = (thing, _tile, event) => this._picked(thing, event);
    map.onFollow = () => {
      this._showFollowing();
      this._showLists();
    };
    map.canvas.addEventListener("pointerdown", () => {
      this._dismissed = true; // whoever looks around has read it
      this._showNote();
    });
    byId("zoom-in").addEventListener("click", () => map.zoomBy(1.5));
    byId("zoom-out").addEventListener("click", () => map.zoomBy(1 / 1.5));
    byId("zoom-fit").addEventListener("click", () => {
      if (map.locked) return;
      map.follow(0);
      map.fit();
    });
    byId("following-stop").addEventListener("click", () => {
      map.follow(0);
      byId("map").focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this._watching && map.following && !event.defaultPrevented) map.follow(0);
    });
  }

  get _watching() {
    return this.shown === this.world;
  }

  _picked(thing) {
    if (!thing || thing.kind !== "mobile") return;
    this._followPerson(thing.id);
  }

  _followPerson(id) {
    const { map } = this;
    if (!this._watching) {
      map.onPick(this.shown.things.get(id) ?? null, this.shown.things.get(id), null);
      return;
    }
    if (map.following === id) {
      map.follow(0);
      return;
    }
    map.follow(id);
    if (map.zoom < FOLLOW_ZOOM) map.zoomTo(FOLLOW_ZOOM);
    if (phone.matches) this.openSheet(false);
    const name = this.shown.things.get(id)?.name;
    if (name) this.announce(`Following ${name}. Escape stops.`);
  }

  // What is told beside it ----------------------------------------------------------------------------

  _showLists() {
    clearTimeout(this._listTimer);
    this._listTimer = 0;
    const world = this.shown;
    this._people.show(world, this.map.following);
    const { counts } = world;
    byId("counts-more").hidden = !counts;
    if (counts) {
      showCounts(byId("counts"), counts.online);
      const watch = count(counts.viewers, "person watches", "people watch");
      const beings = count(counts.mobiles, "being", "beings");
      const things = counts.items ? ` and ${count(counts.items, "thing", "things")}` : "";
      const where = world.realm?.title ?? "this realm";
      byId("counts-more").textContent = `${watch}; ${beings}${things} in ${where}.`;
    }
    this._showNote();
    this._showFollowing();
  }

  _showFollowing() {
    const followed = this._watching && this.map.following ? this.shown.things.get(this.map.following) : null;
    byId("following").hidden = !followed;
    if (followed) byId("following-name").textContent = followed.name;
  }

  /** While somebody plays, the counts are asked for. */
  async _askCounts() {
    if ((this._watching && this.mapIsOn) || document.hidden) return;
    try {
      const { online } = await (await fetch("/status.json")).json();
      if (online) showCounts(byId("counts"), online);
    } catch {
      // next time
    }
  }

  _showLink() {
    const node = byId("link-state");
    const words = { connecting: "Connecting …", waiting: "Reconnecting …", open: "Live", closed: "" };
    const state = this._watching ? this.state : "closed";
    const told = this._full ? "Full" : words[state];
    node.hidden = state === "closed";
    node.dataset.state = state;
    if (node.textContent !== told) node.textContent = told;
    document.body.dataset.link = state;
  }

  /** The card over the map: what to say when there is nothing to see. */
  _showNote() {
    const note = byId("map-note");
    const button = byId("map-note-button");
    const watching = this._watching && document.body.dataset.mode === "watch";
    let title = "";
    let text = "";
    if (watching && !this.mapIsOn) {
      title = "The live map is switched off here";
      text = "You can still connect with your own client, or play in the browser.";
    } else if (watching && this.state === "closed") {
      title = "The map stands still";
      text = "The server has ended the connection for good. Load the page anew to see more.";
    } else if (watching && this._full) {
      title = "So many are watching that there is no place left";
      text = "The map tries again every half minute. You can play meanwhile.";
    } else if (watching && this.state === "open" && !this._dismissed && isEmpty(this.world)) {
      title = "Nobody plays here yet";
      text = "Be the first: walk in with your browser, or connect with the client of your game.";
    }
    note.hidden = !title;
    if (!title) return;
    byId("map-note-title").textContent = title;
    byId("map-note-text").textContent = text;
    button.hidden = false;
    if (button.textContent !== "Play now") {
      button.textContent = "Play now";
      button.addEventListener("click", () => start());
    }
  }

  _tick() {
    const clock = this.shown.clock();
    byId("clock").hidden = !clock;
    if (!clock) return;
    const minute = Math.floor(clock.minute / 10) * 10; // a clock that flies would only distract
    byId("clock-time").textContent = `${clock.hour}:${String(minute).padStart(2, "0")}`;
    const light = this.shown.daylight() > 0.5 ? "day" : "night";
    byId("clock-icon").dataset.light = light;
  }

  // Tabs and the sheet --------------------------------------------------------------------------------

  _bindTabs() {
    for (const [n, name] of TABS.entries()) {
      const tab = byId(`tab-${name}`);
      tab.addEventListener("click", () => {
        this.selectTab(name);
        if (phone.matches) this.openSheet(true);
      });
      tab.addEventListener("keydown", (event) => {
        const steps = { ArrowRight: n + 1, ArrowLeft: n - 1 + TABS.length, Home: 0, End: TABS.length - 1 };
        if (!(event.key in steps)) return;
        event.preventDefault();
        const next = TABS[steps[event.key] % TABS.length];
        this.selectTab(next);
        byId(`tab-${next}`).focus();
      });
    }
    this.selectTab("world");
  }

  _bindSheet() {
    const handle = byId("panel-handle");
    handle.addEventListener("click", () => this.openSheet(!this._sheetOpen));
    phone.addEventListener("change", () => this._insetMap());
    new ResizeObserver(() => this._insetMap()).observe(byId("panel"));
    this.openSheet(!phone.matches);
  }

  /** On phones the sheet lies over the map: what it covers is not where the map has its middle. */
  _insetMap() {
    const panel = byId("panel").getBoundingClientRect();
    const bottom = phone.matches ? Math.max(0, innerHeight - panel.top) : 0;
    if (bottom === this.map.inset.bottom) return;
    document.documentElement.style.setProperty("--sheet", `${bottom}px`);
    this.map.setInset({ bottom });
  }
}

/** Whether nobody at all plays, as far as is known. */
function isEmpty(world) {
  if (!world.realm || world.players().length) return false;
  return !world.counts || Object.values(world.counts.online).every((number) => !number);
}

function count(number, one, many) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

const page = new Page();
mount(page);

/** For tests and for the curious: look, but do not touch. */
window.causeway = {
  get world() {
    return page.shown;
  },
  canvas: page.map,
  get state() {
    return page.state;
  },
};
