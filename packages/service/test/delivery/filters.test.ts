import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Collection } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf, dataOf, readLines, refusal } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150", CADASTRE_PART_BYTES: "200000" });
});
afterAll(() => running.stop());

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a delivery, by dataset, in the order of its parts. */
async function delivered(body: Row, customer = "national") {
  const asks = customerOf(running, customer);
  const id = await asks.complete(body);
  const { data, rows } = await readLines<Row>(asks, id);
  const document = async (target: string) => JSON.parse((await asks.get(target)).text) as Row;
  return {
    rows: (dataset: string) => rows.get(dataset) ?? [],
    profile: await document(`/v1/profiles/${data.profile.sha256}`),
    schema: await document(`/v1/schemas/${data.schema.sha256}`),
  };
}

/** Returns the keys that OData answers. */
async function keysOf(set: string, key: string, filter: string, customer = "national") {
  const asks = customerOf(running, customer);
  const keys: unknown[] = [];
  const query = `$select=${key}&$top=1000&$orderby=${key}&$filter=${encodeURIComponent(filter)}`;
  let next: string | undefined = `/reso/odata/${set}?${query}`;
  while (next !== undefined) {
    const page = JSON.parse((await asks.get(next)).text) as Collection;
    keys.push(...page.value.map((row) => row[key]));
    const link: string | undefined = page["@odata.nextLink"];
    next = link?.slice(new URL(link).origin.length);
  }
  return keys;
}

describe("an export with a filter", () => {
  const filter = "StateOrProvince eq 'TX' and BedroomsTotal ge 3";

  test.each(["national", "market"])(
    "has what OData answers %s, with its media and their files",
    async (name) => {
      const { rows, profile } = await delivered({ filter }, name);
      const keys = await keysOf("Property", "ListingKey", filter, name);
      expect(rows("listing").map((row) => row["ListingKey"])).toEqual(keys);
      expect(keys.length).toBeGreaterThan(0);
      expect(profile["filter"]).toBe(filter);
      const all = await delivered({}, name);
      expect(rows("listing").length).toBeLessThan(all.rows("listing").length);
      const isOf = new Set(keys);
      const media = all.rows("listing_media").filter((row) => isOf.has(row["ResourceRecordKey"]));
      expect(media.length).toBeGreaterThan(0);
      expect(rows("listing_media")).toEqual(media);
      const isOfMedia = new Set(media.map((row) => row["MediaKey"]));
      const assets = all.rows("media_assets").filter((row) => isOfMedia.has(row["MediaKey"]));
      expect(rows("media_assets")).toEqual(assets);
    },
  );

  test("and selected fields has those and the key, in the order of the profile", async () => {
    const asked = { filter, select: ["ListPrice", "City", "ListPrice"] };
    const { rows, schema, profile } = await delivered(asked);
    const names = (schema["datasets"] as { columns: { name: string }[] }[])[0]?.columns.map(
      ({ name }) => name,
    );
    expect(names?.toSorted()).toEqual(["City", "ListPrice", "ListingKey"]);
    expect(new Set(rows("listing").flatMap(Object.keys))).toEqual(new Set(names));
    expect(profile["fields"]).toContainEqual({
      dataset: "listing",
      names: ["City", "ListPrice", "ListingKey"],
    });
    // What is selected of the listings says nothing of their media.
    expect(Object.keys(rows("listing_media")[0] ?? {}).length).toBeGreaterThan(3);
  });

  test("of properties and public records has the rows that meet it", async () => {
    const records = await delivered({ domain: "public_record", filter: "AssessedTotalValue gt 300000" });
    const every = await delivered({ domain: "public_record" });
    const dear = every.rows("public_record").filter((row) => Number(row["AssessedTotalValue"]) > 300_000);
    expect(dear.length).toBeGreaterThan(0);
    expect(records.rows("public_record")).toEqual(dear);
    const properties = await delivered({ domain: "property", filter: "list_price gt 400000" });
    const whole = await delivered({ domain: "property" });
    const priced = whole.rows("property").filter((row) => Number(row["list_price"]) > 400_000);
    expect(priced.length).toBeGreaterThan(0);
    expect(properties.rows("property")).toEqual(priced);
  });
});

