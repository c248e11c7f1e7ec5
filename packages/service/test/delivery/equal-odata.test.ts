import { gunzipSync } from "node:zlib";
import { type Domain, domainNames, domainTable } from "@cadastre/manifest";
import type { StructuralProperty } from "@cadastre/odata";
import type { RecordName } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { marketColumns } from "@cadastre/store/market";
import { propertyColumns } from "@cadastre/store/property";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Collection } from "../support/ask.ts";
import { requireNoCanary } from "../support/canaries.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { type PartColumns, type PartRow, partReaders, withoutNulls } from "../support/part-readers.ts";
import { type Running, run } from "../support/running.ts";

const { entitySet } = sampleCatalog;

/** Domains whose datasets are entity sets too. */
const domainsOfSets = domainNames.filter((name) => setsOf(name).length > 0);

/** Returns the datasets of a domain that are entity sets, with the names of the sets. */
function setsOf(domain: Domain): readonly (readonly [dataset: string, set: RecordName])[] {
  return domainTable[domain].datasets.flatMap(({ name, resource }) =>
    resource === null ? [] : [[name, resource as RecordName] as const],
  );
}

const ofSet = (name: RecordName): PartColumns => entitySet(name).type.properties;
const ofList = (columns: readonly StructuralProperty[]): PartColumns =>
  new Map(columns.map((column) => [column.name, column]));

const columnsOf: Readonly<Record<string, PartColumns>> = {
  ...Object.fromEntries(domainNames.flatMap(setsOf).map(([dataset, set]) => [dataset, ofSet(set)])),
  media_assets: ofSet("MediaAsset"),
  public_record: ofSet("PublicRecord"),
  property: ofList(propertyColumns(entitySet("Property"))),
  market_report: ofList(marketColumns),
};

const formats = Object.keys(partReaders);

/** All, and fewer of a format whose every part takes a process. */
const customersOf = (format: string) =>
  format === "parquet" ? ["national", "coarse"] : ["national", "market", "state", "coarse"];

let running: Running;
beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "100",
    // Small parts, so that there are several; small cells, so that markets are not empty.
    CADASTRE_PART_BYTES: "500000",
    CADASTRE_MINIMUM_CELL_SIZE: "2",
  });
  await publishOpenHouses(running);
});
afterAll(() => running.stop());

/** Records that OData answers to the same customer, in the order of the key. */
async function rowsOfOdata(name: RecordName, customer: string): Promise<readonly PartRow[]> {
  const { get } = customerOf(running, customer);
  const set = entitySet(name);
  const rows: PartRow[] = [];
  let next: string | undefined = `/reso/odata/${set.name}?$top=1000&$orderby=${set.type.key.join()}`;
  while (next !== undefined) {
    const page = JSON.parse((await get(next)).text) as Collection;
    rows.push(...page.value.map(withoutControl));
    const link: string | undefined = page["@odata.nextLink"];
    next = link?.slice(new URL(link).origin.length);
  }
  return rows;
}

const withoutControl = (row: PartRow): PartRow =>
  withoutNulls(Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("@"))));

type Delivered = ReadonlyMap<string, { readonly rows: readonly PartRow[]; readonly parts: number }>;
const deliveries = new Map<string, Promise<Delivered>>();

/** By dataset, the rows of a delivery, and how many parts they are in: it is built once. */
function deliveredRows(domain: string, format: string, customer: string): Promise<Delivered> {
  const name = [domain, format, customer].join();
  const delivery = deliveries.get(name) ?? deliver(domain, format, customer);
  deliveries.set(name, delivery);
  return delivery;
}

/** Every reader finds the same in each part. */
async function deliver(domain: string, format: string, customer: string): Promise<Delivered> {
  const asks = customerOf(running, customer);
  const id = await asks.complete({ domain, profileId: `${domain}-${format}` });
  const { data } = await asks.manifest(id);
  const delivered = new Map<string, { readonly rows: PartRow[]; parts: number }>();
  for (const { number, dataset, contentEncoding } of data.parts) {
    const bytes = await asks.fetched(id, number);
    const plain = contentEncoding === "gzip" ? gunzipSync(bytes) : bytes;
    requireNoCanary(plain.toString("latin1"), `part ${number}`, running.key(customer));
    const columns = columnsOf[dataset] ?? new Map();
    const [first, second] = await Promise.all(
      (partReaders[format] ?? []).map((read) => read(bytes, columns)),
    );
    expect(second).toEqual(first);
    const own = delivered.get(dataset) ?? { rows: [], parts: 0 };
    own.rows.push(...(first ?? []));
    own.parts++;
    delivered.set(dataset, own);
  }
  return delivered;
}

describe.each(formats)("%s", (format) => {
  test.each(customersOf(format))(
    "of %s has what OData answers, and nothing that is hidden",
    async (customer) => {
      for (const domain of domainsOfSets)
        for (const [dataset, set] of setsOf(domain)) {
          const delivered = await deliveredRows(domain, format, customer);
          const { rows = [], parts = 0 } = delivered.get(dataset) ?? {};
          const expected = await rowsOfOdata(set, customer);
          expect(expected.length).toBeGreaterThan(0);
          expect(rows).toHaveLength(expected.length);
          expect(rows).toEqual(expected);
          if (dataset === "listing" && customer === "national") expect(parts).toBeGreaterThan(1);
        }
    },
    90_000,
  );
});

test.each([
  ["listing", "media_assets"],
  ["public_record", "public_record"],
  ["property", "property"],
  ["market_report", "market_report"],
])(
  "every format of %s has the same %s",
  async (domain, dataset) => {
    const [first, ...others] = await Promise.all(
      formats.map(async (format) => (await deliveredRows(domain, format, "national")).get(dataset)?.rows),
    );
    expect(first?.length).toBeGreaterThan(0);
    for (const rows of others) expect(rows).toEqual(first);
    if (dataset === "property") for (const row of first?.slice(0, 20) ?? []) await requireAnswered(row);
    if (dataset === "market_report") expect(first?.some(isSmall)).toBe(true);
  },
  90_000,
);

/** A property is delivered as it is answered, its parts under their names. */
async function requireAnswered(row: PartRow): Promise<void> {
  type View = { readonly id: string; readonly version: string; readonly attributes: PartRow };
  const target = `/v1/properties/${encodeURIComponent(String(row["id"]))}`;
  const { id, version, attributes } = dataOf<View>(await customerOf(running).get(target));
  const members = Object.entries(attributes).flatMap(([name, value]): [string, unknown][] =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([part, held]) => [`${name}_${part}`, held])
      : [[name, value]],
  );
  expect(row).toEqual(withoutNulls({ id, version, ...Object.fromEntries(members) }));
}

/** Of fewer listings than are counted together by default. */
const isSmall = ({ new_listings: count }: PartRow): boolean => Number(count) < 10;
