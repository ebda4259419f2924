// The writes to a register or to memory before and after the position; and a plot of its value in
// the stretch that the chart shows.
import { Asker, element, link, themeColour } from "./api.js";
import { Pane } from "./panes.js";

export class WritesPane extends Pane {
  #plotAsker = new Asker();
  #plotted = "";
  form() {
    const form = element("form");
    this.input = element("input", "", null, { id: "of", placeholder: "x0, sp:8, counter", spellcheck: "false", autocomplete: "off", "aria-label": "Register or memory" });
    form.append(this.input);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.app.askWrites(this.input.value);
    });
    this.plot = element("canvas", "plot", null, { id: "plot", "aria-label": "Its value over the run" });
    this.plot.hidden = true;
    this.plot.addEventListener("click", (event) => this.#go(event));
    this.plot.addEventListener("mousemove", (event) => this.#tell(event));
    return [form, this.plot];
  }

  async fill(params) {
    const of = this.app.state.of;
    this.input.value = of ?? "";
    this.plot.hidden = !of;
    if (!of) return this.body.replaceChildren();
    this.#draw(params, of);
    const [before, after] = [await this.asker.ask("writes", { ...params, of, way: "backward", count: 12 }), await new Asker().ask("writes", { ...params, of, way: "forward", count: 4 })];
    if (!before || !after) return;
    const about = await new Asker().ask("value", { ...params, of }).catch(() => null);
    this.body.replaceChildren(...this.#accesses(about), ...after.writes.reverse().map((write) => this.#row(write, "after")), ...before.writes.map((write) => this.#row(write, "before")));
  }
  #row(write, when) {
    const row = element("li", when === "after" ? "weak" : "");
    row.append(link(write.value, () => this.app.goTo(write.event)), element("span", "weak", `  ${write.line ? `line ${write.line}` : `event ${write.event}`}${when === "after" ? ", later" : ""}  `), element("span", "", write.name ?? ""));
    return row;
  }

  // Links to the previous and next access, read or write; of memory only.
  #accesses(about) {
    if (!about || !("next_access" in about)) return [];
    const row = element("li", "weak");
    for (const [name, access] of [["previous access", about.previous_access], ["next access", about.next_access]]) {
      const how = !access ? "none" : access.is_read ? (access.is_written ? "read and written" : "read") : "written";
      row.append(access ? link(name, () => this.app.goTo(access.event)) : element("span", "", name), element("span", "", ` ${how}  `));
    }
    return [row];
  }

  // --- The plot ----------------------------------------------------------------------------------

  async #draw({ trace, at }, of) {
    const { from, to } = this.app.chart.stretch;
    const wish = { trace, lane: this.app.chartLane(), from, to, columns: Math.max(1, Math.floor(this.plot.clientWidth)), of };
    const key = JSON.stringify(wish);
    if (key === this.#plotted) return this.#paint();
    this.#plotted = key;
    try {
      this.history = await this.#plotAsker.ask("history", { ...wish, at });
      if (this.history) this.#paint();
    } catch (error) {
      this.history = null;
      this.plot.hidden = true;
      this.plot.title = error.message;
    }
  }

  #paint() {
    const { steps, columns } = this.history ?? {};
    if (!steps) return;
    const ratio = window.devicePixelRatio || 1;
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    Object.assign(this.plot, { width: width * ratio, height: height * ratio });
    const paint = this.plot.getContext("2d");
    const style = getComputedStyle(this.plot);
    paint.scale(ratio, ratio);
    const known = steps.filter(([, , value]) => value !== null).map(([, , value]) => BigInt(value));
    const low = known.reduce((least, value) => (value < least ? value : least), known[0] ?? 0n);
    const high = known.reduce((most, value) => (value > most ? value : most), known[0] ?? 0n);
    const span = Number(high - low) || 1;
    const y = (value) => height - 3 - (Number(BigInt(value) - low) / span) * (height - 18);
    paint.strokeStyle = themeColour("--blue");
    paint.beginPath();
    steps.forEach(([column, , value], i) => {
      const x = (column / columns) * width, end = ((steps[i + 1]?.[0] ?? columns) / columns) * width;
      if (value === null) return;
      if (i && steps[i - 1][2] !== null) paint.lineTo(x, y(value));
      else paint.moveTo(x, y(value));
      paint.lineTo(end, y(value));
    });
    paint.stroke();
    paint.fillStyle = style.color;
    paint.font = "10px ui-monospace, monospace";
    if (known.length) paint.fillText(`${this.app.state.of}: 0x${low.toString(16)} to 0x${high.toString(16)}`, 2, 9);
    this.plot.dataset.steps = steps.length;
  }

  #stepAt(event) {
    const { steps, columns } = this.history ?? { steps: [], columns: 1 };
    const column = (event.offsetX / Math.max(1, this.plot.clientWidth)) * columns;
    return steps.findLast(([first]) => first <= column);
  }
  #tell(event) {
    const step = this.#stepAt(event);
    this.plot.title = step ? `${step[2] ?? "not known"}, at event ${step[1]}` : "";
  }
  #go(event) {
    const step = this.#stepAt(event);
    if (step) this.app.goTo(step[1]);
  }
}
