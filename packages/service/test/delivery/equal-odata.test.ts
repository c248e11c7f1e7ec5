import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { entitySet } from "@cadastre/reso";
import { DuckDBInstance } from "@duckdb/node-api";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Collection } from "../support/ask.ts";
import { requireNoCanary } from "../support/canaries.ts";
import { customerOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

type Row = Readonly<Record<string, unknown>>;

const sets = { listing: "Property", listing_media: "Media" } as const;
type Dataset = keyof typeof sets;

/** All, and fewer of a format whose every part takes a process. */
const customersOf = (format: string) =>
  format === "parquet" ? ["national", "coarse"] : ["national", "market", "state", "coarse"];

let running: Running;
const folder = mkdtempSync(join(tmpdir(), "cadastre-equal-"));
beforeAll(async () => {
  // Small parts, so that there are several.
  running = await run({ CADASTRE_LISTINGS: "200", CADASTRE_PART_BYTES: "300000" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

const withoutNulls = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && !name.startsWith("@")));

/** What OData answers to the same customer, in the order of the key. */
async function rowsOfOdata(dataset: Dataset, customer: string): Promise<readonly Row[]> {
  const { get } = customerOf(running, customer);
  const set = entitySet(sets[dataset]);
  const rows: Row[] = [];
  let next: string | undefined = `/reso/odata/${set.name}?$top=1000&$orderby=${set.type.key.join()}`;
  while (next !== undefined) {
    const page = JSON.parse((await get(next)).text) as Collection;
    rows.push(...page.value.map(withoutNulls));
    const link: string | undefined = page["@odata.nextLink"];
    next = link?.slice(new URL(link).origin.length);
  }
  return rows;
}

/** By format, what another reader reads of the bytes of a part. */
const readers: Readonly<Record<string, (bytes: Buffer, dataset: Dataset) => Promise<readonly Row[]>>> = {
  jsonl: async (bytes) =>
    gunzipSync(bytes)
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Row),
  csv: async (bytes, dataset) => {
    const [header = [], ...rows] = parse(gunzipSync(bytes), {
      record_delimiter: "\r\n",
      cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
    }) as unknown as (string | null)[][];
    return rows.map((cells) =>
      withoutNulls(
        Object.fromEntries(cells.map((cell, i) => [header[i], ofText(String(header[i]), cell, dataset)])),
      ),
    );
  },
  parquet: async (bytes, dataset) => {
    const file = join(folder, "part.parquet");
    writeFileSync(file, bytes);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run("SET TimeZone = 'UTC'");
    const rows = (await connection.runAndReadAll(`FROM '${file}'`)).getRowObjectsJson();
    connection.closeSync();
    return rows.map((row) =>
      withoutNulls(
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "string" ? ofText(name, value, dataset) : value,
          ]),
        ),
      ),
    );
  },
};

/** The JSON value of a text, by the type of its property. */
function ofText(name: string, text: string | null, dataset: Dataset): unknown {
  const property = entitySet(sets[dataset]).type.properties.get(name);
  if (property === undefined) throw new RangeError(`unknown column ${name}`);
  if (text === null) return null;
  if (property.collection || property.type.startsWith("Edm.Geo")) return JSON.parse(text);
  if (property.type === "Edm.DateTimeOffset") return new Date(text).toISOString();
  return ["Edm.String", "Edm.Date"].includes(property.type) ? text : JSON.parse(text);
}

describe.each(Object.keys(readers))("%s", (format) => {
  test.each(customersOf(format))(
    "of %s has what OData answers, and nothing that is hidden",
    async (customer) => {
      const asks = customerOf(running, customer);
      const id = await asks.complete({ profileId: `listing-${format}` });
      const { data } = await asks.manifest(id);
      for (const dataset of Object.keys(sets) as Dataset[]) {
        const parts = data.parts.filter((part) => part.dataset === dataset);
        const rows: Row[] = [];
        for (const { number, contentEncoding } of parts) {
          const bytes = await asks.fetched(id, number);
          const plain = contentEncoding === "gzip" ? gunzipSync(bytes) : bytes;
          requireNoCanary(plain.toString("latin1"), `part ${number}`, running.key(customer));
          rows.push(...((await readers[format]?.(bytes, dataset)) ?? []));
        }
        const expected = await rowsOfOdata(dataset, customer);
        expect(expected.length).toBeGreaterThan(0);
        expect(rows).toHaveLength(expected.length);
        expect(rows).toEqual(expected);
        if (dataset === "listing" && customer === "national") expect(parts.length).toBeGreaterThan(1);
      }
    },
    90_000,
  );
});
