// Drives the served page in Chromium, with playwright-core: ADDRESS PICTURES PLAYWRIGHT.
// Prints what each step showed, as a line of JSON each.
import { address, browser, faults, page, pictures, tell, texts, until } from "./page_driver.mjs";

page.on("console", (message) => message.type() === "error" && !/Failed to load resource/.test(message.text()) && faults.push(message.text()));

const place = () => page.locator("#place").textContent();
const rows = () => texts(".row");

await page.goto(address);
await page.waitForSelector(".row"); // rows come first, the title and the chart after them
const title = await until(() => page.title(), (text) => text !== "trawl");
const bars = await until(() => page.locator("#chart").getAttribute("data-bars"), (count) => Number(count) > 0);
tell("open", { title, url: page.url(), place: await place(), rows: await rows(), bars, ruler: await page.locator("#ruler").getAttribute("data-labels") });
await page.keyboard.press("Home");
await until(place, (text) => text.startsWith("line 1 "));

for (let i = 0; i < 3; i++) {
  const before = await place();
  await page.keyboard.press("ArrowDown");
  await until(place, (text) => text !== before);
}
tell("down", { at: await page.locator("#place").getAttribute("data-at") });

await page.fill("#where", "heap_sort");
await page.keyboard.press("Enter");
tell("go", { place: await until(place, (text) => text.includes("heap_sort")), chosen: await until(() => page.locator(".row.chosen").allTextContents(), (all) => all.some((row) => row.includes("BL"))) });
await page.locator("#where").blur();
await page.screenshot({ path: `${pictures}/light.png` });
const link = page.url();

await page.keyboard.press("i");
tell("into", { place: await until(place, (text) => text.includes("heap_sort+0x4")) });
tell("stack", { frames: await page.locator("#stack li").allTextContents() });

await page.locator("#registers .link", { hasText: "x30" }).first().click();
tell("writes", { writes: await until(() => page.locator("#writes li").allTextContents(), (all) => all.length > 1) });

// The value's chain: a step leads to its place, and Back returns, with the same chain.
await page.locator("#registers tr[data-of=x30] td.value .link").first().click();
const chain = await until(() => page.locator("#origin li").allTextContents(), (all) => all.length > 0 && all[0] !== "...");
const asked = await place();
await page.locator("#origin li .link").last().click();
const there = await until(place, (text) => text !== asked);
const highlighted = await until(() => page.locator("#origin li.chosen").count(), (count) => count === 1);
await page.screenshot({ path: `${pictures}/origin.png` });
await page.goBack();
await page.mouse.move(5, 5);
tell("origin", { chain, asked, there, highlighted, back: await until(place, (text) => text === asked), after: await page.locator("#origin li").allTextContents() });

tell("track", { values: await until(() => page.locator("#chart").getAttribute("data-values"), (text) => Number(text) === 1), name: await page.locator(".track[data-key='value:x30']").textContent() });

// Values under the mouse, and pinned panes.
const words = page.locator("#text .disassembly", { hasText: "x29,x30" }).first(), tip = page.locator("#tip");
const hovered = async () => { // rows may still be replaced
  const box = await words.boundingBox();
  if (box) await page.mouse.move(box.x + 75, box.y + 8);
  return tip.textContent();
};
tell("hover", { text: await until(hovered, (text) => text.includes("next write")) });
await page.mouse.move(5, 5);
await page.locator("[data-kind=registers] .pane-acts button", { hasText: "pin" }).first().click();
const pinned = page.locator(".pane", { hasText: "after event" });
const held = await until(() => pinned.locator("tr", { hasText: "x29" }).first().textContent(), (text) => text);
await page.locator("[data-kind=words] summary").first().click({ position: { x: 5, y: 5 } });
tell("words", { text: await until(() => page.locator("#words").textContent(), (text) => text.includes("_start")) });
await page.keyboard.press("i");
await page.keyboard.press("i");
await until(() => page.locator("#registers").textContent(), (text) => text.includes("807"));
await page.reload();
await page.waitForSelector(".row.chosen");
tell("pin", { before: held, after: await until(() => pinned.locator("tr", { hasText: "x29" }).first().textContent(), (text) => text), url: page.url() });
await pinned.locator(".pane-acts button").click();
tell("unpin", { panes: await until(() => page.locator(".pane").count(), (count) => count === 7) });

await page.keyboard.press("{");
tell("fold", { rows: await until(rows, (all) => all.some((row) => row.includes("+ main"))) });
await page.keyboard.press("}");
await until(rows, (all) => !all.some((row) => row.includes("+ main")));

await page.keyboard.press("/");
await page.keyboard.type("STP ");
await page.keyboard.press("Enter");
tell("search", { hits: await until(() => page.locator("#hits").textContent(), (text) => /^\d+ found$/.test(text)), chosen: await until(() => page.locator(".row.chosen").allTextContents(), (all) => all.some((row) => row.includes("STP"))) });
tell("marked", { hits: await until(() => page.locator("#chart").getAttribute("data-hits"), (text) => Number(text) > 0) });
await page.locator("#what").blur();

await page.keyboard.press("End");
tell("end", { rows: await until(rows, (all) => all.at(-1).length > 0 && all.some((row) => /^1812 clk|  1812/.test(row))) });

