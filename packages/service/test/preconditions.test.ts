import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import { ask, type Headers, query, toCollection, toEntity, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
let key: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300" });
  base = running.service.baseUrl;
  const options = { $filter: "StateOrProvince eq 'WA' and Latitude ne null", $select: "ListingKey", $top: 1 };
  const [row] = toCollection(await get(property + query(options))).value;
  key = String(row?.["ListingKey"]);
});
afterAll(() => running.stop());

const get = (target: string, headers: Headers = {}, name = "national", method = "GET") =>
  ask(base, target, { "x-api-key": running.key(name), ...headers }, method);
const tagOf = async (target: string, headers: Headers = {}, name?: string) =>
  String((await get(target, headers, name)).headers["etag"]);

/** Commit the record of the listing with these changes, as another process would. */
async function change(changes: Readonly<Record<string, unknown>>): Promise<void> {
  const { "@odata.context": _, ...record } = toEntity(await get(`${property}('${key}')`));
  const system = sampleSystems.find(({ name }) => name === record["OriginatingSystemName"]);
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  const datasetId = system?.datasetId ?? "";
  const { written } = await store.commit([
    { resource: "Property", datasetId, record: { ...record, ...changes } },
  ]);
  await store.close();
  expect(written).toBe(1);
}

const addresses = [
  "",
  "/$metadata",
  "/$metadata?$format=json",
  "/Property('KEY')",
  "/Property('KEY')/City",
  "/Property('KEY')/City/$value",
];

describe.each(addresses)("at /reso/odata%s", (address) => {
  const target = () => `/reso/odata${address.replace("KEY", key)}`;

  test("a strong ETag stays the same while nothing changes, for `HEAD` too", async () => {
    const tag = await tagOf(target());
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(await tagOf(target())).toBe(tag);
    expect((await get(target(), {}, "national", "HEAD")).headers["etag"]).toBe(tag);
  });

  test.each<[string, (tag: string) => Headers, number]>([
    ["what the client has", (tag) => ({ "if-none-match": tag }), 304],
    ["a weak form of it", (tag) => ({ "if-none-match": `W/${tag}` }), 304],
    ["one of several", (tag) => ({ "if-none-match": `"a", W/"b",${tag}` }), 304],
    ["anything", () => ({ "if-none-match": "*" }), 304],
    ["another one", () => ({ "if-none-match": '"a"' }), 200],
    ["what it must be", (tag) => ({ "if-match": tag }), 200],
    ["anything that it must be", () => ({ "if-match": "*" }), 200],
    ["another that it must be", () => ({ "if-match": '"a"' }), 412],
    ["a weak form of what it must be", (tag) => ({ "if-match": `W/${tag}` }), 412],
    ["both: the one that refuses counts", (tag) => ({ "if-match": '"a"', "if-none-match": tag }), 412],
    ["both: the one that has it", (tag) => ({ "if-match": tag, "if-none-match": tag }), 304],
  ])("a precondition names %s", async (_, conditions, status) => {
    const tag = await tagOf(target());
    for (const method of ["GET", "HEAD"])
      expect((await get(target(), conditions(tag), "national", method)).status).toBe(status);
  });

  test("304 has no body, and the headers that a cache goes by", async () => {
    const full = await get(target());
    const reply = await get(target(), { "if-none-match": String(full.headers["etag"]) });
    expect([reply.status, reply.text, reply.headers["content-type"]]).toEqual([304, "", undefined]);
    for (const name of ["etag", "vary", "cache-control", "odata-version", "entitlement-version"])
      expect([name, reply.headers[name]]).toEqual([name, full.headers[name]]);
    expect(reply.headers["etag"]).toBeDefined();
  });
});

test("412 is told in OData's form", async () => {
  const reply = await get(`${property}('${key}')`, { "if-match": '"a"' });
  expect([toError(reply).code, toError(reply).target]).toEqual(["precondition_failed", "If-Match"]);
});

