import type { StoredRecord, WritableStore } from "@cadastre/store";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { engines } from "./interference/engines.ts";
import type { Grants } from "./interference/projection.ts";
import { openSide, type Side } from "./interference/side.ts";
import { datasets, now, recordNames, systems } from "./interference/universe.ts";
import { type Reply, toError } from "./support/ask.ts";

const grantsOf = (state: string, fields: readonly string[] | "*" = "*"): Grants => ({
  regions: [{ kind: "state", value: state }],
  datasets: [
    {
      dataset_id: datasets[0],
      resources: Object.fromEntries(
        recordNames.map((name) => [name, { fields: name === "Property" ? fields : "*" }]),
      ),
    },
  ],
});
const texas = grantsOf("TX");
const bothSystems: Grants = {
  ...texas,
  datasets: texas.datasets.flatMap((one) => [one, { ...one, dataset_id: datasets[1] }]),
};

const listing = (key: string, values: StoredRecord["record"]): StoredRecord => ({
  resource: "Property",
  datasetId: datasets[0],
  record: {
    ListingKey: key,
    OriginatingSystemName: systems[0],
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    ...values,
  },
});

const root = "https://feed.example/reso/odata";
const property = "/reso/odata/Property";
const week = 7 * 86_400;

type Row = Readonly<Record<string, unknown>>;
type DeltaPage = Row & {
  readonly value: readonly Row[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
};

let store: WritableStore;
let side: Side;
/** A service over another store, with the same keys. */
let restored: Side;
let seconds = now;
let stop: () => Promise<void>;
beforeAll(async () => {
  const start = engines[process.env["DATABASE"] === "postgres" ? "PostgreSQL" : "SQLite"];
  if (start === undefined) throw new Error("there is no such database");
  const engine = await start();
  store = (await engine.open("changing")) as WritableStore;
  side = await openSide(store, { clock: () => seconds * 1000 });
  const other = await engine.open("restored");
  restored = await openSide(other);
  stop = async () => {
    await side.stop();
    await restored.stop();
    await store.close();
    await other.close();
    await engine.close();
  };
});
afterAll(() => stop());

const before = [
  listing("p0", { City: "Austin", ListPrice: 1 }),
  listing("p1", { City: "Austin", ListPrice: 2 }),
  listing("p2", { City: "Austin", ListPrice: 3 }),
  listing("p3", { City: "Austin", ListPrice: 4 }),
];
/** One changes, one leaves the filter, one the state, one is deleted, one is new, and one is not matched at all. */
const later = [
  listing("p0", { City: "Austin", ListPrice: 10 }),
  listing("p1", { City: "Bend", ListPrice: 2 }),
  listing("p2", { City: "Austin", ListPrice: 3, StateOrProvince: "OR" }),
  listing("p4", { City: "Austin", ListPrice: 5 }),
  listing("p5", { City: "Bend", ListPrice: 6 }),
];

beforeEach(async () => {
  seconds = now;
  side.admit({ one: texas, other: texas });
  await side.fill(before);
});

const track = { prefer: "track-changes" };
const get = (target: string, headers: Readonly<Record<string, string>> = {}, who: "one" | "other" = "one") =>
  side.ask(who, target, { headers });
const read = ({ status, text }: Reply): DeltaPage => {
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as DeltaPage;
};

/** Reads all pages from `target` on: their items, and the delta link of the last one. */
async function pages(target: string, headers: Readonly<Record<string, string>> = track) {
  const items: Row[] = [];
  for (let next = target; ; ) {
    const { value, "@odata.deltaLink": link, ...page } = read(await get(next, headers));
    items.push(...value);
    if (link !== undefined) return { items, link };
    next = String(page["@odata.nextLink"]);
  }
}

const austin = `${property}?$filter=City eq 'Austin'&$select=ListPrice`.replaceAll(" ", "%20");

test("the last page of a walk alone has a delta link, which keeps the filter and the selection", async () => {
  const first = await get(`${austin}&$top=3&$orderby=ListPrice&$count=true`, track);
  expect(first.headers["preference-applied"]).toBe("track-changes");
  const page = read(first);
  expect(page["@odata.deltaLink"]).toBeUndefined();
  expect(page["@odata.context"]).toBe(`${root}/$metadata#Property(ListPrice,ListingKey)`);
  expect(page.value[0]).toEqual({ ListPrice: 1, ListingKey: "p0" });
  const last = await get(String(page["@odata.nextLink"]), track);
  expect(last.headers["preference-applied"]).toBeUndefined();
  expect(read(last)["@odata.nextLink"]).toBeUndefined();
  const link = String(read(last)["@odata.deltaLink"]);
  expect(link.replace(/[^=]*$/, "")).toBe(
    `${root}/Property?$filter=City%20eq%20'Austin'&$select=ListPrice&$deltatoken=`,
  );
});

test("in 4.0, what is gone has its address; what leaves the filter is told from what is not seen any more", async () => {
  const { link } = await pages(austin);
  await side.fill(later);
  const page = read(await get(link, { ...track, prefer: "maxpagesize=10" }));
  const gone = { "@odata.context": `${root}/$metadata#Property/$deletedEntity` };
  expect(page).toEqual({
    "@odata.context": `${root}/$metadata#Property(ListPrice,ListingKey)/$delta`,
    value: [
      { ListPrice: 10, ListingKey: "p0" },
      { ListPrice: 5, ListingKey: "p4" },
      { ...gone, id: `${root}/Property('p1')`, reason: "changed" },
      { ...gone, id: `${root}/Property('p2')`, reason: "deleted" },
      { ...gone, id: `${root}/Property('p3')`, reason: "deleted" },
    ],
    "@odata.deltaLink": expect.stringContaining("$deltatoken=") as string,
  });
});

test("in 4.01, what is gone has its key, on pages that each change is on once", async () => {
  const headers = { ...track, "odata-maxversion": "4.01" };
  const { link } = await pages(austin, headers);
  await side.fill(later);
  const gone = (key: string, reason: string) => ({
    "@removed": { reason },
    "@id": `${root}/Property('${key}')`,
    ListingKey: key,
  });
  for (const size of [1, 2, 3, 5]) {
    const { items } = await pages(link, { ...headers, prefer: `maxpagesize=${size}` });
    // On a page, what is gone comes last.
    expect(items.toSorted((a, b) => (String(a["ListingKey"]) < String(b["ListingKey"]) ? -1 : 1))).toEqual([
      { ListPrice: 10, ListingKey: "p0" },
      gone("p1", "changed"),
      gone("p2", "deleted"),
      gone("p3", "deleted"),
      { ListPrice: 5, ListingKey: "p4" },
    ]);
  }
});

test("in full metadata, records have their control information", async () => {
  const target = `${austin}&$format=application/json;odata.metadata=full`;
  const { link } = await pages(target);
  await side.fill(later);
  const { items } = await pages(link);
  expect(items[0]).toMatchObject({ "@odata.id": `${root}/Property('p0')`, ListPrice: 10 });
  expect(items).toHaveLength(5);
});

test("changes are counted on every page, and alone", async () => {
  const { link } = await pages(austin);
  await side.fill(later);
  const first = read(await get(`${link}&$count=true`, { prefer: "maxpagesize=2" }));
  expect([first["@odata.count"], first.value.length]).toEqual([5, 2]);
  const second = read(await get(String(first["@odata.nextLink"]), { prefer: "maxpagesize=2" }));
  expect([second["@odata.count"], second.value.length]).toEqual([5, 2]);
  const alone = await get(link.replace("/Property?", "/Property/$count?"));
  expect([alone.status, alone.text]).toEqual([200, "5"]);
});

test("an empty result has a link too, and nothing changed is an empty page with the next link", async () => {
  const { items, link } = await pages(`${property}?$filter=City%20eq%20'Nowhere'`);
  expect(items).toEqual([]);
  const again = await get(link, { prefer: "odata.track-changes" });
  expect(again.headers["preference-applied"]).toBe("odata.track-changes");
  expect(read(again).value).toEqual([]);
  expect((await pages(String(read(again)["@odata.deltaLink"]))).items).toEqual([]);
});

test.each<[string, readonly StoredRecord[], readonly StoredRecord[]]>([
  ["moves to another system", [{ ...listing("p3", before[3]?.record ?? {}), datasetId: datasets[1] }], []],
  ["is deleted, and comes again as it was", [], before.slice(3)],
])("a listing that %s during a walk is on it, or among the changes", async (_, meanwhile, after) => {
  side.admit({ one: bothSystems, other: texas });
  const first = read(await get(`${austin}&$top=3`, track));
  await side.fill([...before.slice(0, 3), ...meanwhile]);
  const { items, link } = await pages(String(first["@odata.nextLink"]));
  await side.fill([...before.slice(0, 3), ...meanwhile, ...after]);
  const found = [...first.value, ...items, ...(await pages(link)).items];
  expect(found.filter(({ ListingKey }) => ListingKey === "p3")).toEqual([{ ListPrice: 4, ListingKey: "p3" }]);
});

test("with `$top=0` the link comes at once", async () => {
  const { items, link } = await pages(`${property}?$top=0`);
  expect(items).toEqual([]);
  await side.fill(later);
  expect((await pages(link)).items).toHaveLength(6);
});

test("what was not selected, or is hidden, does not count as a change", async () => {
  side.admit({ one: grantsOf("TX", ["City", "StateOrProvince"]), other: texas });
  const { link } = await pages(`${property}?$select=City`);
  await side.fill([listing("p0", { City: "Austin", ListPrice: 99 }), ...before.slice(1)]);
  expect((await pages(link)).items).toEqual([]);
});

test.each([
  ["related records that no index leads from", `${property}?$expand=BuyerAgent`],
  ["such records below others", `${property}?$expand=OpenHouses($expand=Listing($expand=BuyerAgent))`],
  [
    "related records by the present time",
    `${property}?$expand=OpenHouses($filter=ModificationTimestamp%20lt%20now())`,
  ],
  ["a Placekey", `${property}?placekey=222-222@8t2-fjb-26k`],
  ["the present time", `${property}?$filter=ModificationTimestamp%20lt%20now()`],
  ["the present time in an alias", `${property}?$filter=ModificationTimestamp%20lt%20@a&@a=now()`],
  ["a file", `${property}?$format=jsonl`],
])("for %s the preference is not applied", async (_, target) => {
  const reply = await get(target, track);
  expect([reply.status, reply.headers["preference-applied"]]).toEqual([200, undefined]);
  expect(reply.text).not.toContain("deltaLink");
});

const media = (key: string, of: string, Order: number): StoredRecord => ({
  resource: "Media",
  datasetId: datasets[0],
  record: {
    MediaKey: key,
    OriginatingSystemName: systems[0],
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    ResourceName: "Property",
    ResourceRecordKey: of,
    Order,
    Permission: ["Public"],
  },
});

test("a record has changed if its related records have, and is given with all of them", async () => {
  await side.fill([...before, media("m0", "p0", 2), media("m1", "p1", 1)]);
  const expand = encodeURIComponent("Media($select=MediaKey;$orderby=Order;$top=1)");
  const target = `${property}?$select=City&$expand=${expand}`;
  const { items, link } = await pages(target);
  expect(items.map(({ ListingKey, Media }) => [ListingKey, Media])).toEqual([
    ["p0", [{ MediaKey: "m0" }]],
    ["p1", [{ MediaKey: "m1" }]],
    ["p2", []],
    ["p3", []],
  ]);
  await side.fill([
    ...before,
    media("m0", "p0", 2),
    // It comes second, so nothing that is shown has changed.
    media("m3", "p0", 3),
    // It has another listing now.
    media("m1", "p2", 1),
  ]);
  for (const size of [1, 10]) {
    const told = await pages(link, { ...track, prefer: `maxpagesize=${size}` });
    expect(told.items).toEqual([
      { City: "Austin", ListingKey: "p1", Media: [] },
      { City: "Austin", ListingKey: "p2", Media: [{ MediaKey: "m1" }] },
    ]);
  }
  const counted = read(await get(`${link}&$count=true`, { prefer: "maxpagesize=1" }));
  expect([counted["@odata.count"], counted.value.length]).toEqual([2, 1]);
  expect(String(counted["@odata.context"])).toMatch(
    /#Property\(City,ListingKey,Media\(MediaKey\)\)\/\$delta$/,
  );
});

test("without the preference there is no link", async () => {
  expect((await get(`${property}?$top=1000`)).text).not.toContain("deltaLink");
  expect(
    (await get(`${property}?$top=1000`, { prefer: "track-changes-not, nottrack-changes" })).text,
  ).not.toContain("deltaLink");
});

/** The whole result, of which the link of {@link austin} tells the changes. */
const whole = `${root}/Property?$filter=City%20eq%20'Austin'&$select=ListPrice`;

const expectExpired = (reply: Reply, location = whole) => {
  expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
    410,
    "delta_link_expired",
    "$deltatoken",
  ]);
  expect(reply.headers["location"]).toBe(location);
};

