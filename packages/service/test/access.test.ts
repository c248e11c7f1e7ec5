import { readFile, stat } from "node:fs/promises";
import { generateKeyPair, parseEntitlement, signEntitlement } from "@cadastre/entitlement";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audience, issuer, readIssuer } from "../src/access/demo-issuer.ts";
import { issueApiKey } from "../src/access/issue-key.ts";
import { createApiKey, isWellFormed } from "../src/access/key-text.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { ask, query, toCollection, toError } from "./support/ask.ts";
import { errorText } from "./support/error-body.ts";
import { type Running, run } from "./support/running.ts";
import { storedText } from "./support/sql.ts";
import { onFiles } from "./support/test-database.ts";

const property = "/reso/odata/Property";
const now = Math.floor(Date.now() / 1000);

/** A customer whose entitlement is the demo's first one but for what is given. */
type Variant = {
  readonly changes?: object;
  readonly signedByOther?: boolean;
  readonly raw?: string;
  /** Version that the registry is told. */
  readonly version?: number;
};

const variants: Readonly<Record<string, Variant>> = {
  expired: { changes: { iat: now - 20, nbf: now - 20, exp: now - 10 } },
  future: { changes: { nbf: now + 1000, exp: now + 2000 } },
  offline: { changes: { channels: { api: true, odata: false, file_delivery: true } } },
  foreign: { changes: { iss: "https://other.example" } },
  elsewhere: { changes: { aud: "other" } },
  forged: { signedByOther: true },
  borrowed: { changes: { sub: "demo-national" } },
  garbled: { raw: "not a token" },
  relabelled: { version: 2 },
};

let running: Running;
let base: string;
const keys = new Map<string, string>();

/** Register the variants, and keys that are no longer in force, while the service runs. */
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
  base = running.service.baseUrl;
  const { peppers } = await readSecrets(running.folder);
  const signer = await readIssuer(running.folder);
  const other = { ...(await generateKeyPair()), kid: signer.kid };
  await withRegistry(running.folder, async (registry) => {
    const add = async (customer: string, name = customer, expires: number | null = null) => {
      const { apiKey, kept } = issueApiKey(peppers, expires);
      keys.set(name, apiKey);
      return registry.keys.add({ customer, ...kept }, Date.now());
    };
    for (const [sub, { changes, signedByOther, raw, version = 1 }] of Object.entries(variants)) {
      const document = {
        iss: issuer,
        aud: audience,
        sub,
        ver: 1,
        iat: now,
        nbf: now,
        exp: now + 600,
        jti: sub,
      };
      const whole = parseEntitlement({ ...document, ...demoCustomers[0]?.grants, ...changes });
      const jws = raw ?? (await signEntitlement(whole, signedByOther === true ? other : signer));
      await registry.entitlements.install({ customer: sub, version, jws, installed: Date.now() });
      await add(sub);
    }
    await add("demo-national", "key expired", Date.now() - 1);
    const { id } = await add("demo-national", "key revoked");
    await registry.keys.revoke(id, Date.now());
    await add("demo-national", "key in force", Date.now() + 600_000);
  });
});
afterAll(() => running.stop());

const key = (name: string) => keys.get(name) ?? running.key(name);
const get = (target: string, name: string) => ask(base, target, { "x-api-key": key(name) });

describe("without a key that is in force", () => {
  const changed = (text: string) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
  const attempts: readonly [string, () => Record<string, string>][] = [
    ["no key", () => ({})],
    ["an empty key", () => ({ "x-api-key": "" })],
    ["a word", () => ({ "x-api-key": "secret" })],
    ["a wrong checksum", () => ({ "x-api-key": changed(key("national")) })],
    ["an unknown key", () => ({ "x-api-key": createApiKey() })],
    ["two keys in one header", () => ({ "x-api-key": `${key("national")}, ${key("national")}` })],
    ["an expired key", () => ({ "x-api-key": key("key expired") })],
    ["a revoked key", () => ({ "x-api-key": key("key revoked") })],
    ["another scheme", () => ({ authorization: `Basic ${key("national")}` })],
    ["an unknown bearer", () => ({ authorization: `Bearer ${createApiKey()}` })],
    [
      "an unknown key beside a good bearer",
      () => ({ "x-api-key": createApiKey(), authorization: `Bearer ${key("national")}` }),
    ],
    ["a very long key", () => ({ "x-api-key": "cadastre_".repeat(1000) })],
  ];
  const targets = [
    property,
    "/reso/odata",
    "/reso/odata/Nope",
    `${property}?$filter=(`,
    "/v1/account/resources",
    "/nope",
  ];

  test.each(attempts)("%s gets the one 401 before any route runs", async (_name, headers) => {
    for (const target of targets) {
      const [reply, plain] = [await ask(base, target, headers()), await ask(base, target)];
      expect([reply.status, reply.text]).toEqual([401, plain.text]);
      expect(reply.headers["www-authenticate"]).toBe('Bearer realm="cadastre"');
      if (target.startsWith("/reso/odata")) expect(toError(reply).code).toBe("unauthorized");
      else expect(reply.text).toBe(errorText("unauthorized"));
    }
  });

  test.each(["/health/live", "/health/ready"])("%s answers", async (target) => {
    expect((await ask(base, target)).status).toBe(200);
  });
});

