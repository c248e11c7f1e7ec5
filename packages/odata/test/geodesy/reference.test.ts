import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { postgresHelpers } from "../../src/postgres/index.ts";
import { hasPostgres, startPostgres } from "../../src/testing/postgres.ts";
import { inMemory, inPostgres, inSqlite } from "../functions/engines.ts";
import { referenceDistances } from "../support/reference-distances.ts";

const server = hasPostgres ? await startPostgres() : undefined;
const pool = server?.connect(1);
for (const helper of postgresHelpers()) await pool?.query(helper);
if (pool === undefined) console.warn("PostgreSQL is left out: no server is installed");

afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

const engines: Readonly<Record<string, (text: string) => unknown>> = {
  "in memory": inMemory,
  "in SQLite": inSqlite,
  ...(pool === undefined ? {} : { "in PostgreSQL": (text: string) => inPostgres(text, pool) }),
};

/** Metres by which an engine may be off: what docs/odata.md states. */
const tolerances = { near: 1e-4, far: 1e-3, opposite: 1e-3 } as const;

type Case = readonly number[];

const call = ([latitude1, longitude1, latitude2, longitude2]: Case): string =>
  `geo.distance(geography'Point(${longitude1} ${latitude1})',geography'Point(${longitude2} ${latitude2})')`;

const kinds = Object.keys(tolerances) as (keyof typeof tolerances)[];

const [tool, ...flags] = ["GeodSolve", "-i", "-p", "9"] as const;
const hasTool = spawnSync(tool, ["--version"]).status === 0;

/** What GeographicLib's program says, in metres. */
function solve(cases: readonly Case[]): readonly number[] {
  const input = cases
    .map((one) =>
      one
        .slice(0, 4)
        .map((n) => n.toFixed(12))
        .join(" "),
    )
    .join("\n");
  const { stdout } = spawnSync(tool, flags, { input, encoding: "utf8" });
  return stdout
    .trim()
    .split("\n")
    .map((line) => Number(line.split(" ")[2]));
}

describe.each(Object.entries(engines))("a distance %s", (_, distance) => {
  test.each(kinds.flatMap((kind) => referenceDistances[kind].map((one) => [kind, one] as const)))(
    "%s is the one of the table: %j",
    async (kind, one) => {
      const found = Number(await distance(call(one)));
      expect(Math.abs(found - (one[4] ?? Number.NaN))).toBeLessThan(tolerances[kind]);
    },
  );

  test.each([
    [5e-31, 0, 0, 0],
    [0, 5e-31, 0, 0],
    [0, 0, -3e-18, 3e-18],
    [1e-17, 0, 0, 0],
    [0, 0, 0, -1e-17],
  ])("between %d %d and %d %d is zero where they are one place", async (...one) => {
    expect(Number(await distance(call(one))) > 0).toBe(Math.max(...one.map(Math.abs)) > 4e-18);
  });

  const degree = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
  const rounded = (n: number) => Number(n.toFixed(9));
  const places = fc.tuple(degree(90), degree(180), degree(1), degree(1), fc.constantFrom(1e-5, 1e-2, 1, 6));
  const clamped = (latitude: number) => Math.max(-90, Math.min(90, latitude));
  const samples: Readonly<Record<keyof typeof tolerances, fc.Arbitrary<Case>>> = {
    near: places.map(([y, x, dy, dx, size]) => {
      const stretch = Math.max(0.02, Math.cos((y * Math.PI) / 180));
      return [y, x, clamped(y + dy * size), x + (dx * size) / stretch].map(rounded);
    }),
    far: fc.tuple(degree(90), degree(180), degree(90), degree(180)).map((one) => one.map(rounded)),
    opposite: places.map(([y, x, dy, dx, size]) =>
      [y, x, clamped(-y + dy * size * 0.3), x + 180 + dx * size * 0.3].map(rounded),
    ),
  };

  test.skipIf(!hasTool).each(kinds)(
    "%s is what GeodSolve says (skipped where it is not installed)",
    async (kind) => {
      const numRuns = Number(process.env["CASES"] ?? 400);
      const cases = fc.sample(samples[kind], kind === "opposite" ? Math.ceil(numRuns / 4) : numRuns);
      for (const [i, metres] of solve(cases).entries()) {
        const one = cases[i] ?? [];
        const found = Number(await distance(call(one)));
        expect(Math.abs(found - metres), JSON.stringify(one)).toBeLessThan(tolerances[kind]);
      }
    },
  );
});

test.runIf(!hasTool)("GeodSolve is left out: install geographiclib-tools", () => {});