await page.goto("about:blank");
await page.goto(link);
await page.waitForSelector(".row.chosen");
tell("link", { place: await until(place, (text) => text.includes("heap_sort")) });
await page.goBack();
await page.goForward();

// A note, which is never interpreted as markup.
await until(place, (text) => text.includes("heap_sort"));
await page.waitForLoadState("networkidle");
await page.keyboard.press("m");
await page.waitForSelector("#note-dialog[open]");
await page.keyboard.type("<img src=x> here");
await page.keyboard.press("Enter");
const noted = await until(() => page.locator(".row .note").allTextContents(), (all) => all.length === 1);
await page.click("[data-look=notes]");
tell("note", { row: noted, list: await page.locator("#notes").textContent(), images: await page.locator("main img").count(), marks: await until(() => page.locator("#chart").getAttribute("data-notes"), (text) => text === "1"), exceptions: await page.locator("#chart").getAttribute("data-exceptions") });
await page.locator("#notes .link", { hasText: "remove" }).click();
tell("unnoted", { count: await until(() => page.locator("#notes li").count(), (count) => count === 0) });

// A stretch selected in the chart, and what was called in it.
async function drag(from, to) {
  const box = await page.locator("#chart").boundingBox();
  await page.mouse.move(box.x + from * box.width, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + ((from + to) / 2) * box.width, box.y + 60);
  await page.mouse.move(box.x + to * box.width, box.y + 60);
  await page.mouse.up();
}
tell("counts", { counted: await until(() => page.locator("#source").getAttribute("data-counted"), (count) => Number(count) > 0), here: await page.locator("#source .here").allTextContents(), place: await page.locator("#source-place").textContent() });
const ready = () => page.locator("#selection").getAttribute("data-ready");
await drag(0.2, 0.6);
await until(ready, (text) => text?.startsWith("profile"));
tell("profile", { range: await page.locator("#range").textContent(), rows: await page.locator("#look tr").allTextContents() });
await page.fill("#filter", "sort");
tell("filter", { rows: await page.locator("#look tr").allTextContents() });
await page.fill("#filter", "");
await page.locator("#look .link", { hasText: "quick_sort" }).first().click();
await until(ready, (text) => text?.startsWith("function"));
tell("around", { text: await page.locator("#look").textContent() });
await page.locator("#look .link", { hasText: "previous call" }).click();
tell("call", { place: await until(place, (text) => text.includes("pc quick_sort ") || text.endsWith("pc quick_sort")) });
await page.click("[data-look=flame]");
await until(ready, (text) => text?.startsWith("flame"));
tell("flame", { frames: await until(() => page.locator("#look canvas").getAttribute("data-frames"), (text) => Number(text) > 5) });
await page.screenshot({ path: `${pictures}/flame.png` });
await page.locator("#look canvas").dblclick({ position: { x: 700, y: 2 * 18 + 8 } });
tell("zoom", { url: await until(() => page.url(), (url) => url.includes("under=")), info: await page.locator(".chosen-stack").textContent() });
await page.click("[data-look=tree]");
await until(ready, (text) => text?.startsWith("tree"));
tell("tree", { rows: await page.locator("#look .node").allTextContents() });
await page.goBack();
await until(ready, (text) => text?.startsWith("flame"));
tell("back", { look: await ready() });
await page.locator("#text").click({ position: { x: 300, y: 5 } });
await page.keyboard.press("Escape");
tell("closed", { is_hidden: await until(() => page.locator("#selection").isHidden(), (hidden) => hidden) });

// A second trace next to the first, which scrolls together with it.
const beside = () => page.locator("#rows-beside .row").allTextContents();
await page.selectOption("#beside", "1");
const [first, same] = await until(async () => [await beside(), (await rows())[3]], ([all, row]) => all.length > 5 && all.includes(row));
await page.locator("#rows-beside .row").nth(2).click();
await until(() => page.url(), (url) => url.includes("beside=1"));
const shift = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("shift"));
await until(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("shift")), (text) => text);
const shifted = await shift();
await page.keyboard.press("PageDown");
const moved = await until(beside, (all) => all[0] !== first[0]);
const rowOf = (id) => page.locator(id).getAttribute("data-row").then(Number);
const apart = await until(async () => (await rowOf("#rows-beside")) - (await rowOf("#rows")), (number) => number !== 0 && String(number) === shifted);
tell("beside", { first, same, shifted, apart, moved: moved[0], at: await page.locator("#place-beside").textContent() });
await page.screenshot({ path: `${pictures}/beside.png` });
await page.selectOption("#beside", "");
tell("alone", { is_hidden: await until(() => page.locator("#rows-beside").isHidden(), (hidden) => hidden) });

await page.emulateMedia({ colorScheme: "dark" });
tell("dark", { back: await page.evaluate(() => getComputedStyle(document.body).backgroundColor) });
await page.screenshot({ path: `${pictures}/dark.png` });
await page.keyboard.press("F1");
tell("help", { keys: await page.locator("#keys dt").count() });
tell("faults", { faults, scripts: await page.evaluate(() => document.querySelectorAll("#text script, #text img").length) });
await browser.close();
