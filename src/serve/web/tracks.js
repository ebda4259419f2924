// The tracks of the time line: what each asks of the server, draws, and tells about a place. A
// track keeps the last answer and draws it at any zoom, until the next answer comes.
import { Asker } from "./api.js";
import { grouped } from "./axis.js";
import { INK, nameColor, themeColor } from "./colors.js";

const LEVEL = 17; // height in pixels of a level of calls
const COLUMNS_MAX = 4000;
const SMALL_LEVELS = 5; // of one lane among several
const LEVELS_BESIDE = 3; // below another run
const TASK_LEVELS = 3;
const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const GAP = 4;

let letter = 0; // the width of a character
export function beginText(paint) {
  paint.font = FONT;
  paint.textBaseline = "middle";
  letter ||= paint.measureText("0").width;
}
// As much of a text as there is room for.
export function put(paint, text, x, y, room) {
  const count = Math.floor(room / letter);
  if (count > 1) paint.fillText(text.length > count ? `${text.slice(0, count - 1)}…` : text, x, y);
}

export class Track {
  asker = new Asker();
  answer = null; // with `start` and `end`, where it lies on the axis
  constructor(timeline, key, label, title = "") {
    Object.assign(this, { timeline, key, label, title });
  }
  get height() {
    return 20 + GAP;
  }
  get app() {
    return this.timeline.app;
  }
  get axis() {
    return this.timeline.axis;
  }

  // Where the track lies on the axis.
  get ends() {
    return [0, this.axis.ownSpan];
  }
  // Which trace it is of, and places on the axis as the server writes them there.
  get trace() {
    return this.app.state.trace;
  }
  told(place) {
    return this.axis.told(place);
  }
  place(told) {
    return this.axis.place(told);
  }

  forget() {
    this.asker.stop();
    this.answer = this.asked = null;
  }

  // Asks for a stretch around what is visible, unless the answer already shows it well enough.
  async update({ from, to }, width) {
    const margin = (to - from) / 2, [first, end] = this.ends;
    const start = Math.floor(Math.max(first, from - margin)), stop = Math.ceil(Math.min(end, to + margin));
    if (stop <= start) return this.forget();
    const columns = Math.max(1, Math.min(COLUMNS_MAX, stop - start, Math.round(((stop - start) / (to - from)) * width)));
    const wish = `${start} ${stop} ${columns} ${this.wish()}`;
    if (wish === this.asked) return;
    this.asked = wish;
    try {
      const answer = await this.ask({ trace: this.trace, by: this.axis.by, from: this.told(start), to: this.told(stop), columns });
      if (answer) this.take(Object.assign(answer, { start, end: stop }));
    } catch (error) {
      if (wish !== this.asked) return;
      this.answer = null;
      this.fault = error.message;
    }
    this.timeline.draw();
  }
  // What else the answer depends on.
  wish() {
    return "";
  }
  take(answer) {
    this.fault = null;
    this.answer = answer;
  }
  // The place of a column's beginning.
  at(column) {
    const { start, end, columns } = this.answer;
    return start + ((end - start) * column) / columns;
  }
  columnAt(place) {
    const { start, end, columns } = this.answer;
    return ((place - start) / (end - start)) * columns;
  }
}

// --- Calls ---------------------------------------------------------------------------------------

// The calls of a lane, outermost first, sampled in the middle of each column.
export class CallsTrack extends Track {
  levels = 1;
  constructor(timeline, lane, label, isOneOfMany) {
    super(timeline, `lane:${lane}`, label, "Calls, outermost first: click to go to one, double-click to see all of it");
    Object.assign(this, { lane, isOneOfMany });
  }
  get isFolded() {
    return this.timeline.isFolded(this.key);
  }
  get height() {
    return (this.isFolded ? 1 : Math.max(this.isOneOfMany ? 1 : 3, Math.min(this.levels, this.levelsMax))) * LEVEL + GAP;
  }
  get levelsMax() {
    if (!this.isOneOfMany || this.timeline.isDeep(this.key)) return this.timeline.levelsInSight(LEVEL);
    return this.axis.otherSpan ? LEVELS_BESIDE : SMALL_LEVELS;
  }
  get ends() {
    const { first_time, last_time } = this.app.traces[this.app.state.trace].lanes[this.lane] ?? {}; // another trace may have fewer
    return this.axis.by === "events" || first_time === undefined ? [0, this.axis.ownSpan] : [this.axis.place(first_time), this.axis.place(last_time) + 1];
  }
  wish() {
    return this.levelsMax;
  }
  async ask(params) {
    return this.asker.ask("chart", { ...params, lane: this.lane, levels: this.levelsMax });
  }
  take(answer) {
    super.take(answer);
    const before = this.height;
    this.levels = answer.bars.reduce((most, [depth]) => Math.max(most, depth + 1), this.levels);
    if (this.height !== before) this.timeline.arrange();
  }

