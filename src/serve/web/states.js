// What the tasks of an operating system did: running, ready, blocked, as its kernel tells it.
import { INK, nameColor } from "./colors.js";
import { put, Track } from "./tracks.js";

// The states of all tasks: asked for once, and drawn by a track for each task.
class States extends Track {
  constructor(timeline) {
    super(timeline, "states", "");
  }
  async ask(params) {
    return this.asker.ask("states", { ...params, lane: this.app.chartLane() });
  }
}

class StateTrack extends Track {
  constructor(timeline, states, { name, address }) {
    super(timeline, `state:${address}`, `${name}: state`, "What this task did, as its kernel tells it");
    Object.assign(this, { states, address });
    Object.defineProperty(this, "answer", { get: () => states.answer });
  }
  update(view, width) {
    this.states.update(view, width);
  }
  get mine() {
    return this.answer?.tasks.find(({ address }) => address === this.address)?.states ?? [];
  }
  draw(paint, x, y, left, right) {
    for (const [first, end, word] of this.mine) {
      const from = Math.max(left, x(this.at(first))), size = Math.min(right, x(this.at(end))) - from;
      if (size <= 0) continue;
      const name = this.answer.words[word];
      paint.fillStyle = nameColor(name);
      paint.fillRect(from, y, Math.max(1, size - 0.75), this.height - 4);
      if (size < 24) continue;
      paint.fillStyle = INK;
      put(paint, name, from + 4, y + (this.height - 4) / 2, size - 7);
    }
  }
  tell(place) {
    const column = this.answer ? this.columnAt(place) : -1;
    const found = this.mine.find(([first, end]) => first <= column && column < end);
    return found ? `${this.label.replace(/: state$/, "")} is ${this.answer.words[found[2]]}` : null;
  }
}

// The tracks of tasks as `states` lists them.
export function stateTracks(timeline, tasks) {
  const states = new States(timeline);
  return tasks.map((task) => new StateTrack(timeline, states, task));
}
