// What is shown about the position, or about the one that a pane is pinned to: calls, registers,
// source, disassembly. Each pane is a <details> whose body is filled again when its position
// changes.
import { Asker, element, link, parts } from "./api.js";
import { grouped } from "./axis.js";

export class Pane {
  asker = new Asker();
  // `where`: for an additional pane, {at, expr, word, close}; `at` is null if it follows the
  // position.
  constructor(app, { id, kind, title, tag = "div", isOpen = true }, where = null) {
    Object.assign(this, { app, kind, where });
    this.id = id;
    this.body = element(tag, `pane-body ${kind}`, null, where ? {} : { id });
    this.note = element("span", "at");
    this.details = element("details", "pane", null, { id: `${id}-pane`, "data-kind": kind });
    const summary = element("summary", "", title), acts = element("div", "pane-acts");
    summary.append(this.note);
    acts.append(...this.#buttons());
    this.details.append(summary, acts, ...this.form(), this.body);
    if (tag === "pre") this.body.tabIndex = 0; // it scrolls
    const kept = where ? null : localStorage.getItem(`open-${id}`);
    this.details.open = kept ? kept === "yes" : isOpen;
    let wasOpen = this.details.open;
    this.details.addEventListener("toggle", () => {
      if (this.details.open === wasOpen) return; // it was made so
      wasOpen = this.details.open;
      if (!where) localStorage.setItem(`open-${id}`, this.details.open ? "yes" : "no");
      if (!this.details.open) this.asker.stop();
      this.update();
    });
  }

  // The elements above the body.
  form() {
    return [];
  }

  // A pane can be pinned to the position, or opened again.
  #buttons() {
    const button = (text, title, act) => {
      const made = element("button", "quiet", text, { type: "button", title, "aria-label": `${text} ${this.kind}` });
      made.addEventListener("click", act);
      return made;
    };
    const pin = button("pin", "Keep what it shows here in a pane of its own", () => this.app.addPane(this.kind, this.where?.at ?? this.app.state.at, this.expr));
    const more = button("another", "Another one that follows the position", () => this.app.addPane(this.kind, null, this.expr));
    return this.where ? [button("close", "Close this pane", this.where.close)] : [pin, more];
  }

  // The expression of panes that have one.
  get expr() {
    return this.where?.expr ?? null;
  }

  async update() {
    if (!this.details.open || this.details.hidden || this.app.isLoading) return;
    const at = this.where?.at ?? null;
    this.note.textContent = at === null ? "" : at === "start" ? "at the start" : `after event ${at}`;
    try {
      await this.fill(at === null ? this.app.params() : { ...this.app.params(), at });
    } catch (error) {
      this.body.replaceChildren(element("span", "unknown", error.message));
    }
  }
}

