// The time line: an overview of the whole run with a frame around what is visible, a ruler, and
// tracks below each other on one axis. Only visible tracks ask the server; all that is visible is
// drawn at once from what is known, at any zoom, and again when answers come.
import { ask, element } from "./api.js";
import { Axis, grouped, readStretch, stretchText } from "./axis.js";
import { themeColor } from "./colors.js";
import { stateTracks } from "./states.js";
import { beginText, CallsTrack, Density, DifferenceTrack, NotesTrack, OtherCallsTrack, TaskRuns, TaskTrack, ValueTrack } from "./tracks.js";

const byId = (id) => document.getElementById(id);

const DRAG_PIXELS = 4;
const BOX_PIXELS = 4; // around a text on the ruler
const TICK_PIXELS = 110; // at least between two numbers of the ruler
const PAUSE_MS = 30; // before the server is asked, while the picture still moves
const FILTER_FROM = 9; // lanes and tasks, from which on there is a filter
const LABELS_BEYOND = 400; // pixels above and below what is visible
const LEVELS_MAX = 200; // of an answer
const TASK_LANES = 16, TASKS_MAX = 200; // whose tasks are tracks

export class Timeline {
  axis = null;
  tracks = [];
  view = { from: 0, to: 1 };
  notes = []; // {event, place, text}
  #marks = { a: null, b: null }; // {event, place}
  #drawing = 0;
  #asking = 0;
  #deep = new Set(); // keys of lanes of which all levels are shown
  constructor(app) {
    this.app = app;
    this.canvas = byId("chart");
    this.ruler = byId("ruler");
    this.overview = byId("overview");
    this.scroller = byId("tracks");
    this.labels = byId("track-labels");
    this.tip = byId("tip");
    this.#listen();
    const sizes = new ResizeObserver(() => this.refresh());
    for (const canvas of [this.scroller, this.ruler]) sizes.observe(canvas);
  }

  // --- What it shows -----------------------------------------------------------------------------

  get state() {
    return this.app.state;
  }
  get about() {
    return this.app.traces[this.state.trace];
  }
  get laneCount() {
    return this.about.lanes.filter(({ events }) => events).length;
  }
  get width() {
    return Math.max(1, this.ruler.clientWidth);
  }

  // Shows a trace, or the same one after its lane or unit has changed.
  load() {
    const units = Axis.units(this.about), usual = Axis.usual(this.about);
    const unit = units.includes(this.state.unit) ? this.state.unit : usual;
    this.axis = new Axis(this.about, this.app.chartLane(), unit, this.app.beside.isOpen ? this.app.beside.other : null);
    byId("unit").replaceChildren(...units.map((name) => element("option", "", Axis.nameOf(this.about, this.app.chartLane(), name), { value: name })));
    byId("unit").value = unit;
    byId("ruler-name").textContent = byId("ruler-name").title = this.axis.name;
    this.app.beside.follow();
    this.#alignRuns();
    const [from, to] = this.state.zoom?.split("-").map((text) => this.axis.place(text)) ?? [0, this.axis.span];
    this.view = this.axis.fit(from, to);
    this.laneOnAxis = this.app.chartLane();
    this.#build();
    this.placeNotes();
    this.placeMarks();
    this.refresh();
    this.#askTasks();
  }

