// The panel below: one value, what was found, notes, and what was called in a selected stretch of
// the run: its profile, flame graph and call tree, and the callers and callees of one function. The
// server computes the sums; filtering and sorting is done here.
import { Asker, ask, element, link } from "./api.js";
import { counted, grouped, readStretch } from "./axis.js";
import { Flame, merge } from "./flame.js";
import { callTree } from "./tree.js";

const byId = (id) => document.getElementById(id);

export function share(part, whole) {
  return `${((100 * Number(part)) / Math.max(1, Number(whole))).toFixed(2)} %`;
}

const COLUMNS = [
  ["self", "self", (row) => grouped(row.self)],
  ["self %", "self", (row, whole) => share(row.self, whole)],
  ["total", "total", (row) => grouped(row.total)],
  ["total %", "total", (row, whole) => share(row.total, whole)],
  ["calls", "calls", (row) => grouped(row.calls)],
];
// Of another trace beside this one.
const OF_DIFFERENCE = [
  ["self there", "otherSelf", (row) => grouped(row.otherSelf)],
  ["change", "change", (row) => `${row.otherSelf >= row.self ? "+" : "−"}${grouped(Math.abs(row.otherSelf - row.self))}`],
];
const OF_CALLS = ["profile", "flame", "tree", "function"];

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
    this.tabs = [...this.root.querySelectorAll("[role=tab]")];
    for (const tab of this.tabs) tab.addEventListener("click", () => app.look({ look: tab.dataset.look }));
    this.root.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.#key(event));
    this.filter.addEventListener("input", () => this.#draw());
    byId("selection-close").addEventListener("click", () => app.look({ look: null }));
    byId("selection-whole").addEventListener("click", () => app.look({ range: null }));
  }
  // The arrow keys go from tab to tab.
  #key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key], shown = this.tabs.filter((tab) => !tab.hidden);
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const next = shown[(shown.indexOf(document.activeElement) + way + shown.length) % shown.length];
    next.focus();
    next.click();
  }

  // What is shown is in the address: look, range, focus.
  get state() {
    return this.app.state;
  }
  params() {
    return { trace: this.state.trace, lane: this.app.chartLane(), ...readStretch(this.state.range) };
  }

  // Asks for what is visible; asks nothing if the panel is closed.
  async update() {
    const look = this.state.look;
    this.root.hidden = !look;
    if (!look) return this.#asker.stop();
    const { can } = this.app;
    for (const tab of this.tabs) {
      tab.hidden = OF_CALLS.includes(tab.dataset.look) ? !can.calls : tab.dataset.look === "differences" ? !this.app.beside.isOpen : tab.dataset.look === "value" && !can.registers && !can.memory;
      tab.setAttribute("aria-selected", tab.dataset.look === look);
      tab.tabIndex = tab.dataset.look === look ? 0 : -1;
    }
    const isOfCalls = OF_CALLS.includes(look), { from, to, by } = this.params();
    for (const id of ["range", "filter", "matched"]) byId(id).hidden = !isOfCalls;
    byId("range").textContent = !this.state.range ? "the whole run" : `${{ time: "times", order: "events of all from", events: "events" }[by]} ${from} to ${BigInt(to) - 1n}`;
    byId("selection-whole").hidden = !isOfCalls || !this.state.range;
    if (!isOfCalls) {
      this.#asker.stop();
      this.root.dataset.ready = look;
      return { value: this.app.value, found: this.app.search, notes: this.app.notes, differences: this.app.beside }[look].show(this.body);
    }
    this.root.dataset.ready = "";
    const waits = setTimeout(() => this.#showWaiting(), 300);
    try {
      const answer = await this.#ask(look).finally(() => clearTimeout(waits));
      if (!answer || look !== this.state.look) return;
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
    if (look === "profile") return this.#askProfile();
    if (look === "function") return this.state.focus ? this.#asker.ask("edges", { ...this.params(), of: this.state.focus }) : { callers: [], callees: [] };
    if (look === "flame" && this.app.beside.isOpen) return this.#askBothFlames();
    return this.#asker.ask("flame", { ...this.params(), under: this.state.under });
  }

  // Asks about the same stretch of the other run. undefined: which one that is is not known.
  async #askThere(question, nothing) {
    const { beside } = this.app, params = { trace: this.state.beside, lane: beside.other.lane }, { by, from, to } = this.params();
    if (!this.state.range) return this.#otherAsker.ask(question, params);
    const stretch = await beside.stretchThere(...(by === "events" ? [from, to].map(Number) : await Promise.all([from, to].map((place) => this.#eventsBefore(by, place)))));
    if (!stretch) return undefined;
    return stretch[0] < stretch[1] ? this.#otherAsker.ask(question, { ...params, from: stretch[0], to: stretch[1] }) : nothing;
  }

  // How many events of the lane are before a time, or a place in the order of all.
  async #eventsBefore(by, place) {
    const { trace, lane } = this.params(), last = BigInt(place) - 1n;
    if (last < 0n) return 0;
    const at = await ask("step", { trace, at: by === "time" ? `time:${last}` : Number(last), how: "stay" });
    const near = at.lane === lane ? at : await ask("step", { trace, at: at.at, lane: lane + 1, how: "up" });
    return near.at === "start" || near.lane !== lane ? 0 : near.in_lane + 1;
  }

  // Of both runs, all stacks, whose functions may have other addresses there.
  async #askBothFlames() {
    const [here, there] = await Promise.all([this.#asker.ask("flame", this.params()), this.#askThere("flame", { stacks: [], ticks: 0 })]);
    if (here && there === undefined) return this.#asker.ask("flame", { ...this.params(), under: this.state.under });
    if (!here || !there) return null;
    return { ...here, stacks: merge(here.stacks, there.stacks), ticks: Math.max(Number(here.ticks), Number(there.ticks)), isDifference: true };
  }

  // Beside another trace, with its times of the functions of the same names, or none.
  async #askProfile() {
    const answer = await this.#asker.ask("profile", this.params());
    const { app } = this;
    if (!answer || !app.beside.isOpen) return answer;
    const other = await this.#askThere("profile", { functions: [] });
    if (!other) return other === undefined ? answer : null;
    const sums = new Map(), key = ({ name, pc }) => name ?? pc;
    for (const [side, { functions }] of [answer, other].entries())
      for (const row of functions) {
        const sum = sums.get(key(row)) ?? { ...row, self: 0, total: 0, calls: 0, otherSelf: 0, isOnlyThere: side === 1 };
        if (side) sum.otherSelf += Number(row.self);
        else for (const what of ["self", "total", "calls"]) sum[what] += Number(row[what]);
        sums.set(key(row), sum);
      }
    return { ...answer, functions: [...sums.values()], isDifference: true };
  }
  #otherAsker = new Asker();

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

  #profile({ functions, ticks, isDifference }) {
    const table = element("table", "profile");
    const head = element("tr");
    const columns = isDifference ? [...COLUMNS, ...OF_DIFFERENCE] : COLUMNS;
    for (const [title, key] of [...columns, ["function", "name"]]) {
      const cell = element("th", "", null, { "aria-sort": this.#sort === key ? "descending" : "none" });
      const button = element("button", "", `${title}${this.#sort === key && !title.endsWith("%") ? " ↓" : ""}`, { type: "button", title: `Sort by ${title}` });
      button.addEventListener("click", () => ((this.#sort = key), this.#draw()));
      cell.append(button);
      head.append(cell);
    }
    const rows = functions.filter(({ name, pc }) => this.takes(name ?? pc)).sort((a, b) => this.#compare(a, b));
    table.append(head, ...rows.slice(0, 2000).map((row) => this.#row(row, ticks, columns)));
    return table;
  }
  #compare(a, b) {
    if (this.#sort === "name") return (a.name ?? a.pc).localeCompare(b.name ?? b.pc);
    const amount = (row) => (this.#sort === "change" ? Math.abs(row.otherSelf - row.self) : Number(row[this.#sort] ?? 0));
    return amount(b) - amount(a);
  }
  #row(row, whole, columns) {
    const made = element("tr", row.otherSelf !== undefined && row.otherSelf !== Number(row.self) ? "changed" : "");
    made.append(...columns.map(([, , text]) => element("td", "", text(row, whole))));
    const name = element("td");
    name.append(this.name(row.name, row.pc), " ", row.isOnlyThere ? element("span", "weak", "only there") : link("first call", () => this.app.goToCall(row.pc, "first")));
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
        row.append(element("td", "", counted(ticks, "tick")), element("td", "weak", counted(calls, "call")), cell);
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
}
