// The calls of a lane in a stretch of the run, sampled by the server for each column.
import { Asker, themeColour } from "./api.js";

const LEVEL_HEIGHT = 15;
const DRAG_PIXELS = 4;
const DENSITY = 14; // height in pixels of the time per event, above the marks
const TOP = 24; // the top of the calls

export class Chart {
  #asker = new Asker();
  #densityAsker = new Asker();
  #answer = null;
  #density = null;
  #isBegun = false; // nothing is drawn until the rows are shown
  #from = null; // the start of the visible events, as text or BigInt; null: all
  #to = null;
  #above = 0; // levels that are scrolled out at the top
  constructor(canvas, tip, { params, lane, onEnter, onSelect, onError }) {
    Object.assign(this, { canvas, tip, params, lane, onEnter, onSelect, onError });
    this.position = null; // event in the lane
    this.notes = []; // [event of the trace, text]
    this.searched = null; // {what, kind}: hits are marked
    this.range = null; // the selected range: [from, to], numbers of events in the lane
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("mousemove", (event) => this.#hover(event));
    canvas.addEventListener("mouseleave", () => (tip.hidden = true));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.zoom(null, null));
    new ResizeObserver(() => this.#isBegun && this.update()).observe(canvas);
  }

  async update() {
    const columns = Math.min(4000, Math.max(1, Math.floor(this.canvas.clientWidth)));
    try {
      const answer = await this.#asker.ask("chart", { ...this.params(), at: null, folds: null, lane: this.lane(), columns, levels: this.#levels, above: this.#above, from: this.#from, to: this.#to });
      if (!answer) return;
      this.#answer = answer;
      this.draw();
      this.onShow?.();
      await this.#updateDensity(columns);
    } catch (error) {
      this.onError(error);
    }
  }

  async #updateDensity(columns) {
    const { from, to } = this.#answer;
    const density = await this.#densityAsker.ask("density", { trace: this.params().trace, lane: this.lane(), columns, from, to, ...this.searched });
    if (!density) return;
    this.#density = density;
    this.draw();
    if (density.is_searched !== false) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (density === this.#density) await this.#updateDensity(columns);
  }

  // Marks the places of search hits.
  async search(what, kind) {
    if (this.searched?.what === what && this.searched.kind === kind) return;
    this.searched = { what, kind };
    if (this.#answer) await this.#updateDensity(this.#answer.columns);
  }

  // The number of levels of calls that fit.
  get #levels() {
    return Math.max(1, Math.ceil((this.canvas.clientHeight - TOP) / LEVEL_HEIGHT));
  }

  // The first and last visible event, as text.
  get stretch() {
    return { from: this.#answer?.from, to: this.#answer?.to };
  }

  zoom(from, to) {
    this.#isBegun = true;
    this.#from = from;
    this.#to = to;
    this.update();
  }

  draw() {
    const answer = this.#answer;
    if (!answer) return;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const paint = this.canvas.getContext("2d");
    const style = getComputedStyle(document.body);
    paint.scale(ratio, ratio);
    paint.font = "11px ui-monospace, monospace";
    paint.textBaseline = "middle";
    const scale = width / answer.columns;
    for (const [depth, first, end, name, , , isException] of answer.bars) {
      const x = first * scale, y = TOP + (depth - this.#above) * LEVEL_HEIGHT, size = (end - first) * scale;
      if (y > height) continue;
      paint.fillStyle = isException ? "#c75450" : colour(name);
      paint.fillRect(x, y, Math.max(1, size - 0.5), LEVEL_HEIGHT - 1);
      if (size > 30) {
        paint.fillStyle = "#101010";
        paint.save();
        paint.beginPath();
        paint.rect(x, y, size - 3, LEVEL_HEIGHT);
        paint.clip();
        paint.fillText(name, x + 3, y + LEVEL_HEIGHT / 2);
        paint.restore();
      }
    }
    this.#drawDensity(paint, width);
    this.#drawRange(paint, style, width, height);
    this.#drawPosition(paint, style, width, height);
    this.canvas.dataset.bars = answer.bars.length;
  }

  // Draws above the calls how much time each column takes per event, and marks exceptions, host
  // calls and notes.
  #drawDensity(paint, width) {
    const density = this.#density;
    if (density && density.from === this.#answer.from && density.to === this.#answer.to) {
      const scale = width / density.columns;
      const rates = density.ticks.map((ticks, i) => ticks / Math.max(1, density.events[i]));
      const most = rates.reduce((most, rate) => Math.max(most, rate), 0) || 1;
      paint.fillStyle = themeColour("--weak");
      rates.forEach((rate, i) => paint.fillRect(i * scale, DENSITY * (1 - rate / most), Math.max(1, scale), (DENSITY * rate) / most));
      for (const [columns, colour] of [[density.exceptions ?? [], "#c75450"], [density.host_calls ?? [], "#3f7fd0"], [density.hits ?? [], "#b58900"]]) {
        paint.fillStyle = colour;
        for (const column of columns) paint.fillRect(column * scale - 1, colour === "#c75450" ? DENSITY + 1 : colour === "#3f7fd0" ? DENSITY + 5 : 0, Math.max(3, scale), colour === "#b58900" ? DENSITY : 3);
      }
      this.canvas.dataset.hits = density.hits?.length ?? 0;
      this.canvas.dataset.exceptions = density.exceptions?.length ?? 0;
      this.canvas.dataset.hostCalls = density.host_calls?.length ?? 0;
    }
    paint.fillStyle = themeColour("--brown");
    for (const [event] of this.notes) {
      const x = this.#xOf(event + 0.5);
      paint.beginPath();
      paint.moveTo(x - 5, 0);
      paint.lineTo(x + 5, 0);
      paint.lineTo(x, 9);
      paint.fill();
    }
    this.canvas.dataset.notes = this.notes.length;
  }

  // The position of an event in the picture.
  #xOf(event) {
    const from = Number(this.#answer.from), to = Number(this.#answer.to);
    return ((event - from) / Math.max(1, to - from)) * this.canvas.clientWidth;
  }

  // The event at a position in the picture.
  #eventAt(x) {
    const from = BigInt(this.#answer.from), to = BigInt(this.#answer.to);
    const share = Math.min(1, Math.max(0, x / Math.max(1, this.canvas.clientWidth)));
    return Number(from) + Math.round(Number(to - from) * share);
  }

  #drawRange(paint, style, width, height) {
    if (!this.range) return;
    const [first, end] = this.range.map((event) => this.#xOf(event));
    paint.fillStyle = style.backgroundColor;
    paint.globalAlpha = 0.6;
    paint.fillRect(0, 0, Math.max(0, first), height);
    paint.fillRect(end, 0, Math.max(0, width - end), height);
    paint.globalAlpha = 1;
    paint.fillStyle = style.color;
    for (const x of [first, end]) paint.fillRect(x - 0.5, 0, 1, height);
  }

  #drawPosition(paint, style, width, height) {
    if (this.position === null) return;
    const x = this.#xOf(this.position + 0.5);
    paint.fillStyle = style.color;
    if (x >= 0 && x <= width) paint.fillRect(x, 0, 1, height);
  }

  #barAt(event) {
    const { columns, bars } = this.#answer ?? { columns: 1, bars: [] };
    const column = (event.offsetX / Math.max(1, this.canvas.clientWidth)) * columns;
    const depth = this.#above + Math.floor((event.offsetY - TOP) / LEVEL_HEIGHT);
    return bars.find((bar) => bar[0] === depth && bar[1] <= column && column < bar[2]);
  }

