// The ten jobs by keyboard alone, without a mouse, with the traces of serve_jobs.mjs; Tab leads to what has no key of its own: ADDRESS PICTURES
// PLAYWRIGHT BROWSER. Prints what each job showed, as a line of JSON each.
import { address, browser, faults, page, tell, texts, until } from "./page_driver.mjs";

const key = (name) => page.keyboard.press(name);
const type = (text) => page.keyboard.type(text);
const place = () => page.locator("#place").textContent();
const ready = () => page.locator("#selection").getAttribute("data-ready");
// Presses F6 until a part of the page has the focus, then Tab until something in it has; null: it never has.
async function partTo(part, selector) {
  for (let presses = 1; presses < 12; presses++) {
    await key("F6");
    if (!(await page.evaluate((part) => document.activeElement?.closest(part) !== null, part))) continue;
    if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return presses;
    const more = await tabTo(selector);
    return more && presses + more;
  }
  return null;
}
// Presses Tab until something has the focus; null: it never has.
async function tabTo(selector, way = "Tab") {
  for (let presses = 1; presses < 600; presses++) {
    await key(way);
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return presses;
  }
  return null;
}
// Whether what has the focus can be seen to have it.
const isMarked = () => page.evaluate(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
});

await page.goto(address);
await page.waitForSelector(".row");
await until(() => page.locator("#chart").getAttribute("data-bars"), (count) => Number(count) > 0);
const began = await place();

await key("p");
await until(ready, (text) => text?.startsWith("profile"));
const presses = await partTo("#selection", "#look tr:nth-child(2) .link");
const marked = await isMarked();
await key("Enter");
tell("hot function", { presses, marked, ready: await until(ready, (text) => text?.startsWith("function")), around: await until(() => page.locator("#look").textContent(), (text) => text.includes("called by")) });
await key("Escape");

await key("g");
await type("hpsrt");
await key("Enter");
tell("jump", { place: await until(place, (text) => text !== began) });

const whole = await until(() => page.locator("#chart").getAttribute("data-to"), (to) => to !== null);
await key("ArrowDown");
await key("f");
tell("zoom to one call", { whole, shown: await until(() => page.locator("#chart").getAttribute("data-to"), (to) => to !== whole) });
await key("0");

await key("v");
await type("x30");
await key("Enter");
tell("who wrote it", { writes: await until(() => texts("#writes li"), (all) => all.length > 2), origin: await until(() => texts("#origin li"), (all) => all.length > 0 && all[0] !== "...") });
await key("Escape");
await key("Escape");

const opened = await partTo("#panes", "[data-kind=words] summary");
await key("Enter");
await page.waitForSelector("#words div .link");
const before = await page.locator("#stack-address").inputValue();
let isPointer = null;
while (isPointer === null && (await tabTo("#words .link"))) isPointer = (await page.evaluate(() => document.activeElement.textContent.startsWith("→"))) || null;
await key("Enter");
tell("follow a pointer", { opened, before, after: await until(() => page.locator("#stack-address").inputValue(), (text) => text !== before) });

await key("/");
await type("BL +[a-z]+_sort");
await key("Enter");
await until(() => page.locator("#hits").textContent(), (text) => /^\d+ found$/.test(text));
const hit = await until(place, (text) => text !== began);
await key("n");
tell("search", { next: (await until(place, (text) => text !== hit)) !== hit, hits: await page.locator("#hits").textContent(), rows: await until(() => texts("#found li"), (all) => all.length === 10), marked: await page.evaluate(() => [...(CSS.highlights.get("hits") ?? [])].length), bar: await page.locator("#rows .hit-marks i").count() });
await key("Escape");

await key("g");
await type("sort.c:65");
await key("Enter");
tell("source beside", { here: await until(() => texts("#source .here"), ([line]) => line?.startsWith("65")) });

await key("m");
await page.waitForSelector("#note-dialog[open]");
await type("look here");
await key("Enter");
await until(() => texts(".row .note"), (all) => all.length === 1);
await key("y");
await page.waitForSelector("#copies[open]");
const link = await tabTo("#copies button");
await key("Escape");
tell("note and share", { notes: await texts(".row .note"), link });

const isThere = await partTo("#trace", "#beside");
await key("ArrowDown");
await page.waitForSelector("#rows-beside .row");
await until(() => texts("#differences li"), (all) => all.length > 0);
await key("Escape"); // leaves the list of traces
await key("Home");
const home = await until(place, (text) => text.startsWith("line 1 "));
await key(">");
tell("compare", { isThere, home, place: await until(place, (text) => text !== home) });
// Memory that differs where a store wrote something else: what is there is in its place.
const other = () => page.locator("#memory .other").evaluateAll((all) => all.map(({ title }) => title));
for (let at = await place(); !at.includes("time 980 "); at = await until(place, (text) => text !== at)) await key("ArrowDown");
tell("memory of both", { marked: await until(other, (all) => all.includes("there: 77")) });

// A part of the time line is selected between two marks: profile and flame graph of both runs.
await key("Home");
await until(place, (text) => text.startsWith("line 1 "));
await key("A");
await key("End");
await until(place, (text) => !text.startsWith("line 1 "));
await key("B");
await key("x");
await until(ready, (text) => /^profile \S*\d/.test(text ?? ""));
const head = await until(() => texts("#look th"), (all) => all.some((text) => text.startsWith("self there")));
await partTo("#selection", "[role=tab][aria-selected=true]");
await key("ArrowRight");
await until(ready, (text) => text?.startsWith("flame"));
tell("selection of both", { range: await page.locator("#range").textContent(), head, legend: await until(() => texts("#look .legend"), (all) => all.length > 0) });

await partTo("#trace", "#trace");
await key("ArrowDown");
await key("ArrowDown");
tell("tasks", { tracks: await until(() => texts(".track .name"), (all) => all.some((text) => text.startsWith("task_sorts"))) });
tell("faults", { faults });
await browser.close();