  draw(paint, x, y, left, right) {
    const levels = Math.round((this.height - GAP) / LEVEL), { answer } = this;
    for (const [depth, first, end, name, , , isException, isGuess] of answer.bars) {
      if (depth >= levels) continue;
      const from = Math.max(left, x(this.at(first))), size = Math.min(right, x(this.at(end))) - from;
      if (size <= 0) continue;
      const top = y + depth * LEVEL;
      paint.fillStyle = isException ? themeColor("--exception") : nameColor(name);
      paint.globalAlpha = isGuess ? 0.6 : 1;
      paint.fillRect(from, top, Math.max(1, size - 0.75), LEVEL - 1);
      paint.globalAlpha = 1;
      if (size < 24) continue;
      paint.fillStyle = isException ? themeColor("--on-exception") : INK;
      put(paint, name, from + 4, top + LEVEL / 2, size - 7);
    }
  }

  barAt(place, y) {
    if (!this.answer) return null;
    const column = this.columnAt(place), depth = Math.floor(y / LEVEL);
    return this.answer.bars.find((bar) => bar[0] === depth && bar[1] <= column && column < bar[2]) ?? null;
  }
  // Where a call lies on the axis.
  stretch([, first, end, , entry, exit, , , began, ended]) {
    if (this.axis.by === "time" && began !== undefined) return [this.place(began), this.place(ended) + 1];
    return this.timeline.laneCount === 1 ? [entry, exit + 1] : [this.at(first), this.at(end)];
  }

  tell(place, y) {
    const bar = this.barAt(place, y);
    if (!bar) return null;
    const [, , , name, entry, exit, isException, isGuess, began, ended] = bar;
    const times = began === undefined || !this.app.can.times ? "" : `\n${grouped(BigInt(ended) - BigInt(began) + 1n)} ticks, from ${grouped(began)}`;
    const length = this.axis.unit === "time" ? `\n${this.axis.length(Number(BigInt(ended) - BigInt(began) + 1n))}` : "";
    return `${isException ? "exception " : ""}${name}${isGuess ? " (guess)" : ""}\nevents ${grouped(entry)} to ${grouped(exit)}${times}${length}`;
  }
  click(place, y) {
    const bar = this.barAt(place, y);
    if (bar) this.app.goToEntry(bar[4], this.lane);
    return bar !== null;
  }
  doubleClick(place, y) {
    const bar = this.barAt(place, y);
    if (bar) this.timeline.zoomAround(...this.stretch(bar));
    return bar !== null;
  }
}

// The calls of the other run, below those of this one.
export class OtherCallsTrack extends CallsTrack {
  constructor(timeline, lane, label) {
    super(timeline, null, label, true);
    Object.assign(this, { key: `other:${lane}`, lane: undefined, otherLane: lane, title: "Calls of the other run, from its beginning: click to align the rows there" });
  }
  get trace() {
    return this.app.state.beside;
  }
  get ends() {
    return [0, this.axis.otherSpan];
  }
  told(place) {
    return String(this.axis.otherOrigin + BigInt(Math.round(place)));
  }
  place(told) {
    return Number(BigInt(told) - this.axis.otherOrigin);
  }
  async ask(params) {
    return this.asker.ask("chart", { ...params, lane: this.otherLane, levels: this.levelsMax });
  }
  click(place, y) {
    const bar = this.barAt(place, y);
    if (bar) this.app.beside.goThere(bar[4] > 0 ? bar[4] - 1 : "start");
    return bar !== null;
  }
}

