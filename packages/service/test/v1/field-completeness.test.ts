import { EntitlementError, type ResourceRules } from "@cadastre/entitlement";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalField } from "../../src/v1/canonical-field.ts";
import type { Reply } from "../support/ask.ts";
import { errorBody } from "../support/error-body.ts";
import {
  everything,
  granting,
  hillcountry,
  listing,
  lonestar,
  type PropertyService,
  scopeOf,
  startPropertyService,
} from "./property-service.ts";

const { entitySet, fieldsOf } = sampleCatalog;

const path = "/v1/field-completeness";

type Cell = {
  readonly source_id: string;
  readonly originating_system_name: string;
  readonly canonical_field: string;
  readonly wire_field: string;
  readonly total_count: number;
  readonly populated_count: number;
  readonly populated_ratio: number | null;
  readonly suppressed: boolean;
};
type Body = {
  readonly data: Readonly<Record<string, unknown>> & { readonly cells: readonly Cell[] };
  readonly meta: Readonly<Record<string, unknown>>;
};

const somewhere = (
  count: number,
  name: string,
  said: StoredRecord["record"],
  system?: (typeof sampleSystems)[number],
) =>
  Array.from({ length: count }, (_, i) => ({
    ...listing(`${name}${i}`, { ...said, BedroomsTotal: i % 4 === 0 ? null : i }, system),
    source: (system ?? lonestar).id,
  }));

const oklahoma = { StateOrProvince: "OK" } as const;
const gulfsun = sampleSystems[3];

/** Travis: 40 and 4 of one system, 12 of another; Hays: 7; in no county: 3. In another state, of which only some are granted: 10 and 9. */
const listings = [
  ...somewhere(40, "a", { City: "" }),
  ...somewhere(4, "b", { PostalCode: "78702" }),
  ...somewhere(12, "c", {}, hillcountry),
  ...somewhere(7, "d", { CountyOrParish: "Hays", PostalCode: "78610" }),
  ...somewhere(3, "e", { CountyOrParish: null, PostalCode: "78999-1234" }),
  ...somewhere(10, "f", { ...oklahoma, CountyOrParish: "Tulsa", PostalCode: "74103" }, gulfsun),
  ...somewhere(9, "g", { ...oklahoma, CountyOrParish: "Payne", PostalCode: "74074" }, gulfsun),
];

let service: PropertyService;
beforeAll(async () => {
  service = await startPropertyService({
    all: everything,
    travis: { ...everything, regions: [{ kind: "county", value: "TX/Travis" }] },
    zip: { ...everything, regions: [{ kind: "zip", value: "78702" }] },
    fields: granting({
      [lonestar.datasetId]: { fields: ["City", "BedroomsTotal"], masks: { BedroomsTotal: "null" } },
      [hillcountry.datasetId]: { fields: ["BedroomsTotal"] },
    }),
    gulf: granting({ [gulfsun.datasetId]: { fields: "*" } }),
    blurred: granting({
      [lonestar.datasetId]: { fields: "*", masks: { Latitude: "round2" } },
      [hillcountry.datasetId]: { fields: "*" },
    }),
    coarse: granting({ [lonestar.datasetId]: { fields: "*", masks: { PostalCode: "prefix3" } } }),
    hiddenCounty: granting({
      [lonestar.datasetId]: { fields: ["BedroomsTotal", "StateOrProvince", "PostalCode"] },
    }),
    hiddenState: granting({
      [lonestar.datasetId]: { fields: ["BedroomsTotal", "CountyOrParish", "PostalCode"] },
    }),
    nothing: granting({ [sampleSystems[2].datasetId]: { fields: "*" } }),
    closed: { ...everything, channels: { api: false, odata: true, file_delivery: true } },
  });
});
afterAll(() => service.stop());

const read = async (query = "", customer?: string): Promise<Body> => {
  const reply = await service.get(`${path}${query}`, customer);
  expect([query, reply.status, reply.text.slice(0, 60)]).toEqual([query, 200, expect.any(String)]);
  return JSON.parse(reply.text) as Body;
};
const refusal = ({ status, text }: Reply) => [status, JSON.parse(text) as unknown];
/** Total and populated counts of a field, by system. */
const countsOf = (field: string, { data }: Body) =>
  Object.fromEntries(
    data.cells
      .filter(({ wire_field }) => wire_field === field)
      .map((cell) => [cell.source_id, [cell.total_count, cell.populated_count, cell.populated_ratio]]),
  );