test("an ETag is of one form of one answer", async () => {
  const tags = await Promise.all([
    tagOf(`${property}('${key}')`),
    tagOf(`${property}('${key}')?$select=City`),
    tagOf(`${property}('${key}')?$ignorenulls=true`),
    tagOf(`${property}('${key}')`, { accept: "application/json;odata.metadata=none" }),
    tagOf(`${property}('${key}')`, { accept: "application/json;odata.metadata=full" }),
    tagOf(`${property}('${key}')`, { accept: "application/json;IEEE754Compatible=true" }),
    tagOf(`${property}('${key}')`, { host: "other.example" }),
    tagOf(`${property}('${key}')/City`),
    tagOf(`${property}('${key}')/City/$value`),
    tagOf(`${property}('${key}')`, {}, "coarse"),
    tagOf("/reso/odata/$metadata"),
    tagOf("/reso/odata/$metadata", { "odata-maxversion": "4.01" }),
    tagOf("/reso/odata/$metadata", {}, "state"),
  ]);
  expect(new Set(tags).size).toBe(tags.length);
});

test.each(["/Property", "/Property?$top=1", "/Property/$count", "/Property('KEY')/CloseDate/$value"])(
  "%s has no ETag, and no precondition",
  async (address) => {
    await change({ CloseDate: null, PrivateRemarks: `once more for ${address}` });
    const reply = await get(`/reso/odata${address.replace("KEY", key)}`, {
      "if-none-match": "*",
      "if-match": '"a"',
    });
    expect(reply.headers["etag"]).toBeUndefined();
    expect([200, 204]).toContain(reply.status);
  },
);

test.each([404, 400])("a precondition does not touch %i", async (status) => {
  const target = status === 404 ? `${property}('x')` : `${property}('${key}')?$nope=1`;
  const conditions = { "if-none-match": "*", "if-match": '"a"' };
  const [with_, without] = [await get(target, conditions), await get(target)];
  expect([with_.status, with_.text]).toEqual([status, without.text]);
});

describe("a change", () => {
  const formats = ["odata.metadata=minimal", "odata.metadata=full", "IEEE754Compatible=true"];
  const tagsOf = (name: string) =>
    Promise.all(
      formats.flatMap((format) =>
        ["", "?$ignorenulls=true"].map((options) =>
          tagOf(`${property}('${key}')${options}`, { accept: `application/json;${format}` }, name),
        ),
      ),
    );

  test("of a field that is masked from the caller leaves the ETags alone", async () => {
    const [mine, theirs] = [await tagsOf("coarse"), await tagsOf("national")];
    const { Latitude: latitude } = toEntity(await get(`${property}('${key}')`));
    // Somewhere else that is rounded to the same.
    const moved = Math.round(Number(latitude) * 100) / 100 + 0.001_234;
    await change({ UnparsedAddress: "1 Nowhere Lane", StreetNumber: "1", Latitude: moved });
    const now = await tagsOf("national");
    expect(await tagsOf("coarse")).toEqual(mine);
    expect(now.filter((tag) => theirs.includes(tag))).toEqual([]);
  });

  test("of what the caller sees gives other ones, and other bytes to the client", async () => {
    const before = await get(`${property}('${key}')`, {}, "coarse");
    const tags = await tagsOf("coarse");
    await change({ ListPrice: 123_456 });
    const known = { "if-none-match": String(before.headers["etag"]) };
    const after = await get(`${property}('${key}')`, known, "coarse");
    expect([after.status, toEntity(after)["ListPrice"]]).toEqual([200, 123_456]);
    expect((await tagsOf("coarse")).filter((tag) => tags.includes(tag))).toEqual([]);
  });

  test("back gives the ETags that were there before", async () => {
    const tags = await tagsOf("national");
    await change({ ListPrice: 1 });
    await change({ ListPrice: 123_456 });
    expect(await tagsOf("national")).toEqual(tags);
  });
});
