// What lasts: sizes and open panes over a reload, on paper, more contrast where the system asks for it, a server that is lost and found again, a link in
// another browser, which does not know the secret: ADDRESS PICTURES PLAYWRIGHT BROWSER. Prints what each showed, as a line of JSON each.
import { address, browser, faults, page, pictures, tell, texts, until } from "./page_driver.mjs";

const place = (of = page) => of.locator("#place").textContent();
const open = async (url, of = page) => {
  await of.goto(url);
  await of.waitForSelector(".row");
};
await open(address);
await until(() => texts("#registers tr"), (all) => all.length > 3);

// Sizes, by the arrow keys of the lines between panes.
const sizes = () => page.evaluate(() => [document.getElementById("timeline").getBoundingClientRect().height, document.getElementById("panes").getBoundingClientRect().width].map(Math.round));
const first = await sizes();
for (const [line, key] of [["#timeline-split", "ArrowDown"], ["#panes-split", "ArrowLeft"]]) {
  await page.focus(line);
  for (let i = 0; i < 3; i++) await page.keyboard.press(key);
}
const before = await sizes();
const panes = () => page.locator("#panes details").evaluateAll((all) => all.map((one) => one.open));
const openFirst = await panes();
await page.locator("[data-kind=words] summary").click({ position: { x: 60, y: 8 } });
const openBefore = await until(panes, (all) => String(all) !== String(openFirst));
await page.reload();
await page.waitForSelector(".row");
await until(() => texts("#registers tr"), (all) => all.length > 3);
tell("sizes", { first, before, after: await sizes() });
tell("open", { first: openFirst, before: openBefore, after: await panes() });

// Paper is light, whatever the screen is; nothing covers anything, and columns have names.
await page.emulateMedia({ colorScheme: "dark" });
await page.evaluate(() => document.activeElement?.blur());
await page.keyboard.press("p");
await until(() => texts("#look th"), (all) => all.length > 4);
const ink = () => page.locator("#overview").evaluate((canvas) => [...canvas.getContext("2d").getImageData(40, 12, 1, 1).data].slice(0, 3));
const screen = await ink();
await page.setViewportSize({ width: 794, height: 1123 });
await page.emulateMedia({ colorScheme: "dark", media: "print" });
tell("paper", {
  screen, ink: await until(ink, (color) => String(color) !== String(screen)),
  columns: await page.locator("#look th button").evaluateAll((all) => all.filter((one) => one.checkVisibility()).map(({ textContent }) => textContent)),
  covered: await page.evaluate(() => {
    const parts = ["timeline", "rows", "source-side", "panes", "selection"].map((id) => document.getElementById(id).getBoundingClientRect());
    const rows = [...document.querySelectorAll("#text .row")].at(-1).getBoundingClientRect();
    return parts.slice(1).some(({ top }, i) => top < parts[i].bottom - 1) || rows.bottom > parts[2].top + 1;
  }),
});
await page.emulateMedia({ colorScheme: null, media: null });
await page.setViewportSize({ width: 1400, height: 850 });
await page.keyboard.press("Escape");

// The contrast of the least of the texts.
const contrast = () => page.evaluate(() => {
  const weak = document.querySelector(".weak") ?? document.body;
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [one, other] = [getComputedStyle(weak).color, getComputedStyle(document.body).backgroundColor].map(light).sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
});
const usual = await contrast();
await page.emulateMedia({ contrast: "more" });
await page.waitForTimeout(200);
tell("contrast", { usual, more: await contrast() });
await page.screenshot({ path: `${pictures}/contrast.png` });
await page.emulateMedia({ contrast: null });

// A server that cannot be reached for a while.
await page.keyboard.press("g");
await page.keyboard.type("heap_sort");
await page.keyboard.press("Enter");
const there = await until(() => place(), (text) => text.endsWith("pc heap_sort"));
await page.context().setOffline(true);
await page.keyboard.press("v");
await page.keyboard.type("x2");
await page.keyboard.press("Enter");
await page.waitForSelector("#lost:not([hidden])");
const said = await page.locator("#lost").textContent();
await page.screenshot({ path: `${pictures}/lost.png` });
await page.context().setOffline(false);
await until(() => page.locator("#lost").isVisible(), (is) => !is);
tell("lost", { said, before: there, after: await until(() => place(), (text) => text === there), still: await page.locator("#lost").isVisible() });

// The link of this place, in another browser.
const link = page.url(), [secret] = /[0-9a-f]{32}/.exec(address);
const other = await (await browser.newContext({ viewport: { width: 1400, height: 850 } })).newPage();
other.on("pageerror", (error) => faults.push(String(error)));
await other.goto(link);
await other.waitForSelector("#secret");
const form = await other.locator("#enter").isVisible(), rows = await other.locator(".row").count();
await other.screenshot({ path: `${pictures}/enter.png` });
await other.fill("#secret", secret);
await other.keyboard.press("Enter");
await other.waitForSelector(".row");
tell("another browser", { link, form, rows, wanted: there, place: await until(() => place(other), (text) => text === there) });
tell("faults", { faults });
await browser.close();
