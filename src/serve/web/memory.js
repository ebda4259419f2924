// Memory at an expression: as bytes, or as words with the names of what they point to, and the
// values there. The stack is memory at sp, as words.
import { Asker, element, link } from "./api.js";
import { Pane } from "./panes.js";

const BYTES_A_LINE = 16;
const SIZE = 256;

export class MemoryPane extends Pane {
  form() {
    const form = element("form");
    this.input = element("input", "", null, { spellcheck: "false", autocomplete: "off", "aria-label": "Address", ...(this.where ? {} : { id: this.isStack ? "stack-address" : "address" }) });
    this.select = element("select", "", null, { "aria-label": "Shown as" });
    for (const [value, text] of [["0", "bytes"], ["1", "1"], ["2", "2"], ["4", "4"], ["8", "8"]]) this.select.append(element("option", "", text, { value }));
    form.append(this.input, this.select);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.setAddress(this.input.value);
    });
    this.select.addEventListener("change", () => ((this.word = Number(this.select.value)), this.update()));
    return [form];
  }
  get isStack() {
    return this.kind === "words";
  }
  get expr() {
    return this.where?.expr ?? this.own ?? (this.isStack ? "sp" : this.app.state.memory);
  }

  setAddress(text) {
    if (this.where) this.app.changePane(this, text);
    else if (this.isStack) this.own = text;
    else return this.app.setMemory(text);
    this.update();
  }

  async fill(params) {
    const word = this.word ?? (this.isStack ? this.app.wordBytes : 0);
    this.select.value = word;
    if (document.activeElement !== this.input) this.input.value = this.expr;
    const answer = await this.asker.ask("memory", { ...params, address: this.expr, size: SIZE, word: word || null });
    if (!answer) return;
    const lines = answer.doubt ? [element("div", "doubt", answer.doubt)] : [];
    if (word) answer.words.forEach((about, i) => lines.push(this.#word(BigInt(answer.address) + BigInt(i * word), about, word)));
    else for (let i = 0; i < answer.bytes.length; i += 2 * BYTES_A_LINE) lines.push(this.#line(answer, i));
    this.body.replaceChildren(...lines);
    this.answer = { ...answer, word };
    this.compare(this.app.beside?.there);
  }

  // Marks what another run has otherwise at the same addresses.
  #otherAsker = new Asker();
  async compare(there) {
    const { answer } = this, shown = [...this.body.querySelectorAll("[data-of]")];
    for (const one of shown) one.classList.remove("other"), one.querySelector(".there")?.remove(), one.removeAttribute("title");
    if (!there || !answer || this.where || !this.details.open) return;
    const other = await this.#otherAsker.ask("memory", { ...there, address: answer.address, size: SIZE, word: answer.word || null }).catch(() => null);
    if (!other || answer !== this.answer) return;
    const [mine, theirs] = [answer, other].map(({ words, bytes }) => (answer.word ? words.map(([value]) => value) : bytes.match(/../g).map((pair) => (pair === ".." ? null : pair))));
    shown.forEach((one, i) => {
      if (mine[i] === null || (theirs[i] ?? null) === null || mine[i] === theirs[i]) return;
      one.classList.add("other");
      one.title = `there: ${theirs[i]}`;
      if (answer.word) one.append(element("span", "there", `  there ${theirs[i]}`));
    });
  }

  #label(address) {
    return element("span", "label", `${address.toString(16).padStart(8, "0")}  `);
  }

  #word(address, [value, name, there], word) {
    const line = element("div");
    line.dataset.of = `0x${address.toString(16)}:${word}`;
    const text = value === null ? "?".repeat(2 * word) : value.slice(2).padStart(2 * word, "0");
    const shown = link(text, () => this.app.askOrigin(line.dataset.of, this.where?.at ?? undefined));
    shown.className = value === null ? "unknown link" : "value link";
    line.append(this.#label(address), shown);
    if (name) line.append("  ", element("span", "disassembly", name));
    if (there !== null && there !== undefined) line.append("  ", link(`→ ${there.slice(2).padStart(2 * word, "0")}`, () => this.setAddress(value)));
    return line;
  }

  #line(answer, at) {
    const address = BigInt(answer.address) + BigInt(at / 2);
    const pairs = answer.bytes.slice(at, at + 2 * BYTES_A_LINE).match(/../g) ?? [];
    const text = pairs.map((pair) => {
      const code = parseInt(pair, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : pair === ".." ? " " : ".";
    });
    const line = element("div");
    line.append(this.#label(address));
    pairs.forEach((pair, i) => {
      const byte = element("span", pair === ".." ? "unknown" : "value", pair);
      byte.dataset.of = `0x${(address + BigInt(i)).toString(16)}`;
      byte.addEventListener("click", () => this.app.askOrigin(byte.dataset.of, this.where?.at ?? undefined));
      line.append(byte, i % 4 === 3 ? "  " : " ");
    });
    line.append(element("span", "weak", text.join("")));
    return line;
  }
}
