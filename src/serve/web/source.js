// The source beside the trace: it follows the position, shows how often each line was executed and
// how long that took, and the values of variables by their types. It is there as soon as debugging
// information tells of any source.
import { Asker, element, link } from "./api.js";
import { grouped } from "./axis.js";

const byId = (id) => document.getElementById(id);
const CROWDED = 1700; // pixels

export class SourceSide {
  #asker = new Asker();
  #counts = new Asker();
  #file = null; // {path, first, lines} that is shown
  #counted = { key: "", lines: new Map(), most: 1 };
  constructor(app) {
    this.app = app;
    this.root = byId("source-side");
    this.split = byId("source-split");
    this.place = element("b", "", null, { id: "source-place" });
    this.inlines = element("span", "weak");
    this.counting = element("span", "weak");
    const head = element("div", "side-head");
    const close = element("button", "quiet", "close", { type: "button", title: "Close the source (c)" });
    close.addEventListener("click", () => app.showSource(false));
    head.append(this.place, this.inlines, element("span", "gap"), this.counting, close);
    this.body = element("div", "side-body", null, { id: "source", tabindex: "0", "aria-label": "Source text" });
    this.locals = element("div", "locals", null, { id: "locals", "aria-label": "Arguments and variables", role: "group", tabindex: "0" });
    this.root.append(head, this.body, this.locals);
    this.body.addEventListener("click", (event) => {
      const line = event.target.closest("button[data-line]")?.dataset.line;
      if (line) app.find(`${this.#file.name}:${line}`, event.shiftKey ? "backward" : "forward");
    });
  }

  #hide(isHidden) {
    this.root.hidden = this.split.hidden = isHidden;
  }
  // Another trace: nothing is known of its source yet.
  load() {
    this.#file = null;
    this.#counted.key = "";
    this.isThere = false;
    this.#hide(true);
  }

  async update() {
    const isCrowded = this.app.beside.isOpen && window.innerWidth < CROWDED; // by two traces
    if (!this.app.can.addresses || this.app.state.source === "no" || isCrowded) return this.#hide(true);
    try {
      const answer = await this.#asker.ask("source", { ...this.app.params(), count: 1000 });
      if (answer) this.#show(answer);
    } catch {
      this.#showNothing(); // nothing is executed there
    }
  }
  #showNothing() {
    for (const here of this.body.querySelectorAll(".here")) here.classList.remove("here");
    if (this.isThere) this.locals.replaceChildren();
  }

  #show(answer) {
    const hasText = Boolean(answer.file && answer.is_found);
    this.isThere ||= hasText;
    this.#hide(!this.isThere);
    if (!this.isThere) return;
    this.place.textContent = answer.file ? `${answer.file.replace(/.*\//, "")}${answer.line ? `:${answer.line}` : ", no line"}` : "no source here";
    this.place.title = answer.path ?? "";
    const [inner, ...outer] = answer.functions ?? [];
    this.inlines.textContent = outer.length ? `${inner.name} inlined in ${outer.map(({ name }, i) => `${name} (${[inner, ...outer][i].inlined_at_file}:${[inner, ...outer][i].inlined_at_line})`).join(" in ")}` : inner?.name ?? "";
    this.#showVariables(answer);
    if (!hasText) return this.body.replaceChildren(element("div", "weak", answer.file ? `${answer.path}:${answer.line} is not found (--source, --source-map)` : "No source is known for this code."));
    const isSame = this.#file?.path === answer.path && answer.line >= this.#file.first && answer.line < this.#file.first + this.#file.lines.length;
    if (!isSame && (answer.line || this.#file?.path !== answer.path)) this.#build(answer);
    for (const here of this.body.querySelectorAll(".here")) here.classList.remove("here");
    if (answer.line) this.#rows(answer.line).forEach((cell) => cell?.classList.add("here"));
    const top = (answer.line - this.#file.first) * 18, { scrollTop, clientHeight } = this.body;
    if (answer.line && (!isSame || top < scrollTop + 36 || top > scrollTop + clientHeight - 54)) this.body.scrollTop = top - clientHeight / 2;
    this.#count();
  }
  #rows(line) {
    const at = 3 * (line - this.#file.first);
    return [0, 1, 2].map((i) => this.code.children[at + i]);
  }
  #build({ file, path, first, lines }) {
    this.#file = { path, name: file.replace(/.*\//, ""), first, lines };
    this.code = element("div", "code");
    this.code.append(...lines.flatMap((text, i) => [
      element("button", "at", String(first + i), { type: "button", "data-line": first + i, tabindex: "-1", title: "Go to the next visit of this line; with Shift to the previous one" }),
      element("span", "count", ""),
      element("span", "", text.replaceAll("\t", "    ")),
    ]));
    this.body.replaceChildren(this.code);
    this.#counted.key = "";
  }

  // Adds how often lines were executed in the selection, or the whole run, and how long that took.
  async #count() {
    if (!this.app.can.instructions) return;
    const params = { ...this.app.selection.params(), at: this.app.state.at };
    const key = JSON.stringify([params.trace, params.lane, params.by, params.from, params.to, this.#file.path]);
    if (key === this.#counted.key) return;
    this.#counted.key = key;
    this.counting.textContent = "counting ...";
    try {
      const answer = await this.#counts.ask("counts", params);
      if (!answer || key !== this.#counted.key) return;
      this.counting.textContent = "times, ticks";
      const lines = answer.lines ?? [];
      const most = lines.reduce((most, [, , ticks]) => Math.max(most, ticks), 1);
      const told = new Map(lines.map(([line, ...about]) => [line, about]));
      const widths = [1, 2].map((i) => Math.max(0, ...lines.map((row) => grouped(row[i]).length)));
      this.#file.lines.forEach((_, i) => {
        const [, cell] = this.#rows(this.#file.first + i), about = told.get(this.#file.first + i);
        cell.textContent = about ? `${grouped(about[0]).padStart(widths[0])} ${grouped(about[1]).padStart(widths[1])}` : "";
        cell.style.setProperty("--heat-share", about ? `${Math.round((100 * about[1]) / most)}%` : "0%");
        if (about) cell.title = `executed ${grouped(about[0])} times, ${grouped(about[1])} ticks`;
      });
      this.body.dataset.counted = lines.length;
    } catch {
      this.counting.textContent = ""; // the source is still shown
    }
  }

  #showVariables({ arguments: given = [], locals = [] }) {
    const table = element("table", "", null, { "aria-label": "Arguments and variables" });
    for (const [kind, values] of [["argument", given], ["local", locals]])
      for (const { name, type, value, address, size } of values) {
        const row = element("tr");
        if (address && size <= 64) row.dataset.of = `${address}:${size}`;
        const cell = element("td", "value");
        if (row.dataset.of) cell.append(link(value, () => this.app.askOrigin(row.dataset.of)));
        else cell.textContent = value;
        row.append(element("td", "", name, { title: kind }), cell, element("td", "weak", type));
        table.append(row);
      }
    this.locals.hidden = !table.children.length;
    this.locals.replaceChildren(table);
  }
}