  // Moving with the button pressed selects; pressing without moving clicks.
  #press(event) {
    if (event.button !== 0 || !this.#answer) return;
    const start = event.offsetX, before = this.range;
    const ends = (at) => [Math.min(start, at.offsetX), Math.max(start, at.offsetX)].map((x) => this.#eventAt(x));
    let isDrag = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.onpointermove = (at) => {
      isDrag ||= Math.abs(at.offsetX - start) > DRAG_PIXELS;
      if (!isDrag) return;
      this.range = ends(at);
      this.draw();
    };
    this.canvas.onpointerup = (at) => {
      this.canvas.onpointermove = this.canvas.onpointerup = null;
      const [from, to] = ends(at);
      if (!isDrag) return this.#click(at);
      if (to > from) return this.onSelect(from, to);
      this.range = before;
      this.draw();
    };
  }

  #click(event) {
    const bar = this.#barAt(event);
    if (bar) this.onEnter(bar[4]);
  }

  #hover(event) {
    const bar = this.#barAt(event);
    const told = bar ? null : this.#tellDensity(event);
    this.tip.hidden = !bar && !told;
    this.tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 260)}px`;
    this.tip.style.top = `${event.clientY + 12}px`;
    if (told) this.tip.textContent = told;
    if (!bar) return;
    const [, , , name, entry, exit, isException, isGuess] = bar;
    this.tip.textContent = `${isException ? "exception " : ""}${name}${isGuess ? " (guess)" : ""}\nevents ${entry} to ${exit}`;
  }

  #tellDensity(event) {
    const density = this.#density;
    if (!density || event.offsetY >= TOP) return null;
    const column = Math.min(density.columns - 1, Math.floor((event.offsetX / Math.max(1, this.canvas.clientWidth)) * density.columns));
    const near = (columns) => columns?.some((other) => Math.abs(other - column) <= 1);
    const text = this.notes.filter(([at]) => Math.abs(this.#xOf(at + 0.5) - event.offsetX) < 6).map(([, note]) => note);
    return [`${density.ticks[column]} ticks for ${density.events[column]} events`, ...(near(density.exceptions) ? ["exceptions"] : []), ...(near(density.host_calls) ? ["host calls"] : []), ...(near(density.hits) ? [`found: ${this.searched?.what}`] : []), ...text].join("\n");
  }

  // The wheel zooms around the mouse; sideways it pans, with Alt it scrolls to deeper levels and
  // back.
  #wheel(event) {
    event.preventDefault();
    if (!this.#answer) return;
    if (event.altKey) return this.#scrollLevels(Math.sign(event.deltaY) * 3);
    const from = BigInt(this.#answer.from), to = BigInt(this.#answer.to), width = to - from;
    const share = Math.min(1, Math.max(0, event.offsetX / Math.max(1, this.canvas.clientWidth)));
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const factor = isPan ? 1 : event.deltaY > 0 ? 1.5 : 1 / 1.5;
    const whole = BigInt(Math.round(Number(width) * factor));
    const fresh = whole < 10n ? 10n : whole;
    let start = isPan ? from + BigInt(Math.round(Number(width) * 0.1 * Math.sign(event.deltaX || event.deltaY))) : from + BigInt(Math.round(Number(width) * share)) - BigInt(Math.round(Number(fresh) * share));
    const events = BigInt(this.eventCount());
    if (fresh >= events) return this.zoom(null, null);
    if (start < 0n) start = 0n;
    if (start + fresh > events) start = events - fresh;
    this.zoom(String(start), String(start + fresh));
  }

  #scrollLevels(levels) {
    const above = Math.max(0, this.#above + (levels > 0 && !this.#answer.is_cut ? 0 : levels));
    if (above === this.#above) return;
    this.#above = above;
    this.update();
  }
}

// The colour of a name, always the same one.
export function colour(name) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)) >>> 0;
  return `hsl(${30 + (hash % 200)} 55% ${62 + (hash % 7) * 2}%)`;
}
