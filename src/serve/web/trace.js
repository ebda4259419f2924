// The rows of the trace: requests as many as fit, at any place in the trace.
import { Asker, element, parts } from "./api.js";

const ROW_HEIGHT = 18; // as in style.css
const PIXELS_A_LINE = 18;
const ROWS_MAX = 1000; // of an answer

export class TraceRows {
  #asker = new Asker();
  #view = null; // the server's last answer
  #row = 0; // number of the row at the top
  #wanted = null; // what is being asked for
  #follows = false; // whether the chosen event was in sight before the size changed
  #left = 0; // rest of a wheel movement, in pixels
  constructor(root, { params, onChoose, onUnfold, onError, onDraw }) {
    this.root = root;
    this.text = root.querySelector(".text");
    this.bar = root.querySelector(".bar");
    this.thumb = root.querySelector(".thumb");
    this.params = params;
    this.onChoose = onChoose;
    this.onUnfold = onUnfold;
    this.onError = onError;
    this.onDraw = onDraw;
    this.chosen = null;
    this.notes = new Map(); // texts by event
    this.hint = null; // {event, text}: why it is shown
    this.hits = null; // a pattern that is marked
    this.marker = null; // the class of an event's rows
    this.shown = Promise.resolve(); // when a chosen event can be seen
    this.hitLines = [];
    this.marks = root.querySelector(".hit-marks");
    this.text.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.text.addEventListener("click", (event) => this.#click(event));
    this.bar.addEventListener("pointerdown", (event) => this.#drag(event));
    new ResizeObserver(() => this.#view && this.#resize()).observe(this.text);
  }

  get rows() {
    return Math.max(1, Math.min(ROWS_MAX, Math.floor(this.text.clientHeight / ROW_HEIGHT)));
  }

  // The number of the row at the top; null: nothing is shown yet.
  get row() {
    return this.#view ? this.#row : null;
  }
  // The row number of the first line of an event; one of its lines must be visible.
  rowOf(event) {
    const places = this.#view?.places ?? [];
    const at = places.findIndex(([shown]) => shown === event);
    return at < 0 ? null : this.#row + at - places[at][1];
  }
  rowOfChosen() {
    return this.chosen === null ? null : this.rowOf(this.chosen);
  }
  eventAt(row) {
    return this.#view?.places[row - this.#row]?.[0] ?? null;
  }

  // Shows rows from a number on, or around an event: {row} or {at, above}.
  async show(where, isResized = false) {
    this.#wanted = where;
    try {
      const view = await this.#asker.ask("view", { ...this.params(), ...where, rows: this.rows });
      if (!view) return;
      this.#wanted = null;
      this.#view = view;
      this.#row = view.row;
      if (!isResized) this.#follows = view.places.some(([event]) => event === this.chosen);
      this.#draw();
      await this.onDraw?.();
    } catch (error) {
      this.onError(error);
    }
  }

  // What was chosen stays visible. On paper are the rows of the screen.
  #resize() {
    if (matchMedia("print").matches) return null;
    const middle = Math.floor(this.rows / 2);
    if (this.#wanted) return this.show({ ...this.#wanted, above: Math.min(this.#wanted.above ?? 0, middle) });
    const at = this.#view.places.findLastIndex(([event]) => event === this.chosen);
    return this.show(this.#follows && (at < 0 || at >= this.rows) ? { at: this.chosen, above: middle } : { row: this.#row }, true);
  }

  // Selects an event and makes it visible.
  choose(event) {
    this.chosen = event;
    const places = this.#view?.places ?? [];
    const isInSight = places.some(([shown, line]) => shown === event && line === 0) || event === "start";
    if (isInSight && this.#view.folds === this.params().folds) {
      this.#follows = true;
      this.#draw();
      this.onDraw?.();
    } else this.shown = this.show({ at: event, above: Math.floor(this.rows / 2) });
  }

  // Shows the rows again after folds have changed: the selected one stays at its place on the
  // screen.
  renew() {
    const at = (this.#view?.places ?? []).findIndex(([event]) => event === this.chosen);
    this.show(this.chosen === null ? { row: this.#row } : { at: this.chosen, above: at < 0 ? Math.floor(this.rows / 2) : at });
  }

  // Marks what a search found: a pattern in the rows, and lines on the scroll bar.
  markHits(pattern, lines) {
    this.hits = pattern;
    this.hitLines = lines;
    this.redraw();
  }

  redraw() {
    if (this.#view) this.#draw();
  }

  scroll(lines) {
    const last = Math.max(0, (this.#view?.row_count ?? 0) - this.rows);
    this.show({ row: Math.min(last, Math.max(0, this.#row + lines)) });
  }

  #draw() {
    const view = this.#view;
    view.folds = this.params().folds;
    const rows = view.text.map((row, i) => {
      const [event, line] = view.places[i];
      const isLast = view.places[i + 1]?.[0] !== event;
      const isChosen = event === this.chosen;
      const marked = this.marker?.(event);
      const made = element("div", `row${marked ? ` ${marked}` : ""}${isChosen ? " chosen" : ""}${isChosen && isLast ? " last" : ""}`);
      made.dataset.event = event;
      made.dataset.line = line;
      made.append(...parts(row));
      const note = isLast ? this.notes.get(event) : undefined;
      if (note !== undefined) made.append(element("span", "note", `  ◆ ${note}`));
      if (isLast && this.hint?.event === event) made.append(element("span", "hint-here", `  ◂ ${this.hint.text}`));
      return made;
    });
    this.text.replaceChildren(...rows);
    this.#highlight(rows);
    const height = this.bar.clientHeight;
    const shares = new Set(this.hitLines.map((line) => Math.round((height * line) / Math.max(1, view.row_count))));
    this.marks.replaceChildren(...[...shares].map((top) => {
      const mark = element("i");
      mark.style.top = `${Math.min(height - 2, top)}px`;
      return mark;
    }));
    this.root.dataset.row = view.row;
    this.root.dataset.rowCount = view.row_count;
    const share = Math.min(1, this.rows / Math.max(1, view.row_count));
    const size = Math.max(16, share * height);
    const last = Math.max(1, view.row_count - this.rows);
    this.thumb.style.height = `${size}px`;
    this.thumb.style.top = `${Math.min(1, view.row / last) * (height - size)}px`;
  }

  // Marks the pattern without changing the rows; their parts may each have a piece of a match.
  #highlight(rows) {
    if (!globalThis.Highlight) return;
    const ranges = [];
    for (const row of this.hits ? rows : []) {
      const nodes = [...row.childNodes].map((part) => part.firstChild ?? part), text = row.textContent;
      for (const found of text.matchAll(this.hits)) {
        if (!found[0]) continue;
        let before = 0;
        for (const node of nodes) {
          const first = Math.max(0, found.index - before), end = Math.min(node.data.length, found.index + found[0].length - before);
          if (first < end) ranges.push(new StaticRange({ startContainer: node, startOffset: first, endContainer: node, endOffset: end }));
          before += node.data.length;
        }
      }
    }
    if (this.root.id === "rows") CSS.highlights.set("hits", new Highlight(...ranges));
  }

  #wheel(event) {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    this.#left += event.deltaMode === 1 ? event.deltaY * PIXELS_A_LINE : event.deltaY;
    const lines = Math.trunc(this.#left / PIXELS_A_LINE);
    this.#left -= lines * PIXELS_A_LINE;
    if (lines) this.scroll(lines);
  }

  #click(event) {
    const row = event.target.closest(".row");
    if (!row || String(getSelection()).length) return; // text was selected, to be copied
    const shown = Number(row.dataset.event);
    if (event.target.classList.contains("fold")) this.onUnfold(shown);
    else this.onChoose(shown);
  }

  #drag(event) {
    const move = (at) => {
      const box = this.bar.getBoundingClientRect();
      const share = (at.clientY - box.top) / Math.max(1, box.height);
      const last = Math.max(0, (this.#view?.row_count ?? 0) - this.rows);
      this.show({ row: Math.round(Math.min(1, Math.max(0, share)) * last) });
    };
    this.bar.setPointerCapture(event.pointerId);
    this.bar.onpointermove = move;
    this.bar.onpointerup = () => (this.bar.onpointermove = null);
    move(event);
  }
}
