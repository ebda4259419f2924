// Searches: the hits are counted while the server finds them, marked in rows, on the scroll bar and
// on the time line, and listed. After Return the keys belong to the trace again.
import { ask, element, link } from "./api.js";

const byId = (id) => document.getElementById(id);
const LISTED = 500;
const CLASSES = { alpha: "A-Za-z", digit: "0-9", alnum: "A-Za-z0-9", upper: "A-Z", lower: "a-z", space: "\\s", punct: "!-\\/:-@\\[-`{-~", xdigit: "0-9A-Fa-f", blank: " \\t" };

export class Search {
  #place = null; // of the current hit
  #listed = { what: null, hits: [], counts: "" };
  constructor(app) {
    this.app = app;
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.go("forward");
      byId("text").focus({ preventScroll: true });
    });
    byId("search-back").addEventListener("click", () => this.go("backward"));
  }

  // What is searched, as parameters of a question.
  get wish() {
    const { find, kind } = this.app.state;
    return find ? { what: find, kind: kind ?? "text" } : {};
  }

  // Shows the state in the address.
  load() {
    const { what, kind } = this.wish;
    byId("what").value = what ?? "";
    byId("kind").value = kind ?? "text";
    this.#place = null;
    if (what) this.list().catch(this.app.fail);
    else this.#clear();
  }
  #clear() {
    this.#listed = { what: null, hits: [], counts: "" };
    byId("hits").textContent = "";
    this.#mark();
  }

  params() {
    const { kind } = this.wish;
    return { ...this.app.params(), ...this.wish, folds: null, lane: kind === "condition" ? this.app.chartLane() : null };
  }

  async go(way) {
    const what = byId("what").value, kind = byId("kind").value, { app } = this;
    const isNew = what !== app.state.find || kind !== (app.state.kind ?? "text");
    Object.assign(app.state, { find: what || null, kind: kind === "text" ? null : kind });
    app.write();
    if (!what) {
      this.#clear();
      return app.timeline.refresh();
    }
    if (isNew) this.list().catch(app.fail);
    app.timeline.refresh();
    const from = this.#place?.at === app.state.at && this.#place.what === what ? { place: this.#place.place } : {};
    try {
      for (;;) {
        const answer = await ask("search", { ...this.params(), way, ...from, count: 1 });
        this.#count(answer);
        if (answer.outcome === "found") return await this.#goToHit(answer, what);
        if (answer.outcome === "nowhere") return app.say(`Not found: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } catch (error) {
      app.fail(error);
    }
  }

  async #goToHit(answer, what) {
    const [hit] = answer.hits;
    await this.app.goTo(hit.event);
    this.#place = { at: this.app.state.at, place: hit.place, what };
    if (answer.has_wrapped) this.app.say("The search continued at the other end of the trace.");
    if (!this.app.state.look || ["value", "notes"].includes(this.app.state.look)) this.app.look({ look: "found" });
    else this.app.selection.update();
  }

  #count({ hits_found, percent, is_done }) {
    byId("hits").textContent = is_done ? `${hits_found} found` : `${hits_found} found, ${percent} %`;
  }

  // Reads the first hits, and the count while it grows.
  async list() {
    const { what } = this.wish, { app } = this, trace = app.state.trace;
    for (let isDone = false; !isDone && app.state.find === what && app.state.trace === trace; ) {
      const answer = await ask("search", { ...this.params(), at: null, count: LISTED });
      this.#count(answer);
      this.#listed = { what, hits: answer.hits, total: answer.hits_found };
      this.#mark();
      if (app.state.look === "found") app.selection.update();
      isDone = answer.is_done;
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  // Marks in the rows and on the scroll bar.
  #mark() {
    const { hits } = this.#listed;
    const { what, kind } = this.wish;
    this.app.rows.markHits(what && kind === "text" ? pattern(what) : null, this.app.state.folds ? [] : hits.map(({ line }) => line).filter((line) => line));
  }

  // The list, in a panel.
  show(body) {
    const { hits, total, what } = this.#listed;
    if (!what) return body.replaceChildren(element("span", "weak", "Search for something (/)."));
    const list = element("ol", "", null, { id: "found" });
    list.append(...hits.map((hit) => this.#row(hit)), ...(total > hits.length ? [element("li", "weak", `and ${total - hits.length} more: n goes to the next one`)] : []));
    body.replaceChildren(list);
    list.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  }
  #row(hit) {
    const row = element("li", `found-row${hit.event === this.app.state.at ? " chosen" : ""}`);
    row.append(link(hit.line ? `line ${hit.line}` : `event ${hit.event}`, () => this.app.goTo(hit.event)), element("span", "weak", `  ${hit.text ?? ""}`));
    return row;
  }
}

// A POSIX expression as one of JavaScript, for marks only: the server finds the hits. null: it has
// none.
function pattern(what) {
  try {
    return new RegExp(what.replace(/\[:(\w+):\]/g, (all, name) => CLASSES[name] ?? all), "g");
  } catch {
    return null;
  }
}
