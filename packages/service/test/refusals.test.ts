import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toError } from "./support/ask.ts";
import { errorText } from "./support/error-body.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const headers = (name = "national") => ({ "x-api-key": running.key(name) });
const get = (target: string, name?: string) => ask(base, target, headers(name));

describe("a bad option is refused with its name and the place of the fault", () => {
  test.each<[Record<string, string | number>, number, string, string | undefined, string | undefined]>([
    [{ $filter: "ListPrice gt" }, 400, "syntax_error", "$filter", "position 12 to 12"],
    [{ $filter: "" }, 400, "syntax_error", "$filter", "position 0 to 0"],
    [{ $filter: "City eq 'Austin" }, 400, "syntax_error", "$filter", undefined],
    [{ $filter: "ListPric gt 3" }, 400, "unknown_property", "$filter", "position 0 to 8"],
    [{ $filter: "Media/any(m:m/Order eq 1)" }, 501, "not_supported", "$filter", undefined],
    [{ $filter: "Medias/any(m:m/Order eq 1)" }, 400, "unknown_property", "$filter", "position 0 to 6"],
    [{ $filter: "nope(City)" }, 400, "unknown_function", "$filter", undefined],
    [{ $filter: "City eq 3" }, 400, "type_mismatch", "$filter", undefined],
    [{ $filter: "City" }, 400, "not_boolean", "$filter", undefined],
    [{ $filter: "City eq 'a\u0000b'" }, 400, "syntax_error", "$filter", undefined],
    [{ $filter: `${"(".repeat(70)}1 eq 1${")".repeat(70)}` }, 413, "query_too_complex", "$filter", undefined],
    [{ $filter: `City eq '${"x".repeat(33_000)}'` }, 413, "query_too_complex", "$filter", undefined],
    [{ $select: "ListingKey,Nope" }, 400, "unknown_property", "$select", "position 11 to 15"],
    [{ $select: "" }, 400, "syntax_error", "$select", undefined],
    [{ $orderby: "Nope desc" }, 400, "unknown_property", "$orderby", "position 0 to 4"],
    [{ $orderby: "City sideways" }, 400, "syntax_error", "$orderby", undefined],
    [{ $top: 1001 }, 400, "limit_exceeded", "$top", "position 0 to 4"],
    [{ $top: "99999999999999999999" }, 400, "invalid_option", "$top", undefined],
    [{ $top: -1 }, 400, "invalid_option", "$top", undefined],
    [{ $top: "five" }, 400, "invalid_option", "$top", undefined],
    [{ $skip: 10_001 }, 400, "limit_exceeded", "$skip", undefined],
    [{ $skip: "1.5" }, 400, "invalid_option", "$skip", undefined],
    [{ $count: "yes" }, 400, "invalid_option", "$count", undefined],
    [{ $ignorenulls: "1" }, 400, "invalid_option", "$ignorenulls", undefined],
    [{ $format: "atom" }, 406, "not_acceptable", "$format", undefined],
    [{ $format: "xml" }, 406, "not_acceptable", "$format", undefined],
    [{ $format: "application/json;x=y" }, 406, "not_acceptable", "$format", undefined],
    [{ $format: "application/json;odata.metadata" }, 400, "invalid_option", "$format", "position 0 to 31"],
    [{ $format: "application/json;" }, 400, "invalid_option", "$format", undefined],
    [{ $format: "" }, 400, "invalid_option", "$format", undefined],
    [{ $skiptoken: "abc" }, 400, "invalid_skip_token", "$skiptoken", undefined],
    [{ $skip: 1, $skiptoken: "abc" }, 400, "conflicting_options", "$skip", undefined],
    [{ SKIP: 1, $skiptoken: "abc" }, 400, "conflicting_options", "SKIP", undefined],
    [{ $top: 1, top: 2 }, 400, "duplicate_option", "top", undefined],
    [{ top: 1, $Top: 2 }, 400, "duplicate_option", "$Top", undefined],
    [{ "@1": 1 }, 400, "unknown_option", "@1", undefined],
    [{ $ignorenulls: "true", ignoreNulls: "true" }, 400, "duplicate_option", "ignoreNulls", undefined],
    [{ $nope: 1 }, 400, "unknown_option", "$nope", undefined],
    [{ Index: 1 }, 400, "option_not_allowed", "Index", undefined],
    [{ $deltatoken: "x" }, 400, "invalid_delta_token", "$deltatoken", undefined],
    [{ $expand: "Nope" }, 400, "unknown_property", "$expand", "position 0 to 4"],
    [{ $search: "pool" }, 501, "not_implemented", "$search", undefined],
    [{ $apply: "aggregate($count as n)" }, 501, "not_implemented", "$apply", undefined],
    [{ $compute: "ListPrice div 2 as Half" }, 501, "not_implemented", "$compute", undefined],
    [{ $ignorecase: "yes" }, 400, "invalid_option", "$ignorecase", undefined],
    [{ $ignorecase: "" }, 400, "invalid_option", "$ignorecase", undefined],
    [{ $ignorecase: "true", IgnoreCase: "true" }, 400, "duplicate_option", "IgnoreCase", undefined],
  ])("%o", async (options, status, code, target, position) => {
    const reply = await get(property + query(options));
    const error = toError(reply);
    expect({ status: reply.status, code: error.code, target: error.target }).toEqual({
      status,
      code,
      target,
    });
    expect(reply.headers["odata-version"]).toBe("4.0");
    expect(reply.headers["content-type"]).toBe("application/json;odata.metadata=minimal");
    expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(1024);
    if (position !== undefined) {
      expect(error.details).toContainEqual({ code: "position", message: position, target });
    }
  });

  test("the excerpt has a caret under the fault", async () => {
    const reply = await get(property + query({ $filter: "BedroomsTotal ge 3 and ListPric lt 5" }));
    const excerpt = toError(reply).details?.find(({ code }) => code === "excerpt")?.message;
    expect(excerpt).toBe(`BedroomsTotal ge 3 and ListPric lt 5\n${" ".repeat(23)}${"^".repeat(8)}`);
    expect(toError(reply).message).toContain("did you mean `ListPrice`");
  });

  test.each(["$filter", "$top", "$orderby", "$count", "$skip", "$skiptoken", "$ignorecase", "placekey"])(
    "one entity does not take %s",
    async (name) => {
      const reply = await get(`${property}('x')${query({ [name]: "1" })}`);
      expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
        400,
        "option_not_allowed",
        name,
      ]);
    },
  );

  test.each([
    ["", "$format"],
    ["/$metadata", "$format"],
    ["/Property('x')", "$select`, `$expand`, `$ignorenulls`, `$format"],
    ["/Property/$count", "$format`, `$filter`, `$ignorecase`, `placekey"],
  ])(
    "a known option at a place that does not take it is told from an unknown one: %s",
    async (path, takes) => {
      const known = toError(await get(`/reso/odata${path}?Top=1`));
      expect(known).toMatchObject({
        code: "option_not_allowed",
        message: `query option \`Top\` is not allowed here: this address takes \`${takes}\``,
        target: "Top",
      });
      expect(toError(await get(`/reso/odata${path}?$tpo=1`)).code).toBe("unknown_option");
    },
  );
});

