// Where a value comes from: the copies back to what computed it. It stays what was asked, wherever
// the position goes; each step leads to its place, and the browser's Back returns.
import { element, link } from "./api.js";
import { Pane } from "./panes.js";

export class OriginPane extends Pane {
  #shown = "";
  async fill(params) {
    const [, of, at] = this.app.state.origin?.match(/^(.*)@(\d+|start)$/) ?? [];
    this.note.textContent = of ? `${of}, ${at === "start" ? "at the start" : `after event ${at}`}` : "";
    if (!of) return this.#clear(element("li", "weak", "click on the value of a register or of memory"));
    const key = JSON.stringify([params.trace, of, at]);
    if (key !== this.#shown) {
      this.#clear(element("li", "weak", "..."));
      const answer = await this.asker.ask("origin", { trace: params.trace, at, of });
      if (!answer) return;
      this.#shown = key;
      this.body.replaceChildren(...answer.steps.map((step) => this.#row(step)), ...(answer.is_cut ? [element("li", "weak", "and further")] : []));
    }
    for (const row of this.body.children) row.classList.toggle("chosen", row.dataset.event === String(this.app.state.at));
  }
  #clear(...rows) {
    this.#shown = "";
    this.body.replaceChildren(...rows);
  }
  #row({ event, line, time, kind, begins, where, value, name, source, instruction }) {
    const row = element("li");
    const what = begins ?? { move: "moved", load: "loaded", store: "stored", computed: "computed" }[kind];
    if (event !== null) {
      row.dataset.event = event;
      row.append(link(line ? `line ${line}` : `event ${event}`, () => this.app.goTo(event)), "  ");
      row.title = `event ${event}, time ${time}${instruction ? `\n${instruction}` : ""}`;
    }
    row.append(element("span", "label", `${where} `), element("span", "value", value ?? ""), element("span", "weak", `  ${what}  `), element("span", "", name ?? ""), element("span", "weak", source ? `  ${source}` : ""));
    return row;
  }
}
