// A flame graph of stacks as the server sends them, [depth, name, pc, calls, ticks, own ticks],
// each before those that it called. The outermost is at the top. A click selects a frame, a double
// click shows only the frames below it. Of two runs, a frame is as wide as it takes time in the run in
// which it takes more, so that what has vanished in one of them is there, too; its color says which.
import { element, link } from "./api.js";
import { counted, grouped } from "./axis.js";
import { INK, nameColor, themeColor } from "./colors.js";
import { share } from "./selection.js";
import { beginText, put } from "./tracks.js";

const LEVEL = 18;

// Frames with their offsets in the whole time; and the path to each, as functions.
export function place(stacks) {
  const frames = [], around = [];
  let whole = 0;
  for (const [depth, name, pc, calls, ticks, own, both] of stacks) {
    around.length = depth;
    const parent = around[depth - 1];
    const start = parent ? parent.filled : whole;
    if (parent) parent.filled += ticks;
    else whole += ticks;
    const frame = { depth, name, pc, calls, ticks, own, start, filled: start, parent, both };
    around[depth] = frame;
    frames.push(frame);
  }
  return { frames, whole };
}

// The stacks of two runs as one, by names: [..., {here, there}] with the ticks in both.
export function merge(here, there) {
  const root = { below: new Map() };
  [here, there].forEach((stacks, side) => {
    const around = [root];
    for (const [depth, name, pc, calls, ticks, own] of stacks) {
      const { below } = around[depth], key = name ?? pc;
      const node = below.get(key) ?? { name, pc, below: new Map(), ticks: [0, 0], own: [0, 0], calls: [0, 0] };
      below.set(key, node);
      [node.ticks, node.own, node.calls].forEach((sums, i) => (sums[side] += Number([ticks, own, calls][i])));
      around[depth + 1] = node;
    }
  });
  const list = (node, depth) => {
    const below = [...node.below.values()].map((child) => list(child, depth + 1));
    const width = Math.max(...node.ticks, below.reduce((sum, [[, , , , ticks]]) => sum + ticks, 0));
    return [[depth, node.name, node.pc, node.calls[0], width, node.own[0], { here: node.ticks[0], there: node.ticks[1] }], ...below.flat()];
  };
  return [...root.below.values()].flatMap((node) => list(node, 0));
}

export function path(frame) {
  return frame ? [...path(frame.parent), frame.pc] : [];
}

// What a frame takes in two runs, as a color and in words.
function changeColor({ here, there }) {
  if (here === there) return themeColor("--same");
  const share = Math.min(1, Math.abs(there - here) / Math.max(here, there));
  return `color-mix(in oklab, ${themeColor(there > here ? "--more" : "--less")} ${Math.round(25 + 75 * share)}%, ${themeColor("--same")})`;
}
function tellBoth({ here, there }) {
  const change = here === there ? "the same" : !there ? "vanished there" : !here ? "only there" : `${there > here ? "+" : "\u2212"}${grouped(Math.abs(there - here))} (${share(Math.abs(there - here), here)})`;
  return `${grouped(here)} ticks here, ${grouped(there)} there: ${change}`;
}

