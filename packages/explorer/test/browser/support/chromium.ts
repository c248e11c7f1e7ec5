import { existsSync } from "node:fs";
import { getuid } from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** True if there is a browser to test with. `CHROMIUM=required` fails where there is none. */
export function hasChromium(): boolean {
  if (existsSync(executablePath)) return true;
  if (process.env["CHROMIUM"] === "required")
    throw new Error(`there is no ${executablePath}: apt-get install chromium`);
  console.warn(`Left out: the tests of the page in a browser, because there is no ${executablePath}.`);
  return false;
}

export function launch(): Promise<Browser> {
  // Chromium has no sandbox for root.
  const args = getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** What a page may not do: log an error, throw, or ask another server. */
export function watchFaults(page: Page, origin: string): readonly string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "data:") faults.push(`request of ${url.href}`);
    if (url.href.includes("cadastre_")) faults.push(`a key is in the address ${url.href}`);
  });
  return faults;
}

/** Puts the keys of a demo into the tab before the page is loaded, as a visitor who keeps them has them. */
export async function keepKeys(page: Page, keys: ReadonlyMap<string, string>): Promise<void> {
  const kept = JSON.stringify([...keys].map(([name, apiKey]) => ({ name, apiKey, summary: name })));
  await page.addInitScript((text) => sessionStorage.setItem("cadastre.keys", text), kept);
}
