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
  // A line through the first market has its cells, field by field in the order of the page.
  const colors = rows.map((row) => /rgb\(([\d,]+)\)/.exec(row)?.[1]);
  const across = (y: number) =>
    Array.from({ length: picture.width }, (_, x) => {
      const at = 4 * (y * picture.width + x);
      return picture.data.subarray(at, at + 3).join();
    });
  const lines = Array.from({ length: picture.height }, (_, y) => across(y).join(" "));
  expect(lines.filter((line) => line.includes(` ${colors.join(" ")} `))).toHaveLength(44);
}, 60_000);

test.each([
  [[], 1, "name a file to write"],
  [["--html", "/nowhere/map.html"], 1, "cannot be written (ENOENT)"],
  [["--svg", "x"], 2, "unknown option"],
])("%j is refused", async (args, code, words) => {
  const outcome = await draw(...args);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(words)]);
});
