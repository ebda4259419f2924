// All lanes of a trace, one below the other on the same time axis, each as a small chart of its
// calls. A click on a name folds its lane. A click on a call goes to its beginning.
import { Asker, element } from "./api.js";
import { colour } from "./chart.js";

const LEVEL_HEIGHT = 12;
const LEVELS = 4;
const LANES_MAX = 64; // lanes that are shown

export class Lanes {
  #lanes = []; // {about, canvas, asker, answer, x, width}
  #from = 0n; // the visible time
  #to = 1n;
  constructor(app, root, tip) {
    Object.assign(this, { app, root, tip });
    this.body = element("div", "lanes");
    this.root.append(element("summary", "", "All lanes"), this.body);
    this.root.open = localStorage.getItem("open-lanes") !== "no";
    this.root.addEventListener("toggle", () => (localStorage.setItem("open-lanes", this.root.open ? "yes" : "no"), this.update()));
    new ResizeObserver(() => this.update()).observe(this.body);
  }

  // The numbers of the folded lanes of this trace.
  #folded() {
    return new Set(this.app.state.lanes.split(",").filter((text) => text));
  }
  #fold(number) {
    const folded = this.#folded();
    if (!folded.delete(String(number))) folded.add(String(number));
    this.app.state.lanes = [...folded].join(",");
    this.app.write();
    this.#build();
    this.update();
  }

  // Shows the lanes of another trace.
  load() {
    const { lanes, can } = this.app.traces[this.app.state.trace];
    this.about = lanes.map((lane, number) => ({ ...lane, number })).filter(({ events }) => events).slice(0, LANES_MAX);
    this.root.hidden = this.about.length < 2 || !can.calls;
    if (this.root.hidden) return;
    const least = (a, b) => (a < b ? a : b), most = (a, b) => (a > b ? a : b);
    this.whole = [this.about.map(({ first_time }) => BigInt(first_time)).reduce(least), this.about.map(({ last_time }) => BigInt(last_time) + 1n).reduce(most)];
    [this.#from, this.#to] = this.whole;
    this.#build();
    this.update();
  }

  #build() {
    const folded = this.#folded(), word = this.app.traces[this.app.state.trace].lane_word;
    this.#lanes = this.about.map((about) => {
      const isFolded = folded.has(String(about.number));
      const canvas = element("canvas", "", null, { height: LEVELS * LEVEL_HEIGHT, "aria-label": `Calls of ${word} ${about.name || about.number}` });
      canvas.hidden = isFolded;
      canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
      canvas.addEventListener("dblclick", () => this.#zoom(...this.whole));
      const lane = { about, canvas, asker: new Asker(), answer: null, isFolded };
      canvas.addEventListener("click", (event) => this.#click(lane, event));
      canvas.addEventListener("mousemove", (event) => this.#hover(lane, event));
      canvas.addEventListener("mouseleave", () => (this.tip.hidden = true));
      return lane;
    });
    this.body.replaceChildren(...this.#lanes.map((lane) => {
      const row = element("div", "lane", null, { "data-lane": lane.about.number });
      const name = element("button", "link", `${lane.isFolded ? "▸" : "▾"} ${word} ${lane.about.name || lane.about.number}`, { type: "button", "aria-expanded": String(!lane.isFolded) });
      name.addEventListener("click", () => this.#fold(lane.about.number));
      row.append(name, lane.canvas);
      return row;
    }));
  }

  // Asks for the visible part of each lane, in as many columns as it has pixels.
  update() {
    if (this.root.hidden || !this.root.open || this.app.isLoading || !this.about) return;
    const width = this.#lanes.find(({ isFolded }) => !isFolded)?.canvas.clientWidth ?? 0;
    if (width) this.#lanes.filter(({ isFolded }) => !isFolded).forEach((lane) => this.#ask(lane, width).catch(this.app.fail));
  }

  async #ask(lane, width) {
    const first = BigInt(lane.about.first_time), end = BigInt(lane.about.last_time) + 1n;
    const from = first > this.#from ? first : this.#from, to = end < this.#to ? end : this.#to;
    lane.answer = null;
    if (from >= to) return this.#draw(lane);
    const scale = width / Number(this.#to - this.#from);
    lane.x = Number(from - this.#from) * scale;
    lane.width = Math.max(1, Number(to - from) * scale);
    const columns = Math.min(4000, Math.max(1, Math.round(lane.width)));
    const answer = await lane.asker.ask("chart", { trace: this.app.state.trace, lane: lane.about.number, by: "time", columns, levels: LEVELS, from, to });
    if (!answer) return;
    lane.answer = answer;
    this.#draw(lane);
  }

  // Draws the position after it moved.
  draw() {
    if (!this.root.hidden && this.root.open) this.#lanes.forEach((lane) => !lane.isFolded && this.#draw(lane));
  }

  #draw({ about, canvas, answer, x, width: part }) {
    const ratio = window.devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const paint = canvas.getContext("2d");
    paint.scale(ratio, ratio);
    paint.font = "10px ui-monospace, monospace";
    paint.textBaseline = "middle";
    const scale = answer ? part / answer.columns : 0;
    for (const [depth, first, end, name, , , isException] of answer?.bars ?? []) {
      const left = x + first * scale, size = (end - first) * scale, top = depth * LEVEL_HEIGHT;
      paint.fillStyle = isException ? "#c75450" : colour(name);
      paint.fillRect(left, top, Math.max(1, size - 0.5), LEVEL_HEIGHT - 1);
      if (size <= 40) continue;
      paint.fillStyle = "#101010";
      paint.fillText(name.slice(0, Math.floor(size / 6.2)), left + 2, top + LEVEL_HEIGHT / 2, size - 4);
    }
    canvas.dataset.bars = answer?.bars.length ?? 0;
    const { time, lane } = this.app.position ?? {};
    if (time === undefined || time === null) return;
    const at = (Number(BigInt(time) - this.#from) / Number(this.#to - this.#from)) * width;
    paint.globalAlpha = lane === about.number ? 1 : 0.4;
    paint.fillStyle = getComputedStyle(document.body).color;
    if (at >= 0 && at <= width) paint.fillRect(at, 0, 1, height);
  }

  #barAt({ answer, x, width }, event) {
    const column = ((event.offsetX - x) / width) * (answer?.columns ?? 1), depth = Math.floor(event.offsetY / LEVEL_HEIGHT);
    return answer?.bars.find((bar) => bar[0] === depth && bar[1] <= column && column < bar[2]);
  }
  #click(lane, event) {
    const bar = this.#barAt(lane, event);
    if (bar) this.app.goToEntry(bar[4], lane.about.number);
  }
  #hover(lane, event) {
    const bar = this.#barAt(lane, event);
    this.tip.hidden = !bar;
    if (!bar) return;
    this.tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 260)}px`;
    this.tip.style.top = `${event.clientY + 12}px`;
    this.tip.textContent = `${bar[3]}\nevents ${bar[4]} to ${bar[5]}`;
  }

  #zoom(from, to) {
    [this.#from, this.#to] = [from, to];
    this.update();
  }
  // The wheel zooms around the mouse; with Shift, or sideways, it pans.
  #wheel(event) {
    if (event.ctrlKey) return;
    event.preventDefault();
    const [least, most] = this.whole, width = this.#to - this.#from;
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const share = Math.min(1, Math.max(0, event.offsetX / Math.max(1, event.target.clientWidth)));
    const part = (of, share) => BigInt(Math.round(Number(of) * share));
    let fresh = isPan ? width : part(width, event.deltaY > 0 ? 1.5 : 1 / 1.5);
    fresh = fresh < 10n ? 10n : fresh > most - least ? most - least : fresh;
    let from = this.#from + (isPan ? part(width, 0.1 * Math.sign(event.deltaX || event.deltaY)) : part(width, share) - part(fresh, share));
    if (from + fresh > most) from = most - fresh;
    if (from < least) from = least;
    this.#zoom(from, from + fresh);
  }
}
