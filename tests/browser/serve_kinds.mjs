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
const before = await place();
const canvas = page.locator(".lane canvas:not([hidden])").nth(3);
await canvas.scrollIntoViewIfNeeded();
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