  // Where the other run differs has become known: what is visible stays.
  align() {
    const { from, to } = this.view, { axis } = this, isWhole = from === 0 && to === axis.span;
    const [first, end] = [axis.own(from), axis.own(to)];
    this.#alignRuns();
    this.view = isWhole ? axis.fit(0, axis.span) : axis.fit(axis.placeOf(first), axis.placeOf(end, 0, true));
    this.placeNotes();
    this.placeMarks();
    this.arrange();
    this.refresh();
  }
  #alignRuns() {
    const { difference, isOpen } = this.app.beside;
    this.axis.align(isOpen && difference && this.axis.by === "events" ? difference.in_lanes : []);
  }

  // The tracks, in their order: pinned ones first.
  #build() {
    const { about, state } = this;
    this.density = new Density(this);
    this.#overview = new Density(this);
    const [exceptions, host, hits] = this.density.strips;
    const values = this.#values().map((of) => new ValueTrack(this, of, true));
    if (state.of && !this.#values().includes(state.of)) values.push(new ValueTrack(this, state.of, false));
    const many = this.laneCount > 1;
    const lanes = !about.can.calls ? [] : about.lanes.map((lane, i) => ({ ...lane, i })).filter(({ events, i }) => events && (this.axis.by !== "events" || !many || i === this.app.chartLane()));
    this.lanes = lanes.map(({ name, i }) => new CallsTrack(this, i, many ? name || `${about.lane_word} ${i}` : "Calls", lanes.length > 1 || this.tasks?.get(i)?.length > 1 || this.axis.otherSpan > 0));
    const all = [...values, ...(about.can.times ? [this.density] : []), exceptions, host, hits, new DifferenceTrack(this), new NotesTrack(this), ...this.lanes.flatMap((lane) => [lane, ...this.#tasksOf(lane)]), ...stateTracks(this, this.tasks?.states ?? []), ...this.#otherLanes()];
    const pins = new Set(this.#pins());
    this.tracks = [...all.filter(({ key }) => pins.has(key)), ...all.filter(({ key }) => !pins.has(key))];
    byId("lane-filter").hidden = all.length < FILTER_FROM + 6;
    this.arrange();
  }
  #overview = null;

  // Those of the other run: all that lie on the axis.
  #otherLanes() {
    const { beside } = this.app;
    if (!this.axis.otherSpan || !beside.other.about.can.calls) return [];
    const { about, lane } = beside.other, used = about.lanes.map(({ name, events }, i) => ({ name, events, i })).filter(({ events, i }) => events && (this.axis.by !== "events" || i === lane));
    return used.map(({ name, i }) => new OtherCallsTrack(this, i, `${beside.name}${used.length > 1 ? `: ${name || i}` : ""}`));
  }

  // The tasks of a lane, below it.
  #tasksOf(lane) {
    const tasks = this.tasks?.get(lane.lane) ?? [];
    if (tasks.length < 2) return [];
    const runs = new TaskRuns(this, lane.lane);
    return tasks.map(({ task, name }) => new TaskTrack(this, lane, runs, task, name));
  }
  // Which tasks a trace has is asked once.
  async #askTasks() {
    const { trace } = this.state;
    if (this.tasks?.trace === trace || !this.about.can.calls) return;
    this.tasks = Object.assign(new Map(), { trace });
    const lanes = this.about.lanes.map(({ events }, lane) => ({ events, lane })).filter(({ events }) => events).slice(0, TASK_LANES);
    const answers = await Promise.all(lanes.map(({ lane }) => ask("tasks", { trace, lane, columns: 1 }).catch(() => null)));
    if (this.tasks.trace !== trace || !answers.some((answer) => answer?.tasks.length > 1)) return;
    const states = await ask("states", { trace, columns: 1 }).catch(() => null); // of a kernel that is known
    if (this.tasks.trace !== trace) return;
    this.tasks.states = states?.tasks.slice(0, TASKS_MAX);
    answers.forEach((answer, i) => answer && this.tasks.set(lanes[i].lane, answer.tasks.slice(0, TASKS_MAX)));
    this.#build();
    this.refresh();
  }

  #list(key) {
    return (this.state[key] ?? "").split(",").filter((text) => text);
  }
  #values() {
    return this.#list("tracks").map(decodeURIComponent);
  }
  #pins() {
    return this.#list("pins");
  }
  isFolded(key) {
    return this.#list("lanes").includes(key.slice("lane:".length));
  }
  isDeep(key) {
    return this.#deep.has(key);
  }
  #change(changes) {
    Object.assign(this.state, changes);
    this.app.write();
    const kept = new Map(this.tracks.map((track) => [track.key, track]));
    this.#build();
    for (const track of this.tracks) {
      const before = kept.get(track.key);
      if (before?.answer && !before.strips && !before.runs) Object.assign(track, { answer: before.answer, levels: before.levels });
    }
    this.arrange();
    this.refresh();
  }
  #toggle(name, item) {
    const items = this.#list(name), at = items.indexOf(item);
    if (at < 0) items.push(item);
    else items.splice(at, 1);
    this.#change({ [name]: items.join(",") });
  }
  addValue(of) {
    if (of && !this.#values().includes(of)) this.#change({ tracks: [...this.#list("tracks"), encodeURIComponent(of)].join(",") });
  }
  // The value that was asked for is shown until another one is.
  showValue() {
    this.#change({});
  }

  // Which tracks are visible, and where: those that have nothing to show take no room.
  arrange() {
    const wanted = byId("lane-filter").hidden ? "" : byId("lane-filter").value.toLowerCase();
    let top = 0;
    this.placed = [];
    for (const track of this.tracks) {
      const isEmpty = (track.columns && !track.columns.length) || (track.key === "notes" && !this.notes.length);
      if (isEmpty || (wanted && !track.label.toLowerCase().includes(wanted))) continue;
      this.placed.push({ track, top });
      top += track.height;
    }
    byId("tracks-size").style.height = `${top}px`;
    this.#made = null;
    this.draw();
  }

  // Names of tracks are elements only where they can be seen, or nearly.
  #made = null; // by key; null: none is right
  #showLabels() {
    const { top, bottom } = this.#window();
    const near = this.placed.filter(({ track, top: at }) => at < bottom + LABELS_BEYOND && at + track.height > top - LABELS_BEYOND);
    const made = this.#made;
    if (near.length === made?.size && near.every(({ track }) => made.has(track.key))) return;
    const focused = document.activeElement?.closest?.(".track")?.dataset.key;
    this.#made = new Map(near.map((placed) => [placed.track.key, made?.get(placed.track.key) ?? this.#label(placed)]));
    this.labels.replaceChildren(...this.#made.values());
    if (focused) this.#made.get(focused)?.querySelector("button")?.focus({ preventScroll: true });
  }

  #label({ track, top }) {
    const made = element("div", "track", null, { "data-key": track.key, ...(track.lane === undefined ? {} : { "data-lane": track.lane }) });
    made.style.top = `${top}px`;
    made.style.height = `${track.height}px`;
    const button = (text, title, act, more = {}) => {
      const one = element("button", "quiet", text, { type: "button", title, "aria-label": `${title}: ${track.label}`, ...more });
      one.addEventListener("click", act);
      return one;
    };
    const isLane = track.lane !== undefined && this.lanes.length > 1;
    if (isLane) {
      const name = element("button", "link name", `${track.isFolded ? "▸" : "▾"} ${track.label}`, { type: "button", "aria-expanded": String(!track.isFolded), title: track.label });
      name.addEventListener("click", () => this.#toggle("lanes", String(track.lane)));
      made.append(name);
    } else made.append(element("span", "name", track.label, { title: track.title || track.label }));
    if (track.isOneOfMany && (track.answer?.is_cut || this.isDeep(track.key))) made.append(button(this.isDeep(track.key) ? "less" : "deeper", "Show all levels, or the outermost", () => (this.#deep.delete(track.key) || this.#deep.add(track.key), track.forget(), (track.levels = 1), this.arrange(), this.refresh())));
    for (const { name, top: at } of track.lines ?? []) made.append(Object.assign(element("span", "line-name", name), { style: `top: ${at}px` }));
    if (track.choices?.length) made.append(this.#choice(track));
    if (track instanceof ValueTrack) made.append(track.isKept ? button("×", "Remove this track", () => this.#toggle("tracks", encodeURIComponent(track.of))) : button("pin", "Keep this track", () => this.addValue(track.of)));
    else if (isLane) made.append(button(this.#pins().includes(track.key) ? "unpin" : "pin", "Keep it on top", () => this.#toggle("pins", track.key)));
    return made;
  }

  // As what a wide value is shown.
  #choice(track) {
    const select = element("select", "quiet", null, { "aria-label": `Lanes of ${track.parts.of}` });
    select.append(...track.choices.map(([of, name]) => element("option", "", name, { value: of })));
    select.value = track.of;
    select.addEventListener("change", () => {
      const all = this.#values().filter((of) => of !== select.value), at = all.indexOf(track.of);
      all.splice(at < 0 ? all.length : at, at < 0 ? 0 : 1, select.value);
      this.#change({ tracks: all.map(encodeURIComponent).join(",") });
    });
    return select;
  }

  // --- Where it is -------------------------------------------------------------------------------

  zoom(from, to) {
    this.view = this.axis.fit(from, to);
    this.canvas.dataset.from = Math.round(this.view.from);
    this.canvas.dataset.to = Math.round(this.view.to);
    this.refresh();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      const isWhole = this.view.from === 0 && this.view.to === this.axis.span;
      this.state.zoom = isWhole ? null : `${this.axis.told(this.view.from)}-${this.axis.told(this.view.to)}`;
      this.app.write(true);
    }, 300);
  }
  whole() {
    this.zoom(0, this.axis.span);
  }
  // A stretch with some room on both sides.
  zoomAround(from, to) {
    const room = Math.max(1, (to - from) * 0.05);
    this.zoom(from - room, to + room);
  }
  pan(share) {
    const { from, to } = this.view, by = (to - from) * share;
    this.zoom(from + by, to + by);
  }
  // Zooms around a place, by default the position if it is visible.
  scale(factor, around = null) {
    const { from, to } = this.view, at = this.#position();
    const center = around ?? (at !== null && from <= at && at <= to ? at : (from + to) / 2);
    const width = Math.max(Math.min(10, this.axis.span), (to - from) * factor), share = (center - from) / (to - from);
    this.zoom(center - width * share, center + width * (1 - share));
  }
  // To the selection, or to the innermost call around the position.
  async focus() {
    const range = this.range;
    if (range) return this.zoomAround(...range);
    const at = this.#position(), track = this.lanes.find(({ lane }) => lane === this.app.chartLane());
    if (at === null || !track) return;
    const told = (place) => this.axis.told(Math.min(place, this.axis.ownSpan));
    const { bars } = await ask("chart", { trace: this.state.trace, lane: track.lane, by: this.axis.by, from: told(Math.min(at, this.axis.ownSpan - 1)), to: told(at + 1), columns: 1, levels: LEVELS_MAX });
    const bar = bars.reduce((inner, one) => (!inner || one[0] > inner[0] ? one : inner), null);
    if (bar) this.zoomAround(...track.stretch(bar));
  }

  // The place of a position (an answer to "step"), null: it is not on the axis.
  placeOf({ at, time, lane, in_lane } = {}) {
    if (this.axis.by === "time") return time === undefined ? null : at === "start" ? 0 : this.axis.place(time);
    if (this.axis.by === "order") return this.axis.placeOf(at === "start" ? 0 : at + 1);
    return lane === this.laneOnAxis ? this.axis.placeOf(at === "start" ? 0 : in_lane + 1) : null;
  }
  #position() {
    return this.placeOf(this.app.position ?? {});
  }
  // The place at a pixel, and the pixel of a place.
  place(x) {
    return this.view.from + (x / this.width) * (this.view.to - this.view.from);
  }
  x = (place) => ((place - this.view.from) / (this.view.to - this.view.from)) * this.width;

  // The position moved: it stays visible.
  moved() {
    if (this.axis.by === "events" && this.laneOnAxis !== this.app.chartLane()) return this.load();
    const at = this.#position(), { from, to } = this.view;
    if (at !== null && (at < from || at > to)) this.zoom(at - (to - from) / 2, at + (to - from) / 2);
    else this.draw();
  }
  goTo(place) {
    const told = Math.max(0, Math.min(this.axis.ownSpan - 1, place));
    if (this.axis.by === "time") return this.app.find(`time:${this.axis.told(told)}`, "first");
    const first = Math.floor(this.axis.own(told));
    if (this.axis.by === "order") return this.app.goTo(first ? first - 1 : "start");
    return this.app.eventOfLane(first).then((at) => this.app.goTo(at));
  }

  // --- Selection and marks -----------------------------------------------------------------------

  // The selected stretch of the axis; null: none, or it was made on another axis.
  get range() {
    const range = readStretch(this.state.range);
    return range?.by === this.axis.by ? [this.axis.place(range.from), this.axis.place(range.to, 0, true)] : null;
  }
  select(from, to) {
    const [first, end] = [this.axis.told(from), this.axis.told(to)];
    if (first === end) return this.draw();
    this.app.look({ range: stretchText(this.axis.by, first, end), look: this.app.selectionLook(), under: null });
  }

  mark(name) {
    this.state[name] = this.state.at;
    this.app.write();
    this.#placing = this.placeMarks();
  }
  #placing = null; // when the places of marks are known
  async placeMarks() {
    for (const name of ["a", "b"]) {
      const event = this.state[name];
      if (event === null) this.#marks[name] = null;
      else if (this.#marks[name]?.event !== event || this.#marks[name].unit !== this.axis.unit)
        this.#marks[name] = await this.app.placeOfEvent(event).then((position) => ({ event, unit: this.axis.unit, place: this.placeOf(position), position }), () => null);
    }
    this.draw();
  }
  async selectMarks() {
    await this.#placing;
    const places = [this.#marks.a?.place, this.#marks.b?.place];
    if (places.every((place) => typeof place === "number")) this.select(Math.min(...places), Math.max(...places));
    else this.app.say("Set the marks A and B first (Shift+A, Shift+B).");
  }

  async placeNotes() {
    const notes = [...this.app.notes.byEvent].filter(([event]) => event !== "start");
    const axis = this.axis;
    const placed = await Promise.all(notes.map(async ([event, text]) => ({ event, text, place: this.placeOf(await this.app.placeOfEvent(event)) })));
    if (axis !== this.axis) return;
    this.notes = placed.filter(({ place }) => place !== null).sort((a, b) => a.place - b.place);
    this.canvas.dataset.notes = this.notes.length;
    this.arrange();
  }

  // --- Drawing -----------------------------------------------------------------------------------

  refresh() {
    if (!this.axis || this.app.isLoading) return;
    this.draw();
    if (this.#asking) return;
    this.#asking = setTimeout(() => {
      this.#asking = 0;
      const { top, bottom } = this.#window();
      this.#overview.update({ from: 0, to: this.axis.span }, this.overview.clientWidth || 1);
      this.density.update(this.view, this.width);
      for (const { track, top: at } of this.placed) if (at < bottom && at + track.height > top) track.update(this.view, this.width);
    }, PAUSE_MS);
  }
  // How many levels of calls can be seen, in coarse steps, so that scrolling asks seldom.
  levelsInSight(height) {
    return Math.min(LEVELS_MAX, 16 * Math.ceil(this.#window().bottom / height / 16));
  }
  // Which part of the tracks is visible.
  #window() {
    const top = this.scroller.scrollTop;
    return { top, bottom: top + this.scroller.clientHeight };
  }

  draw() {
    this.#drawing ||= requestAnimationFrame(() => this.drawNow());
  }
  drawNow() {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = 0;
    if (!this.axis || !this.placed) return;
    this.#showLabels();
    this.#drawTracks();
    this.#drawRuler();
    this.#drawOverview();
    this.#tell();
  }

  #begin(canvas) {
    const ratio = window.devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const paint = canvas.getContext("2d");
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    beginText(paint);
    return { paint, width, height };
  }

  #drawTracks() {
    const { top, bottom } = this.#window();
    this.canvas.style.height = `${this.scroller.clientHeight}px`;
    const { paint, width, height } = this.#begin(this.canvas);
    const line = themeColor("--hair");
    this.#drawGrid(paint, height);
    for (const { track, top: at } of this.placed) {
      if (at >= bottom || at + track.height <= top) continue;
      paint.fillStyle = line;
      paint.fillRect(0, at - top + track.height - 2, width, 1);
      if (!track.answer && !(track.columns || track.key === "notes")) continue;
      paint.save();
      paint.beginPath();
      paint.rect(0, Math.max(0, at - top), width, track.height - 3);
      paint.clip();
      beginText(paint);
      track.draw(paint, this.x, at - top, 0, width);
      paint.fillStyle = themeColor("--gap"); // where only the other run goes on
      for (const [from, to] of this.axis.gaps(track.side)) paint.fillRect(this.x(from), at - top, this.x(to) - this.x(from), track.height);
      paint.restore();
    }
    this.#drawRange(paint, width, height);
    this.#drawLines(paint, height);
    this.#count();
  }
  // What the picture shows, for those who cannot see it.
  #count() {
    const { dataset } = this.canvas, answer = this.density.answer;
    const lane = this.lanes.find((track) => track.lane === this.app.chartLane()) ?? this.lanes[0];
    dataset.bars = lane?.answer?.bars.length ?? 0;
    for (const { track } of this.placed) if (track.lane !== undefined) this.#made.get(track.key)?.setAttribute("data-bars", track.answer?.bars.length ?? 0);
    dataset.hits = answer?.hits?.length ?? 0;
    dataset.exceptions = answer?.exceptions?.length ?? 0;
    dataset.hostCalls = answer?.host_calls?.length ?? 0;
    dataset.gaps = [0, 1].map((side) => this.axis.gaps(side).length).join(" "); // of this run and the other
    dataset.values = this.placed.filter(({ track }) => track instanceof ValueTrack && track.answer).length;
  }

  #ticks() {
    const { from, to } = this.view;
    return this.axis.ticks(from, to, ((to - from) * TICK_PIXELS) / this.width);
  }
  #drawGrid(paint, height) {
    paint.fillStyle = themeColor("--grid");
    for (const { place } of this.#ticks()) paint.fillRect(Math.round(this.x(place)), 0, 1, height);
  }
  #drawRange(paint, width, height) {
    if (!this.range) return;
    const [first, end] = this.range.map(this.x);
    paint.fillStyle = themeColor("--select");
    paint.fillRect(first, 0, end - first, height);
    paint.fillStyle = themeColor("--accent");
    for (const x of [first, end]) paint.fillRect(Math.round(x), 0, 1, height);
  }
  #drawLines(paint, height) {
    const x = (place) => (place === this.view.to ? this.width - 2 : Math.round(this.x(place))); // the end can be seen
    for (const [name, mark] of Object.entries(this.#marks)) {
      if (typeof mark?.place !== "number") continue;
      paint.fillStyle = themeColor(`--mark-${name}`);
      paint.fillRect(x(mark.place), 0, 1, height);
    }
    const at = this.#position();
    if (at === null) return;
    paint.fillStyle = themeColor("--front");
    paint.fillRect(x(at), 0, 1.5, height);
  }

  #drawRuler() {
    const { paint, width, height } = this.#begin(this.ruler);
    const ticks = this.#ticks(), boxes = this.#boxes(paint);
    this.#drawRange(paint, width, height);
    paint.fillStyle = themeColor("--veil");
    for (const [from, to] of this.axis.gaps()) paint.fillRect(this.x(from), 0, this.x(to) - this.x(from), height);
    paint.textAlign = "left";
    for (const { place, text } of ticks) {
      const x = Math.round(this.x(place));
      paint.fillStyle = themeColor("--line");
      paint.fillRect(x, height - 8, 1, 8);
      paint.fillStyle = themeColor("--weak");
      const end = x + 6 + paint.measureText(text).width;
      if (end <= width && boxes.every(({ left, size }) => end < left || x > left + size)) paint.fillText(text, x + 4, height / 2);
    }
    this.#drawLines(paint, height);
    for (const { left, size, text, color, bottom } of boxes) {
      paint.fillStyle = themeColor(color);
      paint.fillRect(left, 1, size, height - bottom);
      paint.fillStyle = themeColor("--back");
      paint.fillText(text, left + BOX_PIXELS, (height - bottom) / 2 + 1);
    }
    this.ruler.dataset.labels = ticks.map(({ text }) => text).join("|");
  }
  // What lies over the ruler: the names of the marks, and the length of the selection in its middle
  // if there is room (it is told above, too).
  #boxes(paint) {
    const size = (text) => paint.measureText(text).width + 2 * BOX_PIXELS;
    const within = (left, width) => Math.max(0, Math.min(this.width - width, left));
    const { from, to } = this.view, isShown = (mark) => typeof mark?.place === "number" && from <= mark.place && mark.place <= to;
    const boxes = Object.entries(this.#marks).flatMap(([name, mark]) => (isShown(mark) ? [{ left: within(this.x(mark.place), 15), size: 15, text: name.toUpperCase(), color: `--mark-${name}`, bottom: 8 }] : []));
    if (!this.range || this.range[1] < from || this.range[0] > to) return boxes;
    const [first, end] = this.range.map(this.x), text = this.axis.between(...this.range);
    const length = { left: within((first + end - size(text)) / 2, size(text)), size: size(text), text, color: "--accent", bottom: 4 };
    return boxes.every(({ left }) => left + 15 < length.left || left > length.left + length.size) ? [...boxes, length] : boxes;
  }

  #drawOverview() {
    const { paint, width, height } = this.#begin(this.overview);
    const x = (place) => (place / this.axis.span) * width;
    if (this.#overview.answer) this.#overview.drawIn(paint, x, height);
    const range = this.range;
    if (range) {
      paint.fillStyle = themeColor("--select");
      paint.fillRect(x(range[0]), 0, Math.max(1, x(range[1]) - x(range[0])), height);
    }
    const [from, to] = [x(this.view.from), x(this.view.to)];
    paint.fillStyle = themeColor("--veil");
    paint.fillRect(0, 0, from, height);
    paint.fillRect(to, 0, width - to, height);
    paint.strokeStyle = themeColor("--accent");
    paint.lineWidth = 2;
    paint.strokeRect(from + 1, 1, Math.max(2, to - from - 2), height - 2);
    const at = this.#position();
    paint.fillStyle = themeColor("--front");
    if (at !== null) paint.fillRect(Math.min(width - 2, Math.round(x(at))), 0, 1.5, height);
  }

  // What is visible, selected and marked, as text.
  #tell() {
    const { from, to } = this.view, { a, b } = this.#marks;
    const isWhole = from === 0 && to === this.axis.span;
    byId("shown").textContent = `${isWhole ? "all" : "shown"}: ${this.axis.between(from, to)}`;
    const told = [];
    if (this.range) told.push(`selected: ${this.axis.between(...this.range)}`);
    if (a && b && typeof a.place === "number" && typeof b.place === "number") {
      const events = a.position.lane === b.position.lane ? Math.abs((b.position.at === "start" ? -1 : b.position.in_lane) - (a.position.at === "start" ? -1 : a.position.in_lane)) : null;
      told.push(`A to B: ${this.axis.between(a.place, b.place)}${events === null || this.axis.by === "events" ? "" : `, ${grouped(events)} ${Axis.nameOf(this.about, a.position.lane, "events")}`}`);
      if (this.axis.by === "events" && this.about.can.times) told.push(`${grouped(BigInt(b.position.time) > BigInt(a.position.time) ? BigInt(b.position.time) - BigInt(a.position.time) : BigInt(a.position.time) - BigInt(b.position.time))} ticks`);
    } else if (a || b) told.push(`mark ${a ? "A" : "B"} set`);
    byId("measured").textContent = told.join(", ");
  }

  // --- Mouse and keys ----------------------------------------------------------------------------

  #trackAt(y) {
    const at = y + this.scroller.scrollTop;
    const found = this.placed?.find(({ track, top }) => top <= at && at < top + track.height);
    return found ? { track: found.track, y: at - found.top } : null;
  }

  #listen() {
    const { canvas, ruler, overview } = this;
    for (const one of [canvas, ruler]) {
      one.addEventListener("pointerdown", (event) => this.#press(event, one));
      one.addEventListener("wheel", (event) => this.#wheel(event, one === ruler), { passive: false });
    }
    canvas.addEventListener("mousemove", (event) => this.#hover(event));
    canvas.addEventListener("mouseleave", () => (this.tip.hidden = true));
    canvas.addEventListener("dblclick", (event) => {
      const found = this.#trackAt(event.offsetY);
      if (!found?.track.doubleClick?.(this.place(event.offsetX), found.y)) this.whole();
    });
    ruler.addEventListener("dblclick", () => this.whole());
    overview.addEventListener("pointerdown", (event) => this.#pressOverview(event));
    overview.addEventListener("wheel", (event) => this.#wheel(event, true), { passive: false });
    this.scroller.addEventListener("scroll", () => (this.app.showTip(null), this.refresh()));
    for (const one of [canvas, ruler, overview])
      one.addEventListener("keydown", (event) => {
        const act = { ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1), ArrowUp: () => (this.scroller.scrollTop -= 40), ArrowDown: () => (this.scroller.scrollTop += 40), Enter: () => this.focus() }[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      });
    byId("unit").addEventListener("change", (event) => {
      Object.assign(this.state, { unit: event.target.value, zoom: null, range: null });
      this.app.write();
      this.load();
    });
    byId("zoom-in").addEventListener("click", () => this.scale(0.5));
    byId("zoom-out").addEventListener("click", () => this.scale(2));
    byId("zoom-all").addEventListener("click", () => this.whole());
    byId("lane-filter").addEventListener("input", () => (this.arrange(), this.refresh()));
    byId("add-track").addEventListener("submit", (event) => {
      event.preventDefault();
      this.addValue(byId("track-of").value.trim());
      byId("track-of").value = "";
    });
  }

  // Moving with the button pressed selects, with Shift it moves the picture; pressing without
  // moving clicks.
  #press(event, canvas) {
    if (event.button !== 0 || !this.axis) return;
    const start = event.offsetX, before = this.state.range, view = { ...this.view }, begin = this.place(start);
    let isDrag = false;
    canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = (at) => {
      isDrag ||= Math.abs(at.offsetX - start) > DRAG_PIXELS;
      if (!isDrag) return;
      this.tip.hidden = true;
      if (event.shiftKey || event.button === 1) {
        const by = ((start - at.offsetX) / this.width) * (view.to - view.from);
        return this.zoom(view.from + by, view.to + by);
      }
      const [from, to] = [begin, this.place(Math.max(0, Math.min(this.width, at.offsetX)))].sort((a, b) => a - b);
      this.state.range = stretchText(this.axis.by, this.axis.told(from), this.axis.told(to));
      this.draw();
    };
    canvas.onpointerup = (at) => {
      canvas.onpointermove = canvas.onpointerup = null;
      if (!isDrag) return this.#click(at, canvas);
      if (event.shiftKey) return;
      this.state.range = before;
      this.select(...[begin, this.place(Math.max(0, Math.min(this.width, at.offsetX)))].sort((a, b) => a - b));
    };
  }
  #click(event, canvas) {
    const place = this.place(event.offsetX);
    if (canvas === this.ruler) return this.goTo(place);
    const found = this.#trackAt(event.offsetY);
    if (!found?.track.click?.(place, found.y) && this.state.range) this.app.look({ range: null });
  }
  #hover(event) {
    if (event.buttons) return;
    const found = this.#trackAt(event.offsetY);
    const text = found?.track.tell?.(this.place(event.offsetX), found.y);
    this.canvas.style.cursor = text && found.track.click ? "pointer" : "crosshair";
    this.app.showTip(text, event);
  }

  // In the overview, the frame is moved, or a new one is drawn.
  #pressOverview(event) {
    const place = (x) => (x / Math.max(1, this.overview.clientWidth)) * this.axis.span;
    const start = place(event.offsetX), { from, to } = this.view;
    const isMove = start >= from && start <= to && (from > 0 || to < this.axis.span);
    this.overview.setPointerCapture(event.pointerId);
    this.overview.onpointermove = (at) => {
      const here = place(at.offsetX);
      if (isMove) this.zoom(from + here - start, to + here - start);
      else if (Math.abs(at.offsetX - event.offsetX) > DRAG_PIXELS) this.zoom(Math.min(start, here), Math.max(start, here));
    };
    this.overview.onpointerup = (at) => {
      this.overview.onpointermove = this.overview.onpointerup = null;
      if (!isMove && Math.abs(at.offsetX - event.offsetX) <= DRAG_PIXELS) this.zoom(start - (to - from) / 2, start + (to - from) / 2);
    };
  }

  // The wheel zooms around the mouse; sideways or with Shift it pans; over tracks of which more can
  // be scrolled to it scrolls, unless Ctrl is pressed.
  #wheel(event, isOver) {
    if (!this.axis) return;
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const canScroll = !isOver && this.scroller.scrollHeight > this.scroller.clientHeight + 1;
    if (!isPan && canScroll && !event.ctrlKey) return; // the browser scrolls
    event.preventDefault();
    if (isPan) return this.pan(0.1 * Math.sign(event.deltaX || event.deltaY));
    const share = event.offsetX / Math.max(1, event.target.clientWidth);
    const around = event.target === this.overview ? share * this.axis.span : this.view.from + share * (this.view.to - this.view.from);
    this.scale(event.deltaY > 0 ? 1.4 : 1 / 1.4, around);
  }
}
