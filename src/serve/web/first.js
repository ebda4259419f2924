// The rows, before all else: what they need is asked for at once, and the rest of the page is loaded
// when they are there. `app.js` goes on from here.
import { firstStep, placeOf, readAddress } from "./address.js";
import { ask } from "./api.js";
import { TraceRows } from "./trace.js";

const state = readAddress();

export const about = ask("trace");
export const position = ask("step", { ...placeOf(state), how: firstStep(state) });
export const rows = new TraceRows(document.getElementById("rows"), {
  params: () => ({ ...placeOf(state), at: undefined, columns: 400 }),
  onChoose: () => {},
  onUnfold: () => {},
  onError: () => {}, // app.js asks again, and tells
});

// The row that a position is shown with, and where.
export function rowsAround({ shown }, at) {
  return { at: shown ?? "start", above: at === "start" ? 0 : Math.floor(rows.rows / 2) };
}

async function begin() {
  const { shown } = await position;
  rows.chosen = shown;
  await rows.show(rowsAround({ shown }, state.at));
  // When they are on the screen; what is in a hidden tab never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
about.catch(() => {}); // likewise
begin().catch(() => {}).finally(() => import("./app.js"));
