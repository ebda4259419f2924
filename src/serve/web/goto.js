// Go to: what is typed is matched with names of functions, source lines, notes and forms of places;
// the best are offered. Letters need not follow each other: "nap" finds work::nap(int), as the
// server matches them for `trawl browse`, too.
import { Asker, element } from "./api.js";
import { counted } from "./axis.js";

const byId = (id) => document.getElementById(id);
const SHOWN = 12;
const PLACE = /^(line|time|event|pc):|^(start|end|0x[0-9a-f]+|\d+)$/i;

export class GoTo {
  #chosen = -1;
  #offers = [];
  #asker = new Asker();
  #offered = Promise.resolve(); // when what is typed has been matched
  constructor(app) {
    this.app = app;
    this.input = byId("where");
    this.list = byId("where-list");
    this.input.addEventListener("input", () => (this.#offered = this.#offer()));
    this.input.addEventListener("focus", () => this.input.value && (this.#offered = this.#offer()));
    this.input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    byId("go").addEventListener("submit", (event) => (event.preventDefault(), this.go("forward")));
    byId("go-back").addEventListener("click", () => this.go("backward"));
  }

  async go(way) {
    await this.#offered;
    const what = this.#offers[this.#chosen]?.what ?? this.input.value.trim();
    if (!what) return;
    const best = this.#offers[0];
    this.#close();
    const from = typeof what === "object" ? what.event : null;
    if (from !== null) await this.app.goTo(from);
    else {
      this.input.value = what;
      // What the server does not know may be a part of a name.
      const isKnown = await this.app.find(what, way, best && best.kind === "function" && !PLACE.test(what));
      if (!isKnown && best?.kind === "function") {
        this.input.value = best.what;
        await this.app.find(best.what, way);
      }
    }
    byId("text").focus({ preventScroll: true });
  }

  // What fits, the best first.
  async #offer() {
    const typed = this.input.value.trim();
    if (!typed) return this.#close();
    const answer = this.app.can.calls ? await this.#asker.ask("functions", { trace: this.app.state.trace, letters: typed, count: SHOWN }).catch(this.app.fail) : { functions: [] };
    if (!answer) return; // something else was typed since
    const functions = answer.functions.map(({ name, calls, at }) => ({ what: name, text: name, about: counted(calls, "call"), kind: "function", at }));
    const notes = [...this.app.notes.byEvent].filter(([, text]) => text.toLowerCase().includes(typed.toLowerCase()));
    const lines = /^.+\.\w+:\d+$/.test(typed) ? [{ what: typed, text: typed, about: "source line", kind: "line", at: [] }] : [];
    this.#offers = [...lines, ...functions, ...notes.map(([event, text]) => ({ what: { event }, text, about: `note at event ${event}`, kind: "note", at: [] }))].slice(0, SHOWN);
    this.#chosen = -1;
    this.#show();
  }
  #show() {
    this.list.hidden = !this.#offers.length;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.list.replaceChildren(...this.#offers.map(({ text, about, at }, i) => {
      const row = element("li", "", null, { role: "option", id: `place-${i}`, "aria-selected": String(i === this.#chosen) });
      let place = 0; // in bytes, as the server tells them
      for (const letter of text) {
        row.append(at.includes(place) ? element("b", "", letter) : letter);
        place += new Blob([letter]).size;
      }
      row.append(element("span", "weak", `  ${about}`));
      row.addEventListener("mousedown", (event) => (event.preventDefault(), (this.#chosen = i), this.go("forward")));
      return row;
    }));
    if (this.#chosen >= 0) this.input.setAttribute("aria-activedescendant", `place-${this.#chosen}`);
    else this.input.removeAttribute("aria-activedescendant");
    this.list.children[this.#chosen]?.scrollIntoView({ block: "nearest" });
  }
  #close() {
    this.#offers = [];
    this.#chosen = -1;
    this.#show();
  }
  #key(event) {
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      return this.go("backward");
    }
    if (event.key === "Escape") return this.#close();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !this.#offers.length) return;
    event.preventDefault();
    this.#chosen = Math.max(-1, Math.min(this.#offers.length - 1, this.#chosen + by));
    this.#show();
  }
}
