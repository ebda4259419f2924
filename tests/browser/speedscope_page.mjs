// Opens a profile in speedscope's own page: ADDRESS PICTURES PLAYWRIGHT BROWSER. Prints the table of its sandwich view.
import { address, browser, faults, page, tell, texts, until } from "./page_driver.mjs";

page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
await page.goto(address);
await until(() => page.title(), (title) => title.includes(" - speedscope"));
await page.keyboard.press("3"); // sandwich
const rows = await until(() => texts("table tr"), (all) => all.length > 2);
tell("open", { title: await page.title(), rows: await page.locator("table tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))), count: rows.length, faults });
await browser.close();
