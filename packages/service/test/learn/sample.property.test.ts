import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type CatalogDefinition, createCatalog, type OriginatingSystem } from "@cadastre/reso";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withAdditions } from "../../src/cli/field/add-fields.ts";
import { checkRecord } from "../../src/ingest/check-record.ts";
import type { Format } from "../../src/ingest/format.ts";
import { openInput } from "../../src/ingest/input.ts";
import { mappedEntries } from "../../src/ingest/mapped-entries.ts";
import { roundingOf } from "../../src/ingest/rounding.ts";
import { type Proposal, propose } from "../../src/learn/propose.ts";
import { readSample } from "../../src/learn/read-sample.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-sample-"));
});
afterAll(() => rm(folder, { recursive: true }));

const system: OriginatingSystem = {
  id: "northshore",
  name: "North Shore",
  prefix: "NSM_",
  states: ["IL"],
  datasetId: "0c9b5d7e-7f0c-4a44-8d0e-5b8f9f5f2f10",
};

/** Values as JSON text. */
const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> => value.map((one) => JSON.stringify(one));
const date = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const instant = date.map((one) => one.toISOString());
const words = ["Sand", "Rock", "Mixed Use", "A-B", "A B", "é", " padded ", "", "a,b", "a, b", "[x]"];
const traps = [
  "007",
  "+5",
  "1e5",
  "-0",
  "1,250",
  "12:30",
  "12:30:00.5",
  "2026-02-30",
  "01/02/2026",
  "20260102",
  "true",
  "TRUE",
  "Y",
  "N",
  "NaN",
  "null",
  "[1,2]",
  '["a"]',
  "[]",
  "{}",
  "1.50",
  "0000-01-01",
  "\u0000",
];
const numbers = ["12345678901234567890", "1e300", "0.30000000000000004", "9007199254740993", "1E2", "-0.0"];

/** Kinds of columns: all values of a column are of one kind, or it is a mixture. */
const kinds: readonly fc.Arbitrary<string>[] = [
  json(fc.boolean()),
  json(fc.integer({ min: -50, max: 9000 })),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  json(fc.integer().map((n) => n / 100)),
  json(fc.double({ noNaN: true, noDefaultInfinity: true })),
  json(instant.map((text) => text.slice(0, 10))),
  json(instant),
  json(instant.map((text) => text.replace("Z", "123456+01:00"))),
  json(instant.map((text) => text.slice(11, 19))),
  json(fc.constantFrom("Sand", "Rock")),
  json(fc.constantFrom("Sand", "Rock", "Sand,Rock", "Clay")),
  json(fc.array(fc.constantFrom("Sand", "Rock"), { maxLength: 3 })),
  json(fc.array(fc.integer(), { maxLength: 3 })),
  json(fc.constantFrom(...words)),
  json(fc.constantFrom(...traps)),
  json(fc.string({ unit: "binary", maxLength: 80 })),
  fc.constantFrom(...numbers),
  json(fc.jsonValue({ maxDepth: 2 })),
  fc.constant("null"),
];
const kind = fc.oneof(...kinds.map((one) => fc.constant(one)), fc.constant(fc.oneof(...kinds.slice(0, 12))));

/** A column: a JSON text for each of twelve records, or nothing. */
const column = kind.chain((values) =>
  fc.array(fc.option(values, { freq: 6, nil: undefined }), { minLength: 12, maxLength: 12 }),
);
const table = fc.array(column, { minLength: 1, maxLength: 8 });

const given = (i: number) => [
  ["ListingKey", JSON.stringify(`K${i}`)],
  ["OriginatingSystemName", JSON.stringify(system.name)],
  ["ModificationTimestamp", '"2026-01-02T03:04:05Z"'],
];

/** Writes a table in a format. */
const writers: Readonly<Record<Format, (columns: readonly (readonly (string | undefined)[])[]) => string>> = {
  jsonl: (columns) => objectsOf(columns).join("\n"),
  common: (columns) =>
    `{"@reso.context":"urn:reso:metadata:2.0:resource:property","value":[${objectsOf(columns).join()}]}`,
  csv: (columns) =>
    [
      [...given(0).map(([name]) => name), ...columns.map((_, c) => `F${c}`)].join(),
      ...Array.from({ length: 12 }, (_, i) =>
        [...given(i).map(([, text]) => text), ...columns.map((values) => values[i])].map(cellOf).join(),
      ),
    ].join("\n"),
};

const objectsOf = (columns: readonly (readonly (string | undefined)[])[]): readonly string[] =>
  Array.from({ length: 12 }, (_, i) => {
    const own = columns.flatMap((values, c) => (values[i] === undefined ? [] : [[`F${c}`, values[i]]]));
    return `{${[...given(i), ...own].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
  });

function cellOf(text = ""): string {
  const value = text.startsWith('"') ? (JSON.parse(text) as string) : text === "null" ? "" : text;
  return `"${value.toWellFormed().replaceAll('"', '""')}"`;
}

const formats = fc.constantFrom<Format>("jsonl", "csv", "common");

test("what is learnt from a file and applied takes every record of the file, and is known the next time", async () => {
  const seen = new Set<string>();
  let [run, dropped] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      table,
      formats,
      fc.boolean(),
      fc.boolean(),
      async (columns, format, isPacked, closed) => {
        const file = join(folder, `${run++}.data`);
        const text = writers[format](columns);
        await writeFile(file, isPacked ? gzipSync(text) : text);
        const options = { prefixNames: false, ownPrefix: false, closedLookups: closed };
        const learn = async (definition: CatalogDefinition): Promise<Proposal> => {
          const catalog = createCatalog(definition);
          const [own = system] = definition.systems;
          const sample = { file, resource: "Property", format, limit: 100, takesRareValues: false } as const;
          return propose(await readSample(sample, own, catalog), own, catalog, options);
        };
        const learnt = await learn({ systems: [system] });
        const definition = withAdditions({ systems: [system] }, system.id, learnt);
        const catalog = createCatalog(definition);
        for (const { type, collection = false } of learnt.fields.Property ?? [])
          seen.add(`${type}${collection}`);
        const drop = learnt.verdicts
          .filter(({ verdict }) => verdict === "left-out" || verdict === "undecided")
          .map(({ name }) => name);
        dropped += drop.length;
        const [part] = (await openInput(file, file)).parts;
        const content = (part as NonNullable<typeof part>).read(() => {});
        const mapping = { catalog, resources: { Property: { drop } }, sha256: "" };
        const source = { name: system.id, datasetId: system.datasetId, systemName: system.name };
        let records = 0;
        for await (const entry of mappedEntries(content, {
          format,
          catalog,
          resource: "Property",
          mapping,
        })) {
          if (!("record" in entry)) continue;
          records++;
          const rules = { catalog, resource: catalog.resource("Property"), source };
          const rounding = roundingOf(catalog, "Property");
          expect(checkRecord(entry.record, { ...rules, rounding }).faults).toEqual([]);
        }
        expect(records).toBeGreaterThan(0);
        const again = await learn(definition);
        expect([again.fields, again.lookups]).toEqual([{}, {}]);
        await rm(file);
      },
    ),
    { numRuns: 150 },
  );
  const types = ["String", "Boolean", "Int64", "Decimal", "Date", "DateTimeOffset", "TimeOfDay"];
  expect([...seen].sort()).toEqual(expect.arrayContaining(types.map((type) => `Edm.${type}false`)));
  expect(seen).toContain("Edm.Stringtrue");
  expect(dropped).toBeGreaterThan(10);
}, 120_000);
