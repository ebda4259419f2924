// Shows the rows before anything else: what they need is requested at once, and the rest of the
// page is loaded when they are shown. `app.js` continues from here.
import { openAt, placeOf, readAddress } from "./address.js";
import { ask, element } from "./api.js";
import { TraceRows } from "./trace.js";

const state = readAddress();

export const about = ask("trace");
export const position = openAt(state, ask);
export const rows = new TraceRows(document.getElementById("rows"), {
  params: () => ({ ...placeOf(state), at: undefined, columns: 400 }),
  onChoose: () => {},
  onUnfold: () => {},
  onError: () => {}, // app.js asks again, and reports errors
});

// Which rows to show around a position.
export function rowsAround({ shown }, at) {
  return { at: shown ?? "start", above: at === "start" ? 0 : at === 1 ? 2 : Math.floor(rows.rows / 2) };
}

// While an index is built, shows how far it is, and the beginning of the text.
async function showProgress() {
  const root = document.getElementById("building"), text = document.getElementById("text");
  for (let isReady = false; !isReady; ) {
    const answer = await ask("ready", { rows: rows.row === null ? rows.rows : 0 });
    isReady = answer.is_ready;
    root.hidden = isReady || rows.row !== null;
    if (root.hidden) break;
    const { done_bytes: done, total_bytes: total, file } = answer;
    const bar = element("progress", "", null, total ? { max: total, value: Math.min(done, total), "aria-label": "Of the index" } : { "aria-label": "Of the index" });
    root.replaceChildren(`Building the index of ${file ?? "the trace"}: ${total ? `${Math.min(100, Math.floor((100 * done) / total))} % of ${Math.ceil(total / 1e6)} MB. ` : `${Math.floor(done / 1e6)} MB read. `}`, bar, " The text can already be read.");
    text.replaceChildren(...answer.rows.map((row) => element("div", "row", row)));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function begin() {
  const hurry = setTimeout(() => showProgress().catch(() => {}), 150);
  const { shown, at, reason } = await position.finally(() => clearTimeout(hurry));
  document.getElementById("building").hidden = true;
  rows.chosen = shown;
  rows.hint = reason ? { event: shown, text: `opened here: ${reason}` } : null;
  await rows.show(rowsAround({ shown }, at));
  // Waits until the rows are on the screen; in a hidden tab they never are.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
about.catch(() => {}); // app.js reports errors
begin().catch(() => {}).finally(() => import("./app.js"));