test("`$metadata` says that changes are tracked, and for how long", async () => {
  const json = await get("/reso/odata/$metadata?$format=json");
  const tracking = (names: readonly string[]) =>
    `"@Org.OData.Capabilities.V1.ChangeTracking":${JSON.stringify({ Supported: true, ExpandableProperties: names })}`;
  // No index leads from a buyer's agent to the listings.
  expect(json.text).toContain(tracking(["ListAgent", "Media", "OpenHouses"]));
  expect(json.text).toContain(tracking(["Listing", "Media"]));
  expect(json.text).toContain("A delta link holds for 604800 seconds.");
  const xml = await get("/reso/odata/$metadata");
  expect(xml.text.match(/Term="Org.OData.Capabilities.V1.ChangeTracking"/g)).toHaveLength(7);
  expect(xml.text).toMatch(
    /Property="ExpandableProperties">\s*<Collection>\s*<NavigationPropertyPath>ListAgent<\/NavigationPropertyPath>/,
  );
});

test("a link holds for a week from the first page on, whatever is committed", async () => {
  const first = read(await get(`${austin}&$top=3`, track));
  seconds = now + 3600;
  const link = String(read(await get(String(first["@odata.nextLink"]), track))["@odata.deltaLink"]);
  seconds = now + week - 1;
  const next = (await pages(link)).link;
  seconds = now + week;
  expectExpired(await get(link));
  expect((await pages(next)).items).toEqual([]);
});

