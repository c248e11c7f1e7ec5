import { EntitlementError } from "@cadastre/entitlement";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { StoreError } from "@cadastre/store";
import { afterEach, describe, expect, test } from "vitest";
import { burst, createRates } from "../../src/access/rates.ts";
import type { Reply } from "../support/ask.ts";
import { errorBody } from "../support/error-body.ts";
import {
  absent,
  absentProvisional,
  everything,
  granting,
  hillcountry,
  house,
  listing,
  lonestar,
  type PropertyService,
  provisional,
  scopeOf,
  startPropertyService,
  tower,
} from "./property-service.ts";

const { entitySet } = sampleCatalog;

/** What an answer of the endpoint says. */
type Found = {
  readonly data: {
    readonly id: string;
    readonly domain: string;
    readonly version: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  };
  readonly meta: Readonly<Record<string, unknown>>;
};

const customers = {
  whole: everything,
  lonestarAlone: granting({ [lonestar.datasetId]: { fields: "*" } }),
  texasAlone: { ...everything, regions: [{ kind: "state", value: "TX" }] },
  masked: granting({
    [lonestar.datasetId]: { fields: "*" },
    [hillcountry.datasetId]: { fields: "*", masks: { Latitude: "round2", StreetNumber: "null" } },
  }),
  withoutPlaces: granting({ [lonestar.datasetId]: { fields: ["StandardStatus", "City"] } }),
  withoutApi: { ...everything, channels: { api: false, odata: true, file_delivery: true } },
  withoutListings: { datasets: [{ dataset_id: lonestar.datasetId, resources: { Office: { fields: "*" } } }] },
} as const;
type Customer = keyof typeof customers;

let service: PropertyService;
const started: PropertyService[] = [];
async function start(): Promise<PropertyService> {
  service = await startPropertyService(customers);
  started.push(service);
  return service;
}
afterEach(async () => {
  for (const { stop } of started.splice(0)) await stop();
});

const get = (id: string, customer: Customer = "whole") =>
  service.get(`/v1/properties/${encodeURIComponent(id)}`, customer);

async function find(id: string, customer: Customer = "whole"): Promise<Found> {
  const reply = await get(id, customer);
  expect([id, reply.status, reply.text.slice(0, 80)]).toEqual([id, 200, expect.any(String)]);
  return JSON.parse(reply.text) as Found;
}

const refusal = ({ status, text }: Reply) => [status, JSON.parse(text) as unknown];
const notFound = [404, errorBody("not_found")];
const unavailable = [503, errorBody("service_unavailable")];

const keysOf = async (id: string, customer?: Customer) =>
  (await find(id, customer)).data.attributes["listing_keys"];

describe("a property", () => {
  test("is answered in the envelope, with the types of the interface", async () => {
    const { store } = await start();
    const said = { Placekey: house, ListPrice: 450_000.5, BedroomsTotal: 3, BathroomsTotalInteger: 2 };
    await store.commit([listing("a", said)]);
    const reply = await get(house);
    expect(reply.headers["content-type"]).toBe("application/json");
    const found = JSON.parse(reply.text) as Found;
    expect(Object.keys(found)).toEqual(["data", "meta"]);
    expect(Object.keys(found.data)).toEqual(["id", "domain", "version", "attributes"]);
    expect(found.data).toMatchObject({
      id: house,
      domain: "listing",
      attributes: { status: "Active", list_price: 450_000.5, bedrooms: 3, bathrooms: 2, osn: lonestar.name },
    });
    expect(found.data.version).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(found.meta).toEqual({ entitlement_version: 7 });
  });

  test("groups listings of several systems, of which two may have the same ListingId", async () => {
    const { store } = await start();
    const said = { Placekey: house, ListingId: "1" };
    await store.commit([
      listing("a", said),
      listing("b", { ...said, StandardStatus: "Closed" }, hillcountry),
      listing("other", { Placekey: tower, ListingId: "1" }),
    ]);
    expect(await keysOf(house)).toEqual(["a", "b"]);
    expect(await keysOf(tower)).toEqual(["other"]);
  });

  test("leaves out the attributes of fields that nobody shows, and has null where there is no value", async () => {
    const { store } = await start();
    const own = listing("a", { StreetNumber: null });
    await store.commit([own, listing("b", { Placekey: house })]);
    const { attributes } = (await find(house)).data;
    expect(attributes).toHaveProperty("year_built", null);
    expect(Object.keys(attributes)).toContain("location");
    expect(refusal(await get(house, "withoutPlaces"))).toEqual(notFound);
  });
});

