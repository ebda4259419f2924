// Ten jobs that people have, each in the actions (keys pressed, texts typed, clicks) that it takes, with a trace, one that differs from it in a
// place, and one with tasks; and what holds for the page at any size: ADDRESS PICTURES PLAYWRIGHT BROWSER [AXE]. Prints what each job showed,
// as a line of JSON each.
import fs from "node:fs";
import { address, browser, faults, page, pictures, settled, tell, texts, until } from "./page_driver.mjs";

const axe = process.argv[6];
let actions = 0;
const key = async (name) => (actions++, page.keyboard.press(name));
const type = async (text) => (actions++, page.keyboard.type(text));
const click = async (selector, more) => (actions++, page.locator(selector).first().click(more));
const done = (job, what) => {
  tell(job, { actions, ...what });
  actions = 0;
};
const place = () => page.locator("#place").textContent();
const stretch = () => page.locator("#chart").evaluate(({ dataset }) => [Number(dataset.from), Number(dataset.to)]);
const ready = () => page.locator("#selection").getAttribute("data-ready");
// Whether all of an element can be seen.
const isVisible = (selector) => page.locator(selector).first().evaluate((found) => {
  const { left, right, top, bottom } = found.getBoundingClientRect();
  return left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
});
const quiet = () => page.evaluate(() => document.activeElement?.blur());

await page.goto(address);
await page.waitForSelector(".row");
await until(() => page.locator("#chart").getAttribute("data-bars"), (count) => Number(count) > 0);

await key("p");
await until(ready, (text) => text?.startsWith("profile"));
done("hot function", { first: (await texts("#look tr"))[1], isVisible: await isVisible("#look tr:nth-child(2)") });
await page.keyboard.press("Escape");

await key("g");
await type("hpsrt");
await key("Enter");
const there = await until(place, (text) => text.endsWith("pc heap_sort"));
done("jump by a part of a name", { place: there });
await page.keyboard.press("ArrowDown");
await until(place, (text) => text !== there);
await key("f");
done("zoom to one call", { stretch: await until(stretch, ([from, to]) => to > from), width: await page.evaluate(() => document.getElementById("shown").textContent) });
await page.keyboard.press("0");

await click("#registers tr[data-of=x30] td.value .link");
const writes = await until(() => texts("#writes li"), (all) => all.length > 2);
const origin = await until(() => texts("#origin li"), (all) => all.length > 0 && all[0] !== "...");
done("who wrote it", { writes, origin, areVisible: [await isVisible("#value-now"), await isVisible("#writes li .link"), await isVisible("#origin li")] });
await page.screenshot({ path: `${pictures}/value.png` });

await page.locator("[data-kind=words] summary").click({ position: { x: 60, y: 8 } });
await page.waitForSelector("#words div .link");
const before = await page.locator("#stack-address").inputValue();
await click("#words div .link:has-text('→')");
done("follow a pointer", { before, after: await until(() => page.locator("#stack-address").inputValue(), (text) => text !== before) });
await page.locator("[data-kind=words] summary").click({ position: { x: 60, y: 8 } });

await quiet();
await key("/");
await type("STP +x29");
await key("Enter");
await until(() => page.locator("#hits").textContent(), (text) => /^\d+ found$/.test(text));
const hit = await until(place, (text) => text !== there);
await key("n");
done("search", { next: await until(place, (text) => text !== hit) !== hit, listed: await until(() => page.locator("#found li").count(), (count) => count > 3), marked: await page.evaluate(() => [...(CSS.highlights.get("hits") ?? [])].length), bar: await page.locator("#rows .hit-marks i").count() });

done("source beside", { here: await texts("#source .here"), isVisible: await isVisible("#source .here") });

await key("A");
for (let i = 0; i < 3; i++) await page.keyboard.press("n");
await key("B");
done("measure", { measured: await until(() => page.locator("#measured").textContent(), (text) => text.startsWith("A to B")) });
await key("t");
await type("=sp-x29");
await key("Enter");
done("an expression over time", { tracks: await until(() => texts(".track .name"), (all) => all.includes("=sp-x29")), values: await until(() => page.locator("#chart").getAttribute("data-values"), (count) => count === "2"), url: page.url() });
await quiet();

await key("m");
await page.waitForSelector("#note-dialog[open]");
await type("look here");
await key("Enter");
await until(() => texts(".row .note"), (all) => all.length === 1);
await key("y");
done("note and share", { things: await texts("#copies code"), names: await texts("#copies .copies button") });
await page.keyboard.press("Escape");

