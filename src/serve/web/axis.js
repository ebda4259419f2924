// The axis of the time line: numbers of events of a lane, or of all lanes in their order in the
// trace, or times of the trace, as ticks or, where their length is known, in seconds since the
// trace began. A run's own numbers are counted from its beginning, because the trace's times have
// up to 64 bits.
//
// A place on the axis is such a number, except beside another run whose differences are known:
// what only one of the two has is a gap in the other, so that what is the same in both lies below
// each other.

const MIN_WIDTH = 10;
const TICKS_MAX = 100;
const UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
const PREFIXES = { events: "", order: "o", time: "t" }; // of stretches in links

export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function counted(number, word) {
  return `${grouped(number)} ${word}${Number(number) === 1 ? "" : "s"}`;
}

// A time as the rows of the trace have it: logs of calls tell seconds since they began.
export function timeText(about, time) {
  if (about.rows !== "calls" || !Number(about.ticks_per_second)) return time;
  const began = about.lanes.flatMap(({ first_time }) => (first_time === undefined ? [] : [BigInt(first_time)])).reduce((a, b) => (a < b ? a : b));
  const since = Math.max(0, Number(BigInt(time) - began)); // the start is before all
  return `${(since / Number(about.ticks_per_second)).toFixed(9)} s`;
}

// A stretch of the trace as links have it, and back; null: it is none.
export function stretchText(by, from, to) {
  return `${PREFIXES[by]}${from}-${to}`;
}
export function readStretch(text) {
  const [, prefix, from, to] = text?.match(/^([ot]?)(\d+)-(\d+)$/) ?? [];
  return to === undefined ? null : { by: Object.keys(PREFIXES).find((by) => PREFIXES[by] === prefix), from, to };
}

export class Axis {
  // With another run (its description and lane), both lie on the axis from their beginnings on.
  constructor(about, lane, unit, other = null) {
    this.unit = unit;
    this.by = unit === "events" || unit === "order" ? unit : "time";
    this.name = Axis.nameOf(about, lane, unit);
    this.ticksPerSecond = Number(about.ticks_per_second) || 0;
    const runs = [this.#extent(about, lane), other ? this.#extent(other.about, other.lane) : [0n, 0]];
    this.origins = runs.map(([origin]) => origin);
    this.lengths = runs.map(([, length]) => length);
    this.align([]);
  }
  // Where a run begins, and how long it is.
  #extent(about, lane) {
    if (this.by === "order") return [0n, Math.max(1, about.events)];
    const used = about.lanes.filter(({ events, first_time }) => events && first_time !== undefined);
    if (this.by !== "time" || !used.length) return [0n, Math.max(1, about.lanes[lane]?.events ?? 1)];
    const times = used.flatMap(({ first_time, last_time }) => [BigInt(first_time), BigInt(last_time)]);
    const origin = times.reduce((a, b) => (a < b ? a : b));
    return [origin, Number(times.reduce((a, b) => (a > b ? a : b)) - origin) + 1];
  }

