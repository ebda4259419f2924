// The state that the address contains: the trace, the position, and what is shown there and how.

import { readStretch } from "./axis.js";

const LOOKS = ["value", "found", "notes", "profile", "flame", "tree", "function", "differences"];
const POINTS = /^(\d+|start)$/;

export function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = (key, other) => (/^\d+$/.test(hash.get(key) ?? "") ? Number(hash.get(key)) : other);
  const point = (key) => (POINTS.test(hash.get(key) ?? "") ? (hash.get(key) === "start" ? "start" : Number(hash.get(key))) : null);
  return {
    trace: number("trace", 0),
    lane: number("lane", null),
    at: number("at", "start"),
    folds: hash.get("folds") ?? "",
    memory: hash.get("memory") ?? "sp",
    of: hash.get("of"),
    origin: hash.get("origin"),
    range: readStretch(hash.get("range")) ? hash.get("range") : null,
    zoom: /^\d+-\d+$/.test(hash.get("zoom") ?? "") ? hash.get("zoom") : null,
    unit: hash.get("unit"),
    tracks: hash.get("tracks") ?? "",
    pins: hash.get("pins") ?? "",
    a: point("a"),
    b: point("b"),
    find: hash.get("find"),
    kind: hash.get("kind"),
    source: hash.get("source"),
    look: LOOKS.includes(hash.get("look")) ? hash.get("look") : null,
    focus: hash.get("focus"),
    under: hash.get("under"),
    panes: hash.get("panes") ?? "",
    beside: number("beside", null),
    shift: /^-?\d+$/.test(hash.get("shift") ?? "") ? Number(hash.get("shift")) : 0,
    tied: hash.get("tied") === "no" ? "no" : null,
    folds2: hash.get("folds2") ?? "",
    lanes: hash.get("lanes") ?? "",
  };
}

// The part of the state that every question about a position needs.
export function placeOf({ trace, lane, at, folds }) {
  return { trace, lane, at, folds };
}

// Where the page opens: at the position in the address; otherwise at the interesting place, with
// the reason why it is that.
export async function openAt(state, ask) {
  if (state.at !== "start" || location.hash) return ask("step", { ...placeOf(state), how: "stay" });
  return ask("opening", { ...placeOf(state), at: undefined });
}