test("without a published build there is none", async () => {
  await service.store.commit(listings);
  expect(refusal(await service.get(path))).toEqual([404, errorBody("not_found")]);
  await service.store.builds.publish(["Property"]);
  expect((await service.get(path)).status).toBe(200);
});

describe("of a published build", () => {
  test("an answer has every member of the interface, and a cell for each field and market", async () => {
    const { data, meta } = await read();
    const { cells, ...rest } = data;
    expect(rest).toEqual({
      geography_type: "national",
      geography_id: "US",
      reso_dd_version: "2.0",
      minimum_cell_size: 10,
    });
    expect(meta).toEqual({ entitlement_version: 7 });
    // Local fields of systems that are not granted do not exist.
    const granted = ["hillcountry", "lonestar", null];
    const seen = fieldsOf("Property").filter(({ source }) => granted.includes(source));
    expect(cells).toHaveLength(2 * seen.length);
    expect(cells.find(({ wire_field }) => wire_field === "BedroomsTotal")).toEqual({
      source_id: "hillcountry",
      originating_system_name: hillcountry.name,
      canonical_field: "bedrooms",
      wire_field: "BedroomsTotal",
      total_count: 12,
      populated_count: 9,
      populated_ratio: 0.75,
      suppressed: false,
    });
    expect(await read("?geography=national:US")).toEqual({ data, meta });
  });

  // In the state there are 4 + 7 + 3 in places that are too small, which are counted together.
  test.each([
    ["", "all", { lonestar: [54, 40, 40 / 54], hillcountry: [12, 9, 0.75] }],
    ["?geography=state:TX", "all", { lonestar: [54, 40, 40 / 54], hillcountry: [12, 9, 0.75] }],
    ["?geography=county:TX/Travis", "all", { lonestar: [40, 30, 0.75], hillcountry: [12, 9, 0.75] }],
    ["?geography=county:TX/Hays", "all", { lonestar: [0, 0, null] }],
    ["?geography=zip:78701", "all", { lonestar: [40, 30, 0.75], hillcountry: [12, 9, 0.75] }],
    ["?geography=zip:78702", "all", { lonestar: [0, 0, null] }],
    ["?geography=zip:78999", "all", { lonestar: [0, 0, null] }],
    ["", "travis", { lonestar: [40, 30, 0.75], hillcountry: [12, 9, 0.75] }],
    ["?geography=state:TX", "travis", { lonestar: [40, 30, 0.75], hillcountry: [12, 9, 0.75] }],
    ["", "zip", { lonestar: [0, 0, null] }],
    ["?source=lonestar", "all", { lonestar: [54, 40, 40 / 54] }],
    ["?osn=Hill%20Country+Exchange", "all", { hillcountry: [12, 9, 0.75] }],
    ["?source=lonestar&osn=Lone+Star+MLS&geography=zip:78701", "all", { lonestar: [40, 30, 0.75] }],
    // Of a dataset that shows no place only the nation is counted.
    ["", "fields", { hillcountry: [12, 9, 0.75] }],
    ["", "coarse", { lonestar: [54, 40, 40 / 54] }],
  ])("BedroomsTotal of %j to %s", async (query, customer, counts) => {
    expect(countsOf("BedroomsTotal", await read(query, customer))).toEqual(counts);
  });

  test("an empty text is no value, and a collection without items neither", async () => {
    expect(countsOf("City", await read("?source=lonestar"))).toEqual({ lonestar: [54, 14, 14 / 54] });
    expect(countsOf("Appliances", await read("?source=lonestar"))).toEqual({ lonestar: [54, 0, 0] });
  });

  test.each([
    ["national:US", "national", "US"],
    ["state:TX", "state", "TX"],
    ["zip:78701", "zip", "78701"],
    ["county:TX/Travis", "county", "TX/Travis"],
  ])("%s is told as %s and %s", async (geography, type, id) => {
    const { data } = await read(`?geography=${geography}`);
    expect([data["geography_type"], data["geography_id"]]).toEqual([type, id]);
  });

  test.each([
    ["zip:74103", [10, 7, 0.7]],
    ["county:OK/Tulsa", [10, 7, 0.7]],
    ["zip:74074", [0, 0, null]],
    ["county:OK/Payne", [0, 0, null]],
    // The other nine would be the difference of the state and its county.
    ["state:OK", [10, 7, 0.7]],
    ["national:US", [10, 7, 0.7]],
  ])("ten listings are enough, and nine are not: %s", async (geography, counts) => {
    const body = await read(`?geography=${geography}`, "gulf");
    expect(countsOf("BedroomsTotal", body)).toEqual({ [gulfsun.id]: counts });
  });

  test("a field that is computed of a masked one has no cell of that dataset", async () => {
    const { data } = await read("", "blurred");
    const sourcesOf = (field: string) =>
      data.cells.filter(({ wire_field }) => wire_field === field).map(({ source_id }) => source_id);
    for (const field of ["Latitude", "Coordinates", "Placekey"])
      expect([field, sourcesOf(field)]).toEqual([field, ["hillcountry"]]);
    expect(sourcesOf("Longitude")).toEqual(["hillcountry", "lonestar"]);
    // What no entity set has is no field, though the host may ask for it.
    expect(sourcesOf("ProvisionalId")).toEqual([]);
  });

  test("a suppressed cell says no more than that", async () => {
    for (const cell of (await read("?geography=zip:78702")).data.cells)
      expect(cell).toMatchObject({
        total_count: 0,
        populated_count: 0,
        populated_ratio: null,
        suppressed: true,
      });
  });

  test.each([
    ["national:US", [54, 40, 40 / 54]],
    ["state:TX", [54, 40, 40 / 54]],
    ["county:TX/Travis", [44, 33, 0.75]],
    // Seven are too few.
    ["county:TX/Hays", [0, 0, null]],
  ])("a masked ZIP code leaves the cells of %s that do not depend on it", async (geography, counts) => {
    const body = await read(`?geography=${geography}`, "coarse");
    expect(countsOf("BedroomsTotal", body)).toEqual({ [lonestar.id]: counts });
  });

  test("a hidden county leaves those of the state and the nation, and a hidden state that of the nation", async () => {
    const counts = (geography: string, customer: string) =>
      read(`?geography=${geography}`, customer).then((body) => countsOf("BedroomsTotal", body)[lonestar.id]);
    expect(await counts("state:TX", "hiddenCounty")).toEqual([54, 40, 40 / 54]);
    expect(await counts("national:US", "hiddenCounty")).toEqual([54, 40, 40 / 54]);
    expect(await counts("zip:78701", "hiddenCounty")).toEqual([0, 0, null]);
    expect(await counts("national:US", "hiddenState")).toEqual([54, 40, 40 / 54]);
    expect(await counts("zip:78701", "hiddenState")).toEqual([0, 0, null]);
  });

  test("a field that is hidden or masked has no cell", async () => {
    const { cells } = (await read("?source=lonestar", "fields")).data;
    expect(cells.map(({ wire_field }) => wire_field).toSorted()).toEqual([
      "City",
      "ListingKey",
      "ModificationTimestamp",
      "OriginatingSystemName",
    ]);
    const coarse = (await read("", "coarse")).data.cells.map(({ wire_field }) => wire_field);
    expect(coarse).not.toContain("PostalCode");
  });

  test.each([
    ["?geography=state:tx", 400, "invalid_geography"],
    ["?geography=state:TEX", 400, "invalid_geography"],
    ["?geography=national:CA", 400, "invalid_geography"],
    ["?geography=zip:7870", 400, "invalid_geography"],
    ["?geography=zip:78701-1234", 400, "invalid_geography"],
    ["?geography=county:TX", 400, "invalid_geography"],
    ["?geography=county:TX/", 400, "invalid_geography"],
    ["?geography=county:TX/a/b", 400, "invalid_geography"],
    [`?geography=county:TX/${"a".repeat(201)}`, 400, "invalid_geography"],
    ["?geography=", 400, "invalid_geography"],
    ["?geography=city:Austin", 400, "invalid_geography"],
    ["?geography=state:TX%0A", 400, "invalid_geography"],
    [`?geography=county:TX/${"%C3%A9".repeat(200)}`, 404, "not_found"],
    ["?geography=state:TX&geography=state:TX", 400, "duplicate_parameter"],
    ["?limit=1", 400, "unknown_parameter"],
    ["?osn=%ff", 400, "invalid_encoding"],
    ["?geography=state:WA", 404, "not_found"],
    ["?geography=state:OK", 404, "not_found"],
    ["?geography=zip:00000", 404, "not_found"],
    ["?source=nobody", 404, "not_found"],
    ["?osn=", 404, "not_found"],
    ["?source=lonestar&osn=Hill+Country+Exchange", 404, "not_found"],
  ])("%s is %i %s", async (query, status, error) => {
    expect(refusal(await service.get(`${path}${query}`))).toEqual([status, errorBody(error)]);
  });

  test.each([
    ["", "nothing", 404, "not_found"],
    ["?geography=zip:78701", "zip", 404, "not_found"],
    // By what this customer sees no listing lies in a ZIP code.
    ["?geography=zip:78701", "coarse", 404, "not_found"],
    ["?geography=state:TX", "fields", 404, "not_found"],
    ["", "closed", 403, "channel_not_entitled"],
  ])("%j to %s is %i %s", async (query, customer, status, error) => {
    expect(refusal(await service.get(`${path}${query}`, customer))).toEqual([status, errorBody(error)]);
  });

  test("who knows the answer is told so, until another build has another one", async () => {
    const { headers } = await service.get(path);
    const etag = String(headers["etag"]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "private, no-cache",
    });
    expect((await service.get(path, "all", { "if-none-match": etag })).status).toBe(304);
    await service.store.commit([{ ...listing("z"), source: lonestar.id }]);
    expect((await service.get(path, "all", { "if-none-match": etag })).status).toBe(304);
    await service.store.builds.publish(["Property"]);
    expect((await service.get(path, "all", { "if-none-match": etag })).status).toBe(200);
    const [, before] = await service.store.builds.list("Property");
    await service.store.builds.rollback("Property", before?.id ?? "");
    expect((await service.get(path, "all", { "if-none-match": etag })).status).toBe(304);
  });

  test("what could not be proven to be filtered is not answered", async () => {
    const { services } = service;
    const unavailable = [503, errorBody("service_unavailable")];
    const active = services.activeEntitySets;
    Object.assign(services, { activeEntitySets: [] });
    expect(refusal(await service.get(path))).toEqual(unavailable);
    Object.assign(services, { activeEntitySets: active });
    const byCity = {
      by: "region",
      regions: {
        state: "City",
        county: "CountyOrParish",
        zip: "PostalCode",
        originating_system: "OriginatingSystemName",
      },
    } as const;
    const { of } = services.scopes;
    const within = { ...everything, regions: [{ kind: "state", value: "TX" } as const] };
    const letIn = (rules: ResourceRules) =>
      Object.assign(services.scopes, { of: async () => scopeOf("all", within, { rules }) });
    letIn({ Property: byCity });
    expect(refusal(await service.get(path))).toEqual(unavailable);
    letIn({});
    expect(refusal(await service.get(path))).toEqual(unavailable);
    const refused = (code: "key_set_stale" | "entitlement_expired") =>
      Object.assign(services.scopes, { of: () => Promise.reject(new EntitlementError(code)) });
    refused("key_set_stale");
    expect(refusal(await service.get(path))).toEqual(unavailable);
    refused("entitlement_expired");
    expect(refusal(await service.get(path))).toEqual([403, errorBody("entitlement_changed")]);
    Object.assign(services.scopes, { of });
  });
});