// --- Tasks ---------------------------------------------------------------------------------------

// Which task of a lane runs when: asked for once, and drawn by the tracks of all its tasks.
export class TaskRuns extends Track {
  constructor(timeline, lane) {
    super(timeline, `runs:${lane}`, "");
    this.lane = lane;
  }
  async ask(params) {
    return this.asker.ask("tasks", { ...params, lane: this.lane });
  }
}

// When a task ran, with its calls.
export class TaskTrack extends Track {
  constructor(timeline, calls, runs, task, name) {
    super(timeline, `task:${calls.lane}:${task}`, name, "When this task ran, and its calls");
    Object.assign(this, { calls, runs, task });
    Object.defineProperty(this, "answer", { get: () => runs.answer });
  }
  get height() {
    return Math.min(this.calls.levels, TASK_LEVELS) * LEVEL + GAP;
  }
  get mine() {
    return this.answer?.runs.filter(([, , task]) => task === this.task) ?? [];
  }
  update(view, width) {
    this.calls.update(view, width);
    this.runs.update(view, width);
  }
  draw(paint, x, y, left, right) {
    paint.fillStyle = themeColor("--activity");
    paint.beginPath();
    for (const [first, end] of this.mine) {
      const from = x(this.at(first)), size = Math.max(1, x(this.at(end)) - from);
      if (from + size > left && from < right) paint.rect(from, y, size, this.height - GAP);
    }
    paint.globalAlpha = 0.35;
    paint.fill();
    paint.globalAlpha = 1;
    if (!this.calls.answer) return;
    paint.clip();
    this.calls.draw(paint, x, y, left, right);
  }
  runsAt(place) {
    const column = this.answer ? this.columnAt(place) : -1;
    return this.mine.some(([first, end]) => first <= column && column < end);
  }
  tell(place, y) {
    return this.runsAt(place) ? `task ${this.label}\n${this.calls.tell(place, y) ?? ""}` : null;
  }
  click(place, y) {
    return this.runsAt(place) && this.calls.click(place, y);
  }
  doubleClick(place, y) {
    return this.runsAt(place) && this.calls.doubleClick(place, y);
  }
}

// --- What happens --------------------------------------------------------------------------------

// What the density of a lane tells is drawn by several tracks, and asked for once.
export class Density extends Track {
  constructor(timeline) {
    super(timeline, "activity", "Activity", "How much happens: events in each part of the time, or time that events take");
    this.strips = STRIPS.map((about) => new StripTrack(timeline, this, about));
  }
  wish() {
    return `${this.app.chartLane()} ${JSON.stringify(this.app.search.wish)}`;
  }
  get ends() {
    const { first_time, last_time } = this.app.traces[this.app.state.trace].lanes[this.app.chartLane()] ?? {};
    return this.axis.by === "events" || first_time === undefined ? [0, this.axis.ownSpan] : [this.axis.place(first_time), this.axis.place(last_time) + 1];
  }
  async ask(params) {
    const answer = await this.asker.ask("density", { ...params, lane: this.app.chartLane(), ...this.app.search.wish });
    if (answer?.is_searched === false) setTimeout(() => ((this.asked = null), this.timeline.refresh()), 500); // more hits follow
    return answer;
  }
  take(answer) {
    super.take(answer);
    const amounts = answer.events.map((events, i) => (this.axis.by === "time" ? events : answer.ticks[i] / Math.max(1, events)));
    answer.amounts = amounts;
    answer.most = amounts.reduce((most, amount) => Math.max(most, amount), 0) || 1;
    this.timeline.arrange();
  }
  draw(paint, x, y, left, right) {
    const { amounts, most, columns } = this.answer, height = this.height - GAP;
    paint.fillStyle = themeColor("--activity");
    paint.beginPath();
    paint.moveTo(x(this.at(0)), y + height);
    for (let i = 0; i < columns; i++) {
      const from = x(this.at(i)), end = x(this.at(i + 1));
      if (end < left || from > right) continue;
      const top = y + height * (1 - amounts[i] / most);
      paint.lineTo(from, top);
      paint.lineTo(end, top);
    }
    paint.lineTo(x(this.at(columns)), y + height);
    paint.fill();
  }
  // The same in the overview, whose height is given.
  drawIn(paint, x, height) {
    Object.defineProperty(this, "height", { value: height + GAP, configurable: true });
    this.draw(paint, x, 0, 0, Infinity);
  }
  tell(place) {
    if (!this.answer) return null;
    const column = Math.floor(this.columnAt(place)), { events, ticks, columns } = this.answer;
    if (column < 0 || column >= columns) return null;
    return this.app.can.times ? `${grouped(events[column])} events in ${grouped(ticks[column])} ticks` : `${grouped(events[column])} events`;
  }
}