export class Flame {
  #chosen = null;
  constructor(selection) {
    this.selection = selection;
    this.info = element("div", "chosen-stack");
    this.canvas = element("canvas", "", null, { "aria-label": "Flame graph: the arrow keys choose a frame, Return shows only what is below it", role: "img", tabindex: "0" });
    this.canvas.addEventListener("click", (event) => this.#choose(this.#frameAt(event)));
    this.canvas.addEventListener("dblclick", (event) => this.#zoom(this.#frameAt(event)));
    this.canvas.addEventListener("mousemove", (event) => this.#hover(event));
    this.canvas.addEventListener("mouseleave", () => this.selection.app.showTip(null));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.canvas);
  }

  show(body, answer) {
    const { frames, whole } = place(answer.stacks);
    const under = this.selection.state.under?.split(",") ?? [];
    this.frames = frames;
    this.ticks = answer.ticks;
    // With a path, its last frame is as wide as the picture.
    const base = under.length ? frames.find((frame) => frame.depth === under.length - 1 && path(frame).join() === under.join()) : null;
    this.from = base ? base.start : 0;
    this.whole = Math.max(1, base ? base.ticks : whole);
    this.levels = 1 + frames.reduce((most, { depth }) => Math.max(most, depth), 0);
    this.#choose(base ?? null);
    const legend = element("div", "weak legend");
    if (answer.isDifference) legend.append(element("i", "more", " "), " more time there than here  ", element("i", "less", " "), " less time there  ", element("i", "same", " "), " the same; as wide as in the run that takes longer");
    body.replaceChildren(...(answer.isDifference ? [legend] : []), this.info, this.canvas);
    this.#draw();
  }

  #draw() {
    if (!this.frames || !this.canvas.isConnected) return;
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.levels * LEVEL;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const paint = this.canvas.getContext("2d");
    paint.scale(ratio, ratio);
    beginText(paint);
    const scale = width / this.whole;
    let drawn = 0, matched = 0, inside = null;
    for (const frame of this.frames) {
      const x = Math.max(0, (frame.start - this.from) * scale), size = Math.min(width - x, frame.ticks * scale);
      const isMatch = this.selection.filter.value && this.selection.takes(frame.name);
      if (inside && frame.depth <= inside.depth) inside = null;
      if (isMatch && !inside) {
        inside = frame;
        matched += frame.ticks;
      }
      if (size < 0.4) continue;
      drawn++;
      paint.fillStyle = isMatch ? themeColor("--hit") : frame.both ? changeColor(frame.both) : nameColor(frame.name);
      paint.fillRect(x, frame.depth * LEVEL, Math.max(1, size - 0.5), LEVEL - 1);
      if (frame === this.#chosen) {
        paint.strokeStyle = themeColor("--front");
        paint.lineWidth = 2;
        paint.strokeRect(x + 1, frame.depth * LEVEL + 1, Math.max(1, size - 2.5), LEVEL - 3);
      }
      paint.fillStyle = INK;
      put(paint, frame.name, x + 3, frame.depth * LEVEL + LEVEL / 2, size - 6);
    }
    this.canvas.dataset.frames = drawn;
    this.selection.matched(matched, this.ticks);
  }

  #frameAt(event) {
    const depth = Math.floor(event.offsetY / LEVEL);
    const at = this.from + (event.offsetX / Math.max(1, this.canvas.clientWidth)) * this.whole;
    return this.frames?.find((frame) => frame.depth === depth && frame.start <= at && at < frame.start + frame.ticks);
  }

  #choose(frame) {
    this.#chosen = frame ?? null;
    this.info.replaceChildren();
    const under = this.selection.state.under;
    if (frame) {
      const { app } = this.selection;
      if (frame.both) this.info.append(element("b", "", frame.name), element("span", "weak", tellBoth(frame.both)));
      else this.info.append(element("b", "", frame.name), element("span", "weak", `${counted(frame.ticks, "tick")}, ${share(frame.ticks, this.ticks)}; ${grouped(frame.own)} its own; ${counted(frame.calls, "call")}`));
      if (!frame.both || frame.both.here) this.info.append(link("first call", () => app.goToCall(frame.pc, "first")), link("callers and callees", () => app.look({ look: "function", focus: frame.pc })));
      if (path(frame).join() !== under) this.info.append(link("only this", () => this.#zoom(frame)));
    }
    if (under) this.info.append(link("all stacks", () => this.selection.app.look({ under: null })));
    this.#draw();
  }

  #zoom(frame) {
    if (frame) this.selection.app.look({ under: path(frame).join() });
  }

  // By keys: the caller, the widest callee, the frame before or after of the same level.
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#chosen, level = this.frames?.filter(({ depth }) => depth === (at?.depth ?? 0)) ?? [];
    const below = this.frames?.filter(({ parent }) => parent === at).reduce((most, frame) => (!most || frame.ticks > most.ticks ? frame : most), null);
    const next = { ArrowUp: at?.parent, ArrowDown: at ? below : level[0], ArrowLeft: level[level.indexOf(at) - 1], ArrowRight: level[level.indexOf(at) + 1] };
    if (event.key === "Enter") this.#zoom(at);
    else if (!(event.key in next)) return;
    else if (next[event.key]) this.#choose(next[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }

  #hover(event) {
    const frame = this.#frameAt(event);
    if (frame?.both) return this.selection.app.showTip(`${frame.name}\n${tellBoth(frame.both)}`, event);
    this.selection.app.showTip(frame ? `${frame.name}\n${counted(frame.ticks, "tick")}, ${share(frame.ticks, this.ticks)}\n${counted(frame.calls, "call")}` : null, event);
  }
}