test("a ZIP code that is masked changes no byte of an answer", async () => {
  const zips = fc.constantFrom("78701", "78702", "78610", "78610-1234", "78999", null);
  const world = fc.array(zips, { minLength: 40, maxLength: 40 });
  const geographies = ["national:US", "state:TX", "county:TX/Travis", "county:TX/Hays", "zip:78701"];
  const counties = ["Travis", "Travis", "Hays"];
  const masked = granting({ [lonestar.datasetId]: { fields: "*", masks: { PostalCode: "null" } } });
  const fresh = await startPropertyService({ masked });
  const answersIn = async (zipsOf: readonly (string | null)[]) => {
    const rows = zipsOf.map((PostalCode, i) => {
      const CountyOrParish = counties[Math.floor(i / 16)] ?? null;
      return { ...listing(`m${i}`, { PostalCode, CountyOrParish }), source: lonestar.id };
    });
    await fresh.store.commit(rows);
    await fresh.store.builds.publish(["Property"]);
    const replies = await Promise.all(
      geographies.map((geography) => fresh.get(`${path}?geography=${geography}`)),
    );
    return replies.map(({ status, text, headers }) => [status, text, headers["etag"]]);
  };
  const first = await answersIn(Array.from({ length: 40 }, () => "78701"));
  expect(first.map(([status]) => status)).toEqual([200, 200, 200, 200, 404]);
  await fc.assert(
    fc.asyncProperty(world, async (zipsOf) => {
      expect(await answersIn(zipsOf)).toEqual(first);
    }),
    { numRuns: 6 },
  );
  await fresh.stop();
}, 60_000);

test("each field has a canonical name of its own", () => {
  const names = [...entitySet("Property").type.properties.keys()];
  expect(new Set(names.map(canonicalField)).size).toBe(names.length);
  expect(["StandardStatus", "City", "PoolPrivateYN", "ListAOR", "Stories"].map(canonicalField)).toEqual([
    "status",
    "address.city",
    "pool_private_yn",
    "list_aor",
    "reso_stories",
  ]);
});
