// Drives the page with traces of other kinds and with several lanes: ADDRESS PICTURES PLAYWRIGHT BROWSER. Prints
// what each step showed, as a line of JSON each.
import { address, browser, faults, page, pictures, settled, tell, texts as text, until } from "./page_driver.mjs";

const lanes = () => page.locator(".track[data-lane]").evaluateAll((all) => all.map((one) => ({ lane: Number(one.dataset.lane), bars: Number(one.dataset.bars ?? 0), top: parseFloat(one.style.top), name: one.querySelector(".name").textContent, isOpen: one.querySelector(".name").getAttribute("aria-expanded") === "true" })));
const bars = async () => (await lanes()).filter(({ top }) => top < 100).map(({ bars }) => bars);
const names = async () => (await lanes()).map(({ name }) => name);
const place = () => page.locator("#place").getAttribute("data-at");

// A log of several threads, each a lane.
await page.goto(address);
await page.waitForSelector(".row");
tell("threads", { bars: await until(bars, (all) => all.length > 1 && all.every((count) => count > 0)), names: await names(), rows: (await text(".row")).slice(0, 3), ruler: await page.locator("#ruler").getAttribute("data-labels") });
await page.screenshot({ path: `${pictures}/threads.png` });
await page.locator(".track[data-lane] .name").first().click();
tell("folded", { lanes: await until(lanes, ([first]) => first && !first.isOpen), url: page.url() });
await page.reload();
await page.waitForSelector(".row");
tell("kept", { lanes: await until(lanes, (all) => all.length > 1) });
// The outermost call of a thread; and a thread that is chosen.
const chart = page.locator("#chart");
const spot = async (lane, share) => {
  const { top } = (await lanes()).find((one) => one.lane === lane), box = await chart.boundingBox();
  await page.locator("#tracks").evaluate((tracks, top) => (tracks.scrollTop = top), top);
  const scrolled = await page.locator("#tracks").evaluate((tracks) => tracks.scrollTop);
  return { x: box.x + share * box.width, y: box.y + top - scrolled + 6 };
};
const where = () => page.evaluate(async () => {
  const at = document.getElementById("place").dataset.at;
  return { at, lane: (await (await fetch(`/api/v1/step?at=${at}&how=stay`)).json()).lane };
});
const wanted = (await lanes())[1].lane;
const began = await place();
for (let share = 0.01; share < 1 && (await place()) === began; share += 0.02) {
  const { x, y } = await spot(wanted, share);
  await page.mouse.click(x, y);
  await page.waitForTimeout(60);
}
tell("outermost", { wanted, ...(await where()) });
await page.selectOption("#lane", "4");
tell("chosen", { ...(await until(where, ({ lane }) => lane === 3)), rows: (await text(".row")).slice(0, 3), frames: await until(() => text("#stack li"), (all) => all.length > 0), option: (await text("#lane option"))[0] });
await page.keyboard.press("ArrowDown");
await settled();
tell("stepped", await where());
await page.selectOption("#lane", "");
await page.locator("#tracks").evaluate((tracks) => (tracks.scrollTop = 0));
await until(bars, (all) => all.length > 0 && all.every((count) => count > 0));
const extent = () => chart.evaluate(({ dataset }) => [Number(dataset.from), Number(dataset.to)]);
await page.keyboard.press("w");
const zoomed = await until(extent, ([from, to]) => to > from);
await page.keyboard.press("d");
const moved = await until(extent, ([from]) => from > zoomed[0]);
tell("zoomed", { zoomed, moved, bars: await until(bars, (all) => all.some((count) => count > 0)) });

// Cores.
await page.selectOption("#trace", "1");
tell("cores", { bars: await until(async () => (await lanes()).map(({ bars }) => bars), (all) => all.length === 2 && all.every((count) => count > 0)), names: await names(), rows: (await text(".row")).slice(0, 3) });
await page.screenshot({ path: `${pictures}/cores.png` });

// A trace file of GDB.
await page.selectOption("#trace", "2");
await until(lanes, (all) => all.length === 0);
tell("frames", { lanes: await lanes(), rows: await until(() => text(".row"), (all) => all.length > 0), registers: await until(() => text("#registers tr"), (all) => all.length > 3), tracks: await until(() => text(".track .name"), (all) => all.length >= 4) });
await page.screenshot({ path: `${pictures}/frames.png` });

// A log with arguments.
await page.selectOption("#trace", "3");
await page.waitForFunction(() => document.title.includes("arguments"));
await page.evaluate(() => document.activeElement?.blur());
await until(() => text("#stack li"), (all) => all.length > 0);
for (let i = 0; i < 12 && !(await text("#stack li")).some((frame) => frame.includes("(0x")); i++) {
  await page.keyboard.press("ArrowDown");
  await settled();
}
tell("arguments", { frames: await text("#stack li"), place: await page.locator("#place").textContent(), unit: await page.locator("#ruler-name").textContent() });
await page.screenshot({ path: `${pictures}/arguments.png` });
tell("faults", { faults, message: await page.locator("#message").textContent() });
await browser.close();
