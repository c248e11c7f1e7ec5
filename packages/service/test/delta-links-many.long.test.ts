import type { StoredRecord, WritableStore } from "@cadastre/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engines } from "./interference/engines.ts";
import type { Grants } from "./interference/projection.ts";
import { openSide, type Side } from "./interference/side.ts";
import { datasets, recordNames, systems } from "./interference/universe.ts";

/** More than the related records that a page of `$expand` may have. */
const many = 20_100;

let side: Side;
let stop: () => Promise<void>;
beforeAll(async () => {
  const start = engines[process.env["DATABASE"] === "postgres" ? "PostgreSQL" : "SQLite"];
  if (start === undefined) throw new Error("there is no such database");
  const engine = await start();
  const store = (await engine.open("many")) as WritableStore;
  side = await openSide(store);
  const resources = Object.fromEntries(recordNames.map((name) => [name, { fields: "*" as const }]));
  const all: Grants = {
    regions: [{ kind: "national", value: "US" }],
    datasets: [{ dataset_id: datasets[0], resources }],
  };
  side.admit({ one: all, other: all });
  stop = async () => {
    await side.stop();
    await store.close();
    await engine.close();
  };
});
afterAll(() => stop());

const common = { OriginatingSystemName: systems[0], ModificationTimestamp: "2024-05-01T10:00:00.000Z" };
const agent = (MemberStatus: string): StoredRecord => ({
  resource: "Member",
  datasetId: datasets[0],
  record: { ...common, MemberKey: "m", MemberStatus },
});
const listings = Array.from(
  { length: many },
  (_, i): StoredRecord => ({
    resource: "Property",
    datasetId: datasets[0],
    record: { ...common, ListingKey: `p${i}`, StateOrProvince: "TX", ListAgentKey: "m" },
  }),
);

type Page = {
  readonly value: readonly { readonly ListingKey: string }[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
};

const read = async (target: string, prefer: string): Promise<Page> => {
  const { status, text } = await side.ask("one", target, { headers: { prefer } });
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as Page;
};

/** Reads all pages of changes, and the number of records in each. */
async function changesOf(link: string) {
  const keys: string[] = [];
  const sizes: number[] = [];
  for (let next: string | undefined = link; next !== undefined; ) {
    const page: Page = await read(next, "maxpagesize=500");
    keys.push(...page.value.map(({ ListingKey }) => ListingKey));
    sizes.push(page.value.length);
    next = page["@odata.nextLink"];
  }
  return { keys, sizes };
}

test("a change of an agent is told for all of many listings, page by page", async () => {
  await side.fill([agent("Active"), ...listings]);
  const linkOf = async (select: string): Promise<string> => {
    const target = `/reso/odata/Property?$select=City&$expand=ListAgent($select=${select})&$top=0`;
    return String((await read(target, "track-changes"))["@odata.deltaLink"]);
  };
  const [shown, hidden] = [await linkOf("MemberStatus"), await linkOf("MemberKey")];
  await side.fill([agent("Inactive"), ...listings]);
  const { keys, sizes } = await changesOf(shown);
  expect(sizes.slice(0, -1).every((size) => size === 500)).toBe(true);
  expect(keys).toEqual(listings.map(({ record }) => String(record["ListingKey"])).toSorted());
  // Nothing that is selected has changed, and no page compares all of them.
  const none = await changesOf(hidden);
  expect(none.keys).toEqual([]);
  expect(none.sizes.length).toBeGreaterThan(3);
}, 600_000);
