// All about one value: what it is at the position, who wrote it before and writes it after, who
// reads it, and where it comes from. The chain of its origin stays what was asked, wherever the
// position goes: each step leads to its place, and the browser's Back returns.
import { Asker, element, link } from "./api.js";
import { grouped } from "./axis.js";

const byId = (id) => document.getElementById(id);

export class Value {
  #askers = { value: new Asker(), before: new Asker(), after: new Asker(), origin: new Asker() };
  #chain = { key: "", answer: null };
  constructor(app) {
    this.app = app;
    this.form = element("form");
    this.input = element("input", "", null, { id: "of", placeholder: "x0, sp:8, counter", spellcheck: "false", autocomplete: "off", "aria-label": "Register or memory" });
    this.form.append(this.input, element("button", "", "show"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      app.askOrigin(this.input.value);
    });
    this.now = element("div", "", null, { id: "value-now" });
    this.writes = element("ol", "", null, { id: "writes" });
    this.reads = element("ol", "", null, { id: "reads" });
    this.origin = element("ol", "origin", null, { id: "origin" });
    this.note = element("span", "weak");
    this.root = element("div", "about-value");
    const column = (title, ...parts) => {
      const made = element("div");
      made.append(element("h2", "", title), ...parts);
      return made;
    };
    const comes = column("Where it comes from", this.origin);
    comes.firstChild.append(" ", this.note);
    this.root.append(column("Value", this.form, this.now), column("Who wrote it", this.writes), column("Who accessed it", this.reads), comes);
  }

  show(body) {
    if (!this.root.isConnected) body.replaceChildren(this.root);
    return this.update();
  }

  async update() {
    const { of } = this.app.state;
    if (document.activeElement !== this.input) this.input.value = of ?? "";
    if (!of) {
      for (const list of [this.writes, this.reads, this.origin]) list.replaceChildren();
      this.note.textContent = "";
      this.now.textContent = "Click a value, or type a register or memory.";
      return;
    }
    await Promise.all([this.#updateValue(of), this.#updateOrigin()]);
  }

  async #updateValue(of) {
    const params = { ...this.app.params(), of }, { value, before, after } = this.#askers;
    try {
      const [about, earlier, later] = await Promise.all([value.ask("value", params), before.ask("writes", { ...params, way: "backward", count: 40 }), after.ask("writes", { ...params, way: "forward", count: 8 })]);
      if (!about || !earlier || !later) return;
      this.now.replaceChildren(...this.#tell(of, about));
      const rows = [...later.writes.reverse().map((write) => this.#write(write, true)), element("li", "weak", "— position —"), ...earlier.writes.map((write) => this.#write(write, false))];
      this.writes.replaceChildren(...rows);
      this.reads.replaceChildren(...this.#accesses(about));
      // What was written last is in the middle of what can be seen.
      const line = this.writes.children[later.writes.length];
      const column = this.writes.parentElement;
      column.scrollTop = Math.max(0, line.offsetTop - column.offsetTop - column.clientHeight / 3);
    } catch (error) {
      for (const list of [this.writes, this.reads]) list.replaceChildren();
      this.now.replaceChildren(element("span", "hot", error.message));
    }
  }

  #tell(of, { value, number, name_of, is_register, address, size }) {
    const lines = [element("div", "", `${of} = ${value}`)];
    if (number) lines.push(element("div", "weak", `${grouped(BigInt(number))}${BigInt(number) >> BigInt(8 * Math.min(8, size) - 1) === 1n && size <= 8 ? `, signed ${grouped(BigInt.asIntN(8 * size, BigInt(number)))}` : ""}`));
    if (!is_register && address) lines.push(element("div", "weak", `${size} ${size === 1 ? "byte" : "bytes"} at ${address}`));
    if (name_of) lines.push(element("div", "", name_of));
    const acts = element("div");
    acts.append(link("as a track", () => this.app.timeline.addValue(of)));
    if (number && name_of !== null && this.app.can.memory) acts.append("   ", link("memory there", () => this.app.setMemory(number)));
    lines.push(acts);
    return lines;
  }
  #place({ line, event }) {
    return line ? `line ${line}` : `event ${event}`;
  }
  #write(write, isLater) {
    const row = element("li");
    row.append(link(write.value, () => this.app.goTo(write.event)), element("span", "weak", `  ${this.#place(write)}${isLater ? ", later" : ""}  `), element("span", "", write.name ?? ""));
    return row;
  }
  #accesses(about) {
    if (!("next_access" in about)) return [element("li", "weak", about.is_register ? "of memory only" : "this index has no reads")];
    return [["before", about.previous_access], ["after", about.next_access]].map(([when, access]) => {
      const row = element("li");
      const how = !access ? "none" : access.is_read ? (access.is_written ? "read and written" : "read") : "written";
      row.append(element("span", "weak", `${when}: `), access ? link(`${how} at ${this.#place(access)}`, () => this.app.goTo(access.event)) : element("span", "", how));
      return row;
    });
  }

  // --- Its origin --------------------------------------------------------------------------------

  async #updateOrigin() {
    const [, of, at] = this.app.state.origin?.match(/^(.*)@(\d+|start)$/) ?? [];
    this.note.textContent = of ? `${of}, ${at === "start" ? "at the start" : `after event ${at}`}` : "";
    if (!of) return this.origin.replaceChildren(element("li", "weak", "click on the value of a register or of memory"));
    const key = JSON.stringify([this.app.state.trace, of, at]);
    if (key !== this.#chain.key) {
      this.#chain = { key, answer: null };
      this.origin.replaceChildren(element("li", "weak", "..."));
      try {
        const answer = await this.#askers.origin.ask("origin", { trace: this.app.state.trace, at, of });
        if (!answer) return;
        this.origin.replaceChildren(...answer.steps.map((step) => this.#step(step)), ...(answer.is_cut ? [element("li", "weak", "and further")] : []));
      } catch (error) {
        this.#chain.key = "";
        return this.origin.replaceChildren(element("li", "hot", error.message));
      }
    }
    for (const row of this.origin.children) row.classList.toggle("chosen", row.dataset.event === String(this.app.state.at));
  }
  #step({ event, line, time, kind, begins, where, value, name, source, instruction }) {
    const row = element("li");
    const what = begins ?? { move: "moved", load: "loaded", store: "stored", computed: "computed" }[kind];
    if (event !== null) {
      row.dataset.event = event;
      row.append(link(this.#place({ line, event }), () => this.app.goTo(event)), "  ");
      row.title = `event ${event}, time ${time}${instruction ? `\n${instruction}` : ""}`;
    }
    row.append(element("span", "label", `${where} `), element("span", "value", value ?? ""), element("span", "weak", `  ${what}  `), element("span", "", name ?? ""), element("span", "weak", source ? `  ${source}` : ""));
    return row;
  }
}
