// Drives the page with traces of other kinds and of several lanes: ADDRESS PICTURES PLAYWRIGHT BROWSER. Says
// what each step showed, a line of JSON each.
import { createRequire } from "node:module";

const [address, pictures, playwright, browserPath] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1400, height: 850 } })).newPage();
const faults = [];
page.on("pageerror", (error) => faults.push(String(error)));

const tell = (step, what) => console.log(JSON.stringify({ step, ...what }));
const text = (selector) => page.locator(selector).allTextContents();
async function until(what, test) {
  for (let i = 0; i < 300; i++) {
    const shown = await what();
    if (test(shown)) return shown;
    await page.waitForTimeout(50);
  }
  return what();
}
const bars = () => page.locator(".lane canvas:not([hidden])").evaluateAll((all) => all.map((canvas) => Number(canvas.dataset.bars ?? 0)));
const place = () => page.locator("#place").getAttribute("data-at");

// A log of several threads, a lane each.
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
