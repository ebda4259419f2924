// Go to: what is typed is matched with names of functions, source lines, notes and forms of places;
// the best are offered. Letters need not follow each other: "nap" finds work::nap(int).
import { element } from "./api.js";

const byId = (id) => document.getElementById(id);
const SHOWN = 12;
const PLACE = /^(line|time|event|pc):|^(start|end|0x[0-9a-f]+|\d+)$/i;

// How well letters match a name, the higher the better, and which of its characters; null: not.
// Beginnings of words and letters that follow each other count most.
export function match(letters, name) {
  const wanted = letters.toLowerCase(), text = name.toLowerCase();
  const whole = text.indexOf(wanted);
  const isWord = (at) => at === 0 || !/[a-z0-9]/.test(text[at - 1]) || (/[a-z]/.test(name[at - 1]) && /[A-Z]/.test(name[at]));
  if (whole >= 0) return { score: 1000 - whole - name.length / 10 + (isWord(whole) ? 200 : 0) + (text.length === wanted.length ? 500 : 0), at: [...wanted].map((_, i) => whole + i) };
  const at = [];
  let score = 0;
  for (let from = 0, i = 0; i < wanted.length; i++, from = at.at(-1) + 1) {
    let found = text.indexOf(wanted[i], from);
    if (found < 0) return null;
    // The beginning of a word further on is meant, if the rest still follows it.
    for (let next = found; i && next >= 0 && next !== from; next = text.indexOf(wanted[i], next + 1))
      if (isWord(next) && rest(text, wanted, i + 1, next + 1)) {
        found = next;
        break;
      }
    score += found === at.at(-1) + 1 ? 12 : isWord(found) ? 8 : -Math.min(6, found - from);
    at.push(found);
  }
  return { score: score - name.length / 10, at };
}
function rest(text, wanted, i, from) {
  for (; i < wanted.length; i++) {
    const found = text.indexOf(wanted[i], from);
    if (found < 0) return false;
    from = found + 1;
  }
  return true;
}

export class GoTo {
  #chosen = -1;
  #offers = [];
  functions = []; // {name, calls}
  constructor(app) {
    this.app = app;
    this.input = byId("where");
    this.list = byId("where-list");
    this.input.addEventListener("input", () => this.#offer());
    this.input.addEventListener("focus", () => this.input.value && this.#offer());
    this.input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    byId("go").addEventListener("submit", (event) => (event.preventDefault(), this.go("forward")));
    byId("go-back").addEventListener("click", () => this.go("backward"));
  }

  async go(way) {
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
    byId("rows").focus({ preventScroll: true });
  }

  // What fits, the best first.
  #offer() {
    const typed = this.input.value.trim();
    if (!typed) return this.#close();
    const notes = [...this.app.notes.byEvent].map(([event, text]) => ({ what: { event }, text, about: `note at event ${event}`, kind: "note" }));
    const functions = this.functions.map(({ name, calls }) => ({ what: name, text: name, about: `${calls} calls`, kind: "function" }));
    const found = [...functions, ...notes].map((offer) => ({ ...offer, match: match(typed, offer.text) })).filter((offer) => offer.match);
    this.#offers = found.sort((a, b) => b.match.score - a.match.score).slice(0, SHOWN);
    const place = /^(.+\.\w+):(\d+)$/.exec(typed);
    if (place) this.#offers.unshift({ what: typed, text: typed, about: "source line", kind: "line", match: { at: [] } });
    this.#chosen = -1;
    this.#show();
  }
  #show() {
    this.list.hidden = !this.#offers.length;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.list.replaceChildren(...this.#offers.map(({ text, about, match: { at } }, i) => {
      const row = element("li", "", null, { role: "option", id: `place-${i}`, "aria-selected": String(i === this.#chosen) });
      [...text].forEach((letter, number) => row.append(at.includes(number) ? element("b", "", letter) : letter));
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
