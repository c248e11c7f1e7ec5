import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toEntity, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const customers = ["national", "market", "state", "coarse"] as const;
const get = (target: string, name = "national", headers: Record<string, string> = {}) =>
  ask(base, target, { "x-api-key": running.key(name), ...headers });
type Options = Parameters<typeof query>[0];
type Row = Readonly<Record<string, unknown>>;
const rows = async (set: string, options: Options, name?: string): Promise<readonly Row[]> => {
  const reply = await get(`/reso/odata/${set}${query(options)}`, name);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return toCollection(reply).value;
};

/** Navigation properties by set, as `$metadata` declares them to a customer. */
async function navigationOf(name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { text } = await get("/reso/odata/$metadata?$format=json", name);
  const { "org.reso.metadata": types } = JSON.parse(text) as Record<string, Record<string, Row>>;
  return new Map(
    Object.entries(types ?? {}).map(([type, members]) => [
      type,
      Object.entries(members).flatMap(([member, facts]) =>
        (facts as Row | null)?.["$Kind"] === "NavigationProperty" ? [member] : [],
      ),
    ]),
  );
}

const quoted = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;

describe.each(customers)("for %s", (name) => {
  test("a collection has what separate requests find", async () => {
    const navigation = (await navigationOf(name)).get("Property") ?? [];
    const nested = "$select=MediaKey,Order;$orderby=Order desc;$filter=Order gt 1;$top=2;$skip=1;$count=true";
    const expand = navigation.map((own) => (own === "Media" ? `Media(${nested})` : own)).join();
    if (expand === "") return;
    for (const row of await rows("Property", { $top: 20, $expand: expand }, name)) {
      for (const own of navigation) {
        if (own === "Media") {
          const condition = `ResourceName eq 'Property' and ResourceRecordKey eq ${quoted(row["ListingKey"])} and Order gt 1`;
          const options = { $filter: condition, $select: "MediaKey,Order", $orderby: "Order desc" };
          const all = await rows("Media", options, name);
          expect(row["Media"]).toEqual(all.slice(1, 3));
          expect(row["Media@odata.count"]).toBe(all.length);
          continue;
        }
        if (own === "OpenHouses") {
          const condition = `ListingKey eq ${quoted(row["ListingKey"])}`;
          expect(row["OpenHouses"]).toEqual(await rows("OpenHouse", { $filter: condition }, name));
          continue;
        }
        const [set, key] = own.endsWith("Agent") ? ["Member", "MemberKey"] : ["Office", "OfficeKey"];
        const [related = null] =
          row[`${own}Key`] === null
            ? []
            : await rows(set, { $filter: `${key} eq ${quoted(row[`${own}Key`])}` }, name);
        expect({ own, related: row[own] }).toEqual({ own, related });
      }
    }
  });

  test("what is selected beside is not added, and all else is as without `$expand`", async () => {
    const navigation = (await navigationOf(name)).get("Property") ?? [];
    if (!navigation.includes("Media")) return;
    const options = { $select: "City,ListPrice", $top: 10, $orderby: "ListPrice desc", $count: true };
    const plain = toCollection(await get(`/reso/odata/Property${query(options)}`, name));
    const reply = await get(
      `/reso/odata/Property${query({ ...options, $expand: "Media($select=MediaKey)" })}`,
      name,
    );
    const expanded = toCollection(reply);
    expect(
      expanded.value.map((row) => Object.fromEntries(Object.entries(row).filter(([own]) => own !== "Media"))),
    ).toEqual(plain.value);
    expect(JSON.parse(reply.text)).toMatchObject({
      "@odata.context": `${base}/reso/odata/$metadata#Property(City,ListPrice,Media(MediaKey))`,
      "@odata.count": (JSON.parse(JSON.stringify(plain)) as Row)["@odata.count"],
    });
    for (const { Media } of expanded.value)
      for (const one of Media as readonly Row[]) expect(Object.keys(one)).toEqual(["MediaKey"]);
  });
});

