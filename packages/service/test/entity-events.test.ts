import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask as send } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let plain: Running;
beforeAll(async () => {
  running = await run({
    CADASTRE_EXTENSIONS: "event",
    CADASTRE_PAGE_SIZE: "1000",
  });
  plain = await run({});
}, 120_000);
afterAll(async () => {
  await running.stop();
  await plain.stop();
});

const root = "/reso/odata";

type Event = {
  readonly EntityEventSequence: number;
  readonly ResourceName: string;
  readonly ResourceRecordKey: string;
  readonly ResourceRecordUrl: string | null;
};
type Collection = {
  readonly value: readonly Event[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
};

async function askAs(key: string, target: string, method = "GET") {
  const reply = await send(running.service.baseUrl, target, { "x-api-key": running.key(key) }, method);
  return {
    status: reply.status,
    body: reply.text.startsWith("{") ? (JSON.parse(reply.text) as object) : reply.text,
  };
}

const events = async (query: string, key = "national") => {
  const { status, body } = await askAs(key, `${root}/EntityEvent?${query.replaceAll(" ", "%20")}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Collection;
};

/** Sets of the sample that have records, those first that others refer to. */
const sets = ["Lookup", "Office", "Member", "Property", "Media"] as const;

async function countOf(set: string, key: string): Promise<number> {
  const { status, body } = await askAs(key, `${root}/${set}/$count`);
  return status === 404 ? 0 : Number(body);
}

/** Waits until the events of a key are made, one for each record, and returns their number. */
async function made(key: string): Promise<number> {
  const counts = await Promise.all(sets.map((set) => countOf(set, key)));
  const sum = counts.reduce((all, count) => all + count, 0);
  while ((await countOf("EntityEvent", key)) < sum);
  return sum;
}

describe("the set EntityEvent", () => {
  test("has an event for each record of the sets, parents first", async () => {
    const count = await made("national");
    for (const set of sets) {
      const own = (await events(`$filter=ResourceName eq '${set}'&$count=true&$top=1`))["@odata.count"];
      expect([set, own]).toEqual([set, await countOf(set, "national")]);
    }
    const names: string[] = [];
    const numbers: number[] = [];
    let next: string | undefined = `${root}/EntityEvent`;
    while (next !== undefined) {
      const { body } = await askAs("national", next.replace(running.service.baseUrl, ""));
      const page = body as Collection;
      for (const event of page.value) {
        numbers.push(event.EntityEventSequence);
        if (event.ResourceName !== names.at(-1)) names.push(event.ResourceName);
      }
      next = page["@odata.nextLink"];
    }
    expect(names).toEqual(sets);
    expect(numbers).toHaveLength(count);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(numbers.every((number) => Number.isSafeInteger(number))).toBe(true);
  });

  test("is filtered, sorted, paged and selected", async () => {
    const { value: all } = await events("$top=20");
    const [first, second] = all as [Event, Event];
    const above = `EntityEventSequence gt ${first.EntityEventSequence}`;
    expect((await events(`$filter=${above}&$top=19`)).value).toEqual(all.slice(1));
    expect((await events(`$filter=${above} and ResourceName eq 'Property'&$top=1`)).value[0]).toMatchObject({
      ResourceName: "Property",
    });
    expect((await events("$filter=ResourceName eq 'Nope'")).value).toEqual([]);
    const { ResourceRecordKey, ResourceName } = second;
    const ofKey = `ResourceRecordKey eq '${ResourceRecordKey}' and ResourceName eq '${ResourceName}'`;
    expect((await events(`$filter=${ofKey}`)).value).toEqual([second]);
    const down = (await events("$orderby=EntityEventSequence desc&$top=3")).value;
    expect(down.map((event) => event.EntityEventSequence)).toEqual(
      down.map((event) => event.EntityEventSequence).toSorted((a, b) => b - a),
    );
    expect((await events("$skip=3&$top=2")).value).toEqual(all.slice(3, 5));
    expect((await events("$select=ResourceName&$top=1")).value).toEqual([
      { ResourceName: first.ResourceName },
    ]);
    const one = await askAs("national", `${root}/EntityEvent(${first.EntityEventSequence})`);
    expect(one).toMatchObject({ status: 200, body: first });
    expect(await askAs("national", `${root}/EntityEvent(5)`)).toMatchObject({ status: 404 });
  });

  test("leads to the record, and to that of its own customer alone", async () => {
    const [event] = (await events("$filter=ResourceName eq 'Property'&$top=1")).value as [Event];
    const { ResourceRecordKey: key, ResourceRecordUrl: url } = event;
    // There is no base URL to make it of.
    expect(url).toBeNull();
    expect((await askAs("national", `${root}/Property('${key}')`)).body).toMatchObject({ ListingKey: key });
    const count = await made("market");
    expect(count).toBeLessThan(await made("national"));
    const others = (await events("$filter=ResourceName eq 'Property'", "market")).value;
    expect(others.length).toBeGreaterThan(0);
    for (const other of others)
      expect((await askAs("market", `${root}/Property('${other.ResourceRecordKey}')`)).status).toBe(200);
  });

  test.each([
    ["$filter=contains(ResourceRecordKey,'1')", "$filter"],
    ["$filter=ResourceName ne 'Property'", "$filter"],
    ["$filter=ResourceName eq 'Media' or ResourceName eq 'Property'", "$filter"],
    ["$filter=ResourceRecordUrl eq 'x'", "$filter"],
    ["$orderby=ResourceRecordKey", "$orderby"],
  ])("refuses %s, which no index serves", async (query, target) => {
    const { status, body } = await askAs("national", `${root}/EntityEvent?${query.replaceAll(" ", "%20")}`);
    expect([status, body]).toMatchObject([501, { error: { code: "not_supported", target } }]);
  });

  test("has no field of another customer, and takes no changes", async () => {
    expect(await askAs("national", `${root}/EntityEvent?$filter=Customer%20eq%20'x'`)).toMatchObject({
      status: 400,
      body: { error: { code: "unknown_property" } },
    });
    for (const method of ["POST", "PATCH", "DELETE", "PUT"])
      expect((await askAs("national", `${root}/EntityEvent`, method)).status).toBe(405);
  });

  test("is declared where it is offered alone", async () => {
    const document = async ({ service, key }: Running) =>
      (await send(service.baseUrl, root, { "x-api-key": key("national") })).text;
    const metadata = async ({ service, key }: Running) =>
      (await send(service.baseUrl, `${root}/$metadata`, { "x-api-key": key("national") })).text;
    expect(await document(running)).toContain('"EntityEvent"');
    expect(await metadata(running)).toContain('<PropertyRef Name="EntityEventSequence"');
    expect(await document(plain)).not.toContain("EntityEvent");
    expect(await metadata(plain)).not.toContain("EntityEvent");
    const reply = await send(plain.service.baseUrl, `${root}/EntityEvent`, {
      "x-api-key": plain.key("national"),
    });
    expect(reply.status).toBe(404);
  });
});