describe("a key in force", () => {
  test.each([
    ["x-api-key", (apiKey: string) => apiKey],
    ["authorization", (apiKey: string) => `Bearer ${apiKey}`],
    ["authorization", (apiKey: string) => `bearer  ${apiKey}`],
  ])("is taken from %s", async (header, value) => {
    const reply = await ask(base, property, { [header]: value(key("key in force")) });
    expect(reply.status).toBe(200);
    expect(reply.headers["entitlement-version"]).toBe("1");
  });

  test("echoes a fit request id and replaces another", async () => {
    const headers = { "x-api-key": key("national") };
    const own = await ask(base, property, { ...headers, "x-request-id": "abc-1.2" });
    expect(own.headers["x-request-id"]).toBe("abc-1.2");
    const unfit = await ask(base, property, { ...headers, "x-request-id": "<script>" });
    expect(unfit.headers["x-request-id"]).toMatch(/^[\w-]{36}$/);
  });
});

describe("an entitlement that lets nobody in", () => {
  test.each<[string, number, string]>([
    ["expired", 403, "entitlement_changed"],
    ["future", 403, "entitlement_changed"],
    ["offline", 403, "channel_not_entitled"],
    ["foreign", 503, "service_unavailable"],
    ["elsewhere", 503, "service_unavailable"],
    ["forged", 503, "service_unavailable"],
    ["borrowed", 503, "service_unavailable"],
    ["garbled", 503, "service_unavailable"],
    ["relabelled", 503, "service_unavailable"],
  ])("%s: %i %s", async (name, status, code) => {
    const reply = await get(`${property}?$top=1`, name);
    expect([reply.status, toError(reply).code]).toEqual([status, code]);
    expect(reply.text).not.toMatch(/ListingKey|signature|issuer/);
  });
});

describe("four keys", () => {
  const count = async (name: string, $filter?: string) => {
    const options = { $top: 0, $count: true, ...($filter === undefined ? {} : { $filter }) };
    return toCollection(await get(property + query(options), name))["@odata.count"];
  };

  test("see different listings", async () => {
    expect(await count("national")).toBe(200);
    expect(await count("market")).toBe(await count("national", "OriginatingSystemName eq 'Lone Star MLS'"));
    expect(await count("state")).toBe(await count("national", "StateOrProvince eq 'TX'"));
    expect(await count("market", "OriginatingSystemName ne 'Lone Star MLS'")).toBe(0);
    expect(await count("state", "StateOrProvince ne 'TX' or true")).toBe(await count("state"));
  });

  test("see different fields", async () => {
    const fields = async (name: string) =>
      Object.keys(toCollection(await get(`${property}?$top=1`, name)).value[0] ?? {});
    expect(await fields("national")).toHaveLength(946);
    expect(await fields("market")).not.toHaveLength(0);
    expect(await fields("state")).not.toContain("ListAgentKey");
    expect((await fields("state")).length).toBeLessThan(60);
  });

  test("see masked places, and no more of them by a filter or an order", async () => {
    const page = (name: string, options: object) =>
      get(property + query({ $filter: "StateOrProvince eq 'WA'", ...options }), name);
    const $select = "ListingKey,PostalCode,StreetNumber,Latitude,Coordinates,Placekey";
    const whole = toCollection(await page("national", { $select })).value;
    const coarse = toCollection(await page("coarse", { $select })).value;
    expect(coarse.map((row) => row["ListingKey"])).toEqual(whole.map((row) => row["ListingKey"]));
    expect(coarse.length).toBeGreaterThan(5);
    for (const [i, { PostalCode, StreetNumber, Latitude, Coordinates, Placekey }] of coarse.entries()) {
      expect([StreetNumber, Placekey]).toEqual([null, null]);
      expect(PostalCode).toBe(String(whole[i]?.["PostalCode"]).slice(0, 3));
      if (Latitude === null) continue;
      expect(JSON.stringify(Latitude)).toMatch(/^\d\d(\.\d\d?)?$/);
      expect(Coordinates).toMatchObject({ coordinates: [expect.any(Number), Latitude] });
    }
    const [one] = whole.filter((row) => row["StreetNumber"] !== null);
    const $filter = `PostalCode eq '${String(one?.["PostalCode"])}' or StreetNumber eq '${String(one?.["StreetNumber"])}'`;
    expect(toCollection(await page("national", { $filter })).value.length).toBeGreaterThan(0);
    expect(toCollection(await page("coarse", { $filter })).value).toEqual([]);
  });

  test.each(["$filter", "$select", "$orderby"])(
    "a field hidden from %s is a misspelled one",
    async (option) => {
      const refusal = (name: string) =>
        get(property + query({ [option]: option === "$filter" ? `${name} ne null` : name }), "state");
      const [hidden, misspelled] = [await refusal("BuyerAgentKey"), await refusal("BuyerAgentQqq")];
      expect(hidden.status).toBe(400);
      expect(hidden.text.replaceAll("BuyerAgentKey", "x")).toBe(
        misspelled.text.replaceAll("BuyerAgentQqq", "x"),
      );
    },
  );

  test("a hidden Placekey cannot be asked for", async () => {
    const reply = await get(
      property + query({ placekey: running.service.examples?.placekey ?? "" }),
      "state",
    );
    expect([reply.status, toError(reply).code]).toEqual([400, "unknown_property"]);
  });
});

