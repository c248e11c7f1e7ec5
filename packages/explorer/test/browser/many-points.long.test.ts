import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, keepKeys, launch, watchFaults } from "./support/chromium.ts";
import { type DemoService, startDemo } from "./support/demo-service.ts";

/** Points that a map draws one by one, see `listing-points.ts`, which runs in a page only. */
const mostPoints = 20_000;

describe.skipIf(!hasChromium())("a map of more listings than it draws one by one", () => {
  let demo: DemoService;
  let browser: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(mostPoints + 2000), launch()]);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  test("shows counts by cell, and points once a filter leaves few", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
    const faults = watchFaults(page, demo.origin);
    await keepKeys(page, demo.keys);
    const grid = page.waitForResponse((response) => response.url().includes("/v1/map-grid?"));
    await page.goto(`${demo.origin}/#/Property?view=map`);
    const { data } = (await (await grid).json()) as {
      readonly data: { readonly cells: readonly { readonly count: number }[] };
    };
    expect(data.cells.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(10_000);
    await page.locator(".map-legend").getByText("counted in cells").waitFor();
    expect(await page.locator(".map-canvas").getAttribute("data-points")).toBe("0");
    await page.goto(`${demo.origin}/#/Property?$filter=City%20eq%20'Austin'&view=map`);
    await page.locator('.map-canvas[aria-busy=false]:not([data-points="0"])').waitFor();
    expect(await page.locator(".map-legend").getByText("counted in cells").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  }, 120_000);
});
