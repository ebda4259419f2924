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
const NOTE_PIXELS = 180;
const NUMBER_BYTES = 8; // of values that are numbers
const LANE_BYTES = { b: 1, h: 2, s: 4, d: 8, q: 16 };
const LANES_MAX = 16; // that have lines

let letter = 0; // the width of a character
export function beginText(paint) {
  paint.font = FONT;
  paint.textBaseline = "middle";
  letter ||= paint.measureText("0").width;
}
// As much of a text as there is room for, which is returned.
export function put(paint, text, x, y, room, hasEdge = false) {
  const count = Math.floor(room / letter), shown = text.length > count ? `${text.slice(0, count - 1)}…` : text;
  if (count > 1 && hasEdge) paint.strokeText(shown, x, y);
  if (count > 1) paint.fillText(shown, x, y);
  return count > 1 ? shown : "";
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
  // Where a lane has events there.
  endsOfLane(lane) {
    const { first_time, last_time } = this.app.traces[this.trace].lanes[lane] ?? {}; // another trace may have fewer
    return this.axis.by !== "time" || first_time === undefined ? [0, this.axis.ownSpan] : [this.axis.place(first_time), this.axis.place(last_time) + 1];
  }
  // Which trace it is of, and which of the runs on the axis.
  get trace() {
    return this.app.state.trace;
  }
  get side() {
    return 0;
  }

  forget() {
    this.asker.stop();
    this.answer = this.asked = null;
  }

  // Asks for a stretch around what is visible, unless the answer already shows it well enough.
  async update({ from, to }, width) {
    const margin = (to - from) / 2, [first, end] = this.ends;
    const [left, right] = [Math.max(first, from - margin), Math.min(end, to + margin)];
    if (right <= left) return this.forget();
    const start = Math.floor(this.axis.own(left, this.side)), stop = Math.max(start + 1, Math.ceil(this.axis.own(right, this.side)));
    const columns = Math.max(1, Math.min(COLUMNS_MAX, stop - start, Math.round(((right - left) / (to - from)) * width)));
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
  // A number of the run, as the server writes it.
  told(own) {
    return String(this.axis.origins[this.side] + BigInt(own));
  }
  // The place of a column's beginning, or end.
  at(column, isEnd = false) {
    const { start, end, columns } = this.answer;
    return this.axis.placeOf(start + ((end - start) * column) / columns, this.side, isEnd);
  }
  columnAt(place) {
    const { start, end, columns } = this.answer;
    return ((this.axis.own(place, this.side) - start) / (end - start)) * columns;
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
    return this.endsOfLane(this.lane);
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
      const from = Math.max(left, x(this.at(first))), size = Math.min(right, x(this.at(end, true))) - from;
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
    const { axis, side } = this;
    if (axis.by === "time" && began !== undefined) return [axis.place(began, side), axis.place(ended, side) + 1];
    const areNumbers = axis.by === "order" || this.timeline.laneCount === 1; // events of the trace are those of the axis
    return areNumbers ? [axis.placeOf(entry, side), axis.placeOf(exit + 1, side, true)] : [this.at(first), this.at(end, true)];
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
    Object.assign(this, { key: `other:${lane}`, lane: undefined, otherLane: lane, title: "Calls of the other run: click to align the rows there" });
  }
  get trace() {
    return this.app.state.beside;
  }
  get ends() {
    return [0, this.axis.otherSpan];
  }
  get side() {
    return 1;
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
    return this.endsOfLane(this.app.chartLane());
  }
  async ask(params) {
    const answer = await this.asker.ask("density", { ...params, lane: this.app.chartLane(), ...this.app.search.wish });
    if (answer?.is_searched === false) setTimeout(() => ((this.asked = null), this.timeline.refresh()), 500); // more hits follow
    return answer;
  }
  take(answer) {
    super.take(answer);
    const amounts = answer.events.map((events, i) => (this.axis.by === "events" ? answer.ticks[i] / Math.max(1, events) : events));
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
      const from = x(this.at(i)), end = x(this.at(i + 1, true));
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
      const from = x(density.at(column)), size = Math.max(3, x(density.at(column + 1, true)) - from);
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
  // As places, also of what only the other run has.
  get regions() {
    const { axis } = this, { difference } = this.app.beside;
    if (axis.by !== "events" || !difference) return [];
    return difference.in_lanes.map(([first, end]) => ({ first: axis.placeOf(first ?? axis.lengths[0], 0, true), end: end === null ? axis.span : axis.placeOf(end) }));
  }
  get columns() {
    return this.regions; // none: no track
  }
  get side() {
    return null; // of both
  }
  get height() {
    return 16 + GAP;
  }
  update() {}
  draw(paint, x, y, left, right) {
    paint.fillStyle = themeColor("--hot");
    for (const { first, end } of this.regions) {
      const from = x(first), size = Math.max(3, x(end) - from);
      if (from + size > left && from < right) paint.fillRect(Math.min(from, right - 3), y + 1, size, this.height - GAP - 2);
    }
  }
  regionNear(place) {
    const slack = this.timeline.place(4) - this.timeline.place(0);
    return this.regions.findIndex(({ first, end }) => first - slack <= place && place <= end + slack);
  }
  tell(place) {
    const found = this.regionNear(place);
    return found < 0 ? null : `the runs differ here: ${this.app.beside.about(found)}`;
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
  get side() {
    return null; // they are read in gaps, too
  }
  get height() {
    return 18 + GAP;
  }
  update() {}
  draw(paint, x, y, left, right) {
    const { notes } = this.timeline, middle = y + (this.height - GAP) / 2;
    const read = [];
    let free = left; // from where nothing is drawn yet
    notes.forEach(({ place, text }, i) => {
      if (x(place) < left - NOTE_PIXELS || x(place) > right + 1) return;
      const from = Math.min(x(place), right - 3), size = Math.min(NOTE_PIXELS, text.length * letter + 2);
      paint.fillStyle = themeColor("--note");
      paint.fillRect(from, y, 3, this.height - GAP);
      paint.fillStyle = themeColor("--front");
      // Its text is to the right of it, or where there is more room.
      const room = Math.min(right, i + 1 < notes.length ? x(notes[i + 1].place) : right) - from - 8;
      const isLeft = room < size && from - free - 6 > room;
      if (isLeft) read.push(put(paint, text, Math.max(free + 4, from - 4 - size), middle, Math.min(size, from - free - 8)));
      else read.push(put(paint, text, from + 6, middle, Math.min(size, room)));
      free = isLeft ? from + 5 : from + 10 + Math.min(size, Math.max(0, room));
    });
    this.timeline.canvas.dataset.notesRead = read.join("|");
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

// What a track is of: something that the server knows, and of it all, its lowest lanes (v0.4s), or
// one (v0.s[1]).
function partsOf(text) {
  const [, of, count, size, one, at] = text.match(/^([^=].*)\.(?:(\d+)([bhsdq])|([bhsdq])\[(\d+)\])$/) ?? [];
  if (of === undefined) return { of: text, lanes: [] };
  const lanes = one ? [Number(at)] : Array.from({ length: Math.min(LANES_MAX, count) }, (_, lane) => lane);
  return { of, lanes, bytes: LANE_BYTES[one ?? size] };
}

// The value of a register, of memory or of an expression, or of some of its lanes, a line for each:
// as text where there is room, otherwise as steps between its least and its greatest. What is wider
// than a number is text alone, with a mark where it changes.
export class ValueTrack extends Track {
  bytes = 0; // of the whole value; 0: not known
  constructor(timeline, of, isKept) {
    super(timeline, `value:${of}`, of, isKept ? "Its values over time" : "Its values over time: pin it to keep it");
    Object.assign(this, { of, isKept, parts: partsOf(of) });
  }
  get height() {
    return this.lineHeight * Math.max(1, this.parts.lanes.length) + GAP;
  }
  get lineHeight() {
    return this.parts.lanes.length > 1 ? 22 : 34;
  }
  // The names of its lines, if it has several.
  get lines() {
    return this.parts.lanes.length > 1 ? this.parts.lanes.map((lane) => ({ name: `[${lane}]`, top: lane * this.lineHeight })) : [];
  }
  // The ways to show something wider than a number, with the one that is chosen: what to follow, and its name.
  get choices() {
    if (this.bytes <= NUMBER_BYTES) return [];
    const { of, lanes, bytes } = this.parts;
    const all = Object.entries(LANE_BYTES).filter(([, size]) => size <= NUMBER_BYTES && this.bytes / size <= LANES_MAX).map(([letter, size]) => [`${of}.${this.bytes / size}${letter}`, `${this.bytes / size} × ${size}`]);
    return [[of, "whole"], ...all, ...(lanes.length && !all.some(([name]) => name === this.of) ? [[this.of, `of ${bytes}`]] : [])];
  }
  wish() {
    return `${this.of} ${this.app.chartLane()}`;
  }
  get ends() {
    return this.endsOfLane(this.app.chartLane());
  }
  async ask(params) {
    return this.asker.ask("history", { ...params, lane: this.app.chartLane(), of: this.parts.of, at: this.app.state.at });
  }
  take(answer) {
    super.take(answer);
    const { lanes, bytes } = this.parts, texts = answer.steps.map(([, , text]) => text?.slice(2) ?? "");
    const wide = texts.find((text) => text.length > 2 * NUMBER_BYTES)?.length / 2 || this.bytes;
    answer.lines = (lanes.length ? lanes : [null]).map((lane) => {
      const whole = (text) => (text && text.length <= 2 * NUMBER_BYTES ? text.padStart(2 * NUMBER_BYTES, "0") : text);
      const part = (text) => (lane === null ? text : whole(text).slice(-2 * bytes * (lane + 1), lane ? -2 * bytes * lane : undefined));
      const steps = answer.steps.map(([column, event], i) => [column, event, part(texts[i])]).filter(([, , text], i, all) => !i || text !== all[i - 1][2]);
      return line(steps);
    });
    if (wide === this.bytes) return;
    this.bytes = wide;
    this.timeline.arrange();
  }
  draw(paint, x, y, left, right) {
    this.answer.lines.forEach((line, i) => this.#drawLine(line, paint, x, y + i * this.lineHeight, left, right));
  }
  #drawLine({ steps, low, high, isWide }, paint, x, y, left, right) {
    const { columns } = this.answer, height = this.lineHeight - (this.lines.length ? 3 : 0);
    const span = Number(high - low) || 1, level = (value) => (isWide ? y + height - 3 : y + height - 3 - (Number(value - low) / span) * (height - 7));
    beginText(paint);
    paint.strokeStyle = themeColor("--value");
    paint.lineWidth = 1.25;
    paint.beginPath();
    let isDown = false;
    const labels = [];
    steps.forEach(([column, , value, text], i) => {
      const from = Math.max(left, x(this.at(column))), end = Math.min(right, x(this.at(steps[i + 1]?.[0] ?? columns, true)));
      if (end < left || from > right || value === null) return void (isDown = false);
      const at = level(value);
      if (isWide && i) paint.rect(from, y + 3, 0, height - 6);
      if (isDown) paint.lineTo(from, at);
      else paint.moveTo(from, at);
      paint.lineTo(end, at);
      isDown = !isWide;
      if (end - from > text.length * letter + 8 || (isWide && end - from > 14 * letter)) labels.push([text, from + 4, isWide ? y + height / 2 - 1 : at > y + height / 2 ? Math.max(y + 8, at - 8) : Math.min(y + height - 6, at + 9), end - from - 8]);
    });
    paint.stroke();
    paint.fillStyle = themeColor("--front");
    paint.strokeStyle = themeColor("--back"); // around text that crosses the line
    paint.lineWidth = 3;
    for (const [text, at, line, room] of labels) put(paint, text, at, line, room, true);
  }
  #stepAt(place, y) {
    const line = this.answer?.lines[Math.min(this.answer.lines.length - 1, Math.floor(y / this.lineHeight))];
    if (!line) return null;
    const column = this.columnAt(place), step = line.steps.findLast(([first]) => first <= column);
    return step ? { line, step, lane: this.parts.lanes[this.answer.lines.indexOf(line)] } : null;
  }
  tell(place, y) {
    if (this.fault) return this.fault;
    const found = this.#stepAt(place, y);
    if (!found) return null;
    const { line: { low, high, isWide }, step: [, event, value, text], lane } = found;
    const name = this.lines.length ? `${this.of}[${lane}]` : this.of;
    if (isWide) return `${name} = ${value === null ? "not known" : text}, at event ${grouped(event)}`;
    return `${name} = ${value === null ? "not known" : `${text}  (${grouped(value)})`}, at event ${grouped(event)}\nhere between ${hex(low)} and ${hex(high)}`;
  }
  click(place, y) {
    const found = this.#stepAt(place, y);
    if (found) this.app.goTo(found.step[1]);
    return found !== null;
  }
}

// A line of a track, from the digits at each step: [column, event, number or null, its text]. Of
// digits that no number holds, as of unknown ones, only the text is known.
function line(digits) {
  const isWide = digits.some(([, , text]) => text.length > 2 * NUMBER_BYTES);
  const steps = digits.map(([column, event, text]) => {
    const isKnown = text !== "" && (isWide || !text.includes("."));
    const value = isKnown && !isWide ? BigInt(`0x${text}`) : null;
    return [column, event, isWide && isKnown ? 0n : value, isWide ? `0x${text}` : value === null ? "" : hex(value)];
  });
  const known = steps.map(([, , value]) => value).filter((value) => value !== null);
  const [low, high] = [(a, b) => (a < b ? a : b), (a, b) => (a > b ? a : b)].map((choose) => known.reduce(choose, known[0] ?? 0n));
  return { steps, low, high, isWide };
}

function hex(value) {
  return value < 10n ? String(value) : `0x${value.toString(16)}`;
}
