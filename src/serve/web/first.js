// Shows the rows before anything else: what they need is requested at once, and the rest of the
// page is loaded when they are shown. `app.js` continues from here.
import { openAt, placeOf, readAddress } from "./address.js";
import { ask } from "./api.js";
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

async function begin() {
  const { shown, at } = await position;
  rows.chosen = shown;
  await rows.show(rowsAround({ shown }, at));
  // Waits until the rows are on the screen; in a hidden tab they never are.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
about.catch(() => {}); // app.js reports errors
begin().catch(() => {}).finally(() => import("./app.js"));
