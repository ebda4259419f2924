// Drives the page with traces of other kinds and with several lanes: ADDRESS PICTURES PLAYWRIGHT BROWSER. Prints
// what each step showed, as a line of JSON each.
import { address, browser, faults, page, pictures, tell, texts as text, until } from "./page_driver.mjs";

const bars = () => page.locator(".lane canvas:not([hidden])").evaluateAll((all) => all.map((canvas) => Number(canvas.dataset.bars ?? 0)));
const place = () => page.locator("#place").getAttribute("data-at");

// A log of several threads, each a lane.
await page.goto(address);
await page.waitForSelector(".row");
tell("threads", { bars: await until(bars, (all) => all.length > 1 && all.every((count) => count > 0)), names: await text(".lane .link"), rows: (await text(".row")).slice(0, 3) });
await page.screenshot({ path: `${pictures}/threads.png` });
await page.locator(".lane .link").first().click();
tell("folded", { open: (await bars()).length, lanes: (await text(".lane .link")).length, url: page.url() });
await page.reload();
await page.waitForSelector(".row");
tell("kept", { open: (await until(bars, (all) => all.length > 0 && all.every((count) => count > 0))).length });
// The outermost call of a thread; and a thread that is chosen.
const outermost = page.locator(".lane canvas:not([hidden])").nth(1);
await outermost.evaluate((canvas) => canvas.scrollIntoView());
const outline = await outermost.boundingBox();
const where = () => page.evaluate(async () => {
  const at = document.getElementById("place").dataset.at;
  return { at, lane: (await (await fetch(`/api/v1/step?at=${at}&how=stay`)).json()).lane };
});
const wanted = Number(await page.locator(".lane").filter({ has: page.locator("canvas:not([hidden])") }).nth(1).getAttribute("data-lane"));
const began = await place();
for (let x = 1; x < outline.width && (await place()) === began; x += outline.width / 40) {
  await page.mouse.click(outline.x + x, outline.y + 4);
  await page.waitForTimeout(100);
}
tell("outermost", { wanted, ...(await where()) });
await page.selectOption("#lane", "4");
tell("chosen", { ...(await until(where, ({ lane }) => lane === 3)), rows: (await text(".row")).slice(0, 3), frames: await until(() => text("#stack li"), (all) => all.length > 0), option: (await text("#lane option"))[0] });
await page.keyboard.press("ArrowDown");
await page.waitForTimeout(200);
tell("stepped", await where());
await page.selectOption("#lane", "");
await until(bars, (all) => all.length > 0 && all.every((count) => count > 0));
const before = await place();
const canvas = page.locator(".lane canvas:not([hidden])").nth(3);
await canvas.evaluate((canvas) => canvas.scrollIntoView());
const box = await canvas.boundingBox();
await page.mouse.click(box.x + 0.5 * box.width, box.y + 5);
await until(place, (at) => at !== before);
tell("click", { before, after: await place() });
await canvas.hover();
await page.mouse.wheel(0, -400);
tell("zoomed", { bars: await until(bars, (all) => all.every((count) => count > 0)) });

// Cores.
await page.selectOption("#trace", "1");
tell("cores", { bars: await until(bars, (all) => all.length === 2 && all.every((count) => count > 0)), names: await text(".lane .link"), rows: (await text(".row")).slice(0, 3) });
await page.screenshot({ path: `${pictures}/cores.png` });

// A trace file of GDB.
await page.selectOption("#trace", "2");
await until(() => page.locator("#lanes").isHidden(), (hidden) => hidden);
tell("frames", { isHidden: await page.locator("#lanes").isHidden(), rows: await until(() => text(".row"), (all) => all.length > 0), registers: await until(() => text("#registers tr"), (all) => all.length > 3) });
await page.screenshot({ path: `${pictures}/frames.png` });
tell("faults", { faults, message: await page.locator("#message").textContent() });
await browser.close();
