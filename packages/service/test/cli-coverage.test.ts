import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create } from "xmlbuilder2";
import { validateXML } from "xmllint-wasm";
import { heatMapHtml } from "../src/heat-map/html.ts";
import { heatMapSvg } from "../src/heat-map/svg.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300" });
});
afterAll(() => running.stop());

const draw = (...args: readonly string[]) =>
  cadastre(["coverage", ...args], { environment: { CADASTRE_DATA: running.folder.path } });

/** Group of the cells of a field: `@` and the name of an attribute → its text, name of a child → all children of that name. */
type Column = {
  readonly title?: readonly string[];
  readonly rect?: readonly { readonly "@x": string; readonly "@y": string; readonly "@fill": string }[];
};

/** Reads the texts of an SVG, and the colors of each field by market, after a check that it is well-formed XML. */
async function readSvg(file: string, markets: number) {
  const { errors } = await validateXML({ xml: file, normalization: "format" });
  expect(errors).toEqual([]);
  const document = create(file);
  const named = (name: string) => document.filter(({ node }) => node.nodeName === name, false, true);
  const columns = named("g")
    .map((group) => (group.toObject({ verbose: true }) as unknown as { g: readonly [Column] }).g[0])
    .filter(({ title }) => title !== undefined);
  // Cells without a value show the background of their row.
  const background = "#f7f7f2";
  const backgrounds = file.split(`width="${columns.length}" height="44" fill="${background}"/>`).length - 1;
  expect(backgrounds).toBe(markets);
  return {
    titles: named("title").map(({ node }) => node.textContent),
    texts: named("text").map(({ node }) => node.textContent),
    colors: columns.map(({ rect = [] }, column) => {
      expect(rect.filter((cell) => cell["@x"] !== `${column}`)).toEqual([]);
      const colorByRow = new Map(rect.map((cell) => [Number(cell["@y"]) / 56, cell["@fill"]]));
      return Array.from({ length: markets }, (_, row) => colorByRow.get(row) ?? background);
    }),
  };
}

test("draws the same map as a page and as an image", async () => {
  const [html, svg] = [join(running.folder.path, "map.html"), join(running.folder.path, "map.svg")];
  expect((await draw("--html", html, "--svg", svg)).code).toBe(0);
  const page = await readFile(html, "utf8");
  expect(page).not.toMatch(/\b(src|href|import|url)\b/);
  const rows = page.split("\n").filter((line) => line.startsWith("<tr>"));
  expect(rows).toHaveLength(946);
  const key = { "x-api-key": running.key("national") };
  const { text } = await ask(
    running.service.baseUrl,
    "/v1/field-completeness?geography=state:FL&source=gulfsun",
    key,
  );
  const { cells } = (
    JSON.parse(text) as { data: { cells: { wire_field: string; populated_ratio: number }[] } }
  ).data;
  const share = cells.find(({ wire_field }) => wire_field === "PublicRemarks")?.populated_ratio ?? Number.NaN;
  expect(rows.find((row) => row.includes("<th>PublicRemarks</th>"))).toContain(
    `>${(share * 100).toFixed(0)}<`,
  );

  const file = await readFile(svg, "utf8");
  expect(file.length).toBeLessThan(300_000);
  const markets = Array.from(page.matchAll(/<th>([^<]+)<br>([^<]+)<\/th>/g), ([, ...label]) => label);
  const { titles, texts, colors } = await readSvg(file, markets.length);
  expect(texts).toEqual(expect.arrayContaining(markets.flat()));
  expect(titles.slice(1)).toEqual(rows.map((row) => /<th>(\w+)</.exec(row)?.[1]));
  expect(colors).toEqual(
    rows.map((row) => Array.from(row.matchAll(/background:(#[\da-f]{6})/g), ([, color]) => color)),
  );
}, 60_000);

const map = {
  markets: [
    { name: "Large & <old>", records: 1200 },
    { name: "Small", records: 0 },
  ],
  fields: [
    { name: `</title><script>"&\u0000\ud800`, shares: [1, null] },
    { name: "Half", shares: [0.5, null] },
    { name: "None", shares: [0, null] },
  ],
};
const caption = { title: "A < B", unknown: "fewer than 10 & suppressed" };

test("escapes all texts, and marks suppressed cells", async () => {
  const { titles, texts, colors } = await readSvg(heatMapSvg(map, caption), 2);
  expect(titles).toEqual(["A < B", `</title><script>"&\ufffd\ufffd`, "Half", "None"]);
  expect(texts).toEqual(expect.arrayContaining(["Large & <old>", "1,200 listings", "too few listings"]));
  expect(texts).toContain(caption.unknown);
  expect(colors).toEqual([
    ["#0c4a6e", "#d6bcbc"],
    ["#82a1b0", "#d6bcbc"],
    ["#f7f7f2", "#d6bcbc"],
  ]);
  const page = heatMapHtml(map, caption);
  expect(page).not.toContain("<script");
  expect(page).toContain('<td style="background:#d6bcbc">–</td>');
});

test.each([
  [[], 1, "name a file to write"],
  [["--html", "/nowhere/map.html"], 1, "cannot be written: there is no such file or folder (ENOENT)"],
  [["--png", "x"], 2, "use --svg <file>"],
  [["--gif", "x"], 2, "unknown option"],
])("%j is refused", async (args, code, words) => {
  const outcome = await draw(...args);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(words)]);
});
