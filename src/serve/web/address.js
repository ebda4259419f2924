// What the address holds: the trace, the position, and what is looked at there and how.

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

// Of what is in the address, what every question about a position takes.
export function placeOf({ trace, lane, at, folds }) {
  return { trace, lane, at, folds };
}

// How the position is found that a page opens with: that of the address, or the first there is.
export function firstStep(state) {
  return state.at === "start" && !location.hash ? "home" : "stay";
}
