// Colors: those of the style sheet in a form that canvases accept, and those of names.
//
// A name has the same color everywhere. Hue and lightness come from a hash that spreads names which
// differ in one digit; the chroma is low and constant, and lightness differs too, so that neighbors
// can be told apart without seeing hues. Text on them is always dark.
import { element } from "./api.js";

const LIGHTNESS = [0.74, 0.8, 0.86];
const names = new Map();
let theme = new Map();

export const INK = "#14171c"; // text on the color of a name

export function nameColor(name) {
  let color = names.get(name);
  if (color) return color;
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  // Functions without names are numbered: neighbors are a golden angle apart.
  const number = /^#(\d+)$/.exec(name);
  if (number) hash = (Math.round(137.508 * number[1]) % 360 << 8) + (number[1] % 3);
  color = `oklch(${LIGHTNESS[hash % 3]} 0.085 ${(hash >>> 8) % 360})`;
  names.set(name, color);
  return color;
}

// A color of the style sheet, by the name of its variable.
export function themeColor(variable) {
  if (theme.has(variable)) return theme.get(variable);
  const probe = element("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  theme.set(variable, color);
  return color;
}

// To be called when the page has become light or dark.
export function forgetTheme() {
  theme = new Map();
}
