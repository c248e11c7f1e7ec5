import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, type Headers, query, toCollection, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const key = () => ({ "x-api-key": running.key("national") });
const post = (target: string, body: string, headers: Headers = { "content-type": "text/plain" }) =>
  ask(base, target, { ...key(), ...headers }, "POST", body);
const get = (target: string) => ask(base, target, key());

const options = { $filter: "contains(City,'a') and ListPrice gt 1", $top: 2, $select: "ListingKey" };

test.each<[string, string, string]>([
  ["text/plain", "encoded", query(options).slice(1)],
  [
    "text/plain;charset=utf-8",
    "as it is read",
    "$filter=contains(City,'a') and ListPrice gt 1&$top=2&$select=ListingKey\r\n",
  ],
  [
    "application/x-www-form-urlencoded",
    "of a form",
    "%24filter=contains%28City%2C%27a%27%29+and+ListPrice+gt+1&%24top=2&%24select=ListingKey",
  ],
])("a query as %s, %s, is that of the address", async (type, _, body) => {
  const reply = await post(`${property}/$query`, body, { "content-type": type });
  const alone = await get(property + query(options));
  expect([reply.status, toCollection(reply).value]).toEqual([200, toCollection(alone).value]);
  expect(toCollection(alone).value.length).toBe(2);
});

test("every kind of address takes one, and options of the address beside it", async () => {
  const where = "$filter=City ne 'x'";
  expect((await post(`${property}/$count/$query`, where)).text).toBe("300");
  expect((await post("/reso/odata/$metadata/$query", "$format=json")).headers["content-type"]).toContain(
    "json",
  );
  const rows = await post(`${property}/%24query/?$top=1`, where);
  expect(toCollection(rows).value.length).toBe(1);
  expect(toError(await post(`${property}/$query?$top=1`, "$top=2")).code).toBe("duplicate_option");
});

test("its next links are fetched with GET, to the end", async () => {
  const keys: unknown[] = [];
  let page = toCollection(
    await post(`${property}/$query`, "$select=ListingKey&$filter=City ne 'é x'&$top=120"),
  );
  for (;;) {
    keys.push(...page.value.map(({ ListingKey }) => ListingKey));
    const next = page["@odata.nextLink"];
    if (next === undefined) break;
    expect(next).toMatch(/^[!-~]+$/);
    page = toCollection(await get(next.slice(base.length)));
  }
  expect([keys.length, new Set(keys).size]).toEqual([300, 300]);
});

test("the longest query that is taken has a next link that is taken", async () => {
  const list = (length: number) => "$top=1&$select=ListingKey&x=".padEnd(length, "y");
  const page = await post(`${property}/$query`, list(61_440));
  expect(page.status).toBe(200);
  expect((await get(toCollection(page)["@odata.nextLink"]?.slice(base.length) ?? "")).status).toBe(200);
  expect((await post(`${property}/$query`, list(61_441))).status).toBe(413);
  expect((await post(`${property}/$query`, `x=${"é".repeat(20_000)}`)).status).toBe(413);
});

test("an error is that of the option, with its place", async () => {
  const reply = await post(`${property}/$query`, "$filter=ListPric gt 3");
  expect(toError(reply)).toMatchObject({ code: "unknown_property", target: "$filter" });
  expect(toError(reply).details?.[0]?.message).toBe("position 0 to 8");
});

test.each<[Headers, string, number, string]>([
  [{}, "$top=1", 415, "unsupported_media_type"],
  [{ "content-type": "application/json" }, "{}", 415, "unsupported_media_type"],
  [{ "content-type": "text/plain", "content-encoding": "gzip" }, "", 415, "unsupported_media_type"],
])("%o is refused", async (headers, body, status, code) => {
  const reply = await post(`${property}/$query`, body, headers);
  expect([reply.status, toError(reply).code]).toEqual([status, code]);
});

test("a body that is not UTF-8 is refused", async () => {
  const { hostname, port } = new URL(base);
  const reply = await fetch(`http://${hostname}:${port}${property}/$query`, {
    method: "POST",
    headers: { ...key(), "content-type": "text/plain" },
    body: Uint8Array.of(0xe0, 0x80),
  });
  expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    "invalid_encoding",
  ]);
});

test("spaces without end take no time", async () => {
  const started = performance.now();
  expect((await post(`${property}/$query`, `$top=1&x=${" ".repeat(20_000)}`)).status).toBe(200);
  expect((await post(`${property}/$query`, `${"\r\n".repeat(30_000)}x`)).status).toBeLessThan(500);
  expect(performance.now() - started).toBeLessThan(2000);
});

test("another method is refused, and Allow says which is taken", async () => {
  const refused = await ask(base, `${property}/$query`, key(), "GET");
  expect([refused.status, refused.headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
  expect((await post(property, "")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
  const asked = await ask(base, `${property}/$query`, key(), "OPTIONS");
  expect([asked.status, asked.headers["allow"], asked.text]).toEqual([204, "POST, OPTIONS", ""]);
});