const STRIPS = [
  { key: "exceptions", label: "Exceptions", color: "--exception" },
  { key: "host_calls", label: "Host calls", color: "--host" },
  { key: "hits", label: "Search hits", color: "--hit" },
];

// Columns in which something happens.
class StripTrack extends Track {
  constructor(timeline, density, { key, label, color }) {
    super(timeline, key, label);
    Object.assign(this, { density, color });
  }
  get columns() {
    return this.density.answer?.[this.key] ?? [];
  }
  get height() {
    return 16 + GAP;
  }
  update() {}
  draw(paint, x, y, left, right) {
    const { density } = this;
    paint.fillStyle = themeColor(this.color);
    for (const column of this.columns) {
      const from = x(density.at(column)), size = Math.max(3, x(density.at(column + 1)) - from);
      if (from + size > left && from < right) paint.fillRect(from, y + 1, size, this.height - GAP - 2);
    }
  }
  // The column that was meant, as exact as a pointer is.
  columnNear(place) {
    if (!this.density.answer) return null;
    const near = this.density.columnAt(place) - 0.5, slack = this.density.columnAt(this.timeline.place(4)) - this.density.columnAt(this.timeline.place(0));
    return this.columns.filter((column) => Math.abs(column - near) <= slack + 0.5).sort((a, b) => Math.abs(a - near) - Math.abs(b - near))[0] ?? null;
  }
  tell(place) {
    return this.columnNear(place) === null ? null : this.key === "hits" ? `found: ${this.app.search.wish.what}` : this.label;
  }
  click(place) {
    const column = this.columnNear(place);
    if (column !== null) this.timeline.goTo(this.density.at(column));
    return column !== null;
  }
}

// Where another trace beside this one differs.
export class DifferenceTrack extends Track {
  constructor(timeline) {
    super(timeline, "differences", "Differences");
  }
  get regions() {
    return this.axis.by === "events" && this.timeline.laneCount === 1 ? this.app.beside?.difference?.sides[0] ?? [] : [];
  }
  get columns() {
    return this.regions; // none: no track
  }
  get height() {
    return 16 + GAP;
  }
  update() {}
  draw(paint, x, y, left, right) {
    paint.fillStyle = themeColor("--hot");
    for (const { first, end } of this.regions) {
      const from = x(Math.min(first, this.axis.span)), size = Math.max(3, x(Math.min(end, this.axis.span)) - from);
      if (from + size > left && from < right) paint.fillRect(Math.min(from, right - 3), y + 1, size, this.height - GAP - 2);
    }
  }
  regionNear(place) {
    const slack = this.timeline.place(4) - this.timeline.place(0);
    return this.regions.findIndex(({ first, end }) => first - slack <= place && place <= Math.max(first, Math.min(end, this.axis.span)) + slack);
  }
  tell(place) {
    return this.regionNear(place) < 0 ? null : "the runs differ here";
  }
  click(place) {
    const found = this.regionNear(place);
    if (found >= 0) this.app.beside.goTo(found);
    return found >= 0;
  }
}

