// A second trace next to the first, scrolled together with it: row by row, at the distance at which
// they were tied. When untied, each is scrolled alone. Where the two runs differ is asked once: rows
// of these regions are marked on both sides, and going to one aligns both.
import { ask, element, link } from "./api.js";
import { Axis, grouped, timeText } from "./axis.js";
import { TraceRows } from "./trace.js";

const byId = (id) => document.getElementById(id);

export class Beside {
  #leader = null; // the side that the other follows
  #isBehind = false; // whether the leader has moved meanwhile
  difference = null; // the answer about where they differ
  #asked = new Map(); // about pairs of lanes, which may be shown again
  #pair = null; // that is shown
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
  // The description of the other run and its lane; its file; and the point whose rows are chosen.
  get other() {
    const about = this.app.traces[this.app.state.beside];
    const lane = this.app.chartLane(), { name } = this.app.traces[this.app.state.trace].lanes[lane] ?? {};
    const same = about.lanes.findIndex((one) => name && one.name === name);
    return { about, lane: same >= 0 ? same : Math.min(lane, about.lanes.length - 1) };
  }
  get name() {
    return this.other.about.file.replace(/.*\//, "");
  }
  get there() {
    return this.isOpen && this.rows.chosen !== null ? { trace: this.app.state.beside, at: this.rows.chosen } : null;
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
    this.rows.chosen = null;
    this.load().catch(this.app.fail);
    this.app.timeline.load();
    this.app.source.update();
    if (beside !== null) this.app.look({ look: "differences" });
    else if (this.app.state.look === "differences") this.app.look({ look: null });
  }

  // Shows the state in the address.
  async load() {
    const { app } = this;
    this.select.replaceChildren(element("option", "", "compare with ...", { value: "" }), ...app.traces.map((trace, i) => element("option", "", trace.file.replace(/.*\//, ""), { value: i, title: trace.file })).filter((_, i) => i !== app.state.trace));
    this.select.hidden = app.traces.length < 2;
    this.select.value = app.state.beside ?? "";
    app.panes.forEach((pane) => pane.compare?.(null));
    this.tie.checked = this.isTied;
    this.root.hidden = byId("tie-label").hidden = !this.isOpen;
    byId("place-beside").textContent = "";
    this.follow();
    if (!this.isOpen || app.rows.row === null) return;
    await this.rows.show({ row: Math.max(0, app.rows.row + app.state.shift) });
    await this.#mark();
  }

  // --- Differences -------------------------------------------------------------------------------

  // Asks where the runs differ, in what is executed and in what that writes, unless that is known:
  // the position may have gone to another lane.
  follow() {
    const { app } = this, { trace, beside } = app.state, lane = app.chartLane();
    const pair = this.isOpen ? `${trace} ${beside} ${lane}` : null;
    if (pair === this.#pair) return;
    this.#pair = pair;
    this.fault = null;
    this.#take(null);
    if (!pair) return;
    this.comparedLane = lane;
    if (!this.#asked.has(pair)) this.#asked.set(pair, this.#ask(lane));
    const isShown = () => pair === this.#pair;
    this.compared = this.#asked.get(pair).then(
      (answer) => isShown() && this.#take(answer),
      (error) => (this.#asked.delete(pair), isShown() && (this.fault = error.message)),
    );
    this.compared.then(() => {
      if (app.state.look === "differences") app.selection.update();
      if (isShown() && app.timeline.axis) app.timeline.align();
    });
  }
  async #ask(lane) {
    const { app } = this;
    const answer = await ask("difference", { trace: app.state.trace, other: app.state.beside, lane, other_lane: this.other.lane, effects: app.can.registers ? 1 : 0 });
    answer.sides = [0, 1].map((side) => answer.regions.map((region) => ({ first: region[3 * side] ?? Infinity, end: region[3 * side + 1] ?? Infinity })));
    return answer;
  }
  // Regions are of one lane: rows of others between its rows are not marked.
  #take(answer) {
    const { app } = this;
    this.difference = answer;
    [app.rows, this.rows].forEach((rows, side) => {
      const trace = app.traces[side ? app.state.beside : app.state.trace];
      const isOfLane = answer && (trace.lanes.length < 2 || (side === 0 && app.state.lane));
      rows.marker = isOfLane ? (event) => (this.#regionAt(side, event) ? "differs" : "") : null;
      if (answer) rows.redraw();
    });
  }
  #regionAt(side, event) {
    const regions = this.difference?.sides[side] ?? [];
    let low = 0, high = regions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (regions[middle].first <= event) low = middle + 1;
      else high = middle;
    }
    const found = regions[low - 1];
    return found && event < found.end ? found : null;
  }

  // The stretch of events of the lane there that lies beside one of this run. null: it is not known,
  // because the runs cannot be compared.
  async stretchThere(from, to) {
    await this.compared;
    if (!this.difference) return null;
    const { about, lane } = this.other;
    const axis = new Axis(this.app.traces[this.app.state.trace], this.app.chartLane(), "events", { about, lane });
    axis.align(this.difference.in_lanes);
    return [from, to].map((event, i) => Math.round(axis.own(axis.placeOf(event, 0, i === 1), 1)));
  }

  // What a region is, in words.
  about(number) {
    const [, , only, , , otherOnly, changed, isRough] = this.difference.regions[number];
    return [only ? `${grouped(only)} only here` : "", otherOnly ? `${grouped(otherOnly)} only there` : "", changed ? `${grouped(changed)} write something else` : "", isRough ? "not compared in detail" : ""].filter((text) => text).join(", ");
  }

  // To the next region after the position, or the last one before it.
  next(isBack) {
    const { difference } = this, at = this.app.state.at === "start" ? -1 : this.app.state.at;
    if (!difference) return this.app.say(this.isOpen ? (this.fault ?? "The runs are still being compared.") : "Choose a trace to compare with first.");
    const places = difference.regions.map((_, i) => this.#before(i, 0)).map((event) => (event === "start" ? -1 : event));
    const found = isBack ? places.findLastIndex((event) => event < at) : places.findIndex((event) => event > at);
    if (found < 0) return this.app.say(isBack ? "No difference before this." : "No difference after this.");
    return this.goTo(found);
  }
  // The point before a region on a side; at the end of a run, its last event.
  #before(number, side) {
    const { first } = this.difference.sides[side][number];
    if (first === Infinity) return this.app.traces[side ? this.app.state.beside : this.app.state.trace].events - 1;
    return first > 0 ? first - 1 : "start";
  }
  async goTo(number) {
    const here = this.#before(number, 0), there = this.#before(number, 1);
    this.#leader = this.rows; // neither follows the other meanwhile
    try {
      await this.app.goTo(here);
      await this.app.rows.shown;
      await this.rows.show({ at: there, above: Math.floor(this.rows.rows / 2) });
    } finally {
      this.#leader = null;
    }
    if (there !== "start") await this.#chose(there);
    if (this.app.state.look === "differences") this.app.selection.update();
  }

  // The list, in a panel.
  show(body) {
    const { difference } = this, { app } = this;
    if (!difference) return body.replaceChildren(element("span", this.fault ? "hot" : "weak", this.isOpen ? (this.fault ?? "Comparing ...") : "Choose a trace to compare with at the top."));
    const [one, other] = [app.state.trace, app.state.beside].map((trace) => app.traces[trace].file.replace(/.*\//, ""));
    const what = app.traces[app.state.trace].rows === "calls" ? "entries and exits" : "instructions";
    const list = element("ol", "", null, { id: "differences" });
    list.append(...difference.regions.map((region, i) => this.#row(region, i)), ...(difference.is_cut ? [element("li", "weak", `and ${difference.region_count - difference.regions.length} more`)] : []));
    const lanes = app.traces[app.state.trace].lanes, lane = lanes.length > 1 ? `${lanes[this.comparedLane].name || `${app.traces[app.state.trace].lane_word} ${this.comparedLane}`}: ` : "";
    body.replaceChildren(element("div", "", `${lane}${grouped(difference.same)} ${what} are the same, ${grouped(difference.changed)} write something else, ${grouped(difference.only[0])} are only in ${one}, ${grouped(difference.only[1])} only in ${other}.`), list);
  }
  #row([first, , , otherFirst], number) {
    const row = element("li", this.#before(number, 0) === this.app.state.at ? "found-row chosen" : "found-row");
    const place = (event) => (event === null ? "the end" : `event ${grouped(event)}`);
    row.append(link(`${place(first)} and ${place(otherFirst)}`, () => this.goTo(number)), element("span", "weak", `  ${this.about(number)}`));
    return row;
  }

  // --- Scrolling ---------------------------------------------------------------------------------

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
    this.app.panes.forEach((pane) => pane.compare?.(this.there));
    const { line, time, name, pc } = await ask("step", { trace: this.app.state.beside, at: event, how: "stay", folds: this.app.state.folds2 });
    byId("place-beside").textContent = `${line ? `line ${line}` : `event ${event}`}   time ${timeText(this.other.about, time)}   ${pc ? `pc ${name ?? pc}` : ""}`;
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

  // Shows another point of the other run, next to the position.
  async goThere(at) {
    const { app } = this, row = app.rows.rowOfChosen();
    this.#leader = this.rows;
    try {
      await this.rows.show({ at, above: row === null ? Math.floor(this.rows.rows / 2) : row - app.rows.row });
    } finally {
      this.#leader = null;
    }
    if (at !== "start") await this.#chose(at);
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
