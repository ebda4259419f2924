// Shared by the scripts that drive pages in Chromium, with playwright-core: ADDRESS PICTURES PLAYWRIGHT BROWSER on the command line.
import { createRequire } from "node:module";

export const [address, pictures] = process.argv.slice(2);
const [playwright, browserPath] = process.argv.slice(4);
const { chromium } = createRequire(import.meta.url)(playwright);
export const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
export const page = await (await browser.newContext({ viewport: { width: 1400, height: 850 } })).newPage();
export const faults = [];
page.on("pageerror", (error) => faults.push(String(error)));

// Waits until the page has the answers to all its requests, and has sent none for a while.
let open = 0;
page.on("request", () => open++);
for (const end of ["requestfinished", "requestfailed"]) page.on(end, () => open--);
export async function settled() {
  for (let i = 0, still = 0; i < 300 && still < 4; i++) {
    await page.waitForTimeout(50);
    still = open ? 0 : still + 1;
  }
}

// Prints what a step showed, as a line of JSON.
export const tell = (step, what) => console.log(JSON.stringify({ step, ...what }));
export const texts = (selector) => page.locator(selector).allTextContents();

// Waits until the page shows what it should; returns what it shows last.
export async function until(what, test) {
  for (let i = 0; i < 300; i++) {
    const shown = await what();
    if (test(shown)) return shown;
    await page.waitForTimeout(50);
  }
  return what();
}
