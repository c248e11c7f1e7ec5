import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, keepKeys, launch } from "./support/chromium.ts";
import { type DemoService, startDemo } from "./support/demo-service.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** Bytes of a file of the page as gzip gives them: the service sends brotli, which is smaller still. */
function sizeOf(path: string): number {
  const file = `${dist}${path === "/" ? "/index.html" : path}`;
  try {
    return statSync(`${file}.gz`).size;
  } catch {
    return statSync(file).size;
  }
}

describe.skipIf(!hasChromium())("the size of the page", () => {
  let demo: DemoService;
  let browser: Browser;
  let page: Page;
  const files = new Set<string>();
  const total = () => [...files].reduce((sum, path) => sum + sizeOf(path), 0);

  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(600), launch()]);
    page = await browser.newPage();
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === "/" || pathname.startsWith("/assets/")) files.add(pathname);
    });
    await keepKeys(page, demo.keys);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  test("with the map is 120 kB at most, and 260 kB more with the editor", async () => {
    await page.goto(demo.origin);
    await page.locator(".map-canvas[aria-busy=false]").waitFor();
    const first = total();
    console.info(`the page with its map: ${first} bytes`);
    expect(first).toBeGreaterThan(50_000);
    expect(first).toBeLessThanOrEqual(120_000);

    await page.getByRole("textbox", { name: "Filter" }).click();
    await page.locator(".filter-editor .cm-content").waitFor();
    await page.keyboard.type("City eq ");
    await page.locator(".filter-editor").getByRole("option").first().waitFor();
    console.info(`the editor: ${total() - first} bytes more`);
    expect(total() - first).toBeLessThanOrEqual(260_000);
  });
});
