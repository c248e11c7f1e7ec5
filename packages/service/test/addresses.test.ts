import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toEntity, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
/** A listing in Washington that has no close date. */
let key: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
  base = running.service.baseUrl;
  const inWashington = "StateOrProvince eq 'WA' and CloseDate eq null and Appliances/any()";
  const [row] = await rows({ $filter: inWashington, $select: "ListingKey", $top: 1 });
  key = String(row?.["ListingKey"]);
});
afterAll(() => running.stop());

const get = (target: string, name = "national", method = "GET") =>
  ask(base, target, { "x-api-key": running.key(name) }, method);
const rows = async (options: Parameters<typeof query>[0], name?: string) =>
  toCollection(await get(property + query(options), name)).value;

describe("an entity", () => {
  test("is found by its key in every form of address", async () => {
    const { text } = await get(`${property}('${key}')`);
    const encoded = key.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
    for (const address of [
      `('${key}')/`,
      `(%27${key}%27)`,
      `(ListingKey='${key}')`,
      `/${key}`,
      `/${key}/`,
      `/${encoded}`,
    ]) {
      const reply = await get(property + address);
      expect([address, reply.status, reply.text === text]).toEqual([address, 200, true]);
    }
  });

  test("a key as a segment means itself, whatever it holds", async () => {
    const absent = await get(`${property}('x')`);
    for (const segment of [
      "nope",
      `'${key}'`,
      `%27${key}%27`,
      "a%2Fb",
      "12",
      "a%20(b",
      "A(1)",
      "%C3%A4",
      "%2524x",
    ]) {
      const reply = await get(`${property}/${segment}`);
      expect([segment, reply.status, reply.text]).toEqual([segment, 404, absent.text]);
    }
  });

  test.each<[string, number, string]>([
    ["$nope", 400, "syntax_error"],
    ["%24nope", 400, "syntax_error"],
    ["$all", 404, "not_found"],
    ["$ref", 404, "not_found"],
  ])("no key is a segment that begins with a dollar: %s", async (segment, status, code) => {
    const reply = await get(`${property}/${segment}`);
    expect([reply.status, toError(reply).code]).toEqual([status, code]);
  });
});

describe("a count", () => {
  test.each(["national", "market", "state"])("for %s is that of what is in scope", async (name) => {
    const all = toCollection(await get(property + query({ $count: true, $top: 0 }), name))["@odata.count"];
    for (const address of ["/$count", "/%24count", "/$count/"]) {
      const reply = await get(property + address, name);
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/plain;charset=utf-8"]);
      expect(reply.text).toBe(String(all));
    }
  });

  test("is of what the filter selects", async () => {
    const options = { $filter: "tolower(City) ne 'nowhere' and BedroomsTotal ge 4" };
    const page = toCollection(await get(property + query({ ...options, $count: true, $top: 0 })));
    expect((await get(`${property}/$count${query(options)}`)).text).toBe(String(page["@odata.count"]));
    expect(page["@odata.count"]).toBeGreaterThan(0);
  });

  test("takes aliases, `placekey`, `$ignorecase`, and a format that is text", async () => {
    const [row] = await rows({ $filter: "Placekey ne null", $select: "Placekey", $top: 1 });
    const placekey = String(row?.["Placekey"]);
    const of = async (options: Parameters<typeof query>[0]) =>
      Number((await get(`${property}/$count${query(options)}`)).text);
    expect(await of({ placekey })).toBe((await rows({ placekey })).length);
    const shouted = { $filter: "StateOrProvince eq @p", "@p": "'wa'" };
    expect(await of(shouted)).toBe(0);
    expect(await of({ ...shouted, $ignorecase: true, $format: "text/plain" })).toBeGreaterThan(0);
  });

  test.each<[string, number, string]>([
    ["$top=1", 400, "option_not_allowed"],
    ["$orderby=City", 400, "option_not_allowed"],
    ["$count=true", 400, "option_not_allowed"],
    ["$search=pool", 501, "not_implemented"],
    ["$filter=Nope%20eq%201", 400, "unknown_property"],
    ["$filter=", 400, "syntax_error"],
    ["$format=json", 406, "not_acceptable"],
  ])("is refused %s", async (options, status, code) => {
    const reply = await get(`${property}/$count?${options}`);
    expect([reply.status, toError(reply).code]).toEqual([status, code]);
  });
});

