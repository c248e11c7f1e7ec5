import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, keepKeys, launch, watchFaults } from "./support/chromium.ts";
import { type DemoService, startDemo } from "./support/demo-service.ts";
import { violationsOf } from "./support/violations.ts";

/** Folder of the pictures that are taken of every page, to be looked at. */
const pictures = fileURLToPath(new URL("../../reports/pages", import.meta.url));
const pictureOf = (name: string, colorScheme: string, width: number) =>
  join(pictures, `${name}-${colorScheme}-${width}.png`);

const height = 860;
/** How each page is looked at: light on a desk and dark on a phone, or with `LOOKS=all` in both colour schemes on both. */
const looks = (
  [
    ["light", 1440],
    ["dark", 400],
    ["light", 400],
    ["dark", 1440],
  ] as const
)
  .slice(0, process.env["LOOKS"] === "all" ? 4 : 2)
  .map(([colorScheme, width]) => ({ colorScheme, width }));

/** A map whose places are all loaded. Before any is asked for there are none. */
const places = '.map-canvas[aria-busy=false]:not([data-points="0"])';

/** Screens, and what must be there before they are looked at. */
const screens: readonly {
  readonly name: string;
  readonly fragment: string;
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
}[] = [
  { name: "explore", fragment: "", ready: places },
  {
    name: "filter",
    fragment: "#/Property?$filter=City%20eq%20'Austin'%20and%20ListPrice%20lt%20500000&view=table",
    ready: ".term",
  },
  { name: "fault", fragment: "#/Property?view=table", ready: ".grid-row", act: (page) => misspell(page) },
  { name: "nothing", fragment: "#/Property?$filter=City%20eq%20'Nowhere'&view=table", ready: ".empty" },
  { name: "map", fragment: "#/Property?view=map", ready: places },
  { name: "record", fragment: "#/Property?view=table", ready: ".grid-row", act: (page) => openFirst(page) },
  { name: "coverage", fragment: "#/Property?view=coverage", ready: ".heat-table" },
  { name: "market", fragment: "#/Property?view=market", ready: ".market-card, .empty" },
  { name: "delivery", fragment: "#/Property?view=delivery", ready: ".panel-part" },
  {
    name: "columns",
    fragment: "#/Property?view=table",
    ready: ".grid-row",
    act: (page) => page.getByRole("button", { name: /^Columns/ }).click(),
  },
  {
    name: "copy",
    fragment: "#/Property?view=table",
    ready: ".grid-row",
    act: (page) => page.getByRole("button", { name: /^Copy as/ }).click(),
  },
  {
    name: "keys",
    fragment: "#/Property?view=table",
    ready: ".grid-row",
    act: (page) => page.getByRole("button", { name: "Keys", exact: true }).click(),
  },
  {
    name: "help",
    fragment: "#/Property?view=table",
    ready: ".grid-row",
    act: (page) => page.keyboard.press("?"),
  },
  {
    name: "compare",
    fragment: "#/Property?$filter=StateOrProvince%20eq%20'WA'",
    ready: ".grid-row",
    act: (page) => compareWithCoarse(page),
  },
  {
    name: "compare-map",
    fragment: "#/Property?$filter=StateOrProvince%20eq%20'WA'&view=map",
    ready: places,
    act: async (page) => {
      await compareWithCoarse(page);
      await page.locator(places).waitFor();
    },
  },
];

async function misspell(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Filter" }).click();
  await page.locator(".filter-editor .cm-content").waitFor();
  await page.keyboard.type("Citi eq 'x'");
  await page.locator(".fault").waitFor();
}

async function openFirst(page: Page): Promise<void> {
  await page.locator(".grid-row").first().click();
  await page.locator(".record .fields").first().waitFor();
}

async function compareWithCoarse(page: Page): Promise<void> {
  await page.getByRole("button", { name: "+ Compare" }).click();
  await page.locator(".key-second select").selectOption("coarse");
  await page.locator(".count-second").getByText("coarse").waitFor();
  await expect.poll(() => page.locator(".status-line").textContent()).toMatch(/rows here/);
  await page.getByText(/rows here/).waitFor();
}

describe.skipIf(!hasChromium())("the page for everybody", () => {
  let demo: DemoService;
  let browser: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(1000), launch()]);
  });
  afterAll(async () => {
    console.log(`Pictures of every page are in ${pictures}`);
    await browser?.close();
    await demo?.stop();
  });

  const cases = looks.flatMap((look) => screens.map((screen) => ({ ...screen, ...look })));

  test.each(cases)(
    "$name, $colorScheme, $width pixels wide",
    async ({ name, fragment, ready, act, colorScheme, width }) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const faults = watchFaults(page, demo.origin);
      await keepKeys(page, demo.keys);
      await page.goto(`${demo.origin}/${fragment}`);
      await page.locator(ready).first().waitFor();
      await act?.(page);
      await page.getByText("Counting …").waitFor({ state: "hidden" });
      await page.screenshot({ path: pictureOf(name, colorScheme, width) });
      expect(await violationsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const heads = await page.locator("dialog[open] .dialog-head :is(button, input)").all();
      const ends = await Promise.all(heads.map((head) => head.boundingBox()));
      for (const end of ends) expect((end?.x ?? 0) + (end?.width ?? 0)).toBeLessThanOrEqual(width - 16);
      await context.close();
    },
  );

  test.each(looks)("without a key, $colorScheme, $width pixels wide", async ({ colorScheme, width }) => {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.goto(demo.origin);
    await page.getByRole("heading", { name: "Look at the market" }).waitFor();
    await page.screenshot({ path: pictureOf("welcome", colorScheme, width) });
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