/** A condition of each kind that can be bound: over lists and masked places, by each family of functions and operators. */
const kindsOfConditions = [
  "$it/City eq 'x'",
  "Appliances/any(a:a eq 'Dishwasher' and length(a) gt BedroomsTotal)",
  "Appliances/all(a:Appliances/any(b:a eq b))",
  "concat(Appliances,Appliances)/$count gt 9",
  "hassubset(Appliances,['Dishwasher'])",
  "indexof(Appliances,['Dishwasher']) ge 0",
  "City in Appliances",
  "Appliances has 'Dishwasher'",
  "StandardStatus has 'Active'",
  "geo.distance(Coordinates,geography'POINT(-97 30)') lt 10000",
  "geo.intersects(Coordinates,geography'POLYGON((-97 30,-96 30,-96 31,-97 30))')",
  "matchesPattern(City,'^A')",
  "case(ListPrice gt 900000:true,true:false)",
  "cast(ListPrice,Edm.String) eq '1'",
  "not isof(City,Edm.String)",
  "City in ['x','y']",
  "ListPrice divby 3 gt 300000",
  "ListPrice mod 7 eq 0",
  "year(ModificationTimestamp) eq 1999",
  "ModificationTimestamp add duration'P1D' lt 2000-01-01T00:00:00Z",
  "contains(tolower(City),'a')",
  "(ListPrice gt 1) eq (City eq 'x')",
];

test.each(["national", "coarse"])("every kind of condition that is accepted of %s is built", async (name) => {
  const filter = kindsOfConditions.map((one) => `(${one})`).join(" or ");
  const { rows } = await delivered({ filter, select: ["City"] }, name);
  const keys = await keysOf("Property", "ListingKey", filter, name);
  expect(keys.length).toBeGreaterThan(0);
  expect(rows("listing").map((row) => row["ListingKey"])).toEqual(keys);
});

describe("what is refused", () => {
  test.each<[string, Row, string, string?]>([
    ["an unknown field", { filter: "Nope eq 1" }, "unknown_property", "position 0 to 4"],
    ["a fault of syntax", { filter: "City eq" }, "syntax_error", "position 7 to 7"],
    ["another type", { filter: "ListPrice eq 'x'" }, "type_mismatch", "position 0 to 16"],
    ["no condition", { filter: "City" }, "not_boolean", "position 0 to 4"],
    ["the current time", { filter: "ModificationTimestamp lt now()" }, "not_supported", "position 25 to 30"],
    ["a related record", { filter: "ListAgent/MemberKey eq 'x'" }, "unknown_property", "position 0 to 9"],
    [
      "whether there is one",
      { filter: "1 eq 1 and ListAgent ne null" },
      "unknown_property",
      "position 11 to 20",
    ],
    ["any of many", { filter: "Media/any(m:m/Order eq 1)" }, "unknown_property", "position 0 to 5"],
    ["their number", { filter: "Media/$count gt 1" }, "unknown_property", "position 0 to 5"],
    ["a path within items", { filter: "Appliances/any(a:a/Name eq 'x')" }, "type_mismatch"],
    ["another set", { filter: "$root/Property('x')/City eq 'x'" }, "not_supported", "position 0 to 19"],
    ["filtered items", { filter: "Appliances/$filter($this eq 'x')/$count gt 0" }, "not_supported"],
    ["a sum", { filter: "Appliances/aggregate($count as x) gt 1" }, "not_supported"],
    ["an annotation", { filter: "@odata.etag eq 'x'" }, "not_supported", "position 0 to 11"],
    ["a parameter", { filter: "City eq @p" }, "unknown_alias", "position 8 to 10"],
    ["a control character", { filter: "City eq '\n'" }, "syntax_error", "position 9 to 10"],
    ["too much", { filter: `${"(".repeat(65)}City eq 'x'${")".repeat(65)}` }, "query_too_complex"],
  ])("%s, with the place", async (_, body, code, place) => {
    const reply = await customerOf(running).create(body);
    expect(refusal(reply)).toEqual([400, "invalid_filter"]);
    const { details, target } = JSON.parse(reply.text) as { details: Row[]; target: string };
    expect([target, details[0]?.["code"]]).toEqual(["filter", code]);
    if (place !== undefined) expect(details).toContainEqual({ code: "position", message: place });
  });

  test("a field that the customer does not see is unknown, as one that does not exist", async () => {
    const [hidden, absent] = await Promise.all(
      ["ListAgentKey eq 'x'", "ListAgentKez eq 'x'"].map((filter) =>
        customerOf(running, "state").create({ filter }),
      ),
    );
    expect([hidden, absent].map((reply) => reply && refusal(reply))).toEqual(
      Array(2).fill([400, "invalid_filter"]),
    );
    expect(hidden?.text).toBe(absent?.text.replaceAll("ListAgentKez", "ListAgentKey"));
  });

  test("a filter of market reports, and fields that are not of the profile", async () => {
    const { create } = customerOf(running);
    expect(refusal(await create({ domain: "market_report", filter: "new_listings gt 1" }))).toEqual([
      400,
      "filter_not_available",
    ]);
    const wrong = await create({ select: ["City", "Nope"] });
    expect(refusal(wrong)).toEqual([400, "invalid_select"]);
    expect((JSON.parse(wrong.text) as Row)["target"]).toBe("select.1");
    expect(refusal(await create({ select: [] }))).toEqual([400, "invalid_request"]);
  });

  test("the same key with another filter", async () => {
    const { create } = customerOf(running);
    const first = { idempotencyKey: "filtered", filter: "City eq 'x'" };
    const [created, again] = [await create(first), await create(first)];
    expect([created.status, again.status]).toEqual([202, 202]);
    expect(dataOf(again)).toEqual(dataOf(created));
    for (const other of [{ filter: "City eq 'y'" }, { filter: undefined }, { select: ["City"] }])
      expect(refusal(await create({ ...first, ...other }))).toEqual([409, "idempotency_conflict"]);
  });
});