describe("an id", () => {
  const long = "a".repeat(256);
  test.each([
    ["", "invalid_property_id"],
    ["%00", "invalid_property_id"],
    ["a%1Fb", "invalid_property_id"],
    ["%C2%85", "invalid_property_id"],
    ["%zz", "invalid_property_id"],
    ["%ff", "invalid_property_id"],
    [`${long}a`, "invalid_property_id"],
    [encodeURIComponent("😀".repeat(257)), "invalid_property_id"],
    [encodeURIComponent("😀".repeat(256)), "not_found"],
    [long, "not_found"],
    // What is unique among listings is the id of no property.
    ["key-1", "not_found"],
    ["id-1", "not_found"],
    ["upi-1", "not_found"],
    ["prov:key-1", "not_found"],
    [absentProvisional.toLowerCase(), "not_found"],
    [house.toUpperCase(), "not_found"],
    [`${house}/`, "not_found"],
    [absent, "not_found"],
    [absentProvisional, "not_found"],
  ])("%j is %s", async (place, code) => {
    const { store } = await start();
    await store.commit([
      listing("key-1", { ListingId: "id-1", UniversalPropertyId: "upi-1", Placekey: house }),
    ]);
    const reply = await service.get(`/v1/properties/${place}`);
    expect(refusal(reply)).toEqual([code === "not_found" ? 404 : 400, errorBody(code)]);
  });

  test("may be written as it is or percent-encoded", async () => {
    const { store } = await start();
    await store.commit([listing("a", { Placekey: house })]);
    for (const written of [house, encodeURIComponent(house)])
      expect((await service.get(`/v1/properties/${written}`)).status).toBe(200);
  });

  test("is provisional while listings have no Placekey, the same for writings of one address", async () => {
    const { store } = await start();
    const one = listing("a", { StreetSuffix: "Street", City: "AUSTIN " });
    const other = listing("b", { StreetSuffix: "St.", PostalCode: "78701-1234" }, hillcountry);
    const elsewhere = listing("c", { UnitNumber: "#2" });
    await store.commit([one, other, elsewhere]);
    expect(await find(provisional(one))).toMatchObject({ data: { id: provisional(one) } });
    expect(await keysOf(provisional(one))).toEqual(["a", "b"]);
    expect(await keysOf(provisional(elsewhere))).toEqual(["c"]);
  });

  test("is a listing's own where its address or its place is not known", async () => {
    const { store } = await start();
    const rows = [
      listing("a", { StreetNumber: null }),
      listing("b", { StreetNumber: null }),
      listing("a", { Latitude: null }, hillcountry),
    ];
    expect(new Set(rows.map(provisional)).size).toBe(3);
    await store.commit(rows.slice(0, 2));
    expect(await keysOf(provisional(rows[0] as (typeof rows)[0]))).toEqual(["a"]);
  });

  test("is the same however often the listings are taken", async () => {
    expect(provisional(listing("a"))).toBe(provisional(listing("a", { ListPrice: 7 })));
  });
});

test("of listings that the caller sees in part, none is grouped by what is hidden", async () => {
  const { store } = await start();
  const [shown, masked] = [listing("a"), listing("b", {}, hillcountry)];
  await store.commit([
    shown,
    masked,
    listing("c", { Placekey: house }),
    listing("d", { Placekey: house }, hillcountry),
  ]);
  expect(provisional(shown)).toBe(provisional(masked));
  expect([await keysOf(provisional(shown), "masked"), await keysOf(house, "masked")]).toEqual([["a"], ["c"]]);
});

describe("what is hidden", () => {
  test.each<[Customer, string]>([
    ["lonestarAlone", "of another dataset"],
    ["texasAlone", "in another region"],
  ])("is absent for %s: a listing %s changes no byte", async (customer) => {
    const { store } = await start();
    await store.commit([listing("a", { Placekey: house, ListPrice: 5 })]);
    const before = await get(house, customer);
    const newer = {
      Placekey: house,
      ModificationTimestamp: "2025-06-01T00:00:00.000Z",
      ListPrice: 6,
      YearBuilt: 1990,
    };
    await store.commit([listing("b", { ...newer, StateOrProvince: "OK" }, hillcountry)]);
    const after = await get(house, customer);
    expect(after.text).toBe(before.text);
    expect(after.headers["etag"]).toBe(before.headers["etag"]);
    expect((await get(house)).text).not.toBe(before.text);
  });

  test("is answered as what is absent, by the same statements", async () => {
    const { store, queries } = await start();
    const [seen, hidden] = [
      listing("a", { Placekey: house }),
      listing("b", { StreetNumber: "99" }, hillcountry),
    ];
    await store.commit([seen, hidden, listing("c", { Placekey: tower }, hillcountry)]);
    const replies: Reply[] = [];
    for (const id of [tower, absent, provisional(hidden), absentProvisional]) {
      const reply = await get(id, "lonestarAlone");
      const { date: _, "x-request-id": __, ...headers } = reply.headers;
      replies.push({ ...reply, headers });
    }
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(refusal(replies[0] as Reply)).toEqual(notFound);
    const shapes = queries.map(({ filter, orderBy, top }) =>
      JSON.stringify([filter, orderBy, top]).replaceAll(/"(?:prov:\w+|22\d-22\d@[\w-]+)"/g, "id"),
    );
    expect([shapes.length, new Set(shapes).size]).toEqual([4, 1]);
    const plans = new Set<string>();
    for (const query of queries) plans.add((await store.explain(query)).join("\n"));
    expect(plans.size).toBe(1);
  });
});