test("a walk of pages has each record once, with its related ones", async () => {
  const seen: unknown[] = [];
  let target: string | undefined =
    `/reso/odata/Property${query({ $top: 90, $select: "ListingKey", $expand: "Media($count=true;$top=0)" })}`;
  while (target !== undefined) {
    const page = JSON.parse((await get(target)).text) as { value: Row[]; "@odata.nextLink"?: string };
    for (const row of page.value) {
      expect(Object.keys(row)).toEqual(["ListingKey", "Media@odata.count", "Media"]);
      seen.push(row["ListingKey"]);
    }
    target = page["@odata.nextLink"]?.replace(base, "");
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBe(Number((await get("/reso/odata/Property/$count")).text));
});

test("one record, levels below it, references and counts", async () => {
  const [listing] = await rows("Property", { $filter: "ListAgentKey ne null", $top: 1 });
  const key = quoted(listing?.["ListingKey"]);
  const entity = async (expand: string) =>
    toEntity(await get(`/reso/odata/Property(${key})${query({ $select: "City", $expand: expand })}`)) as Row;
  const { ListAgent } = await entity("ListAgent($select=MemberKey;$expand=Office($select=OfficeName))");
  const [agent] = await rows("Member", { $filter: `MemberKey eq ${quoted(listing?.["ListAgentKey"])}` });
  const [office] = await rows("Office", { $filter: `OfficeKey eq ${quoted(agent?.["OfficeKey"])}` });
  expect(ListAgent).toEqual({
    MemberKey: agent?.["MemberKey"],
    Office: { OfficeName: office?.["OfficeName"] },
  });
  const media = await rows("Media", { $filter: `ResourceRecordKey eq ${key}`, $orderby: "MediaKey" });
  expect(await entity("Media/$count")).toMatchObject({
    City: listing?.["City"],
    "Media@odata.count": media.length,
  });
  expect(await entity("Media/$ref($orderby=MediaKey;$top=1)").catch(String)).toMatchObject({
    Media: media.slice(0, 1).map(({ MediaKey }) => ({ "@odata.id": `Media(${quoted(MediaKey)})` })),
  });
});

test("related records have addresses of their own, as the parent has", async () => {
  const [listing] = await rows("Property", {
    $filter: "ListAgentKey ne null and StateOrProvince eq 'TX'",
    $top: 1,
  });
  const [elsewhere] = await rows("Property", { $filter: "StateOrProvince eq 'WA'", $top: 1 });
  const key = String(listing?.["ListingKey"]);
  const own = `/reso/odata/Property(${quoted(key)})`;
  const media = await rows("Media", { $filter: `ResourceRecordKey eq ${quoted(key)}`, $orderby: "Order" });
  const reply = await get(`${own}/Media${query({ $orderby: "Order", $count: true })}`);
  expect(JSON.parse(reply.text)).toMatchObject({
    "@odata.context": `${base}/reso/odata/$metadata#Media`,
    "@odata.count": media.length,
    value: media,
  });
  expect((await get(`${own}/Media/$count`)).text).toBe(String(media.length));
  expect(
    toCollection(await get(`${own}/Media${query({ $select: "Order", $top: 1, $orderby: "Order desc" })}`))
      .value,
  ).toEqual(media.slice(-1).map(({ Order }) => ({ Order })));
  const agent = toEntity(await get(`${own}/ListAgent?$select=MemberKey`)) as Row;
  expect(agent["MemberKey"]).toBe(listing?.["ListAgentKey"]);
  // A parent that the caller does not see is not there, whatever it leads to.
  const hidden = await get(`/reso/odata/Property(${quoted(elsewhere?.["ListingKey"])})/Media`, "state");
  const absent = await get("/reso/odata/Property('none')/Media", "state");
  expect([hidden.status, hidden.text]).toEqual([404, absent.text]);
});

test.each<[string, number, string]>([
  ["$expand=Nope", 400, "unknown_property"],
  ["$expand=Media&$top=501", 400, "limit_exceeded"],
  ["$expand=Media($expand=Nope)", 400, "unknown_property"],
  ["$expand=Media($filter=ListPrice gt 1)", 400, "unknown_property"],
  ["$expand=Media,Media", 400, "duplicate_option"],
  ["$filter=Media/any(m:m/Order eq 1)", 501, "not_supported"],
  ["$filter=ListAgent/MemberKey eq 'x'", 501, "not_supported"],
  ["$orderby=ListOffice/OfficeName", 501, "not_supported"],
  ["$filter=Media/$count gt 3", 501, "not_supported"],
  ["$search=x", 501, "not_implemented"],
])("%s is refused", async (options, status, code) => {
  const reply = await get(`/reso/odata/Property?${encodeURI(options)}`);
  expect([reply.status, toError(reply).code]).toEqual([status, code]);
});

test("full metadata of a page with related records is valid, and numbers may be texts", async () => {
  const target = `/reso/odata/Property${query({ $top: 2, $select: "ListPrice", $expand: "Media($select=Order)" })}`;
  const full = JSON.parse(
    (await get(target, "national", { accept: "application/json;odata.metadata=full" })).text,
  ) as {
    value: Row[];
  };
  for (const row of full.value) expect(row["@odata.id"]).toEqual(expect.any(String));
  const texts = await get(target, "national", { accept: "application/json;IEEE754Compatible=true" });
  expect(texts.status).toBe(200);
});

test("it is refused, and `$metadata` has no navigation, where the setting does not offer it", async () => {
  const without = await run({ CADASTRE_LISTINGS: "20", CADASTRE_EXTENSIONS: "none" });
  try {
    const headers = { "x-api-key": without.key("national") };
    const reply = await ask(without.service.baseUrl, "/reso/odata/Property?$expand=Media", headers);
    expect([reply.status, toError(reply).code]).toEqual([501, "not_implemented"]);
    const metadata = await ask(without.service.baseUrl, "/reso/odata/$metadata", headers);
    expect(metadata.text).not.toContain("NavigationProperty");
    expect((await ask(without.service.baseUrl, "/openapi.json")).text).not.toContain("$expand");
  } finally {
    await without.stop();
  }
});
