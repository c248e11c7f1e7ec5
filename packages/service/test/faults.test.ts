import { Writable } from "node:stream";
import { compileScope, type Scope } from "@cadastre/entitlement";
import { entityModel } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { createApp, type Services } from "../src/app.ts";
import { activeEntitySets } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { type Listening, listen } from "../src/http/server.ts";
import { ask, toError } from "./support/ask.ts";

const property = "/reso/odata/Property";
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
  return compileScope(document, entityModel);
}

/** A service over a store of the test's making, that lets everybody in. */
async function serve(store: Partial<Store>, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const record = { id: "k", digest: "", customer: "c", expires: null, revoked: null };
  const services: Services = {
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
      page: async () => ({ rows: [], after: null }),
      count: async () => 0,
      one: async () => undefined,
      close: async () => {},
      ...store,
    },
    skipTokenKey: new Uint8Array(32),
    activeEntitySets,
    keys: { find: () => record },
    scopes: { of: async () => scope() },
    now: Date.now,
    readiness: { ready: true },
  };
  const server = await listen(createApp(services), { host: "127.0.0.1", port: 0 });
  started.push(server);
  return { base: `http://127.0.0.1:${server.port}`, server, services, lines };
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
    /^parse;dur=[\d.]+, bind;dur=[\d.]+, restrict;dur=[\d.]+, run;dur=[\d.]+, render;dur=[\d.]+$/,
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
  const { base, server, services } = await serve({
    page: async () => {
      reached();
      await held;
      return { rows: [], after: null };
    },
  });
  const asked = ask(base, property);
  await running;
  services.readiness.ready = false;
  expect((await ask(base, "/health/ready")).status).toBe(503);
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
        return { rows: [{ ListingKey: "k" }], after: ["2024-01-01T00:00:00.000Z", "k"] };
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

test.each(["evil.example/x?", "a b", "<x>", "x:99999999"])(
  "a Host of `%s` gets into no link",
  async (host) => {
    const { base } = await serve({});
    const reply = await ask(base, "/reso/odata", { host });
    expect(reply.text).toContain(`"@odata.context":"${base}/reso/odata/$metadata"`);
  },
);

test("a token past its life is refused", async () => {
  const { base, services } = await serve({
    page: async () => ({ rows: [{ ListingKey: "k" }], after: ["2024-01-01T00:00:00.000Z", "k"] }),
  });
  const link = /"@odata\.nextLink":"http:\/\/[^/]+([^"]+)"/.exec((await ask(base, property)).text)?.[1] ?? "";
  expect((await ask(base, link)).status).toBe(200);
  Object.assign(services, { now: () => Date.now() + 86_401_000 });
  expect(toError(await ask(base, link)).code).toBe("invalid_skip_token");
});