describe("the version", () => {
  const january = { Placekey: house, ListPrice: 5 };
  const versionOf = async (customer?: Customer) => (await find(house, customer)).data.version;

  test("stays as long as the view does, and rises with a newer change", async () => {
    const { store } = await start();
    await store.commit([listing("a", january)]);
    const first = await versionOf();
    expect(await versionOf()).toBe(first);
    // Not an attribute: the view is the same.
    await store.commit([listing("a", { ...january, PublicRemarks: "quiet" })]);
    expect(await versionOf()).toBe(first);
    await store.commit([listing("a", { ...january, ListPrice: 6 })]);
    const changed = await versionOf();
    expect(changed).not.toBe(first);
    expect(changed.slice(0, 10)).toBe(first.slice(0, 10));
    await store.commit([listing("a", { ...january, ModificationTimestamp: "2025-01-01T00:00:00.001Z" })]);
    expect((await versionOf()) > changed).toBe(true);
  });

  test("is another one for a caller who sees something else", async () => {
    const { store } = await start();
    await store.commit([listing("a", january), listing("b", { ...january, YearBuilt: 1990 }, hillcountry)]);
    expect(await versionOf("whole")).not.toBe(await versionOf("lonestarAlone"));
  });

  test("has the time of the newest change", async () => {
    const { store } = await start();
    await store.commit([listing("a", january)]);
    // 2025-01-01T00:00:00Z in Crockford's base 32.
    expect((await versionOf()).slice(0, 10)).toBe("01JGFJJZ00");
  });
});

describe("what cannot be proven to be filtered is not answered", () => {
  const given = async () => {
    const { store, services } = await start();
    await store.commit([listing("a", { Placekey: house })]);
    expect((await get(house)).status).toBe(200);
    return services;
  };

  test("without a policy of the listings", async () => {
    const services = await given();
    const scope = scopeOf("whole", everything, { rules: {} });
    Object.assign(services.scopes, { of: async () => scope });
    expect(refusal(await get(house))).toEqual(unavailable);
    expect(refusal(await get(absent))).toEqual(unavailable);
  });

  test("by a scope that cannot be verified any more", async () => {
    const services = await given();
    const stale = () => Promise.reject(new EntitlementError("key_set_stale"));
    Object.assign(services.scopes, { of: stale });
    expect(refusal(await get(house))).toEqual(unavailable);
  });

  test("by a scope that has been changed or has expired: 403", async () => {
    const services = await given();
    const superseded = () => Promise.reject(new EntitlementError("entitlement_expired"));
    Object.assign(services.scopes, { of: superseded });
    expect(refusal(await get(house))).toEqual([403, errorBody("entitlement_changed")]);
  });

  test("from a build that has not passed its gates", async () => {
    const services = await given();
    Object.assign(services, { activeEntitySets: [entitySet("Office")] });
    expect(refusal(await get(house))).toEqual(unavailable);
  });

  test("while the identities cannot be read", async () => {
    const services = await given();
    const gone = () => Promise.reject(new StoreError("registry_unavailable"));
    Object.assign(services, { identities: gone });
    expect(refusal(await get(house))).toEqual(unavailable);
  });
});

describe("the edge", () => {
  test("asks for a key, and for the channel `api`", async () => {
    await start();
    Object.assign(service.services.keys, { find: async () => undefined });
    expect(refusal(await get(house))).toEqual([401, errorBody("unauthorized")]);
    await start();
    expect(refusal(await get(house, "withoutApi"))).toEqual([403, errorBody("channel_not_entitled")]);
  });

  test("counts the requests of a key", async () => {
    await start();
    Object.assign(service.services.rates, createRates({ requestsPerSecond: 1, refusalsPerSecond: 0 }));
    const replies: Reply[] = [];
    for (let i = 0; i <= burst; i++) replies.push(await get("nothing"));
    expect(replies.slice(0, -1).map(({ status }) => status)).toEqual(
      Array.from({ length: burst }, () => 404),
    );
    expect(refusal(replies.at(-1) as Reply)).toEqual([429, errorBody("rate_limited")]);
  });

  test("a client that has the view already is told so", async () => {
    const { store } = await start();
    await store.commit([listing("a", { Placekey: house })]);
    const first = await get(house);
    const known = { "if-none-match": String(first.headers["etag"]) };
    const again = await service.get(`/v1/properties/${house}`, "whole", known);
    expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", first.headers["etag"]]);
    expect(first.headers["cache-control"]).toBe("private, no-cache");
    expect(first.headers["vary"]).toBe("x-api-key, authorization, accept-encoding");
    await store.commit([listing("a", { Placekey: house, ListPrice: 1 })]);
    expect((await service.get(`/v1/properties/${house}`, "whole", known)).status).toBe(200);
  });
});
