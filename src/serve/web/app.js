// The page shows one position in one trace, and everything on it follows that position. The address
// contains the whole state, so that it can be stored, sent to others and returned to.
import { firstStep, placeOf, readAddress } from "./address.js";
import { ask, element, link } from "./api.js";
import { Beside } from "./beside.js";
import { Chart } from "./chart.js";
import * as first from "./first.js";
import { Hover } from "./hover.js";
import { Lanes } from "./lanes.js";
import { MemoryPane } from "./memory.js";
import { Notes } from "./notes.js";
import { OriginPane } from "./origin.js";
import { RegistersPane, StackPane, TextPane } from "./panes.js";
import { Selection } from "./selection.js";
import { WritesPane } from "./writes.js";

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
  ["g", "go to a line, a time, a function, an address"],
  ["/", "search; n, N: the next hit, the one before"],
  ["m", "note something at the position; an empty note removes it"],
  ["p", "profile, flame graph and call tree, of what is selected in the chart; Escape closes it"],
  ["F1", "this help"],
];

// The kinds of panes: their titles, and what a trace must be able to do for them.
const PANES = [
  { kind: "stack", make: StackPane, title: "Calls", tag: "ol", needs: ["calls"] },
  { kind: "registers", make: RegistersPane, title: "Registers", tag: "table", needs: ["registers"] },
  { kind: "memory", make: MemoryPane, title: "Memory", tag: "pre", needs: ["memory"] },
  { kind: "words", make: MemoryPane, title: "Stack", tag: "pre", needs: ["memory"], isOpen: false },
  { kind: "writes", make: WritesPane, title: "Who wrote", tag: "ol", needs: ["registers", "memory"], isSingle: true },
  { kind: "origin", make: OriginPane, title: "Where it comes from", tag: "ol", needs: ["registers", "memory"], isSingle: true, isOpen: false },
  { kind: "source", make: TextPane, title: "Source", tag: "pre", needs: ["addresses"], isOpen: false, rows: 40 },
  { kind: "disassembly", make: TextPane, title: "Disassembly", tag: "pre", needs: ["instructions"], isOpen: false, rows: 24 },
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
    this.chart = new Chart(byId("chart"), byId("chart-tip"), { params: () => this.params(), lane: () => this.chartLane(), onEnter: (event) => this.goToEntry(event, this.chartLane()), onSelect: (from, to) => this.look({ range: `${from}-${to}`, look: this.state.look ?? "profile", under: null }), onError: this.fail });
    this.selection = new Selection(this);
    this.beside = new Beside(this);
    this.notes = new Notes(this);
    this.lanes = new Lanes(this, byId("lanes"), byId("chart-tip"));
    this.chart.onShow = () => this.panes?.forEach((pane) => pane.kind === "writes" && pane.update());
    this.chart.eventCount = () => this.traces[this.state.trace].lanes[this.chartLane()]?.events ?? 1;
    this.panes = PANES.map((about) => new about.make(this, { ...about, id: about.kind }));
    byId("panes").prepend(...this.panes.map(({ details }) => details));
    new Hover(this, [byId("text"), byId("panes")], byId("hover-tip"));
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

  // Updates the marks in the rows and in the chart after notes have changed.
  onNotes() {
    this.rows.notes = this.notes.byEvent;
    this.rows.redraw();
    this.chart.notes = [...this.notes.byEvent].filter(([event]) => event !== "start");
    this.chart.draw();
  }

  chartLane() {
    return this.state.lane ? this.state.lane - 1 : this.position?.lane ?? 0;
  }

  // --- The address -----------------------------------------------------------------------------

  read() {
    this.state = readAddress();
    this.state.trace = Math.min(this.state.trace, this.traces.length - 1);
  }

  write() {
    const hash = new URLSearchParams();
    for (const [key, value] of Object.entries(this.state)) if (value !== null && value !== "" && !((key === "trace" || key === "shift") && value === 0)) hash.set(key, value);
    const text = `#${hash}`;
    if (text !== location.hash) history.pushState(null, "", text);
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
    this.notes.load().catch(this.fail);
    this.isLoading = true; // the rows are shown once, at their position, and before everything else
    const { at } = this.state;
    await this.#take("step", { how: firstStep(this.state) }, position);
    if (!position || this.rows.row === null) await this.rows.show(first.rowsAround(this.position ?? {}, at));
    this.isLoading = false;
    this.panes.forEach((pane) => pane.update());
    this.chart.zoom(null, null);
    this.lanes.load();
    this.#showSelection();
    await this.beside.load();
    ask("functions", { trace: this.state.trace, count: 500 }).then(({ functions }) => ((this.functionNames = new Map(functions.map(({ pc, name }) => [pc, name]))), byId("functions").replaceChildren(...functions.map(({ name, calls }) => element("option", "", `${calls} calls`, { value: name })))), () => {});
  }

  // --- Places ------------------------------------------------------------------------------------

  // Shows the position that the server returns.
  async #take(question, params, known = null) {
    this.say("");
    try {
      const position = await (known ?? ask(question, { ...this.params(), ...params }));
      this.position = position;
      this.state.at = position.at;
      if (position.folds !== undefined) this.state.folds = position.folds;
      this.#show(question === "fold");
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #show(hasFolded) {
    const { line, time, name, pc, is_hidden, shown, lane, in_lane } = this.position;
    byId("place").textContent = `${line ? `line ${line}` : `event ${shown}`}   time ${time}   ${pc ? `pc ${name ?? pc}` : ""}${is_hidden ? "   inside a folded call" : ""}`;
    byId("place").dataset.at = this.state.at;
    this.write();
    this.rows.chosen = shown;
    this.chart.position = lane === this.chartLane() ? in_lane : null;
    if (this.isLoading) return;
    if (hasFolded) this.rows.renew();
    else this.rows.choose(shown);
    this.panes.forEach((pane) => pane.update());
    this.chart.draw();
    this.lanes.draw();
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
  find(what, way) {
    return this.#take("find", { what, way });
  }

  setMemory(address) {
    this.state.memory = address;
    this.write();
    this.panes.forEach((pane) => pane.kind === "memory" && pane.update());
  }
  askWrites(of) {
    this.state.of = of;
    this.write();
    this.panes.forEach((pane) => pane.kind === "writes" && ((pane.details.open = true), pane.update()));
  }

  // Opens the chain back from a value as it is at a point, beside who wrote it.
  askOrigin(of, at = this.state.at) {
    this.state.origin = `${of}@${at}`;
    this.panes.forEach((pane) => pane.kind === "origin" && ((pane.details.open = true), pane.update()));
    this.askWrites(of);
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
    const about = PANES.find((one) => one.kind === kind && !one.isSingle);
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

  #showSelection() {
    this.chart.range = this.state.range?.split("-").map(Number) ?? null;
    this.chart.draw();
    this.selection.update();
    this.panes.forEach((pane) => ["source", "disassembly"].includes(pane.kind) && pane.update());
  }

  // The name of a function in the trace, if known.
  nameOf(pc) {
    return this.functionNames?.get(pc);
  }

  // Goes to a call of a function in the lane that the chart shows: the first one in the selection,
  // or the next one ("forward") or previous one ("backward") from the position.
  async goToCall(pc, way) {
    const first = this.state.range ? Number(this.state.range.split("-")[0]) : 0;
    const of = this.chartLane();
    if (way !== "first") return this.#take("find", { what: pc, way, of });
    return this.#take("find", { what: pc, way, of, at: await this.eventOfLane(first) });
  }

  // The point before event number `first` of the lane that the chart shows; it may be in another.
  async eventOfLane(first) {
    if (!first) return "start";
    const { first_event } = await ask("profile", { ...this.selection.params(), count: 0 });
    return first_event > 0 ? first_event - 1 : "start";
  }

  // --- Search ------------------------------------------------------------------------------------

  #place = null; // of the current hit

  async search(way) {
    const what = byId("what").value;
    const kind = byId("kind").value;
    if (!what) return;
    this.chart.search(what, kind).catch(() => {}); // search() reports errors
    const from = this.#place && this.#place.at === this.state.at && this.#place.what === what ? { place: this.#place.place } : {};
    try {
      for (;;) {
        const answer = await ask("search", { ...this.params(), lane: kind === "condition" ? this.chartLane() : null, folds: null, what, kind, way, ...from, count: 1 });
        this.#count(answer);
        if (answer.outcome === "found") return await this.#goToHit(answer, what);
        if (answer.outcome === "nowhere") return this.say(`Not found: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } catch (error) {
      this.fail(error);
    }
  }

  async #goToHit(answer, what) {
    const [hit] = answer.hits;
    await this.goTo(hit.event);
    this.#place = { at: this.state.at, place: hit.place, what };
    if (answer.has_wrapped) this.say("The search continued at the other end of the trace.");
    this.list(what);
  }

  #count({ hits_found, percent, is_done }) {
    byId("hits").textContent = is_done ? `${hits_found} found` : `${hits_found} found, ${percent} %`;
  }

  // Shows the first hits, and the count while it grows.
  async list(what) {
    const kind = byId("kind").value;
    const pane = byId("found-pane");
    const params = { ...this.params(), at: null, folds: null, lane: kind === "condition" ? this.chartLane() : null, what, kind, count: 200 };
    for (let isDone = false; !isDone && byId("what").value === what; ) {
      const answer = await ask("search", params);
      this.#count(answer);
      pane.hidden = false;
      byId("found").replaceChildren(...answer.hits.map((hit) => this.#hitRow(hit)));
      isDone = answer.is_done;
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  #hitRow(hit) {
    const row = element("li");
    row.append(link(hit.line ? `line ${hit.line}` : `event ${hit.event}`, () => this.goTo(hit.event)), element("span", "weak", `  ${hit.text ?? ""}`));
    return row;
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
      g: () => byId("where").focus(), "/": () => byId("what").focus(),
      n: () => this.search("forward"), N: () => this.search("backward"),
      m: () => this.notes.edit(),
      p: () => this.look({ look: this.state.look ? null : "profile" }),
      Escape: () => (this.state.look && this.look({ look: null })) || (this.state.range && this.look({ range: null })),
      F1: () => this.help(),
    };
    document.addEventListener("keydown", (event) => {
      if (document.querySelector("dialog[open]")) return;
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "Escape" && isTyping) event.target.blur();
      if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && event.key !== "F1")) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    const submit = (id, act) => byId(id).addEventListener("submit", (event) => (event.preventDefault(), act()));
    submit("go", () => byId("where").value && this.find(byId("where").value, "forward"));
    submit("search", () => this.search("forward"));
    byId("go-back").addEventListener("click", () => byId("where").value && this.find(byId("where").value, "backward"));
    byId("search-back").addEventListener("click", () => this.search("backward"));
    byId("profile").addEventListener("click", () => actions.p());
    byId("help").addEventListener("click", () => this.help());
    byId("trace").addEventListener("change", (event) => this.#change({ trace: Number(event.target.value), lane: null, at: "start", folds: "", range: null, under: null, focus: null, panes: "", lanes: "" }));
    byId("lane").addEventListener("change", (event) => this.chooseLane(Number(event.target.value)));
    window.addEventListener("popstate", () => (this.read(), this.load()));
    this.#theme();
    this.#split();
  }

  #change(changes) {
    Object.assign(this.state, changes);
    this.write();
    this.load();
  }

  help() {
    const list = element("dl");
    for (const [key, meaning] of KEYS) list.append(element("dt", "", key), element("dd", "", meaning));
    const dialog = byId("keys");
    const close = element("button", "", "close");
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(element("h3", "", "Keys"), list, element("p", "weak", "Click on a row to go there, on a fold mark to unfold it, on a call of the chart to go to where it begins. The wheel zooms the chart, with Shift it moves sideways, with Alt to deeper calls; a double click shows all of it; drag over it to select a stretch."), close);
    dialog.showModal();
  }

  #theme() {
    const root = document.documentElement;
    const set = (theme) => {
      root.classList.remove("light", "dark");
      if (theme) root.classList.add(theme);
      this.chart.draw();
      if (this.isLoading) return;
      this.lanes.draw();
      this.panes.forEach((pane) => pane.kind === "writes" && pane.update());
    };
    set(localStorage.getItem("theme"));
    byId("theme").addEventListener("click", () => {
      const isDark = getComputedStyle(root).colorScheme === "dark" || (getComputedStyle(root).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
      localStorage.setItem("theme", isDark ? "light" : "dark");
      set(localStorage.getItem("theme"));
    });
  }

  #split() {
    const split = byId("split"), panes = byId("panes");
    panes.style.width = localStorage.getItem("panes-width") ?? "";
    split.addEventListener("pointerdown", (event) => {
      split.setPointerCapture(event.pointerId);
      split.onpointermove = (at) => {
        panes.style.width = `${Math.max(120, window.innerWidth - at.clientX - 4)}px`;
      };
      split.onpointerup = () => {
        split.onpointermove = null;
        localStorage.setItem("panes-width", panes.style.width);
      };
    });
  }
}

const app = new App();
app.open().catch(app.fail);