  // The units that a trace has. Lanes of logs of calls have no common order but that of time.
  static units(about) {
    const counts = Axis.#hasMany(about) && about.rows !== "calls" ? ["events", "order"] : ["events"];
    if (!about.can.times) return counts;
    return [...counts, "ticks", ...(Number(about.ticks_per_second) ? ["time"] : [])];
  }
  static usual(about) {
    return Axis.#hasMany(about) || about.rows === "calls" ? Axis.units(about).at(-1) : "events";
  }
  static #hasMany(about) {
    return about.lanes.filter(({ events }) => events).length > 1;
  }
  static nameOf(about, lane, unit) {
    if (!Axis.#hasMany(about) || !["events", "order"].includes(unit)) return unit;
    return unit === "order" ? "events of all" : `events of ${about.lanes[lane]?.name || `${about.lane_word} ${lane}`}`;
  }

  // --- Places ------------------------------------------------------------------------------------

  // Lays the two runs below each other: `regions` of events, each [first, end, first and end of the
  // other], in which they differ (null: the run has ended). Between them both go on together.
  align(regions) {
    const knots = (this.knots = [[{ own: 0, place: 0 }], [{ own: 0, place: 0 }]]);
    const done = [0, 0];
    let place = 0;
    // Both go on up to `ends`; a gap in one that is shorter, or, as the same events, side by side.
    const go = (ends, areSame) => {
      const sizes = ends.map((end, side) => end - done[side]), size = Math.max(...sizes);
      ends.forEach((end, side) => {
        if (!areSame && sizes[side]) knots[side].push({ own: end, place: place + sizes[side] });
        if (size && (areSame || sizes[side] < size)) knots[side].push({ own: end, place: place + size });
        done[side] = end;
      });
      place += size;
    };
    for (const [first, end, otherFirst, otherEnd] of regions) {
      go([first ?? this.lengths[0], otherFirst ?? this.lengths[1]], true);
      go([end ?? this.lengths[0], otherEnd ?? this.lengths[1]], false);
    }
    go(this.lengths, false);
    this.span = Math.max(1, place);
    [this.ownSpan, this.otherSpan] = [0, 1].map((side) => this.placeOf(this.lengths[side], side, true));
  }
  // The last knot up to a number or place, and the next.
  #around(key, at, side, isBefore = false) {
    const knots = this.knots[side];
    let low = 1, high = knots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore ? knots[middle][key] < at : knots[middle][key] <= at) low = middle + 1;
      else high = middle;
    }
    return [knots[low - 1], knots[low]];
  }
  // The place of a number of a run; as the end of something, it is before a gap.
  placeOf(own, side = 0, isEnd = false) {
    const [last, next] = this.#around("own", own, side, isEnd);
    return last.place + (own - last.own) * (next && next.own > last.own ? (next.place - last.place) / (next.own - last.own) : 1);
  }
  // The number of a run at a place; in a gap it stays the same.
  own(place, side = 0) {
    const [last, next] = this.#around("place", place, side);
    return last.own + (place - last.place) * (next ? (next.own - last.own) / (next.place - last.place) : 1);
  }
  // Where a run has gaps, as places; what is of both (null) has none.
  gaps(side = 0) {
    const knots = this.knots[side] ?? [];
    return knots.slice(1).flatMap((knot, i) => (knot.own === knots[i].own ? [[knots[i].place, knot.place]] : []));
  }

  // A place as the server writes it, and back.
  told(place, side = 0) {
    return String(this.origins[side] + BigInt(Math.round(this.own(place, side))));
  }
  place(told, side = 0, isEnd = false) {
    return this.placeOf(Number(BigInt(told) - this.origins[side]), side, isEnd);
  }

// A stretch that lies on the axis and is not too narrow.
  fit(from, to) {
    const width = Math.min(this.span, Math.max(Math.min(MIN_WIDTH, this.span), to - from));
    const start = Math.max(0, Math.min(from, this.span - width));
    return { from: start, to: start + width };
  }

  // A round distance of at least `least`.
  step(least) {
    const scale = this.unit === "time" ? this.ticksPerSecond : 1;
    const wanted = Math.max(least / scale, this.unit === "time" ? 1e-9 : 1);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const round = [1, 2, 5, 10].find((factor) => factor * power >= wanted * 0.999999) * power;
    return round * scale;
  }

  // Round numbers in a stretch, at least so far from each other, with their places.
  ticks(from, to, least) {
    const step = this.step(least), begin = this.own(from);
    const first = this.unit === "ticks" ? (step - Number(this.origins[0] % BigInt(Math.max(1, Math.round(step))))) % step : 0;
    const marks = [];
    for (let i = Math.ceil((begin - first) / step), place = 0; marks.length < TICKS_MAX && place <= to; i++) {
      place = this.placeOf(first + i * step);
      if (place >= from && place <= to) marks.push({ place, text: this.#text(first + i * step, step) });
    }
    return marks;
  }
  #text(own, step) {
    if (this.unit !== "time") return grouped(this.origins[0] + BigInt(Math.round(own)));
    return seconds(own / this.ticksPerSecond, step / this.ticksPerSecond);
  }
  // A distance as text, with its unit.
  length(distance) {
    if (this.unit === "time") return seconds(distance / this.ticksPerSecond, Math.abs(distance / this.ticksPerSecond) / 1000);
    return `${grouped(Math.round(distance))} ${this.name}`;
  }
  // How much of this run is between two places.
  between(from, to) {
    return this.length(Math.abs(this.own(to) - this.own(from)));
  }
}

// Seconds with as many digits as a step needs.
function seconds(value, step) {
  const [name, unit] = UNITS.find(([, size]) => Math.max(Math.abs(value), step) >= size) ?? UNITS.at(-1);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(step, 1e-9) / unit) - 1e-9)));
  return `${(value / unit).toFixed(digits)} ${name}`;
}
