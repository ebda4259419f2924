// The call tree of a selection: stacks as the server sends them, as rows that can be opened and
// closed.
import { element, link } from "./api.js";
import { grouped } from "./axis.js";
import { path, place } from "./flame.js";
import { share } from "./selection.js";

const OPEN_LEVELS = 3, ROWS_MAX = 3000;

export function callTree({ stacks, ticks, is_cut }, selection) {
  const root = element("div", "tree");
  const { frames } = place(stacks);
  const { app, filter } = selection;
  for (const frame of frames) {
    frame.isOpen = frame.depth < OPEN_LEVELS;
    frame.isMatch = filter.value !== "" && selection.takes(frame.name);
    // Matches are visible.
    for (let up = frame.parent; frame.isMatch && up; up = up.parent) up.isOpen = true;
  }
  const isShown = (frame) => !frame.parent || (frame.parent.isOpen && isShown(frame.parent));
  const draw = () => {
    const shown = frames.filter(isShown);
    root.replaceChildren(...shown.slice(0, ROWS_MAX).map(row));
    if (is_cut || shown.length > ROWS_MAX) root.append(element("div", "weak", "Less than 1 in 2000 of the time is left out; choose a call to see what is below it."));
  };
  const row = (frame) => {
    const made = element("div", "node");
    const hasBelow = frames[frames.indexOf(frame) + 1]?.depth > frame.depth;
    const name = element("span", "indented");
    name.style.setProperty("--depth", frame.depth);
    name.append(
      hasBelow ? link(frame.isOpen ? "− " : "+ ", () => ((frame.isOpen = !frame.isOpen), draw())) : element("span", "", "  "),
      element("span", frame.isMatch ? "found-name" : "", frame.name),
      " ",
      link("first call", () => app.goToCall(frame.pc, "first")),
      " ",
      link("flame", () => app.look({ look: "flame", under: path(frame).join() })),
    );
    made.append(element("span", "figures", `${share(frame.ticks, ticks).padStart(9)} ${grouped(frame.own).padStart(12)} own ${grouped(frame.calls).padStart(10)} calls   `), name);
    return made;
  };
  draw();
  return root;
}
