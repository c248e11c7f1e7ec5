import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { compileScope, type Scope } from "@cadastre/entitlement";
import { QueryError } from "@cadastre/odata";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { ChangedPage, Page, Store } from "@cadastre/store";
import { identitiesOf } from "@cadastre/store/property";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { createRates } from "../src/access/rates.ts";
import { createApp, type Services } from "../src/app.ts";
import { scopeOptionsOf } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { MemoryBudget } from "../src/http/memory-budget.ts";
import { memoryLimits } from "../src/http/memory-limits.ts";
import { createReadiness } from "../src/http/readiness.ts";
import { type Listening, listen } from "../src/http/server.ts";
import { activeScopes } from "./support/active-scopes.ts";
import { ask, toError } from "./support/ask.ts";
import { errorText } from "./support/error-body.ts";

const { entitySet } = sampleCatalog;

const property = "/reso/odata/Property";
const emptyChanges: ChangedPage = {
  records: new Uint8Array(),
  keys: [],
  removed: [],
  until: { checkpoint: 1, time: 0 },
  last: undefined,
  more: false,
  read: undefined,
};
const emptyPage: Page = { records: new Uint8Array(), length: 0, last: [], checkpoint: 1, next: null };
const firstPage: Page = {
  records: Buffer.from('{"ListingKey":"k"}'),
  length: 1,
  last: ["k"],
  checkpoint: 1,
  next: { checkpoint: 1, key: ["k"] },
};
const started: Listening[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop(0);
});

function scope(): Scope {
  const [customer] = demoCustomers;
  if (customer === undefined) throw new RangeError("there is no demo customer");
  const document = {
    iss: "i",
    aud: "a",
    sub: "c",
    ver: 7,
    iat: 0,
    nbf: 0,
    exp: 9,
    jti: "j",
    ...customer.grants,
  };
  return compileScope(document, scopeOptionsOf(sampleCatalog));
}

/** A service over a store of the test's making, that lets everybody in. */
async function serve(store: Partial<Store>, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const record = {
    id: "k",
    prefix: "",
    digest: "",
    pepper: 1,
    customer: "c",
    created: 0,
    expires: null,
    revoked: null,
    lastUsed: null,
  };
  const readiness = createReadiness([], { log: pino({ level: "silent" }) });
  const services: Services = {
    catalog: sampleCatalog,
    config: readConfig(environment),
    log: pino(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(String(chunk));
          done();
        },
      }),
    ),
    store: {
      page: async () => emptyPage,
      changes: async () => emptyChanges,
      count: async () => 0,
      cells: async () => ({ checkpoint: 0, cells: new Int32Array() }),
      apply: async () => ({ records: [], next: null }),
      countApplied: async () => 0,
      one: async () => undefined,
      coverage: async () => undefined,
      checkpoint: async () => 0,
      committedAt: async () => 0,
      stateAt: async () => ({ checkpoint: 0, earliest: 0 }),
      close: async () => {},
      ...store,
    },
    memory: new MemoryBudget(memoryLimits(1024, 2)),
    skipTokenKey: new Uint8Array(32),
    random: randomBytes,
    activeEntitySets: [entitySet("Property")],
    keys: { find: async () => record, findEnded: async () => undefined },
    scopes: activeScopes(scope),
    identities: async () => identitiesOf([]),
    profiles: async () => new Map(),
    rates: createRates({ requestsPerSecond: 0, refusalsPerSecond: 0 }),
    now: Date.now,
    readiness,
  };
  const server = await listen(createApp(services), { host: "127.0.0.1", port: 0 });
  started.push(server);
  return { base: `http://127.0.0.1:${server.port}`, server, services, readiness, lines };
}

test("what breaks inside is logged and not told", async () => {
  const { base, lines } = await serve({
    page: async () => {
      throw Object.assign(new Error("no such column: secret_table.x"), { code: "SQLITE_ERROR" });
    },
  });
  const reply = await ask(base, `${property}?$filter=City eq 'Springfield'`.replaceAll(" ", "%20"), {
    "x-api-key": "a-key",
    "x-request-id": "r-1",
  });
  expect([reply.status, toError(reply).code]).toEqual([500, "internal_error"]);
  expect(reply.text).not.toMatch(/SQLITE|secret_table|\.ts/);
  expect(reply.headers["odata-version"]).toBe("4.0");
  const log = lines.join("");
  expect(log).toContain('"requestId":"r-1"');
  expect(log).toContain("SQLITE_ERROR");
  expect(log).not.toMatch(/a-key|Springfield/);
});

test("`Server-Timing` is told only where it is asked for", async () => {
  const { base } = await serve({});
  expect((await ask(base, property)).headers["server-timing"]).toBeUndefined();
  const timed = await serve({}, { CADASTRE_SERVER_TIMING: "true" });
  const { headers } = await ask(timed.base, property);
  expect(headers["server-timing"]).toMatch(
    /^authenticate;dur=[\d.]+, parse;dur=[\d.]+, bind;dur=[\d.]+, restrict;dur=[\d.]+, run;dur=[\d.]+, render;dur=[\d.]+$/,
  );
});

