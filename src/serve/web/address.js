// The state that the address contains: the trace, the position, and what is shown there and how.

const LOOKS = ["profile", "flame", "tree", "function"];

export function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = (key, other) => (/^\d+$/.test(hash.get(key) ?? "") ? Number(hash.get(key)) : other);
  return {
    trace: number("trace", 0),
    lane: number("lane", null),
    at: number("at", "start"),
    folds: hash.get("folds") ?? "",
    memory: hash.get("memory") ?? "sp",
    of: hash.get("of"),
    origin: hash.get("origin"),
    range: /^\d+-\d+$/.test(hash.get("range") ?? "") ? hash.get("range") : null,
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

// How to find the position at which the page opens: the one in the address, otherwise the first
// one.
export function firstStep(state) {
  return state.at === "start" && !location.hash ? "home" : "stay";
}