// Notes, at their events.
export class NotesTrack extends Track {
  constructor(timeline) {
    super(timeline, "notes", "Notes");
  }
  get height() {
    return 18 + GAP;
  }
  update() {}
  draw(paint, x, y, left, right) {
    beginText(paint);
    for (const { place, text } of this.timeline.notes) {
      const from = x(place);
      if (from < left - 200 || from > right) continue;
      paint.fillStyle = themeColor("--note");
      paint.fillRect(from, y, 3, this.height - GAP);
      paint.fillStyle = themeColor("--front");
      put(paint, text, from + 6, y + (this.height - GAP) / 2, 180);
    }
  }
  noteAt(place) {
    const slack = this.timeline.place(8) - this.timeline.place(0);
    return this.timeline.notes.find((note) => note.place - slack <= place && place <= note.place + 12 * slack) ?? null;
  }
  tell(place) {
    return this.noteAt(place)?.text ?? null;
  }
  click(place) {
    const note = this.noteAt(place);
    if (note) this.app.goTo(note.event);
    return note !== null;
  }
}

// --- Values --------------------------------------------------------------------------------------

// The value of a register, of memory or of an expression: as text where there is room, otherwise as
// steps between its least and its greatest.
export class ValueTrack extends Track {
  constructor(timeline, of, isKept) {
    super(timeline, `value:${of}`, of, isKept ? "Its values over time" : "Its values over time: pin it to keep it");
    Object.assign(this, { of, isKept });
  }
  get height() {
    return 34 + GAP;
  }
  wish() {
    return `${this.of} ${this.app.chartLane()}`;
  }
  get ends() {
    const { first_time, last_time, events } = this.app.traces[this.app.state.trace].lanes[this.app.chartLane()] ?? {};
    return this.axis.by === "events" || first_time === undefined ? [0, Math.min(this.axis.ownSpan, events ?? 1)] : [this.axis.place(first_time), this.axis.place(last_time) + 1];
  }
  async ask(params) {
    return this.asker.ask("history", { ...params, lane: this.app.chartLane(), of: this.of, at: this.app.state.at });
  }
  take(answer) {
    super.take(answer);
    answer.steps = answer.steps.map(([column, event, value]) => [column, event, value === null ? null : BigInt(value)]);
    const known = answer.steps.map(([, , value]) => value).filter((value) => value !== null);
    answer.low = known.reduce((least, value) => (value < least ? value : least), known[0] ?? 0n);
    answer.high = known.reduce((most, value) => (value > most ? value : most), known[0] ?? 0n);
  }
  draw(paint, x, y, left, right) {
    const { steps, columns, low, high } = this.answer, height = this.height - GAP;
    const span = Number(high - low) || 1, level = (value) => y + height - 3 - (Number(value - low) / span) * (height - 7);
    const color = themeColor("--value"), front = themeColor("--front");
    beginText(paint);
    paint.strokeStyle = color;
    paint.lineWidth = 1.25;
    paint.beginPath();
    let isDown = false;
    const labels = [];
    steps.forEach(([column, , value], i) => {
      const from = Math.max(left, x(this.at(column))), end = Math.min(right, x(this.at(steps[i + 1]?.[0] ?? columns)));
      if (end < left || from > right || value === null) return void (isDown = false);
      const at = level(value), text = hex(value);
      if (isDown) paint.lineTo(from, at);
      else paint.moveTo(from, at);
      paint.lineTo(end, at);
      isDown = true;
      if (end - from > text.length * letter + 8) labels.push([text, from + 4, at > y + height / 2 ? at - 8 : at + 9]);
    });
    paint.stroke();
    paint.fillStyle = front;
    for (const [text, at, line] of labels) paint.fillText(text, at, line);
  }
  stepAt(place) {
    if (!this.answer) return null;
    const column = this.columnAt(place);
    return this.answer.steps.findLast(([first]) => first <= column) ?? null;
  }
  tell(place) {
    const step = this.stepAt(place);
    if (this.fault) return this.fault;
    if (!step) return null;
    const { low, high } = this.answer;
    return `${this.of} = ${step[2] === null ? "not known" : `${hex(step[2])}  (${grouped(step[2])})`}, at event ${grouped(step[1])}\nhere between ${hex(low)} and ${hex(high)}`;
  }
  click(place) {
    const step = this.stepAt(place);
    if (step) this.app.goTo(step[1]);
    return step !== null;
  }
}

function hex(value) {
  return value < 10n ? String(value) : `0x${value.toString(16)}`;
}