export class StackPane extends Pane {
  async fill(params) {
    const answer = await this.asker.ask("stack", params);
    if (!answer) return;
    const task = answer.task === null ? [] : [element("li", "weak", `task ${answer.task}`)];
    this.body.replaceChildren(...answer.frames.map((frame) => this.#row(frame)), ...(answer.is_cut ? [element("li", "weak", "...")] : []), ...task);
  }
  #row(frame) {
    const row = element("li");
    const name = frame.name ?? frame.pc ?? "?";
    const at = frame.called_at;
    row.append(at === undefined ? element("span", "value", name) : link(name, () => this.app.goTo(at === "start" || at === 0 ? "start" : at - 1)));
    if (frame.arguments?.length) row.append(element("span", "arguments", `  (${frame.arguments.join(", ")}${frame.argument_count > frame.arguments.length ? ", …" : ""})`));
    if (frame.line) row.append(element("span", "weak", `  line ${frame.line}`));
    if (frame.is_exception) row.append(element("span", "weak", "  exception"));
    if (frame.is_guess) row.append(element("span", "weak", "  guess"));
    if (frame.has_tail_calls) row.append(element("span", "weak", "  tail calls since"));
    if (frame.is_open) row.append(element("span", "weak", "  never returned"));
    return row;
  }
}

// Whether a register tells anything: of vectors, most machines have only some, and the 16 bytes of
// a v register are also the lowest of a z register.
function isTold({ kind, value }) {
  return kind !== "vector" || value === null || /[^.]/.test(value.length > 32 ? value.slice(0, -32) : value);
}

export class RegistersPane extends Pane {
  #before = new Map();
  async fill(params) {
    const answer = await this.asker.ask("registers", params);
    if (!answer) return;
    const before = this.#before;
    this.#before = new Map(answer.registers.map(({ name, value }) => [name, value]));
    this.app.learnRegisters(answer.registers);
    this.body.replaceChildren(...answer.registers.filter(isTold).map((register) => this.#row(register, before.get(register.name))));
    this.compare(this.app.beside?.there);
  }

  // Marks what is not as in another run, and shows it.
  #otherAsker = new Asker();
  async compare(there) {
    if (!there || this.where || !this.details.open) {
      for (const row of this.body.querySelectorAll(".other")) row.classList.remove("other"), row.lastChild.remove();
      return;
    }
    const answer = await this.#otherAsker.ask("registers", there).catch(() => null);
    if (!answer) return;
    const values = new Map(answer.registers.map(({ name, value }) => [name, value]));
    for (const row of this.body.querySelectorAll("tr")) {
      if (row.classList.contains("other")) row.lastChild.remove();
      const mine = row.cells[1].textContent, value = values.get(row.dataset.of);
      const isOther = Boolean(value) && !`${mine}${value}`.match(/[.?]/) && value !== mine;
      row.classList.toggle("other", isOther);
      if (isOther) row.append(element("td", "there", `there ${value}`));
    }
  }
  #row(register, before) {
    const row = element("tr", before !== undefined && before !== register.value ? "changed" : "");
    row.dataset.of = register.name;
    const name = element("td");
    name.append(link(register.name, () => this.app.askOrigin(register.name, this.where?.at ?? undefined)));
    const value = element("td", "value");
    value.append(link(register.value ?? "?", () => this.app.askOrigin(register.name, this.where?.at ?? undefined)));
    value.firstChild.classList.add("value");
    if (before !== undefined && before !== register.value) value.title = `before: ${before}`;
    const written = element("td", "weak");
    if (Number.isInteger(register.written)) written.append(link("written", () => this.app.goTo(register.written)));
    row.append(name, value, written, element("td", "weak", register.name_of ?? ""));
    return row;
  }
}

// A pane that the browsing core draws itself.
export class TextPane extends Pane {
  #counts = new Asker();
  constructor(app, about, where) {
    super(app, about, where);
    this.rows = about.rows;
  }
  async fill(params) {
    const answer = await this.asker.ask("pane", { ...params, what: this.kind, rows: this.rows, columns: 140 });
    if (!answer) return;
    const lines = answer.text.map((row) => {
      const line = element("div");
      line.append(...parts(row), "\n");
      return line;
    });
    if (this.kind === "disassembly") this.#count(params, lines).catch(() => {}); // without counts, it is still shown
    const isEmpty = answer.text.every((row) => row.length === 0);
    this.body.replaceChildren(...(isEmpty ? [element("span", "unknown", "nothing is known here")] : lines));
  }

  // Adds to each instruction how often it was executed in the selection, and how long that took.
  async #count(params, lines) {
    const answer = await this.#counts.ask("counts", { ...this.app.selection.params(), at: params.at });
    if (!answer) return;
    const told = new Map(answer.instructions.map(([pc, executed, , ticks]) => [BigInt(pc).toString(), { count: executed, ticks }]));
    const most = answer.instructions.reduce((most, [, , , ticks]) => Math.max(most, ticks), 1);
    for (const line of lines) {
      const pc = line.textContent.match(/\b[0-9a-f]{8,16}\b/)?.[0];
      const about = pc && told.get(BigInt(`0x${pc}`).toString());
      const figures = element("span", "weak counts", about ? `${grouped(about.count).padStart(7)}× ${grouped(about.ticks).padStart(9)} ticks ` : " ".repeat(25));
      if (about && about.ticks * 5 > most) figures.classList.add("hot");
      line.prepend(figures);
    }
    this.body.dataset.counted = told.size;
  }
}