test("what was pruned is gone, even before", async () => {
  const { link } = await pages(austin);
  await side.fill(later);
  await store.prune(Date.now() + 60_000);
  expectExpired(await get(link));
  expectExpired(await get(link.replace("/Property?", "/Property/$count?")));
});

test("after a restore, commits with the same numbers are told from those of before", async () => {
  await restored.advance(side.checkpoint() - 1);
  await restored.fill(before);
  restored.admit({ one: texas, other: texas });
  expect(restored.checkpoint()).toBeGreaterThanOrEqual(side.checkpoint());
  const { link } = await pages(austin);
  expectExpired(await restored.ask("one", link));
});

test("a walk with a delta link at its end does not go on over a restore", async () => {
  const lost = read(await get(austin, { prefer: "maxpagesize=1,track-changes" }));
  const plain = read(await get(austin, { prefer: "maxpagesize=1" }));
  // Another commit with the number of the one that the walk shows, at another time.
  await restored.advance(side.checkpoint() - 1);
  await restored.fill(before.map((one) => ({ ...one, record: { ...one.record, ListPrice: 99 } })));
  restored.admit({ one: texas, other: texas });
  expect(restored.checkpoint()).toBeGreaterThanOrEqual(side.checkpoint());
  const refused = await restored.ask("one", String(lost["@odata.nextLink"]));
  expect([refused.status, toError(refused).code]).toEqual([400, "invalid_skip_token"]);
  expect((await restored.ask("one", String(plain["@odata.nextLink"]))).status).toBe(200);
  expect((await get(String(lost["@odata.nextLink"]))).status).toBe(200);
});