describe("one property", () => {
  test.each([
    "ListPrice",
    "City",
    "ModificationTimestamp",
    "Coordinates",
    "Appliances",
    "Latitude",
    "Placekey",
  ])("%s is the value that the entity has", async (name) => {
    const entity = toEntity(await get(`${property}('${key}')`));
    for (const address of [`('${key}')/${name}`, `/${key}/${name}/`]) {
      const reply = await get(property + address);
      expect(reply.headers["content-type"]).toBe("application/json;odata.metadata=minimal");
      expect(toEntity(reply)).toEqual({
        "@odata.context": `${base}/reso/odata/$metadata#Property('${key}')/${name}`,
        value: entity[name],
      });
    }
  });

  test("is masked where the entity is", async () => {
    const entity = toEntity(await get(`${property}('${key}')`, "coarse"));
    const plain = toEntity(await get(`${property}('${key}')`));
    for (const name of ["PostalCode", "Latitude", "Coordinates", "Placekey"]) {
      const reply = await get(`${property}('${key}')/${name}`, "coarse");
      if (entity[name] === null) expect(reply.status).toBe(204);
      else expect(toEntity(reply)["value"]).toEqual(entity[name]);
      expect(entity[name]).not.toEqual(plain[name]);
    }
    expect((await get(`${property}('${key}')/UnparsedAddress`, "coarse")).status).toBe(204);
    expect((await get(`${property}('${key}')/PostalCode/$value`, "coarse")).text).toHaveLength(3);
  });

  test.each(["CloseDate", "CloseDate/$value"])("%s without a value has no content", async (address) => {
    const reply = await get(`${property}('${key}')/${address}`);
    expect([reply.status, reply.text, reply.headers["content-type"]]).toEqual([204, "", undefined]);
    expect(reply.headers["odata-version"]).toBe("4.0");
  });

  test.each<[string, (value: unknown) => string]>([
    ["City", String],
    ["ListPrice", String],
    ["ModificationTimestamp", String],
    [
      "Coordinates",
      (shape) => `SRID=4326;Point(${(shape as { coordinates: readonly number[] }).coordinates.join(" ")})`,
    ],
  ])("the text of %s is its `$value`", async (name, text) => {
    const entity = toEntity(await get(`${property}('${key}')`));
    const reply = await get(`${property}('${key}')/${name}/$value`);
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/plain;charset=utf-8"]);
    expect(reply.text.toLowerCase()).toBe(text(entity[name]).toLowerCase());
  });

  test.each(["national", "coarse"])("that is a collection has a `$count`, for %s", async (name) => {
    const $filter = "StateOrProvince eq 'WA'";
    const listed = await rows({ $filter, $select: "ListingKey,Appliances,Cooling", $top: 20 }, name);
    const counts = new Set<number>();
    for (const row of listed) {
      for (const field of ["Appliances", "Cooling"]) {
        const reply = await get(`${property}('${String(row["ListingKey"])}')/${field}/$count`, name);
        const items = row[field] as readonly string[];
        expect([reply.status, reply.text]).toEqual([200, String(items.length)]);
        expect(reply.headers["content-type"]).toBe("text/plain;charset=utf-8");
        counts.add(items.length);
      }
    }
    expect(counts.has(0) && counts.size > 2).toBe(true);
  });

  test("that is an empty collection is one", async () => {
    const [row] = await rows({ $filter: "not Appliances/any()", $select: "ListingKey", $top: 1 });
    const reply = await get(`${property}('${String(row?.["ListingKey"])}')/Appliances`);
    expect([reply.status, toEntity(reply)["value"]]).toEqual([200, []]);
  });

  test("takes no option but its format", async () => {
    const reply = await get(`${property}('${key}')/City?$select=City`);
    expect([reply.status, toError(reply).code]).toEqual([400, "option_not_allowed"]);
    expect((await get(`${property}('${key}')/City/$value?$format=json`)).status).toBe(406);
    expect((await get(`${property}('${key}')/City/$value?$format=text/plain`)).status).toBe(200);
  });
});

