import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generateMarket } from "../src/index.ts";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

const run = (...args: string[]): string =>
  execFileSync(process.execPath, ["--conditions=@cadastre/source", "--import", "tsx", cli, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

const market = generateMarket({ seed: 5, listings: 40 });

test("the command writes every row to its output", () => {
  const rows = run("--listings", "40", "--seed", "5").trimEnd().split("\n");
  expect(rows).toEqual([...market.allRows()].map((row) => JSON.stringify(row)));
});

test("the command writes a file for each resource", () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-"));
  run("--listings", "40", "--seed", "5", "--out", folder);
  const lines = readFileSync(join(folder, "Property.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines).toEqual([...market.rows("Property")].map(({ record }) => JSON.stringify(record)));
  rmSync(folder, { recursive: true });
});
