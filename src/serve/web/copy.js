// What can be copied: a link without a secret, rows, values, the stack, and the commands that show
// the same. Text can also be selected anywhere.
import { element } from "./api.js";

const byId = (id) => document.getElementById(id);

// A word for a shell.
function word(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export class Copy {
  constructor(app) {
    this.app = app;
    byId("copy").addEventListener("click", () => this.open());
  }

  // Each thing with a name, as text.
  #things() {
    const { app } = this, { state } = app;
    const rows = [...document.querySelectorAll("#text .row")];
    const text = (selector) => [...document.querySelectorAll(selector)].map((row) => [...row.children].map((cell) => cell.textContent).join("  ").trimEnd()).join("\n");
    const file = word(app.traces[state.trace].file), at = state.at === "start" ? "start" : `event:${state.at}`;
    const things = [
      ["link to this place", location.origin + location.pathname + location.hash],
      ["row", rows.filter((row) => row.classList.contains("chosen")).map((row) => row.textContent).join("\n")],
      ["rows on the screen", rows.map((row) => row.textContent).join("\n")],
      ["calls", [...document.querySelectorAll("#stack > li")].map((row, i) => `${i}  ${row.textContent}`).join("\n")],
      ["registers", text("#registers tr")],
      ["value", byId("value-now")?.firstChild?.textContent ?? ""],
      ["command: state here", app.can.registers ? `trawl state --at ${at} ${file}` : ""],
      ["command: calls here", app.can.calls ? `trawl stack --at ${at} ${file}` : ""],
      ["command: value", state.of ? `trawl origin --at ${at} ${file} ${word(state.of)}` : ""],
    ];
    return things.filter(([, what]) => what);
  }

  open() {
    const dialog = byId("copies"), list = element("div", "copies");
    for (const [name, what] of this.#things()) {
      const button = element("button", "", name, { type: "button" });
      button.addEventListener("click", () => this.#copy(name, what, dialog));
      list.append(button, element("code", "", what.replace(/\n[^]*/, " …"), { title: what.slice(0, 2000) }));
    }
    const close = element("button", "", "close", { type: "button" });
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(element("h2", "", "Copy", { id: "copies-title" }), list, close);
    dialog.showModal();
  }
  async #copy(name, what, dialog) {
    try {
      await navigator.clipboard.writeText(what);
      this.app.say(`Copied: ${name}`);
    } catch {
      const area = element("textarea", "", what, { "aria-label": name }); // without a clipboard, as over plain HTTP
      dialog.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      this.app.say(`Copied: ${name}`);
    }
    dialog.close();
  }
}