describe("no raw value", () => {
  test.each(["/$value", "/Appliances/$value"])("is there at %s", async (address) => {
    const reply = await get(`${property}('${key}')${address}`);
    expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
      400,
      "no_raw_value",
      "$value",
    ]);
  });
});

describe("what is hidden is as if it were not there", () => {
  test("a field", async () => {
    const [texan] = await rows({ $filter: "Placekey ne null and StateOrProvince eq 'TX'", $top: 1 });
    const own = `${property}('${String(texan?.["ListingKey"])}')`;
    for (const address of ["", "/$value"]) {
      expect((await get(`${own}/Placekey${address}`)).status).toBe(200);
      const [hidden, unknown] = [
        await get(`${own}/Placekey${address}`, "state"),
        await get(`${own}/Nope${address}`, "state"),
      ];
      // The answer repeats the name that was asked for, and tells no other.
      expect([hidden.status, hidden.text]).toEqual([404, unknown.text.replace("Nope", "Placekey")]);
    }
  });

  test.each(["", "/City", "/City/$value", "/$value", "/Appliances/$value", "/Appliances/$count"])(
    "an entity, at its %s",
    async (address) => {
      const [hidden, absent] = [
        await get(`${property}('${key}')${address}`, "state"),
        await get(`${property}('x')${address}`, "state"),
      ];
      expect([hidden.status, hidden.text]).toEqual([absent.status, absent.text]);
      expect(hidden.status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(hidden.headers)).toEqual(Object.keys(absent.headers));
    },
  );

  test.each(["", "/$count", "('x')", "/x", "('x')/OpenHouseKey"])(
    "a set that is not active, at its %s",
    async (address) => {
      const [inactive, unknown] = [
        await get(`/reso/odata/OpenHouse${address}`),
        await get(`/reso/odata/Nope${address}`),
      ];
      expect([inactive.status, inactive.text]).toEqual([404, unknown.text.replace("Nope", "OpenHouse")]);
    },
  );
});

test.each<[string, number, string]>([
  ["/reso/odata/Property/$value", 404, "not_found"],
  ["/reso/odata/Property/x/City/Nope", 404, "not_found"],
  ["/reso/odata/Property/x/City('y')", 404, "not_found"],
  ["/reso/odata/Property('x')('y')", 400, "syntax_error"],
  ["/reso/odata/Property('x')/City/$value/more", 400, "syntax_error"],
  ["/reso/odata/Property('x')/City/$count", 404, "not_found"],
  ["/reso/odata/Property('x')/$count", 404, "not_found"],
  ["/reso/odata/Property/$count/more", 400, "syntax_error"],
  ["/reso/odata/Property//City", 400, "syntax_error"],
  ["/reso/odata//Property", 400, "syntax_error"],
  ["/reso/odata/$count", 400, "syntax_error"],
  ["/reso/odata/$metadata/more", 400, "syntax_error"],
  ["/reso/odata/$all", 404, "not_found"],
  ["/reso/odata/$crossjoin(Property)", 404, "not_found"],
  ["/reso/odata/Property/%FF", 400, "invalid_encoding"],
])("%s is no address here", async (target, status, code) => {
  const reply = await get(target);
  expect([reply.status, toError(reply).code]).toEqual([status, code]);
  expect(reply.headers["content-type"]).toBe("application/json;odata.metadata=minimal");
  expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(1024);
});

test.each(["/$count", "('KEY')/City", "('KEY')/City/$value", "('KEY')/Appliances/$count", "/KEY"])(
  "`HEAD` of %s is `GET` without the body",
  async (address) => {
    const target = property + address.replace("KEY", key);
    const [got, head] = [await get(target), await get(target, "national", "HEAD")];
    expect([head.status, head.text]).toEqual([200, ""]);
    const { date: _, "x-request-id": __, connection: ___, ...facts } = got.headers;
    expect(head.headers).toMatchObject(facts);
  },
);
