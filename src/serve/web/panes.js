// What is told of the position: calls, registers, memory, writes, source, disassembly.
import { Asker, element, link, parts } from "./api.js";

const byId = (id) => document.getElementById(id);

class Pane {
  asker = new Asker();
  constructor(id, app) {
    this.details = byId(`${id}-pane`);
    this.body = byId(id);
    this.app = app;
    this.details.open = localStorage.getItem(`open-${id}`) !== "no" && (this.details.open || localStorage.getItem(`open-${id}`) === "yes");
    this.details.addEventListener("toggle", () => {
      localStorage.setItem(`open-${id}`, this.details.open ? "yes" : "no");
      this.update();
    });
  }

  // Is asked again where the position moved; not where nobody sees it.
  async update() {
    if (!this.details.open || this.details.hidden) return;
    try {
      await this.fill(this.app.params());
    } catch (error) {
      this.body.replaceChildren(element("span", "unknown", error.message));
    }
  }
}

export class StackPane extends Pane {
  constructor(app) {
    super("stack", app);
  }
  async fill(params) {
    const answer = await this.asker.ask("stack", params);
    if (!answer) return;
    this.body.replaceChildren(...answer.frames.map((frame) => this.#row(frame)), ...(answer.is_cut ? [element("li", "weak", "...")] : []));
  }
  #row(frame) {
    const row = element("li");
    const name = frame.name ?? frame.pc ?? "?";
    const at = frame.called_at;
    row.append(at === undefined ? element("span", "value", name) : link(name, () => this.app.goTo(at === "start" || at === 0 ? "start" : at - 1)));
    if (frame.line) row.append(element("span", "weak", `  line ${frame.line}`));
    if (frame.is_exception) row.append(element("span", "weak", "  exception"));
    if (frame.has_tail_calls) row.append(element("span", "weak", "  tail calls since"));
    if (frame.is_open) row.append(element("span", "weak", "  never returned"));
    return row;
  }
}

export class RegistersPane extends Pane {
  #before = new Map();
  constructor(app) {
    super("registers", app);
  }
  async fill(params) {
    const answer = await this.asker.ask("registers", params);
    if (!answer) return;
    const before = this.#before;
    this.#before = new Map(answer.registers.map(({ name, value }) => [name, value]));
    this.body.replaceChildren(...answer.registers.map((register) => this.#row(register, before.get(register.name))));
  }
  #row(register, before) {
    const row = element("tr", before !== undefined && before !== register.value ? "changed" : "");
    const name = element("td");
    name.append(link(register.name, () => this.app.askWrites(register.name)));
    const value = element("td", "value", register.value ?? "?");
    if (before !== undefined && before !== register.value) value.title = `before: ${before}`;
    const written = element("td", "weak");
    if (Number.isInteger(register.written)) written.append(link("written", () => this.app.goTo(register.written)));
    row.append(name, value, written, element("td", "weak", register.name_of ?? ""));
    return row;
  }
}

const BYTES_A_LINE = 16;

export class MemoryPane extends Pane {
  constructor(app) {
    super("memory", app);
    this.input = byId("address");
    byId("memory-form").addEventListener("submit", (event) => {
      event.preventDefault();
      app.setMemory(this.input.value);
    });
  }
  async fill(params) {
    const answer = await this.asker.ask("memory", { ...params, address: this.app.state.memory, size: 256 });
    if (!answer) return;
    const lines = [];
    for (let i = 0; i < answer.bytes.length; i += 2 * BYTES_A_LINE) lines.push(this.#line(answer, i));
    this.body.replaceChildren(...lines);
  }
  #line(answer, at) {
    const address = BigInt(answer.address) + BigInt(at / 2);
    const pairs = answer.bytes.slice(at, at + 2 * BYTES_A_LINE).match(/../g) ?? [];
    const text = pairs.map((pair) => {
      const code = parseInt(pair, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : pair === ".." ? " " : ".";
    });
    const line = element("div");
    line.append(element("span", "label", `${address.toString(16).padStart(8, "0")}  `));
    pairs.forEach((pair, i) => {
      const byte = element("span", pair === ".." ? "unknown" : "value", pair);
      byte.dataset.address = `0x${(address + BigInt(i)).toString(16)}`;
      byte.addEventListener("click", () => this.app.askWrites(byte.dataset.address));
      line.append(byte, i % 4 === 3 ? "  " : " ");
    });
    line.append(element("span", "weak", text.join("")));
    return line;
  }
}

export class WritesPane extends Pane {
  constructor(app) {
    super("writes", app);
    this.input = byId("of");
    byId("writes-form").addEventListener("submit", (event) => {
      event.preventDefault();
      app.askWrites(this.input.value);
    });
  }
  async fill(params) {
    const of = this.app.state.of;
    this.input.value = of ?? "";
    if (!of) return this.body.replaceChildren();
    const [before, after] = [await this.asker.ask("writes", { ...params, of, way: "backward", count: 12 }), await new Asker().ask("writes", { ...params, of, way: "forward", count: 4 })];
    if (!before || !after) return;
    this.body.replaceChildren(...after.writes.reverse().map((write) => this.#row(write, "after")), ...before.writes.map((write) => this.#row(write, "before")));
  }
  #row(write, when) {
    const row = element("li", when === "after" ? "weak" : "");
    row.append(link(write.value, () => this.app.goTo(write.event)), element("span", "weak", `  ${write.line ? `line ${write.line}` : `event ${write.event}`}${when === "after" ? ", later" : ""}  `), element("span", "", write.name ?? ""));
    return row;
  }
}

// What the browsing core draws itself.
export class TextPane extends Pane {
  constructor(id, app, rows) {
    super(id, app);
    this.id = id;
    this.rows = rows;
  }
  async fill(params) {
    const answer = await this.asker.ask("pane", { ...params, what: this.id, rows: this.rows, columns: 140 });
    if (!answer) return;
    const lines = answer.text.map((row) => {
      const line = element("div");
      line.append(...parts(row), "\n");
      return line;
    });
    const isEmpty = answer.text.every((row) => row.length === 0);
    this.body.replaceChildren(...(isEmpty ? [element("span", "unknown", "nothing is known here")] : lines));
  }
}
