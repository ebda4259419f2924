// Panes keep the sizes that they were given, by mouse or by the arrow keys of a line between them.

const byId = (id) => document.getElementById(id);
const STEP = 24;

// A line that changes a size of an element. `sign`: 1 if the element grows with the coordinate.
export function split(id, target, { axis, sign, least, onChange = () => {} }) {
  const line = byId(id), element = byId(target), side = axis === "x" ? "width" : "height";
  const key = `${target}-${side}`;
  const most = () => (axis === "x" ? window.innerWidth : window.innerHeight) * 0.85;
  const set = (size) => {
    element.style[side] = `${Math.round(Math.max(least, Math.min(most(), size)))}px`;
    line.setAttribute("aria-valuenow", Math.round((100 * element.getBoundingClientRect()[side]) / (axis === "x" ? window.innerWidth : window.innerHeight)));
    localStorage.setItem(key, element.style[side]);
    onChange();
  };
  const kept = parseInt(localStorage.getItem(key), 10);
  if (kept) element.style[side] = `${Math.max(least, Math.min(most(), kept))}px`;
  line.addEventListener("pointerdown", (event) => {
    const size = element.getBoundingClientRect()[side], start = axis === "x" ? event.clientX : event.clientY;
    line.setPointerCapture(event.pointerId);
    line.onpointermove = (at) => set(size + sign * ((axis === "x" ? at.clientX : at.clientY) - start));
    line.onpointerup = line.onpointercancel = () => (line.onpointermove = null);
  });
  line.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    set(element.getBoundingClientRect()[side] + sign * way * STEP);
  });
  line.addEventListener("dblclick", () => {
    element.style[side] = "";
    localStorage.removeItem(key);
    onChange();
  });
}
