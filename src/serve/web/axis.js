// The axis of the time line: numbers of events of a lane, or times of the trace, as ticks or, where
// their length is known, in seconds since the trace began. Places on it are numbers counted from
// its beginning, because the trace's times have up to 64 bits.

const MIN_WIDTH = 10;
const UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];

export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export class Axis {
  // With another run (its description and lane), both lie on the axis from their beginnings on.
  constructor(about, lane, unit, other = null) {
    this.unit = unit;
    this.by = unit === "events" ? "events" : "time";
    this.ticksPerSecond = Number(about.ticks_per_second) || 0;
    [this.origin, this.ownSpan] = this.#extent(about, lane);
    [this.otherOrigin, this.otherSpan] = other ? this.#extent(other.about, other.lane) : [0n, 0];
    this.span = Math.max(this.ownSpan, this.otherSpan);
  }
  // Where a run begins, and how long it is.
  #extent(about, lane) {
    const used = about.lanes.filter(({ events, first_time }) => events && first_time !== undefined);
    if (this.by !== "time" || !used.length) return [0n, Math.max(1, about.lanes[lane]?.events ?? 1)];
    const times = used.flatMap(({ first_time, last_time }) => [BigInt(first_time), BigInt(last_time)]);
    const origin = times.reduce((a, b) => (a < b ? a : b));
    return [origin, Number(times.reduce((a, b) => (a > b ? a : b)) - origin) + 1];
  }

  // The units that a trace has.
  static units(about) {
    if (!about.can.times) return ["events"];
    return Number(about.ticks_per_second) ? ["events", "ticks", "time"] : ["events", "ticks"];
  }
  // Lanes have only times in common.
  static usual(about) {
    const lanes = about.lanes.filter(({ events }) => events).length;
    return lanes > 1 ? Axis.units(about).at(-1) : "events";
  }

  // A place as the server writes it, and back.
  told(place) {
    return String(this.origin + BigInt(Math.round(place)));
  }
  place(told) {
    return Number(BigInt(told) - this.origin);
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

  // A place as text, in a picture whose ruler has steps of a length.
  text(place, step) {
    if (this.unit !== "time") return grouped(this.told(place));
    return seconds(place / this.ticksPerSecond, step / this.ticksPerSecond);
  }
  // A distance as text, with its unit.
  length(distance) {
    if (this.unit === "time") return seconds(distance / this.ticksPerSecond, Math.abs(distance / this.ticksPerSecond) / 1000);
    return `${grouped(Math.round(distance))} ${this.unit}`;
  }
}

// Seconds with as many digits as a step needs.
function seconds(value, step) {
  const [name, unit] = UNITS.find(([, size]) => Math.max(Math.abs(value), step) >= size) ?? UNITS.at(-1);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(step, 1e-9) / unit) - 1e-9)));
  return `${(value / unit).toFixed(digits)} ${name}`;
}
