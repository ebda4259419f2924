// What was called in a selected stretch of the run: its profile, flame graph and call tree, and the
// callers and callees of one function. The server computes the sums; filtering and sorting is done
// here.
import { Asker, element, link } from "./api.js";
import { Flame } from "./flame.js";
import { callTree } from "./tree.js";

const byId = (id) => document.getElementById(id);

export function share(part, whole) {
  return `${((100 * Number(part)) / Math.max(1, Number(whole))).toFixed(2)} %`;
}

const COLUMNS = [
  ["self", "self", (row) => row.self],
  ["self %", "self", (row, whole) => share(row.self, whole)],
  ["total", "total", (row) => row.total],
  ["total %", "total", (row, whole) => share(row.total, whole)],
  ["calls", "calls", (row) => row.calls],
];

export class Selection {
  #asker = new Asker();
  #sort = "self";
  #answer = null;
  constructor(app) {
    this.app = app;
    this.root = byId("selection");
    this.body = byId("look");
    this.filter = byId("filter");
    this.flame = new Flame(this);
    for (const tab of this.root.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => app.look({ look: tab.dataset.look }));
    this.filter.addEventListener("input", () => this.#draw());
    byId("selection-close").addEventListener("click", () => app.look({ look: null }));
    byId("selection-whole").addEventListener("click", () => app.look({ range: null }));
    this.#split();
  }

  // What is shown is in the address: look, range, focus.
  get state() {
    return this.app.state;
  }
  params() {
    const [from, to] = this.state.range?.split("-") ?? [];
    return { trace: this.state.trace, lane: this.app.chartLane(), from, to };
  }

  // Asks for what is visible; asks nothing if the panel is closed.
  async update() {
    const look = this.state.look;
    this.root.hidden = !look;
    if (!look) return this.#asker.stop();
    for (const tab of this.root.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.look === look);
    const [from, to] = this.state.range?.split("-") ?? [];
    byId("range").textContent = this.state.range ? `events ${from} to ${Number(to) - 1}` : "the whole run";
    byId("selection-whole").hidden = !this.state.range;
    this.root.dataset.ready = "";
    const waits = setTimeout(() => this.#showWaiting(), 300);
    try {
      const answer = await this.#ask(look).finally(() => clearTimeout(waits));
      if (!answer) return;
      this.#answer = answer;
      this.#draw();
      this.root.dataset.ready = `${look} ${this.state.range ?? "whole"} ${this.state.focus ?? ""}`;
    } catch (error) {
      this.#answer = null;
      this.body.replaceChildren(element("span", "unknown", error.message));
    }
  }

  // Long computations can be cancelled.
  #showWaiting() {
    const stop = () => (this.#asker.stop(), this.body.replaceChildren(element("span", "weak", "Cancelled.")));
    this.body.replaceChildren(element("span", "weak", "Adding up the calls ... "), link("cancel", stop));
  }

  async #ask(look) {
    if (look === "profile") return this.#asker.ask("profile", this.params());
    if (look === "function") return this.state.focus ? this.#asker.ask("edges", { ...this.params(), of: this.state.focus }) : { callers: [], callees: [] };
    return this.#asker.ask("flame", { ...this.params(), under: this.state.under });
  }

  takes(name) {
    return (name ?? "").toLowerCase().includes(this.filter.value.toLowerCase());
  }

  #draw() {
    const answer = this.#answer;
    if (!answer) return;
    byId("matched").textContent = "";
    const look = this.state.look;
    if (look === "profile") this.body.replaceChildren(this.#profile(answer));
    else if (look === "flame") this.flame.show(this.body, answer);
    else if (look === "tree") this.body.replaceChildren(callTree(answer, this));
    else this.body.replaceChildren(this.#around(answer));
  }

  matched(ticks, whole) {
    byId("matched").textContent = this.filter.value ? `${share(ticks, whole)} of the time` : "";
  }

  // --- Profile -----------------------------------------------------------------------------------

  #profile({ functions, ticks }) {
    const table = element("table");
    const head = element("tr");
    for (const [title, key] of [...COLUMNS, ["function", "name"]]) {
      const cell = element("th", "", `${title}${this.#sort === key && !title.endsWith("%") ? " ↓" : ""}`);
      cell.addEventListener("click", () => ((this.#sort = key), this.#draw()));
      head.append(cell);
    }
    const rows = functions.filter(({ name, pc }) => this.takes(name ?? pc)).sort((a, b) => this.#compare(a, b));
    table.append(head, ...rows.slice(0, 2000).map((row) => this.#row(row, ticks)));
    return table;
  }
  #compare(a, b) {
    if (this.#sort === "name") return (a.name ?? a.pc).localeCompare(b.name ?? b.pc);
    return Number(b[this.#sort]) - Number(a[this.#sort]);
  }
  #row(row, whole) {
    const made = element("tr");
    made.append(...COLUMNS.map(([, , text]) => element("td", "", text(row, whole))));
    const name = element("td");
    name.append(this.name(row.name, row.pc), " ", link("→", () => this.app.goToCall(row.pc, "first")));
    made.append(name);
    return made;
  }

  // A function's name, as a link to its callers and callees.
  name(name, pc) {
    return link(name ?? pc, () => this.app.look({ look: "function", focus: pc }));
  }

  // --- Callers and callees -----------------------------------------------------------------------

  #around({ callers, callees }) {
    const columns = element("div", "columns");
    const list = (title, rows) => {
      const made = element("div");
      const table = element("table");
      for (const { name, pc, calls, ticks } of rows.filter(({ name, pc }) => this.takes(name ?? pc ?? ""))) {
        const row = element("tr");
        const cell = element("td");
        cell.append(pc === null ? element("span", "weak", "where the run begins") : this.name(name, pc));
        row.append(element("td", "", ticks), element("td", "weak", `${calls} calls`), cell);
        table.append(row);
      }
      made.append(element("b", "", title), table);
      return made;
    };
    const focus = element("div");
    focus.append(element("b", "", this.app.nameOf(this.state.focus) ?? this.state.focus ?? "Choose a function in the profile."), element("br"));
    if (this.state.focus) focus.append(link("next call", () => this.app.goToCall(this.state.focus, "forward")), " ", link("previous call", () => this.app.goToCall(this.state.focus, "backward")));
    columns.append(list("called by", callers), focus, list("calls", callees));
    return columns;
  }

  #split() {
    const split = byId("selection-split");
    this.root.style.height = localStorage.getItem("selection-height") ?? "";
    split.addEventListener("pointerdown", (event) => {
      split.setPointerCapture(event.pointerId);
      const top = this.root.getBoundingClientRect().top;
      split.onpointermove = (at) => (this.root.style.height = `${Math.max(60, at.clientY - top)}px`);
      split.onpointerup = () => {
        split.onpointermove = null;
        localStorage.setItem("selection-height", this.root.style.height);
        this.#draw();
      };
    });
  }
}
