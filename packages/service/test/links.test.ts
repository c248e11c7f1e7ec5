import { afterEach, expect, test } from "vitest";
import { ask, type Headers, toCollection, toEntity, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running | undefined;
afterEach(() => running?.stop());

/** A service that is told about proxies, and how to ask it from this machine. */
async function behind(environment: Readonly<Record<string, string>>) {
  const service = await run({ CADASTRE_LISTINGS: "20", ...environment });
  running = service;
  const base = `http://127.0.0.1:${service.service.port}`;
  return {
    base,
    key: String(service.service.examples?.listingKey),
    get: (target: string, headers: Headers) =>
      ask(base, `/reso/odata${target}`, { "x-api-key": service.key("national"), ...headers }),
  };
}

type Behind = Awaited<ReturnType<typeof behind>>;

/** Where the context and the next link of a page lie. */
async function rootsOf({ get }: Behind, headers: Headers): Promise<string | undefined> {
  const page = toCollection(await get("/Property?$top=1", headers));
  const [root] = page["@odata.context"].split("/reso/odata/");
  expect(page["@odata.nextLink"]?.startsWith(`${root}/reso/odata/Property?`)).toBe(true);
  return root;
}

const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "feed.example" };

test("no proxy is believed unless it is said", async () => {
  const service = await behind({});
  for (const headers of [forwarded, { forwarded: "proto=https;host=feed.example" }])
    expect(await rootsOf(service, headers)).toBe(service.base);
  expect(await rootsOf(service, { ...forwarded, host: "own.example:81" })).toBe("http://own.example:81");
});

const cases: readonly [Headers, string][] = [
  [forwarded, "https://feed.example"],
  [{ "x-forwarded-proto": "HTTPS" }, "https://own.example"],
  [{ "x-forwarded-host": "feed.example:8443" }, "http://feed.example:8443"],
  [{ "x-forwarded-proto": "javascript", "x-forwarded-host": "feed.example" }, "http://feed.example"],
  [{ forwarded: "for=192.0.2.1;proto=https;host=feed.example" }, "https://feed.example"],
  [
    { forwarded: 'For="[2001:db8::1]:47";Proto=HTTPS; Host="feed.example:8443"' },
    "https://feed.example:8443",
  ],
  [{ forwarded: "host=feed.example" }, "http://feed.example"],
  [{ forwarded: "proto=gopher;host=feed.example" }, "http://feed.example"],
  [{ forwarded: "for=192.0.2.1" }, "http://own.example"],
  [{ forwarded: ";;,=" }, "http://own.example"],
  [{ ...forwarded, forwarded: "proto=http;host=other.example" }, "http://other.example"],
];

test("one proxy is believed", async () => {
  const service = await behind({ CADASTRE_TRUST_PROXY: "1" });
  for (const [headers, root] of cases)
    expect([headers, await rootsOf(service, { host: "own.example", ...headers })]).toEqual([headers, root]);
  // What a proxy farther away says is not.
  const chain = { forwarded: "proto=http;host=far.example, proto=https;host=near.example" };
  expect(await rootsOf(service, chain)).toBe("https://near.example");
});

test("two proxies are believed as far as they reach", async () => {
  const service = await behind({ CADASTRE_TRUST_PROXY: "2" });
  const chain = ["host=forged.example", "proto=https;host=far.example", "host=near.example"];
  expect(await rootsOf(service, { forwarded: chain.join(", ") })).toBe("https://far.example");
  expect(await rootsOf(service, { forwarded: chain.slice(2).join() })).toBe("http://near.example");
});

test("proxies are believed by their addresses", async () => {
  const service = await behind({ CADASTRE_TRUST_PROXY: "loopback,10.0.0.0/8" });
  expect(await rootsOf(service, forwarded)).toBe("https://feed.example");
  const through = (address: string) => ({
    forwarded: `proto=https;host=far.example, for=${address};host=near.example`,
  });
  expect(await rootsOf(service, through("10.1.2.3"))).toBe("https://far.example");
  expect(await rootsOf(service, through('"10.1.2.3:443"'))).toBe("https://far.example");
  for (const stranger of ["192.0.2.1", "_hidden", "unknown", '""'])
    expect(await rootsOf(service, through(stranger))).toBe("http://near.example");
});

test("a proxy at another address is not", async () => {
  const service = await behind({ CADASTRE_TRUST_PROXY: "192.0.2.0/24" });
  expect(await rootsOf(service, forwarded)).toBe(service.base);
  expect(await rootsOf(service, { forwarded: "host=feed.example" })).toBe(service.base);
});

test("a host that is none is refused, and never part of a link", async () => {
  const service = await behind({ CADASTRE_TRUST_PROXY: "1" });
  for (const headers of [
    { "x-forwarded-host": "a/b" },
    { "x-forwarded-host": "a@b" },
    { forwarded: 'host="a\\"b"' },
    { forwarded: 'host="evil.example/x?"' },
    { forwarded: "host=a:99999" },
  ]) {
    const reply = await service.get("/Property?$top=1", headers);
    expect([headers, reply.status, toError(reply).code]).toEqual([headers, 400, "invalid_host"]);
  }
});

test("the configured address outranks every proxy, in every link", async () => {
  const root = "https://feed.example/lds";
  const service = await behind({ CADASTRE_TRUST_PROXY: "1", CADASTRE_BASE_URL: `${root}/` });
  const headers = { "x-forwarded-host": "other.example", accept: "application/json;odata.metadata=full" };
  expect(await rootsOf(service, headers)).toBe(root);
  const entity = toEntity(await service.get(`/Property('${service.key}')`, headers));
  expect(entity).toMatchObject({
    "@odata.context": `${root}/reso/odata/$metadata#Property/$entity`,
    "@odata.id": `${root}/reso/odata/Property('${service.key}')`,
    "@odata.readLink": `${root}/reso/odata/Property('${service.key}')`,
  });
  const city = toEntity(await service.get(`/Property('${service.key}')/City`, headers));
  expect(city["@odata.context"]).toBe(`${root}/reso/odata/$metadata#Property('${service.key}')/City`);
  expect(toEntity(await service.get("/", headers))["@odata.context"]).toBe(`${root}/reso/odata/$metadata`);
});