test("a name of any length leaves the body of the error short", async () => {
  const name = `@${"a".repeat(5000)}`;
  const reply = await get(`${property}?${name}=1&${name}=2`);
  expect(toError(reply).code).toBe("duplicate_option");
  expect(toError(reply).target).toMatch(/^@a{20,36}…$/);
  expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(1024);
});

test("an encoding that is wrong is told of the path or of the query", async () => {
  expect(toError(await get("/reso/odata/%E0%A4%A")).message).toMatch(/^the path is not valid/);
  expect(toError(await get(`${property}?$filter=%E0`)).message).toMatch(/^the query string is not valid/);
});

describe("an address", () => {
  test.each<[string, number, string]>([
    ["/reso/odata/Nope", 404, "not_found"],
    ["/reso/odata/property", 404, "not_found"],
    ["/reso/odata/OpenHouse", 404, "not_found"],
    ["/reso/odata/OpenHouse('x')", 404, "not_found"],
    ["/reso/odata/Property('x')", 404, "not_found"],
    ["/reso/odata/Property('')", 404, "not_found"],
    ["/reso/odata/Property(ListingId='x')", 404, "not_found"],
    ["/reso/odata/Property('x')/City", 404, "not_found"],
    ["/reso/odata/Property('%00')", 400, "syntax_error"],
    ["/reso/odata/Property('x", 400, "syntax_error"],
    ["/reso/odata/Property?$filter=%E0%A4%A", 400, "invalid_encoding"],
    ["/reso/odata/Property?%", 400, "invalid_encoding"],
    ["/reso/odata/%E0%A4%A", 400, "invalid_encoding"],
    [`/reso/odata/Property?$filter=${"x".repeat(66_000)}`, 414, "uri_too_long"],
  ])("%s", async (target, status, code) => {
    const reply = await get(target);
    expect([reply.status, toError(reply).code]).toEqual([status, code]);
    expect(reply.headers["odata-version"]).toBe("4.0");
    expect(reply.headers["x-request-id"]).toMatch(/^[\w-]{36}$/);
  });

  test.each(["/v1", "/v1/nope", "/reso", "/reso/odataX", "/RESO/odata", "/%E0%A4%A", "/nope?%"])(
    "%s outside OData has the plain body",
    async (target) => {
      const reply = await get(target);
      expect([reply.status, reply.text]).toEqual([404, errorText("not_found")]);
      expect(reply.headers["odata-version"]).toBeUndefined();
      expect(reply.headers["x-request-id"]).toBeDefined();
    },
  );

  test("a key that is hidden and one that is absent get the same bytes", async () => {
    const listing = await get(
      property +
        query({ $filter: "OriginatingSystemName ne 'Lone Star MLS'", $top: 1, $select: "ListingKey" }),
    );
    const hidden = String(toCollection(listing).value[0]?.["ListingKey"]);
    expect((await get(`${property}('${hidden}')`)).status).toBe(200);
    const [one, other] = [
      await get(`${property}('${hidden}')`, "market"),
      await get(`${property}('x')`, "market"),
    ];
    expect([one.status, one.text]).toEqual([404, other.text]);
  });

  test("a key predicate names the key or nothing", async () => {
    const key = running.service.examples?.listingKey ?? "";
    expect((await get(`${property}(ListingKey='${key}')`)).status).toBe(200);
    for (const predicate of [
      `ListingId='${key}'`,
      `'${key}','${key}'`,
      `ListingKey='${key}',City='x'`,
      "1",
      "null",
    ]) {
      expect((await get(`${property}(${predicate})`)).status).toBe(404);
    }
  });

  test("a ListingId stands in for no key", async () => {
    const listing = await get(property + query({ $top: 1, $select: "ListingId" }));
    const id = String(toCollection(listing).value[0]?.["ListingId"]);
    expect((await get(`${property}('${id}')`)).status).toBe(404);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("does not answer %s", async (method) => {
    const reply = await ask(base, property, headers(), method);
    expect([reply.status, reply.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(toError(reply).code).toBe("method_not_allowed");
  });

  test("headers beyond reason get a short answer, not a broken connection", async () => {
    const reply = await ask(base, property, { ...headers(), "x-long": "x".repeat(200_000) }).catch(
      () => null,
    );
    if (reply !== null) expect(reply.status).toBe(431);
  });
});

test.each([property, `${property}?$top=0x`, "/health/live", "/nope"])(
  "%s is answered with headers that keep browsers from using it as a page",
  async (target) => {
    const { headers: sent } = await get(target);
    expect(sent).toMatchObject({
      "content-security-policy": "default-src 'none';frame-ancestors 'none'",
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
      "referrer-policy": "no-referrer",
    });
    expect(sent).not.toHaveProperty("x-powered-by");
  },
);

describe("versions of OData", () => {
  test.each<[Record<string, string>, number, string]>([
    [{}, 200, "4.0"],
    [{ "OData-MaxVersion": "4.01" }, 200, "4.01"],
    [{ "odata-version": "4.01" }, 200, "4.01"],
    [{ "OData-MaxVersion": "4.0", "OData-Version": "4.01" }, 200, "4.0"],
    [{ "OData-Version": "4.0", "OData-MaxVersion": "4.01" }, 200, "4.01"],
    [{ "OData-MaxVersion": "4.0;NetFx" }, 200, "4.0"],
    [{ "OData-MaxVersion": "3.0" }, 400, "4.0"],
    [{ "OData-MaxVersion": "5.0" }, 200, "4.01"],
    [{ "OData-MaxVersion": "4.1" }, 200, "4.01"],
    [{ "OData-MaxVersion": "4.02;NetFx" }, 200, "4.01"],
    [{ "OData-MaxVersion": "4.005" }, 200, "4.0"],
    [{ "OData-MaxVersion": "10.0", "OData-Version": "4.0" }, 200, "4.01"],
    [{ "OData-MaxVersion": "5" }, 200, "4.01"],
    [{ "OData-MaxVersion": "99999999999999999999" }, 200, "4.01"],
    [{ "OData-MaxVersion": "99999999999999999999.0" }, 200, "4.01"],
    [{ "OData-MaxVersion": "3" }, 400, "4.0"],
    [{ "OData-MaxVersion": "5." }, 400, "4.0"],
    [{ "OData-MaxVersion": "" }, 400, "4.0"],
    [{ "OData-Version": "5.0" }, 400, "4.0"],
    [{ "OData-Version": "5.0", "OData-MaxVersion": "5.0" }, 400, "4.0"],
    [{ "OData-Version": "x" }, 400, "4.0"],
  ])("%o gets %i in version %s", async (asked, status, version) => {
    const reply = await ask(base, `${property}?$top=1`, { ...headers(), ...asked });
    expect([reply.status, reply.headers["odata-version"]]).toEqual([status, version]);
  });

  test("the metadata says the version of the answer", async () => {
    const reply = await ask(base, "/reso/odata/$metadata", { ...headers(), "OData-MaxVersion": "4.01" });
    expect(reply.text).toContain('Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.01"');
  });
});
