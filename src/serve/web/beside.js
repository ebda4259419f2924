// A second trace next to the first, scrolled together with it: row by row, at the distance at which
// they were tied. When untied, each is scrolled alone.
import { ask, element } from "./api.js";
import { TraceRows } from "./trace.js";

const byId = (id) => document.getElementById(id);

export class Beside {
  #leader = null; // the side that the other follows
  #isBehind = false; // whether the leader has moved meanwhile
  constructor(app) {
    this.app = app;
    this.root = byId("rows-beside");
    this.select = byId("beside");
    this.tie = byId("tie");
    this.rows = new TraceRows(this.root, {
      params: () => ({ trace: app.state.beside, folds: app.state.folds2, columns: 400 }),
      onChoose: (event) => this.#chose(event),
      onUnfold: (event) => this.#fold("level", event),
      onError: app.fail,
      onDraw: () => this.#drawn(this.rows, app.rows, -1),
    });
    app.rows.onDraw = () => this.#drawn(app.rows, this.rows, 1);
    this.select.addEventListener("change", () => this.#open(this.select.value === "" ? null : Number(this.select.value)));
    this.tie.addEventListener("change", () => this.#keep({ tied: this.tie.checked ? null : "no" }));
  }

  get isOpen() {
    return this.app.state.beside !== null && this.app.traces[this.app.state.beside] !== undefined;
  }
  get isTied() {
    return this.app.state.tied !== "no";
  }

  #keep(changes) {
    Object.assign(this.app.state, changes);
    this.app.write();
  }

  #open(beside) {
    this.#keep({ beside, folds2: "", shift: 0, tied: null });
    this.load();
  }

  // Shows the state in the address.
  async load() {
    const { app } = this;
    this.select.replaceChildren(element("option", "", "alone", { value: "" }), ...app.traces.map((trace, i) => element("option", "", trace.file.replace(/.*\//, ""), { value: i, title: trace.file })));
    this.select.hidden = app.traces.length < 2;
    this.select.value = app.state.beside ?? "";
    this.tie.checked = this.isTied;
    this.root.hidden = byId("tie-label").hidden = !this.isOpen;
    byId("place-beside").textContent = "";
    if (!this.isOpen || app.rows.row === null) return;
    await this.rows.show({ row: Math.max(0, app.rows.row + app.state.shift) });
    await this.#mark();
  }

  // Called when one side was drawn: the other follows, or, if they are not tied, the new distance
  // is stored. The leading side may be drawn again while the other is following.
  async #drawn(one, other, sign) {
    if (!this.isOpen || one.row === null) return;
    if (this.#leader) {
      this.#isBehind ||= one === this.#leader;
      return;
    }
    if (!this.isTied) {
      if (other.row !== null) this.app.state.shift = this.rows.row - this.app.rows.row;
      return;
    }
    this.#leader = one;
    try {
      do {
        this.#isBehind = false;
        const row = Math.max(0, one.row + sign * this.app.state.shift);
        if (other.row !== row) await other.show({ row });
        if (one === this.app.rows) await this.#mark();
      } while (this.#isBehind);
    } finally {
      this.#leader = null;
    }
  }

  // Also selects the row next to the selected one.
  async #mark() {
    const row = this.app.rows.rowOfChosen();
    const event = row === null ? null : this.rows.eventAt(row + this.app.state.shift);
    if (event === null || event === this.rows.chosen) return;
    this.rows.chosen = event;
    this.rows.redraw();
    await this.#tell(event);
  }

  async #tell(event) {
    const { line, time, name, pc } = await ask("step", { trace: this.app.state.beside, at: event, how: "stay", folds: this.app.state.folds2 });
    byId("place-beside").textContent = `${line ? `line ${line}` : `event ${event}`}   time ${time}   ${pc ? `pc ${name ?? pc}` : ""}`;
  }

  // Aligns a row of this side with the selected row of the other: from then on they are tied at
  // this distance.
  async #chose(event) {
    const here = this.rows.rowOf(event), there = this.app.rows.rowOfChosen();
    this.rows.chosen = event;
    if (here !== null && there !== null) this.#keep({ shift: here - there });
    this.rows.redraw();
    await this.#tell(event).catch(this.app.fail);
    if (this.isTied) await this.#drawn(this.app.rows, this.rows, 1);
  }

  // Folds on this side what was folded on the other; the selected rows stay next to each other.
  async fold(how) {
    if (this.isOpen && this.rows.chosen !== null) await this.#fold(how, this.rows.chosen);
  }
  async #fold(how, at) {
    const { folds } = await ask("fold", { trace: this.app.state.beside, at, how, folds: this.app.state.folds2 });
    this.#keep({ folds2: folds });
    await this.rows.show({ at, above: Math.floor(this.rows.rows / 2) });
    const here = this.rows.rowOfChosen(), there = this.app.rows.rowOfChosen();
    if (here !== null && there !== null) this.#keep({ shift: here - there });
    await this.#drawn(this.app.rows, this.rows, 1);
  }
}