test("another scope, or other fields, make the link expire", async () => {
  const { link } = await pages(austin);
  side.admit({ one: grantsOf("OR"), other: texas });
  expectExpired(await get(link));
  side.admit({ one: grantsOf("TX", ["City", "ListPrice", "StateOrProvince"]), other: texas });
  expectExpired(await get(link));
  side.admit({ one: texas, other: texas });
  expect((await pages(link)).items).toEqual([]);
});

test("a link of another customer, query or set, and one that was edited, are all refused alike", async () => {
  const { link } = await pages(austin);
  const skip = String(read(await get(`${austin}&$top=1`))["@odata.nextLink"]);
  const token = /\$skiptoken=(.*)$/.exec(skip)?.[1] ?? "";
  for (const reply of [
    await get(link, {}, "other"),
    await get(link.replace("Austin", "Bend")),
    await get(link.replace("/Property?", "/Media?").replace(/\$filter=[^&]*&\$select=[^&]*&/, "")),
    await get(link.slice(0, -1)),
    await get(link.replace(/\$deltatoken=.*$/, `$deltatoken=${token}`)),
    await get(`${property}?$deltatoken=x`),
  ])
    expect([reply.status, toError(reply).code]).toEqual([400, "invalid_delta_token"]);
});

test("changes are not told as a file", async () => {
  const { link } = await pages(austin);
  const reply = await get(link, { accept: "text/csv" });
  expect([reply.status, toError(reply).code]).toEqual([406, "not_acceptable"]);
});

test.each(["$top=1", "$skip=1", "$orderby=City", "$skiptoken=x"])(
  "`%s` is not for a delta link",
  async (option) => {
    const { link } = await pages(austin);
    const reply = await get(`${link}&${option}`);
    expect([reply.status, toError(reply).code]).toEqual([400, "conflicting_options"]);
  },
);