describe("a skip token", () => {
  const first = async (name: string, options = "?$top=2&$select=ListingKey") => {
    const link = toCollection(await get(property + options, name))["@odata.nextLink"] ?? "";
    return { link: link.slice(base.length), token: /\$skiptoken=([\w-]+)/.exec(link)?.[1] ?? "" };
  };

  test("is short and opens for its own walk", async () => {
    const { link, token } = await first("national");
    expect(token.length).toBeLessThanOrEqual(512);
    expect((await get(link, "national")).status).toBe(200);
  });

  test.each<[string, (token: string) => string, string]>([
    ["of another customer", (t) => `?$top=2&$select=ListingKey&$skiptoken=${t}`, "market"],
    ["with another filter", (t) => `?$top=2&$select=ListingKey&$filter=true&$skiptoken=${t}`, "national"],
    ["with case ignored", (t) => `?$top=2&$select=ListingKey&$ignorecase=true&$skiptoken=${t}`, "national"],
    ["with another page size", (t) => `?$top=3&$select=ListingKey&$skiptoken=${t}`, "national"],
    ["without an option", (t) => `?$top=2&$skiptoken=${t}`, "national"],
    ["cut short", (t) => `?$top=2&$select=ListingKey&$skiptoken=${t.slice(0, -2)}`, "national"],
    ["changed", (t) => `?$top=2&$select=ListingKey&$skiptoken=${t.slice(0, -5)}aaaaa`, "national"],
  ])("%s is refused as any other", async (_what, target, name) => {
    const { token } = await first("national");
    const [reply, nonsense] = [
      await get(property + target(token), name),
      await get(`${property}?$skiptoken=x`, name),
    ];
    expect([reply.status, reply.text]).toEqual([400, nonsense.text]);
  });

  test("does not mind the order and the spelling of the options", async () => {
    const { token } = await first("national");
    const reply = await get(`${property}?select=ListingKey&skiptoken=${token}&%24top=2&_=1`, "national");
    expect(reply.status).toBe(200);
  });
});

describe("the text of a key", () => {
  test("is 256 bits and a checksum", () => {
    const key = createApiKey();
    expect(key).toMatch(/^cadastre_[0-9A-Za-z]{49}$/);
    expect(isWellFormed(key)).toBe(true);
    expect(createApiKey(new Uint8Array(32))).toMatch(/^cadastre_0{43}/);
    expect(isWellFormed(createApiKey(new Uint8Array(32).fill(255)))).toBe(true);
  });

  test("is kept in no file but the demo's own", async () => {
    const { folder } = running;
    const { registry, secrets, issuer: signer, publicKeys } = folder;
    const texts = [await storedText(folder, "registry")];
    for (const file of [...(onFiles ? [registry, `${registry}-wal`] : []), secrets, signer, publicKeys]) {
      texts.push(await readFile(file, "latin1"));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    for (const text of texts)
      for (const name of ["national", "key in force"]) expect(text).not.toContain(key(name).slice(15));
  });
});