describe("a subscription with a filter", () => {
  const root = "/v1/file-export-subscriptions";
  const asked = { domain: "listing", deliveryMode: "pull", cadenceSeconds: 3600 };

  test("states what it was asked for, and delivers that", async () => {
    const asks = customerOf(running);
    const filter = "BedroomsTotal ge 4";
    const reply = await asks.post(root, { ...asked, name: "large", filter, select: ["City"] });
    expect(reply.status).toBe(201);
    const subscription = dataOf<{ id: string; profileId: string }>(reply);
    expect(subscription).toMatchObject({ profileId: "listing-jsonl", filter, select: ["City"] });
    expect(dataOf(await asks.get(`${root}/${subscription.id}`))).toMatchObject({ filter, select: ["City"] });
    type Listed = readonly { readonly id: string; readonly status: string }[];
    const deliveries = async () => dataOf<Listed>(await asks.get(`${root}/${subscription.id}/deliveries`));
    await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 30_000 }).toBe("complete");
    const { data } = await asks.manifest((await deliveries())[0]?.id ?? "");
    const keys = await keysOf("Property", "ListingKey", filter);
    expect(data.datasets.find(({ name }) => name === "listing")?.rowCount).toBe(keys.length);
    expect(JSON.parse((await asks.get(`/v1/profiles/${data.profile.sha256}`)).text)).toMatchObject({
      filter,
    });
    const environment = { CADASTRE_DATA: running.folder.path };
    const operated = [
      ["delivery", "show", data.deliveryId],
      ["subscription", "show", subscription.id],
    ];
    for (const what of operated) expect((await cadastre(what, { environment })).stdout).toContain(filter);
  });

  test("is refused as an export is", async () => {
    const { post } = customerOf(running);
    const refused = async (more: Row) => refusal(await post(root, { ...asked, name: "other", ...more }));
    for (const filter of ["Nope eq 1", "Media/any(m:m/Order eq 1)", "ListAgent/MemberKey eq 'x'"])
      expect(await refused({ filter })).toEqual([400, "invalid_filter"]);
    expect(await refused({ domain: "market_report", filter: "id eq '1'" })).toEqual([
      400,
      "filter_not_available",
    ]);
    expect(await refused({ select: ["Nope"] })).toEqual([400, "invalid_select"]);
  });
});
