import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundedStates, isInState, recordNames } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { expect, test } from "vitest";
import { catalogVersion, storedResources } from "../src/catalog.ts";
import { sqliteDatabases } from "../src/data/sqlite-databases.ts";
import { gates } from "../src/gates/gates.ts";
import { deviationOf } from "../src/ingest/check-value.ts";
import { parseJson } from "../src/ingest/exact-json.ts";
import { listedValuesOf } from "../src/ingest/listed-values.ts";
import { faultReasons } from "../src/ingest/record-faults.ts";
import { roundingOf } from "../src/ingest/rounding.ts";
import { dictionary } from "../src/ingest/sources.ts";
import { reading } from "./support/release.ts";

const { resource } = sampleCatalog;
const { names: lookupNames, values: lookupValues } = sampleCatalog.lookups;

/*
 * A start migrates tables and checks the stored records if the catalog version is another one than that of the database. So the
 * version has to rise with whatever decides how records are stored and which values are accepted.
 */

const file = new URL("golden/catalog.json", import.meta.url);
const golden = JSON.parse(await readFile(file, "utf8")) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

const sha256Of = (value: unknown): string =>
  createHash("sha256")
    .update(
      JSON.stringify(value, (_name, member: unknown) =>
        typeof member === "bigint" ? String(member) : member,
      ),
    )
    .digest("hex");

/** Columns and indexes of a new database, as it records them, and the definitions that they come from. */
async function schema(): Promise<unknown> {
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-catalog-"));
  const database = join(scratch, "listings.sqlite");
  try {
    const { openListings } = sqliteDatabases({ database, registry: "" });
    await (await openListings({ threads: 0, migration: {} }, true)).close();
    const recorded = reading(database, (open) =>
      open
        .prepare("select resource, kind, name, definition from cadastre_schema order by 1, 2, 3")
        .raw()
        .all(),
    );
    return [
      recorded,
      storedResources(sampleCatalog).map(({ entitySet, ...definition }) => [entitySet.name, definition]),
    ];
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Values at the edges of the rules. What a property does with each shows the rule that it has. */
const probes: readonly unknown[] = [
  ...(parseJson(
    "[0,1,-1,0.5,12.345678,1e3,1e300,95,-95,181,127,128,32768,2147483648,9007199254740993,123456789012.12]",
  ) as unknown[]),
  "",
  "12",
  "yes",
  "a\u0000",
  "\ud800",
  "x".repeat(300),
  "x".repeat(70_000),
  "2026-02-29",
  "2026-02-28",
  "2026-01-02T03:04:05.1234Z",
  "2026-01-02T03:04:05+01:00",
  "24:00:00",
  "@a-222",
  "222-223@5vg-82n-pgk",
  true,
  [],
  ["x"],
  ["x", "x"],
  [1],
  {},
  { type: "Point", coordinates: [1, 2] },
  { type: "Point", coordinates: [200, 2] },
];

/** Members of a field that decide nothing. */
const words: ReadonlySet<string> = new Set(["displayName", "synonyms", "lookupStatus"]);

const without = (value: object, names: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));

/** Fields, gates and the outcome of each probe with each field. */
function checks(): unknown {
  const fields = recordNames.map((name) => {
    const rounding = roundingOf(sampleCatalog, name);
    const isListed = listedValuesOf(sampleCatalog, dictionary);
    return [
      name,
      resource(name).fields.map((field) => {
        return [
          without(field, words),
          probes.map((probe) => deviationOf(probe, field, { rounding, isListed }) ?? "stored"),
        ];
      }),
    ];
  });
  const states = boundedStates.map((state) => {
    const inside: string[] = [];
    for (let latitude = 17; latitude < 72; latitude += 1)
      for (let longitude = -180; longitude < -64; longitude += 1)
        if (isInState(state, latitude, longitude)) inside.push(`${latitude} ${longitude}`);
    return [state, inside];
  });
  return {
    fields,
    lookups: lookupNames.map((name) => [name, lookupValues(name).map(({ value }) => value)]),
    states,
    gates: gates.map(({ name, of, holds }) => [name, of ?? null, holds]),
    faults: faultReasons,
  };
}

test.each([
  ["schema", schema],
  ["checks", checks],
])("the %s is the one of its catalog version", async (part, make) => {
  const found = sha256Of(await make());
  expect(
    found,
    `the ${part} of catalog version ${catalogVersion} has changed: if that version was released, raise \`catalogVersion\` in catalog.ts, and in any case note "${part}": "${found}" under the version in test/golden/catalog.json`,
  ).toBe(golden[catalogVersion]?.[part]);
});
