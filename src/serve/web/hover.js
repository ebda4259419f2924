// Shows the value of a register or an address under the mouse at that row, with its last and next
// write.
import { Asker } from "./api.js";

const PAUSE_MS = 120;
const NUMBER = /^(0x)?[0-9a-f]{5,16}$/i;
const REGISTER = /^([wxrsdqvbh][0-9]{1,2}|sp|lr|pc|fp|cpsr|spsr|nzcv)$/i;

// The word at a point, and the element that contains it; null: there is none.
function wordAt(x, y) {
  const caret = document.caretPositionFromPoint?.(x, y);
  const range = caret ? null : document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? range?.startContainer, offset = caret?.offset ?? range?.startOffset;
  if (node?.nodeType !== Node.TEXT_NODE) return null;
  const text = node.data;
  const before = text.slice(0, offset).match(/[A-Za-z0-9_]*$/)[0];
  const after = text.slice(offset).match(/^[A-Za-z0-9_]*/)[0];
  return before + after ? { word: before + after, element: node.parentElement } : null;
}

export class Hover {
  #asker = new Asker();
  #timer = 0;
  #shown = "";
  constructor(app, roots) {
    this.app = app;
    for (const root of roots) {
      root.addEventListener("mousemove", (event) => this.#move(event));
      root.addEventListener("mouseleave", () => this.hide());
      root.addEventListener("wheel", () => this.hide(), { passive: true });
    }
  }

  // Also when the rows change below the mouse.
  hide() {
    clearTimeout(this.#timer);
    this.#asker.stop();
    if (this.#shown) this.app.showTip(null);
    this.#shown = "";
  }

  #move(event) {
    const wish = this.#wish(event);
    const key = wish ? `${wish.of} ${wish.at}` : "";
    if (key && key === this.#shown) return;
    this.hide();
    this.#shown = key;
    if (wish) this.#timer = setTimeout(() => this.#ask(wish, event), PAUSE_MS);
  }

  // What to ask about what is under the mouse: in a pane what the element names, in the trace a
  // word of its text.
  #wish(event) {
    const told = event.target.closest?.("[data-of]");
    if (told) {
      const pane = this.app.panes.find(({ details }) => details.contains(told));
      return { of: told.dataset.of, at: pane?.where?.at ?? this.app.state.at };
    }
    const row = event.target.closest?.(".row");
    const found = row && wordAt(event.clientX, event.clientY);
    if (!found || !event.target.contains(found.element) || found.element.classList.contains("encoding")) return null;
    const isRegister = REGISTER.test(found.word) || this.app.registerNames.has(found.word.toLowerCase());
    if (!isRegister && !NUMBER.test(found.word)) return null;
    const of = isRegister ? found.word.toLowerCase() : `0x${found.word.replace(/^0x/i, "")}:${this.app.wordBytes}`;
    return { of, at: Number(row.dataset.event) };
  }

  async #ask({ of, at }, event) {
    try {
      const answer = await this.#asker.ask("value", { ...this.app.params(), at, of });
      if (!answer) return;
      if (this.#shown === `${of} ${at}`) this.app.showTip(this.#text(of, answer), event);
    } catch {
      return; // it is neither a register nor memory
    }
  }

  #text(of, { value, name_of, last, next, previous_access, next_access }) {
    const write = (about) => (about ? `${about.value} at ${about.line ? `line ${about.line}` : `event ${about.event}`}${about.name ? `, ${about.name}` : ""}` : "none");
    const access = (about) => (about ? `${about.is_read ? (about.is_written ? "read and written" : "read") : "written"} at ${about.line ? `line ${about.line}` : `event ${about.event}`}` : "none");
    const accesses = previous_access === undefined ? "" : `\nprevious access: ${access(previous_access)}\nnext access: ${access(next_access)}`;
    return `${of} = ${value}${name_of ? `  ${name_of}` : ""}\nlast write: ${write(last)}\nnext write: ${write(next)}${accesses}`;
  }
}
