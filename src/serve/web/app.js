// The page shows one position in one trace, and everything on it follows that position. The address
// contains the whole state, so that it can be stored, sent to others and returned to.
import { placeOf, openAt, readAddress } from "./address.js";
import { ask, element } from "./api.js";
import { timeText } from "./axis.js";
import { Beside } from "./beside.js";
import { forgetTheme } from "./colors.js";
import { Copy } from "./copy.js";
import * as first from "./first.js";
import { GoTo } from "./goto.js";
import { Hover } from "./hover.js";
import { split } from "./layout.js";
import { MemoryPane } from "./memory.js";
import { Notes } from "./notes.js";
import { RegistersPane, StackPane, TextPane } from "./panes.js";
import { Search } from "./search.js";
import { Selection } from "./selection.js";
import { SourceSide } from "./source.js";
import { Timeline } from "./timeline.js";
import { Value } from "./value.js";

const byId = (id) => document.getElementById(id);

const KEYS = [
  ["Up, Down", "the event before or after, unless it is folded away"],
  ["PgUp, PgDn", "scroll by a page"],
  ["Home, End", "the start or the end"],
  ["i, o, u", "step into, over, out of calls"],
  ["I, O, U", "the same backwards"],
  ["%", "from a call to its return and back"],
  ["-", "fold the call that the position lies in"],
  ["+", "unfold what is folded after the position, by one level"],
  ["[, ]", "fold, or unfold, all that the function calls"],
  ["{, }", "fold all calls of the trace, or none"],
  ["w, s", "zoom in and out, around the position"],
  ["a, d", "move the time line to the left and right"],
  ["f, 0", "zoom to the selection or the innermost call; show the whole run"],
  ["A, B", "set the marks A and B at the position; x: select what is between them"],
  ["t", "add a track: a register, memory (sp:8), or an expression (=x0+x1)"],
  ["g", "go to a function by a part of its name, to a line, a time, an address, a source line"],
  ["/", "search; n, N: next hit, previous hit"],
  ["v", "the value of a register or of memory: who wrote it, where it comes from"],
  ["m", "note something at the position; an empty note removes it"],
  ["p", "profile, flame graph and call tree, of what is selected or of the whole run"],
  ["<, >", "previous and next difference from the trace beside this one"],
  ["c", "show the source beside the trace, or not"],
  ["y", "copy a link, rows, values, or a command that shows the same"],
  ["Escape", "close the panel below; then forget the selection"],
  ["F6", "to the next part of the page; with Shift to the one before; Tab within it"],
  ["F1", "this help"],
];

// The kinds of panes: their titles, and what a trace must be able to do for them.
const PANES = [
  { kind: "stack", make: StackPane, title: "Calls", tag: "ol", needs: ["calls"] },
  { kind: "registers", make: RegistersPane, title: "Registers", tag: "table", needs: ["registers"] },
  { kind: "memory", make: MemoryPane, title: "Memory", tag: "pre", needs: ["memory"] },
  { kind: "words", make: MemoryPane, title: "Stack", tag: "pre", needs: ["memory"], isOpen: false },
  { kind: "disassembly", make: TextPane, title: "Disassembly", tag: "pre", needs: ["instructions"], isOpen: false, rows: 24 },
  { kind: "named", make: TextPane, title: "All registers", tag: "pre", needs: ["registers"], isOpen: false, rows: 40 },
  { kind: "unwound", make: TextPane, title: "Unwound stack", tag: "pre", needs: ["memory"], isOpen: false, rows: 24 },
];

class App {
  state = readAddress();
  traces = [];
  position = null; // the server's answer about the position
  isLoading = true;

  params() {
    return placeOf(this.state);
  }

  say(text) {
    byId("message").textContent = text;
  }
  fail = (error) => this.say(error.message);

