import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, keepKeys, launch, watchFaults } from "./support/chromium.ts";
import { type DemoService, startDemo } from "./support/demo-service.ts";

/** Clicks that any of the tasks may take. */
const mostClicks = 6;

describe.skipIf(!hasChromium())("a newcomer", () => {
  let demo: DemoService;
  let browser: Browser;
  let page: Page;
  let faults: readonly string[];
  let clicks = 0;

  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const rows = () => page.locator(".grid-row");
  const map = () => page.locator(".map-canvas");
  const countText = () => page.locator(".status-line .count strong").first().textContent();
  const count = async () => Number((await countText())?.replaceAll(",", "") ?? Number.NaN);
  /** Waits until the table shows the answer of a filter, and returns its count. */
  const countOf = async (filter: RegExp | string) => {
    await page.waitForFunction(
      (text) => decodeURIComponent(location.hash).includes(text),
      filter instanceof RegExp ? filter.source : filter,
    );
    await page.locator(".status-line[aria-busy=false]").waitFor();
    return count();
  };
  const cells = (column: number) => page.locator(`.grid-row [aria-colindex="${column}"]`).allTextContents();

  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(2000), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });
  beforeEach(async () => {
    clicks = 0;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    faults = watchFaults(page, demo.origin);
    await keepKeys(page, demo.keys);
  });
  afterEach(async () => {
    expect(faults).toEqual([]);
    expect(clicks).toBeLessThanOrEqual(mostClicks);
    await page.context().close();
  });

  const open = async (fragment: string) => {
    await page.goto(`${demo.origin}/${fragment}`);
    await rows().first().waitFor();
  };

  test("signs in with the address that the start prints, once", async () => {
    const context = await browser.newContext();
    const fresh = await context.newPage();
    const itsFaults = watchFaults(fresh, demo.origin);
    await fresh.goto(demo.signInAddress);
    await fresh.locator(".grid-row").first().waitFor();
    expect(fresh.url()).not.toContain("sign-in");
    expect(await fresh.locator(".key-first select").inputValue()).toBe("national");
    expect(await fresh.evaluate(() => localStorage.length)).toBe(0);
    await fresh.locator(".map-canvas[aria-busy=false]").waitFor();
    expect(Number(await fresh.locator(".map-canvas").getAttribute("data-points"))).toBeGreaterThan(1500);
    expect(itsFaults).toEqual([]);
    await context.close();

    const late = await (await browser.newContext()).newPage();
    await late.goto(demo.signInAddress);
    await late.getByRole("alert").filter({ hasText: "sign-in failed" }).waitFor();
    await late.context().close();
  });

  test("narrows to a value by one click", async () => {
    await open("");
    const value = page.locator(".facet button").filter({ hasText: /^Active\s*\d/ });
    const shown = await value.locator(".facet-count").textContent();
    await click(value);
    expect(await countOf("StandardStatus eq 'Active'")).toBe(Number(shown));
  });

  test("writes a filter with the help of lists", async () => {
    await open("");
    await click(page.getByRole("textbox", { name: "Filter" }));
    await page.locator(".filter-editor .cm-content").waitFor();
    await page.keyboard.type("StandardStatus eq 'Pe");
    await click(page.getByRole("option", { name: "Pending" }));
    await page.keyboard.press("Enter");
    const found = await countOf("StandardStatus eq 'Pending'");
    expect(found).toBeGreaterThan(10);
    expect(new Set(await cells(2))).toEqual(new Set(["Pending="]));
  });

  test("mends a misspelled name by what the page suggests", async () => {
    await open("");
    await click(page.getByRole("textbox", { name: "Filter" }));
    await page.locator(".filter-editor .cm-content").waitFor();
    await page.keyboard.type("ListPrise gt 900000");
    await page.locator(".fault").getByText("unknown property").waitFor();
    await click(button("Use ListPrice"));
    expect(await countOf("ListPrice gt 900000")).toBeGreaterThan(10);
  });

  test("is told by the service what is wrong, without the editor", async () => {
    await page.goto(`${demo.origin}/#/Property?$filter=City%20eq%20Austin`);
    await page.locator(".fault").getByText("unknown property").waitFor();
    expect(await page.locator(".fault mark").textContent()).toBe("Austin");
    // The browser logs that the answer is a refusal.
    expect(faults.every((fault) => fault.includes("400"))).toBe(true);
    faults = [];
  });

  test("finds the dearest listing", async () => {
    await open("");
    await click(page.getByRole("columnheader", { name: "List Price" }).getByRole("button"));
    await countOf("$orderby=ListPrice");
    await click(page.getByRole("columnheader", { name: "List Price" }).getByRole("button"));
    await countOf("$orderby=ListPrice desc");
    await page.locator('[aria-sort="descending"]').waitFor();
    const prices = (await cells(3)).map((text) => Number(text.replaceAll(/[^\d]/g, ""))).filter(Number);
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
    expect(prices[0]).toBeGreaterThan(1_000_000);
  });

  test("adds a column", async () => {
    await open("#/Property?view=table");
    await click(button(/^Columns/));
    await page.getByRole("searchbox", { name: "Find a field" }).fill("year built");
    await click(page.getByRole("checkbox", { name: "Year Built", exact: true }));
    await click(button("Done"));
    await page.getByRole("columnheader", { name: "Year Built" }).waitFor();
    expect(page.url()).toContain("YearBuilt");
  });

  test("opens a record, and another listing of its property", async () => {
    await open("#/Property?$filter=Placekey%20ne%20null");
    await click(rows().first());
    const record = page.getByRole("complementary", { name: "Record" });
    await record.getByRole("heading", { level: 2 }).waitFor();
    await record.getByRole("heading", { name: "This property" }).waitFor();
    await record.getByText("Agent", { exact: true }).waitFor();
    const before = page.url();
    const other = record.locator(".history button:enabled").first();
    if ((await other.count()) > 0) {
      await click(other);
      expect(page.url()).not.toBe(before);
    }
    await page.keyboard.press("Tab");
    await click(button("Close the record"));
    expect(page.url()).not.toContain("record=");
  });

  test("draws a polygon on the map", async () => {
    await open("#/Property?view=table");
    const all = await count();
    await click(page.getByRole("button", { name: "Map", exact: true }));
    await page.locator(".map-canvas[aria-busy=false]").waitFor();
    await click(button("Draw a polygon"));
    const box = await map().boundingBox();
    if (box === null) throw new Error("the map is not there");
    const corners = [
      [0.1, 0.2],
      [0.5, 0.15],
      [0.3, 0.95],
    ] as const;
    for (const [x, y] of corners) {
      clicks += 1;
      await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    }
    await page.keyboard.press("Enter");
    const inside = await countOf("geo.intersects(Coordinates,");
    expect(inside).toBeGreaterThan(0);
    expect(inside).toBeLessThan(all);
    await page.locator(".terms").getByText("Coordinates is inside the area").waitFor();
  });

  test("leaves nothing in the browser's cache that a key shows", async () => {
    const asked = page.waitForRequest((request) => "x-api-key" in request.headers());
    await open("#/Property?view=table");
    expect(await (await asked).allHeaders()).toMatchObject({ "cache-control": "no-cache" });
  });

  test("compares two keys", async () => {
    await open("");
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/metadata/, async (route) => {
      await released;
      await route.continue();
    });
    await click(button("+ Compare"));
    await page.locator(".count-second").getByText("market").waitFor();
    await page.waitForTimeout(1000);
    await page.getByText("comparing …").waitFor();
    expect(await page.getByText(/rows here/).count()).toBe(0);
    release();
    await page.getByText(/rows here/).waitFor();
    expect(await page.locator(".row-first").count()).toBeGreaterThan(0);
    expect(await page.locator(".row-second").count()).toBe(0);
    const [first, second] = await page.locator(".count strong").allTextContents();
    expect(Number(first?.replace(",", ""))).toBeGreaterThan(Number(second?.replace(",", "")));
    await page.locator(".map-legend").getByText("only national sees here").waitFor();
  });

  test("sees what a masked key sees of a record", async () => {
    await open("#/Property?$filter=StateOrProvince%20eq%20'WA'");
    await page.locator(".header-keys").getByText("946 fields").waitFor();
    await click(button("+ Compare"));
    await page.locator(".key-second select").selectOption("coarse");
    await page.locator(".grid .seen-second").getByText("hidden").first().waitFor();
    await page.getByText(/[1-9]\d* differ/).waitFor();
    await click(rows().first());
    await page.getByRole("heading", { name: /fields differ for coarse/ }).waitFor();
    await page.locator(".differences .seen-second").getByText("hidden").first().waitFor();
  });

  test("sees on the map where each of two keys puts a record", async () => {
    await open("#/Property?$filter=StateOrProvince%20eq%20'WA'");
    await page.locator(".map-canvas[aria-busy=false]").waitFor();
    const places = async () => Number(await map().getAttribute("data-points"));
    const alone = await places();
    await click(button("+ Compare"));
    await page.locator(".key-second select").selectOption("coarse");
    await page.locator(".map-legend").getByText("only coarse sees here").waitFor();
    // The mask of `coarse` moves every place but those that it leaves where they are.
    await page.waitForFunction(
      (least) => Number(document.querySelector(".map-canvas")?.getAttribute("data-points")) > least,
      alone * 1.9,
    );
    expect(await places()).toBeLessThanOrEqual(2 * alone);
  });

  test("copies the query as curl, runs it, and gets the same rows", async () => {
    await open("#/Property?$filter=City%20eq%20'Austin'&$orderby=ListPrice%20desc&view=table");
    await click(button("Copy as …"));
    const text = await page.getByRole("textbox", { name: "Program text" }).inputValue();
    for (const key of demo.keys.values()) expect(text).not.toContain(key);
    await page.keyboard.press("Escape");
    const { stdout } = await promisify(execFile)("sh", ["-c", text], {
      env: { PATH: process.env["PATH"], CADASTRE_KEY: demo.keys.get("national") },
    });
    const { value } = JSON.parse(stdout) as { readonly value: readonly { readonly ListingKey: string }[] };
    const shown = (await cells(1)).map((key) => key.replace(/=$/, ""));
    expect(value.slice(0, shown.length).map(({ ListingKey }) => ListingKey)).toEqual(shown);
  });

  test("sees which fields are complete, and the listings that have one", async () => {
    await open("#/Property?view=table");
    await click(page.getByRole("button", { name: "Coverage" }));
    const cell = page.getByRole("button", { name: "100 %" }).first();
    await cell.waitFor();
    await click(cell);
    expect(await countOf(" ne null")).toBeGreaterThan(0);
  });

  test("exports everything, and verifies it in the page", async () => {
    await open("#/Property?view=table");
    await click(page.getByRole("button", { name: "Delivery" }));
    await click(button("Create"));
    await click(page.locator(".delivery-head:enabled").first());
    await click(button("Verify here"));
    await page.locator(".check-holds").nth(2).waitFor();
    expect(await page.locator(".check-fails").count()).toBe(0);
  });

  test("exports some listings and fields, and reads what is wrong with a filter", async () => {
    await open("#/Property?view=table");
    await click(page.getByRole("button", { name: "Delivery" }));
    await click(page.getByText("Only some of it"));
    const panel = page.locator(".panel");
    await panel.getByLabel("Export").selectOption("listing");
    await panel.getByLabel("Filter").fill("Cty eq 'Austin'");
    await click(button("Create"));
    await panel.getByText("unknown property `Cty`, did you mean `City`?").waitFor();
    // The browser logs that the answer is a refusal.
    expect(faults.every((fault) => fault.includes("400"))).toBe(true);
    faults = [];
    await panel.getByLabel("Filter").fill("StateOrProvince eq 'TX'");
    await panel.getByLabel("Fields").fill("City, ListPrice");
    await panel.getByLabel("As of").fill(new Date().toISOString());
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/v1/file-exports"),
    );
    await click(button("Create"));
    expect((await asked).postDataJSON()).toMatchObject({
      domain: "listing",
      filter: "StateOrProvince eq 'TX'",
      select: ["City", "ListPrice"],
      asOf: expect.stringContaining("Z") as string,
    });
    await page.locator(".delivery-head:enabled").first().waitFor();
  });

  test("sees medians of places", async () => {
    await open("#/Property?view=table");
    await click(page.getByRole("button", { name: "Market" }));
    await page.locator(".panel").getByRole("combobox", { name: "By" }).selectOption("StateOrProvince");
    await page.getByRole("img", { name: "Median price in TX by quarter" }).waitFor();
  });
});