await page.selectOption("#beside", "1");
await page.waitForSelector("#rows-beside .row");
await page.keyboard.press("Home");
await until(place, (text) => text.startsWith("line 1 "));
await quiet();
await until(() => texts("#differences li"), (all) => all.length > 0);
await quiet();
await key(">");
done("compare", { place: await until(place, (text) => !text.startsWith("line 1 ")), list: await texts("#differences li"), said: await page.locator("#look > div").textContent(), marked: [await until(() => page.locator("#text .row.differs").count(), (count) => count > 0), await until(() => page.locator("#rows-beside .row.differs").count(), (count) => count > 0)], other: await until(() => page.locator("#place-beside").textContent(), (text) => text.includes("heap_sort+0xc")) });
await page.screenshot({ path: `${pictures}/compare.png` });
await page.keyboard.press("ArrowDown");
const marked = await until(() => texts("#registers tr.other"), (all) => all.length > 0);
tell("registers of both", { marked, tracks: await texts(".track .name"), levels: await page.locator(".track[data-key='other:0']").count() });
await page.click("[data-look=flame]");
await until(ready, (text) => text?.startsWith("flame"));
await page.focus("#look canvas");
await page.keyboard.press("ArrowDown");
// Of stacks of two runs: one is wider there, one has vanished, one is only there.
const stacks = [[[0, "main", "0x1", 1, 100, 10], [1, "a", "0x2", 1, 60, 60], [1, "b", "0x3", 1, 30, 30]], [[0, "main", "0x1", 1, 120, 20], [1, "a", "0x9", 1, 80, 80], [1, "c", "0x4", 1, 20, 20]]];
tell("flame graph of both", { legend: await texts("#look .legend"), chosen: await texts("#look .chosen-stack"), merged: await page.evaluate(async ([here, there]) => (await import("./flame.js")).merge(here, there), stacks) });
await page.screenshot({ path: `${pictures}/difference.png` });
await page.click("[data-look=profile]");
tell("profile of both", { head: await until(() => texts("#look th"), (all) => all.some((text) => text.startsWith("self there"))) });
await page.selectOption("#beside", "");

await page.selectOption("#trace", "2");
done("tasks", { tracks: await until(() => texts(".track .name"), (all) => all.some((text) => text.startsWith("task_sorts"))), from: await until(place, (text) => text.endsWith("pc main")) });
await page.screenshot({ path: `${pictures}/tasks.png` });

await page.selectOption("#trace", "3");
await until(() => texts(".track .name"), (all) => all.includes("Reset_Handler"));
await page.fill("#lane-filter", ": state");
const chart = await page.locator("#chart").boundingBox();
let jitter = 0;
const told = await until(async () => { // tracks move while the page takes the filter
  const row = await page.locator(".track[data-key^='state:']").nth(1).boundingBox();
  if (!row) return "";
  await page.mouse.move(chart.x + chart.width / 2 + (jitter ^= 1), row.y + row.height / 2);
  return page.locator("#tip").textContent();
}, (text) => text.includes("radio is "));
await page.screenshot({ path: `${pictures}/states.png` });
tell("states", { tracks: await texts(".track .name"), told, stack: (await until(() => texts("#stack li"), (all) => all.some((text) => text.startsWith("task ")))).join("\n") });
await page.fill("#lane-filter", "");
await page.selectOption("#trace", "2");

// At any size nothing is cut off (700: a zoom of 200 %), and on a screen and a telephone axe finds nothing, in either theme.
for (const [width, height] of [[390, 844], [700, 425], [1024, 700], [3840, 2160]]) {
  await page.setViewportSize({ width, height });
  await settled();
  const outside = await page.evaluate(() => [...document.querySelectorAll("header *, .tools *, .head *, footer")].filter((part) => part.offsetParent && !part.closest("select") && (part.getBoundingClientRect().right > innerWidth + 1 || part.getBoundingClientRect().left < -1)).map(({ id, tagName }) => id || tagName));
  const small = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((part) => part.offsetParent && parseFloat(getComputedStyle(part).fontSize) < 11.9).map(({ id, tagName }) => id || tagName));
  tell(`${width} wide`, { outside, small, scroll: await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) });
  await page.screenshot({ path: `${pictures}/wide-${width}.png` });
}
const found = [];
for (const [colorScheme, width, height] of axe ? [["light", 1400, 850], ["dark", 1400, 850], ["light", 390, 844], ["dark", 390, 844]] : []) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await settled();
  await page.evaluate(fs.readFileSync(axe, "utf8"));
  for (const name of ["", "p", "v"]) {
    await quiet();
    if (name) await page.keyboard.press(name);
    await settled();
    for (const { id, nodes } of (await page.evaluate(() => axe.run())).violations) found.push([colorScheme, width, name, id, nodes.map(({ target }) => target).slice(0, 3)]);
  }
}
tell("axe", { found, isRun: Boolean(axe) });
tell("faults", { faults });
await browser.close();