  async open() {
    try {
      const one = await first.about;
      const others = Array.from({ length: one.traces - 1 }, (_, i) => ask("trace", { trace: i + 1 }));
      this.traces = [one, ...(await Promise.all(others))];
    } catch (error) {
      return this.fail(error);
    }
    byId("trace").replaceChildren(...this.traces.map((trace, i) => element("option", "", trace.file.replace(/.*\//, ""), { value: i, title: trace.file })));
    byId("trace").disabled = this.traces.length === 1;
    this.rows = Object.assign(first.rows, {
      params: () => ({ ...this.params(), at: undefined, columns: 400 }),
      onChoose: (event) => this.goTo(event),
      onUnfold: (event) => this.fold("level", event),
      onError: this.fail,
    });
    this.value = new Value(this);
    this.search = new Search(this);
    this.notes = new Notes(this);
    this.selection = new Selection(this);
    this.source = new SourceSide(this);
    this.timeline = new Timeline(this);
    this.beside = new Beside(this);
    this.goto = new GoTo(this);
    this.copying = new Copy(this);
    this.panes = PANES.map((about) => new about.make(this, { ...about, id: about.kind }));
    byId("panes").prepend(...this.panes.map(({ details }) => details));
    this.hover = new Hover(this, [byId("text"), byId("panes"), byId("source-side"), byId("look")]);
    this.#listen();
    this.read();
    await this.load(await first.position.catch(() => null));
    this.#beat();
  }

  // Tells the server that the page exists, because the server may run only as long as the page is
  // open.
  #beat() {
    const id = crypto.getRandomValues(new Uint32Array(1))[0];
    const tell = (word) => navigator.sendBeacon(`/api/v1/page/${word}?page=${id}`);
    tell("opened");
    setInterval(() => tell("opened"), 20000);
    document.addEventListener("freeze", () => tell("asleep"));
    document.addEventListener("resume", () => tell("opened"));
    window.addEventListener("pagehide", () => tell("closed"));
    window.addEventListener("pageshow", (event) => event.persisted && tell("opened"));
  }

  // Updates the marks in the rows and on the time line after notes have changed.
  onNotes() {
    this.rows.notes = this.notes.byEvent;
    this.rows.redraw();
    if (this.timeline.axis) this.timeline.placeNotes().catch(this.fail);
    if (this.state.look === "notes") this.selection.update();
  }

  // A server that does not answer is asked until it does; then all is shown again.
  #watch() {
    let isLost = false;
    document.addEventListener("server-lost", async () => {
      if (isLost) return;
      isLost = true;
      byId("lost").hidden = false;
      byId("lost").textContent = "The server does not answer. Start it again with the same --listen, or wait: this page continues when it is back.";
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const reply = await fetch("/api/v1/trace", { credentials: "same-origin" }).catch(() => null);
        if (reply?.ok) break;
        if (reply) byId("lost").textContent = "Another server answers here. Open the address that it has printed, with what follows # in this one.";
      }
      isLost = false;
      byId("lost").hidden = true;
      this.say("The server is back.");
      this.load().catch(this.fail);
    });
  }

  // A text next to the mouse; null: none.
  showTip(text, event) {
    const tip = byId("tip");
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, window.innerWidth - width - 4))}px`;
    tip.style.top = `${event.clientY + 16 + height > window.innerHeight ? Math.max(4, event.clientY - height - 8) : event.clientY + 16}px`;
  }

  // What the trace can tell.
  get can() {
    return this.traces[this.state.trace].can;
  }

  chartLane() {
    return this.state.lane ? this.state.lane - 1 : this.position?.lane ?? 0;
  }

  // --- The address -----------------------------------------------------------------------------

  read() {
    this.state = readAddress();
    this.state.trace = Math.min(this.state.trace, this.traces.length - 1);
  }

  // `isSmall`: nothing that Back should return from.
  write(isSmall = false) {
    const hash = new URLSearchParams();
    for (const [key, value] of Object.entries(this.state)) if (value !== null && value !== "" && !((key === "trace" || key === "shift") && value === 0)) hash.set(key, value);
    const text = `#${hash}`;
    if (text !== location.hash) history[isSmall ? "replaceState" : "pushState"](null, "", text);
  }

  // Shows a trace. `position` is its position if that is known; then the rows are already shown.
  async load(position = null) {
    const about = this.traces[this.state.trace];
    document.title = `${about.file} - trawl`;
    byId("trace").value = this.state.trace;
    const doubts = about.doubts.join("; ");
    Object.assign(byId("doubts"), { hidden: !doubts, textContent: doubts, title: doubts });
    const lanes = about.lanes.map((lane, i) => element("option", "", `${about.lane_word} ${lane.name || i}`, { value: i + 1 }));
    // The rows of a log of calls are those of one lane at a time.
    const any = about.rows === "calls" ? `${about.lane_word} of the position` : `all ${about.lanes.length}`;
    byId("lane").replaceChildren(element("option", "", any, { value: "" }), ...lanes);
    byId("lane").hidden = about.lanes.length < 2;
    byId("lane").value = this.state.lane || "";
    this.#showPanes();
    this.source.load();
    this.notes.load().catch(this.fail);
    this.isLoading = true; // the rows are shown once, at their position, and before everything else
    await this.#take(null, null, position ?? (await openAt(this.state, ask).catch((error) => (this.fail(error), null))));
    if (!position || this.rows.row === null) await this.rows.show(first.rowsAround(this.position ?? {}, this.state.at));
    this.isLoading = false;
    this.panes.forEach((pane) => pane.update());
    await this.#chooseSeries();
    this.timeline.load();
    this.source.update();
    this.search.load();
    this.#showSelection();
    await this.beside.load();
    const { functions } = await ask("functions", { trace: this.state.trace, count: 1000 }).catch(() => ({ functions: [] }));
    this.functionNames = new Map(functions.map(({ pc, name }) => [pc, name]));
  }

  // Values that differ from frame to frame are tracks, unless the address has others.
  async #chooseSeries() {
    const { state } = this;
    if (this.traces[state.trace].rows !== "snapshots" || state.tracks) return;
    const { series } = await ask("series", { trace: state.trace }).catch(() => ({ series: [] }));
    state.tracks = series.map(({ of }) => encodeURIComponent(of)).join(",");
    this.write(true);
  }

  // --- Places ------------------------------------------------------------------------------------

  // Shows the position that the server returns.
  async #take(question, params, known = null, isQuiet = false) {
    this.say("");
    if (!question && !known) return false;
    try {
      const position = await (known ?? ask(question, { ...this.params(), ...params }));
      this.position = position;
      this.state.at = position.at;
      if (position.folds !== undefined) this.state.folds = position.folds;
      this.#show(question === "fold");
      return true;
    } catch (error) {
      if (!isQuiet) this.fail(error);
      return false;
    }
  }

  #show(hasFolded) {
    const { line, time, name, pc, is_hidden, shown } = this.position;
    byId("place").textContent = `${line ? `line ${line}` : `event ${shown}`}   time ${timeText(this.traces[this.state.trace], time)}   ${pc ? `pc ${name ?? pc}` : ""}${is_hidden ? "   inside a folded call" : ""}`;
    byId("place").dataset.at = this.state.at;
    this.write();
    this.rows.chosen = shown;
    if (this.position.reason) this.rows.hint = { event: shown, text: `opened here: ${this.position.reason}` };
    else if (this.rows.hint?.event !== shown) this.rows.hint = null; // which was enough
    if (this.isLoading) return;
    this.hover.hide();
    if (hasFolded) this.rows.renew();
    else this.rows.choose(shown);
    this.panes.forEach((pane) => pane.update());
    this.timeline.moved();
    this.source.update();
    if (["value", "found", "differences"].includes(this.state.look)) this.selection.update();
  }

  step(how) {
    return this.#take("step", { how });
  }
  goTo(at) {
    this.state.at = at;
    return this.#take("step", { how: "stay" });
  }
  // Goes to the point before a call, which begins with an event of a lane. If the event before that
  // one belongs to another lane, to its own.
  async goToEntry(event, lane) {
    const before = event > 0 ? event - 1 : "start";
    try {
      const there = await ask("step", { ...this.params(), at: before, how: "stay" });
      return await this.goTo(there.lane === lane ? before : event);
    } catch (error) {
      return this.fail(error);
    }
  }
  // Shows the lane with a number from 1 on, or all (0). The position moves into it: to its event
  // before, or, if lanes are one after the other, to its first one.
  async chooseLane(lane) {
    let { at } = this.state;
    try {
      if (lane && this.position?.lane !== lane - 1) {
        const near = await ask("step", { ...this.params(), lane, how: "up" });
        at = near.lane === lane - 1 ? near.at : (await ask("profile", { trace: this.state.trace, lane: lane - 1, from: 0, to: 1, count: 0 })).first_event;
      }
    } catch (error) {
      this.fail(error);
    }
    this.#change({ lane, at, range: null, under: null });
  }
  async fold(how, at = null) {
    const isDone = await this.#take("fold", { how, at: at ?? this.state.at });
    if (isDone && at === null) await this.beside.fold(how).catch(this.fail);
    return isDone;
  }
  find(what, way, isQuiet = false) {
    return this.#take("find", { what, way }, null, isQuiet);
  }
  // The position of an event, without going there.
  placeOfEvent(event) {
    return ask("step", { trace: this.state.trace, at: event, how: "stay" });
  }

  setMemory(address) {
    this.state.memory = address;
    this.write();
    this.panes.forEach((pane) => pane.kind === "memory" && ((pane.details.open = true), pane.update()));
  }

  // All about a value as it is at a point: who wrote it, who reads it, where it comes from; and its
  // history as a track.
  askOrigin(of, at = this.state.at) {
    Object.assign(this.state, { of, origin: `${of}@${at}` });
    this.look({ look: "value" });
    this.timeline.showValue();
  }

  // The source beside the trace.
  showSource(isShown) {
    this.state.source = isShown ? null : "no";
    this.write();
    byId("source-button").setAttribute("aria-pressed", String(isShown));
    this.source.update();
  }

  // --- Panes -------------------------------------------------------------------------------------

  registerNames = new Set(); // in lower case
  wordBytes = 8; // of a pointer

  learnRegisters(registers) {
    this.registerNames = new Set(registers.map(({ name }) => name.toLowerCase()));
    const general = registers.find(({ kind, value }) => kind === "general" && value);
    if (general) this.wordBytes = Math.min(8, general.value.length / 2);
  }

  // Additional panes are in the address, separated by commas: KIND@AT, KIND@AT~EXPRESSION. Those
  // that follow the position have no AT.
  addPane(kind, at, expr) {
    const text = `${kind}@${at ?? ""}${expr ? `~${encodeURIComponent(expr)}` : ""}`;
    this.#changePanes([...this.#panesAsTyped(), text]);
  }
  changePane(pane, expr) {
    const all = this.#panesAsTyped();
    all[pane.where.number] = `${pane.kind}@${pane.where.at ?? ""}~${encodeURIComponent(expr)}`;
    this.#changePanes(all);
  }
  #panesAsTyped() {
    return this.state.panes ? this.state.panes.split(",") : [];
  }
  #changePanes(all) {
    this.state.panes = all.join(",");
    this.write();
    this.#showPanes();
    this.panes.forEach((pane) => pane.where && pane.update());
  }

  #showPanes() {
    this.panes.filter(({ where }) => where).forEach(({ details }) => details.remove());
    const first = this.panes.filter(({ where }) => !where);
    const more = this.#panesAsTyped().map((text, number) => this.#furtherPane(text, number)).filter((pane) => pane);
    byId("panes").append(...more.map(({ details }) => details));
    this.panes = [...first, ...more];
    const { can } = this.traces[this.state.trace];
    for (const pane of this.panes) pane.details.hidden = !PANES.find(({ kind }) => kind === pane.kind).needs.some((need) => can[need]);
  }
  #furtherPane(text, number) {
    const [, kind, at, expr] = text.match(/^(\w+)@(\d*|start)(?:~(.*))?$/) ?? [];
    const about = PANES.find((one) => one.kind === kind);
    if (!about) return null;
    const close = () => this.#changePanes(this.#panesAsTyped().filter((_, i) => i !== number));
    return new about.make(this, { ...about, id: `pane-${number}`, isOpen: true }, { at: at === "" ? null : at === "start" ? at : Number(at), expr: expr ? decodeURIComponent(expr) : null, number, close });
  }

  // --- Selections --------------------------------------------------------------------------------

  // Shows another stretch, or the stretch in another way.
  look(changes) {
    Object.assign(this.state, changes);
    this.write();
    this.#showSelection();
  }
  // How a stretch is shown when it is selected.
  selectionLook() {
    return this.can.calls ? (["profile", "flame", "tree", "function"].includes(this.state.look) ? this.state.look : "profile") : this.state.look;
  }

  #showSelection() {
    this.timeline.draw();
    this.selection.update();
    this.source.update();
    this.panes.forEach((pane) => pane.kind === "disassembly" && pane.update());
  }

  // The name of a function in the trace, if known.
  nameOf(pc) {
    return this.functionNames?.get(pc);
  }

  // Goes to a call of a function in the lane that the chart shows: the first one in the selection,
  // or the next one ("forward") or previous one ("backward") from the position.
  async goToCall(pc, way) {
    const { from, by } = this.selection.params(), of = this.chartLane();
    if (way !== "first") return this.#take("find", { what: pc, way, of });
    const ofOrder = () => (Number(from) ? Number(from) - 1 : "start"), ofTime = async () => (await ask("find", { trace: this.state.trace, what: `time:${from}`, way: "first" })).at;
    const at = by === "order" ? ofOrder() : by === "time" ? await ofTime() : await this.eventOfLane(Number(from ?? 0));
    return this.#take("find", { what: pc, way, of, at });
  }

  // The point before event number `first` of the lane that the chart shows; it may be in another.
  async eventOfLane(first) {
    if (!first) return "start";
    const { first_event } = await ask("profile", { trace: this.state.trace, lane: this.chartLane(), from: first, to: first + 1, count: 0 });
    return first_event > 0 ? first_event - 1 : "start";
  }

  // --- Keys and buttons --------------------------------------------------------------------------

  #listen() {
    const page = () => Math.max(1, this.rows.rows - 1);
    const actions = {
      ArrowDown: () => this.step("down"), ArrowUp: () => this.step("up"),
      PageDown: () => this.rows.scroll(page()), PageUp: () => this.rows.scroll(-page()),
      Home: () => this.step("home"), End: () => this.step("end"),
      i: () => this.step("into"), o: () => this.step("over"), u: () => this.step("out"),
      I: () => this.step("back-into"), O: () => this.step("back-over"), U: () => this.step("back-out"),
      "%": () => this.step("match"),
      "-": () => this.fold("call"), "+": () => this.fold("level"), "=": () => this.fold("level"),
      "[": () => this.fold("callees"), "]": () => this.fold("unfold"),
      "{": () => this.fold("all"), "}": () => this.fold("none"),
      w: () => this.timeline.scale(1 / 1.5), s: () => this.timeline.scale(1.5),
      a: () => this.timeline.pan(-0.2), d: () => this.timeline.pan(0.2),
      f: () => this.timeline.focus(), 0: () => this.timeline.whole(),
      A: () => this.timeline.mark("a"), B: () => this.timeline.mark("b"), x: () => this.timeline.selectMarks(),
      t: () => byId("track-of").focus(),
      g: () => (byId("where").focus(), byId("where").select()), "/": () => (byId("what").focus(), byId("what").select()),
      n: () => this.search.go("forward"), N: () => this.search.go("backward"),
      m: () => this.notes.edit(),
      v: () => (this.look({ look: "value" }), byId("of")?.focus()),
      y: () => this.copying.open(),
      c: () => this.showSource(this.state.source === "no"),
      ">": () => this.beside.next(false), "<": () => this.beside.next(true),
      p: () => this.look({ look: this.state.look === "profile" ? null : "profile" }),
      Escape: () => (this.state.look && this.look({ look: null })) || (this.state.range && this.look({ range: null })),
      F1: () => this.help(), F6: ({ shiftKey }) => this.#goToPart(shiftKey ? -1 : 1),
    };
    document.addEventListener("keydown", (event) => {
      if (document.querySelector("dialog[open]")) return;
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "Escape" && isTyping) event.target.blur();
      if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && !/^F\d/.test(event.key))) return;
      const scrolls = event.target.matches?.(".pane-body, .side-body, .locals, #look") && /^(Arrow|Page|Home|End)/.test(event.key);
      const action = scrolls ? null : actions[event.key];
      if (!action) return;
      event.preventDefault();
      action(event);
    });
    byId("profile").addEventListener("click", () => actions.p());
    byId("help").addEventListener("click", () => this.help());
    byId("source-button").addEventListener("click", () => actions.c());
    byId("trace").addEventListener("change", (event) => this.#change({ trace: Number(event.target.value), lane: null, at: "start", folds: "", range: null, under: null, focus: null, panes: "", lanes: "", zoom: null, unit: null, tracks: "", pins: "", a: null, b: null, of: null, origin: null, source: null }, true));
    byId("lane").addEventListener("change", (event) => this.chooseLane(Number(event.target.value)));
    window.addEventListener("popstate", () => (this.read(), this.load().catch(this.fail)));
    this.#theme();
    this.#watch();
    split("timeline-split", "timeline", { axis: "y", sign: 1, least: 96, onChange: () => this.timeline.refresh() });
    split("source-split", "source-side", { axis: "x", sign: -1, least: 120 });
    split("panes-split", "panes", { axis: "x", sign: -1, least: 120 });
    split("selection-split", "selection", { axis: "y", sign: -1, least: 80 });
  }

  // `isOther`: another trace, whose interesting place is shown.
  #change(changes, isOther = false) {
    Object.assign(this.state, changes);
    if (isOther) history.pushState(null, "", location.pathname);
    else this.write();
    this.load().catch(this.fail);
  }

  // The focus goes to the next part of the page that can be seen.
  #goToPart(way) {
    const reach = "button, input, select, summary, [tabindex='0']";
    const parts = ["trace", "chart", "rows", "rows-beside", "source-side", "panes", "selection"].map(byId).filter((part) => part.checkVisibility());
    const at = parts.findIndex((part) => part.contains(document.activeElement));
    const part = parts[(at + (at < 0 && way < 0 ? 0 : way) + parts.length) % parts.length];
    const within = part.id === "selection" ? part.querySelector("[aria-selected=true]") : [...part.querySelectorAll(reach)].find((one) => one.checkVisibility());
    (part.matches(reach) ? part : within)?.focus();
  }

  help() {
    const list = element("dl");
    for (const [key, meaning] of KEYS) list.append(element("dt", "", key), element("dd", "", meaning));
    const dialog = byId("keys");
    const close = element("button", "", "close");
    close.addEventListener("click", () => dialog.close());
    const mouse = "Click a row to go there, a fold mark to unfold it, a value to see all about it, a call of the time line to go to where it begins; a double click shows all of that call. Drag over the time line to select a stretch; with Shift, to move it. The wheel scrolls the tracks, or zooms if there is nothing to scroll; with Ctrl it always zooms, with Shift it moves sideways. Drag a line between two panes to change their sizes.";
    dialog.replaceChildren(element("h2", "", "Keys", { id: "keys-title" }), list, element("p", "weak", mouse), close);
    dialog.showModal();
  }

  // As the system has it, light, or dark.
  #theme() {
    const root = document.documentElement, button = byId("theme"), system = matchMedia("(prefers-color-scheme: dark)");
    const set = (theme) => {
      root.classList.remove("light", "dark");
      if (theme) root.classList.add(theme);
      button.textContent = theme ?? "theme";
      forgetTheme();
      this.timeline.draw();
      if (!this.isLoading) this.selection.update();
    };
    set(localStorage.getItem("theme"));
    system.addEventListener("change", () => set(localStorage.getItem("theme")));
    matchMedia("print").addEventListener("change", () => (forgetTheme(), this.timeline.drawNow())); // paper is light, and does not wait
    matchMedia("(prefers-contrast: more)").addEventListener("change", () => set(localStorage.getItem("theme")));
    button.addEventListener("click", () => {
      const next = { null: system.matches ? "light" : "dark", [system.matches ? "light" : "dark"]: system.matches ? "dark" : "light" }[localStorage.getItem("theme")] ?? null;
      if (next) localStorage.setItem("theme", next);
      else localStorage.removeItem("theme");
      set(next);
    });
  }
}

const app = new App();
app.open().catch(app.fail);
