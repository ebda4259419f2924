// Drives the page with two runs of two cores, with vectors, and at the width of a telephone: ADDRESS PICTURES PLAYWRIGHT BROWSER. Prints what each
// step showed, as a line of JSON each.
import { address, browser, faults, page, pictures, settled, tell, texts, until } from "./page_driver.mjs";

const data = (name) => page.locator("#chart").getAttribute(`data-${name}`);
const ready = () => page.locator("#selection").getAttribute("data-ready");
const tracks = () => page.locator(".track").evaluateAll((all) => all.map(({ dataset }) => dataset.key));
const base = address.split("?")[0];
// Shows a state as a link has it.
const visit = async (hash) => {
  await page.goto("about:blank");
  await page.goto(`${base}#${hash}`);
  await page.waitForSelector(".row");
  await settled();
};

await page.goto(address);
await page.waitForSelector(".row");

// Places of two runs on one axis, for a model.
const lengths = [60, 71], regions = [[10, 12, 10, 15], [20, 20, 23, 30], [33, 40, 43, 43], [50, null, 53, null]];
const places = await page.evaluate(async ([lengths, regions]) => {
  const { Axis } = await import("./axis.js");
  const run = (events) => ({ about: { can: { times: false }, lanes: [{ events }] }, lane: 0 });
  const axis = new Axis(run(lengths[0]).about, 0, "events", run(lengths[1]));
  axis.align(regions);
  const all = (side, isEnd) => Array.from({ length: lengths[side] + 1 }, (_, event) => axis.placeOf(event, side, isEnd));
  const back = (side) => all(side, false).map((place) => axis.own(place, side));
  return { span: axis.span, begins: [all(0, false), all(1, false)], ends: [all(0, true), all(1, true)], back: [back(0), back(1)] };
}, [lengths, regions]);
tell("axis", { lengths, regions, ...places });

// Two cores by events: of one of them, or of both in their order.
await page.selectOption("#unit", "events");
tell("one lane", { ruler: await page.locator("#ruler-name").textContent(), tracks: await tracks(), shown: await page.locator("#shown").textContent() });
await page.selectOption("#unit", "order");
tell("both lanes", { ruler: await page.locator("#ruler-name").textContent(), tracks: await until(tracks, (all) => all.includes("lane:1")), bars: await until(() => page.locator(".track[data-lane]").evaluateAll((all) => all.map(({ dataset }) => Number(dataset.bars ?? 0))), (all) => all.every((count) => count > 0)), shown: await page.locator("#shown").textContent(), units: await texts("#unit option") });
const box = await page.locator("#ruler").boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
tell("a click on the ruler", { at: Number(await until(() => page.locator("#place").getAttribute("data-at"), (at) => Number(at) > 600)), labels: await page.locator("#ruler").getAttribute("data-labels") });

// A part of one core in both runs; its differences.
await page.selectOption("#unit", "events");
await page.selectOption("#beside", "1");
await until(() => texts("#differences li"), (all) => all.length > 0);
tell("differences of a lane", { list: await page.locator("#look").textContent(), gaps: await until(() => data("gaps"), (gaps) => gaps !== "0 0"), ruler: await page.locator("#ruler-name").textContent() });
await page.screenshot({ path: `${pictures}/shifted.png` });
for (const [name, hash] of [["by events", "trace=0&lane=1&beside=1&unit=events&look=profile&range=100-700"], ["by order", "trace=0&lane=2&beside=1&unit=order&look=profile&range=o300-1000"], ["by time", "trace=0&lane=2&beside=1&look=profile&range=t100-700"]]) {
  await visit(hash);
  await until(ready, (text) => text?.startsWith("profile "));
  const head = await until(() => texts("#look th"), (all) => all.some((text) => text.startsWith("self there")));
  const rows = await page.locator("#look tr").evaluateAll((all) => all.slice(1).map((row) => [...row.children].map(({ textContent }) => textContent)));
  await page.click("[data-look=flame]");
  await until(ready, (text) => text?.startsWith("flame "));
  tell(`selection of a lane ${name}`, { head, rows, range: await page.locator("#range").textContent(), legend: await texts("#look .legend") });
}

// Vectors: as text, by lanes, a lane.
await visit("trace=2&tracks=v0,v0.4s,v0.s%255B1%255D");
await until(() => data("values"), (count) => count === "3");
const chart = await page.locator("#chart").boundingBox();
const told = async (key, line, share = 0.6) => {
  const row = await page.locator(`.track[data-key="${key}"]`).boundingBox();
  await page.mouse.move(chart.x + chart.width * share, row.y + 10 + 22 * line);
  await page.mouse.move(chart.x + chart.width * share + 1, row.y + 10 + 22 * line);
  return page.locator("#tip").textContent();
};
const whole = await until(() => told("value:v0", 0), (text) => text.startsWith("v0 = 0x"));
const lanes = [];
for (let line = 0; line < 4; line++) lanes.push(await told("value:v0.4s", line));
tell("vectors", { whole, lanes, one: await told("value:v0.s[1]", 0), names: await texts(".track .line-name"), choices: await texts(".track[data-key='value:v0'] select option"), event: Number(/event ([0-9]+)/.exec(whole)?.[1]) });
await page.screenshot({ path: `${pictures}/vectors.png` });
await page.locator(".track[data-key='value:v0'] select").selectOption({ label: "8 × 2" });
tell("lanes chosen", { tracks: await until(tracks, (all) => all.includes("value:v0.8h")), url: page.url() });

// On a telephone, notes are read wherever they are.
await page.setViewportSize({ width: 390, height: 844 });
await visit("trace=3");
for (const [at, text] of [["Home", "the beginning"], ["End", "the end of it"]]) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(at);
  await until(() => page.locator("#place").textContent(), (shown) => shown.includes(at === "Home" ? "line 1 " : "1812"));
  await page.keyboard.press("m");
  await page.waitForSelector("#note-dialog[open]");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#note-dialog", { state: "hidden" });
}
await until(() => data("notes"), (count) => count === "2");
tell("notes", { read: await until(() => data("notes-read"), (read) => read === "the beginning|the end of it") });
await page.screenshot({ path: `${pictures}/notes-390.png` });
tell("faults", { faults });
await browser.close();