test("a stopping service turns unready, and finishes what it has begun", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reached = () => {};
  const running = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { base, server, readiness } = await serve({
    page: async () => {
      reached();
      await held;
      return emptyPage;
    },
  });
  const asked = ask(base, property);
  await running;
  readiness.stop();
  const unready = await ask(base, "/health/ready");
  expect([unready.status, unready.text]).toEqual([503, '{"status":"not_ready","reasons":["stopping"]}']);
  expect((await ask(base, "/health/live")).status).toBe(200);
  const stopped = server.stop(5000);
  release();
  expect((await asked).status).toBe(200);
  await stopped;
  await expect(ask(base, property)).rejects.toThrow("ECONNREFUSED");
});

test("the configured version, page size and address hold where the request says nothing", async () => {
  const tops: number[] = [];
  const { base } = await serve(
    {
      page: async ({ top }) => {
        tops.push(top);
        return firstPage;
      },
    },
    { CADASTRE_ODATA_VERSION: "4.01", CADASTRE_PAGE_SIZE: "7", CADASTRE_BASE_URL: "https://feed.example" },
  );
  const reply = await ask(base, property, { host: "evil.example" });
  expect(reply.headers["odata-version"]).toBe("4.01");
  expect(tops).toEqual([7]);
  expect(reply.text).toContain('"@odata.nextLink":"https://feed.example/reso/odata/Property?$skiptoken=');
  expect(reply.text).not.toContain("evil.example");
});

test.each(["evil.example/x?", "a b", "<x>", "x:99999999", "x:65536", "u@x", "[::1"])(
  "a Host of `%s` is refused",
  async (host) => {
    const { base } = await serve({});
    const reply = await ask(base, "/reso/odata", { host });
    expect([reply.status, toError(reply).code]).toEqual([400, "invalid_host"]);
    expect((await ask(base, "/health/live", { host })).text).toBe(errorText("invalid_host"));
  },
);

test.each(["feed.example", "feed.example:8080", "10.0.0.7", "[::1]:65535"])(
  "links take a Host of `%s`",
  async (host) => {
    const { base } = await serve({});
    const reply = await ask(base, "/reso/odata", { host });
    expect(reply.text).toContain(`"@odata.context":"http://${host}/reso/odata/$metadata"`);
  },
);

test("what a store cannot run is told of the option that it is in", async () => {
  const cannot = new QueryError("not_supported", null, { feature: "this" });
  const targetOf = async (store: Partial<Store>, query: string) => {
    const { base } = await serve(store);
    const reply = await ask(base, `${property}?${query}`);
    expect([reply.status, toError(reply).code]).toEqual([501, "not_supported"]);
    return toError(reply).target;
  };
  const page: Store["page"] = () => Promise.reject(cannot);
  const sorting: Store["page"] = async ({ filter }) => {
    if (JSON.stringify(filter).includes('"City"')) throw cannot;
    return emptyPage;
  };
  expect(await targetOf({ page }, "$filter=City%20ne%20null")).toBe("$filter");
  expect(await targetOf({ page }, "$orderby=City")).toBe("$orderby");
  expect(await targetOf({ page }, "$orderby=City&$filter=City%20ne%20null")).toBe("$orderby");
  expect(await targetOf({ page: sorting }, "$orderby=City&$filter=City%20ne%20null")).toBe("$filter");
  expect(await targetOf({ page }, "")).toBeUndefined();
});

test.each([
  ["maxpagesize=3", "", 3, "maxpagesize=3"],
  ["odata.maxpagesize=3", "?$top=2", 2, "odata.maxpagesize=3"],
  ["odata.maxpagesize=3", "?$top=9", 3, "odata.maxpagesize=3"],
  ['respond-async, OData.MaxPageSize="500";x=y', "", 500, "odata.maxpagesize=500"],
  ["maxpagesize=5000", "", 1000, "maxpagesize=1000"],
  ["maxpagesize=0", "", 100, undefined],
  ["maxpagesize=x, return=minimal", "", 100, undefined],
])("`Prefer: %s` on `%s` gives pages of %i", async (prefer, query, size, applied) => {
  const tops: number[] = [];
  const { base } = await serve({
    page: async ({ top }) => {
      tops.push(top);
      return firstPage;
    },
  });
  const reply = await ask(base, property + query, { prefer });
  expect([reply.status, tops, reply.headers["preference-applied"]]).toEqual([200, [size], applied]);
  const link = /"@odata\.nextLink":"http:\/\/[^/]+([^"]+)"/.exec(reply.text)?.[1] ?? "";
  expect((await ask(base, link, { prefer })).status).toBe(200);
  expect(tops).toEqual([size, size]);
});

test("a token is as long after many commits as after few", async () => {
  const lengthAt = async (checkpoint: number) => {
    const { base } = await serve({ page: async () => ({ ...firstPage, next: { checkpoint, key: ["k"] } }) });
    const { text } = await ask(base, property, { host: "feed.example" });
    return text.length;
  };
  expect(await lengthAt(1_000_000)).toBe(await lengthAt(1));
});

test("a token past its life is refused", async () => {
  const { base, services } = await serve({
    page: async () => firstPage,
  });
  const link = /"@odata\.nextLink":"http:\/\/[^/]+([^"]+)"/.exec((await ask(base, property)).text)?.[1] ?? "";
  expect((await ask(base, link)).status).toBe(200);
  Object.assign(services, { now: () => Date.now() + 86_401_000 });
  expect(toError(await ask(base, link)).code).toBe("invalid_skip_token");
});
