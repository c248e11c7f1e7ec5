import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("draws the same map as a page and as a picture", async () => {
  const [html, png] = ["map.html", "map.png"].map((name) => join(running.folder.path, name));
  expect((await draw("--html", html ?? "", "--png", png ?? "")).code).toBe(0);
  const page = await readFile(html ?? "", "utf8");
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
  const picture = PNG.sync.read(await readFile(png ?? ""));
  expect(picture.width).toBe(2 * 946);
  // All listings have a value of the first field: the picture's first pixel is as dark as its first cell.
  expect([...picture.data.subarray(0, 3)].join()).toBe(/rgb\(([\d,]+)\)/.exec(rows[0] ?? "")?.[1]);
}, 60_000);

test.each([
  [[], 1, "name a file to write"],
  [["--html", "/nowhere/map.html"], 1, "cannot be written (ENOENT)"],
  [["--svg", "x"], 2, "unknown option"],
])("%j is refused", async (args, code, words) => {
  const outcome = await draw(...args);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(words)]);
});
