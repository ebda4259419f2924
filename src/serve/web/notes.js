// Notes at events: a list with links to them, marks in the trace and on the time line. The server
// stores them for all windows, and writes them to a file if it was started with --notes.
import { ask, change, element, link } from "./api.js";

const byId = (id) => document.getElementById(id);

export class Notes {
  byEvent = new Map(); // texts by event
  constructor(app) {
    this.app = app;
    byId("note-dialog").addEventListener("close", () => this.#keep());
  }

  async load() {
    this.#take(await ask("notes", { trace: this.app.state.trace }));
  }

  #take({ notes, are_kept }) {
    this.byEvent = new Map(notes.map(({ event, text }) => [event, text]));
    this.areKept = are_kept;
    this.app.onNotes();
  }
  // The list, in a panel.
  show(body) {
    const list = element("ol", "", null, { id: "notes" });
    list.append(...[...this.byEvent].map(([event, text]) => this.#row(event, text)));
    const add = link("note something at the position (m)", () => this.edit());
    body.replaceChildren(list, add, element("span", "weak", this.areKept ? "" : "   Notes are kept until the server ends; --notes keeps them in a file."));
  }
  #row(event, text) {
    const row = element("li");
    row.append(link(event === "start" ? "start" : `event ${event}`, () => this.app.goTo(event)), element("span", "", `  ${text}  `), link("remove", () => this.#set(event, "")));
    return row;
  }

  // Opens the dialog for a note at the position.
  edit() {
    const at = this.app.state.at;
    this.at = at;
    byId("note-place").textContent = at === "start" ? "Note at the start" : `Note after event ${at}`;
    byId("note-text").value = this.byEvent.get(at) ?? "";
    byId("note-dialog").returnValue = "cancel";
    byId("note-dialog").showModal();
    byId("note-text").focus();
  }
  #keep() {
    if (byId("note-dialog").returnValue === "keep") this.#set(this.at, byId("note-text").value);
  }
  async #set(at, text) {
    try {
      this.#take(await change("note", { trace: this.app.state.trace, at, text }));
      if (text && !this.app.state.look) this.app.look({ look: "notes" });
    } catch (error) {
      this.app.fail(error);
    }
  }
}
