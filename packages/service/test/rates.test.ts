import type { Response } from "express";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createApiKey } from "../src/access/key-text.ts";
import { burst, createRates, networkOf, TokenBuckets } from "../src/access/rates.ts";
import type { Caller } from "../src/http/request-context.ts";
import { ask, toError } from "./support/ask.ts";
import { errorText } from "./support/error-body.ts";
import { type Running, run } from "./support/running.ts";

describe("a bucket", () => {
  test("gives what is in it, then what has come in since", () => {
    let now = 0;
    const buckets = new TokenBuckets(10_000, () => now);
    const take = () => buckets.take("a", 2);
    const first = take();
    expect(first).toEqual({ isTaken: true, limit: 20, remaining: 19, reset: 1, wait: 0 });
    for (let i = 0; i < 19; i += 1) expect(take().isTaken).toBe(true);
    expect(take()).toEqual({ isTaken: false, limit: 20, remaining: 0, reset: 10, wait: 1 });
    expect(buckets.take("b", 2).isTaken).toBe(true);
    now = 500;
    expect([take().isTaken, take().isTaken]).toEqual([true, false]);
    now = 60_000;
    expect(take().remaining).toBe(19);
  });

  test("never gives more than its burst and its rate, nor less", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 50 }), (waits, rate) => {
        let now = 0;
        const buckets = new TokenBuckets(10_000, () => now);
        let tokens = rate * burst;
        for (const wait of waits) {
          now += wait;
          tokens = Math.min(rate * burst, tokens + (wait * rate) / 1000);
          const { isTaken, remaining } = buckets.take("a", rate);
          if (isTaken) tokens -= 1;
          else expect(tokens).toBeLessThan(1 + 1e-6);
          expect(tokens).toBeGreaterThan(-1e-6);
          expect(Math.abs(remaining - tokens)).toBeLessThan(1 + 1e-6);
        }
      }),
    );
  });

  test("that is full is not kept, and no number of subjects fills the memory", () => {
    const buckets = new TokenBuckets(10_000, () => 0);
    for (let i = 0; i < 30_000; i += 1) buckets.take(String(i), 1);
    expect(buckets.size).toBe(10_000);
    // The first ones were forgotten, the last ones were not.
    expect(buckets.take("0", 1).remaining).toBe(9);
    expect(buckets.take("29999", 1).remaining).toBe(8);
  });

  test("that is in use is kept while a flood of others passes", () => {
    let now = 0;
    const buckets = new TokenBuckets(1000, () => now);
    const busy = Array.from({ length: 10 }, (_, i) => `busy ${i}`);
    for (const one of busy) while (buckets.take(one, 1).isTaken);
    for (let i = 0; i < 50_000; i += 1) {
      buckets.take(`flood ${i}`, 1);
      now += 0.01;
    }
    expect(buckets.size).toBe(1000);
    for (const one of busy) expect([one, buckets.take(one, 1).isTaken]).toEqual([one, false]);
    // Once they are full they are the first to be forgotten.
    now = 60_000;
    buckets.take("another", 1);
    expect(buckets.size).toBe(1);
  });
});

describe("the rates", () => {
  const customerOf = (customer: string) => ({ scope: { customer, limits: {} } }) as unknown as Caller;
  const response = { headersSent: true } as Response;
  const rates = () => createRates({ requestsPerSecond: 1, refusalsPerSecond: 1 }, () => 0);
  const isRefused = (take: () => void) => {
    try {
      take();
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limited" });
      return true;
    }
  };

  test("of an address start anew for no flood of 20,000 addresses", () => {
    const { takeRefusal } = rates();
    while (!isRefused(() => takeRefusal("192.0.2.1")));
    for (let i = 0; i < 20_000; i += 1)
      takeRefusal(`2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`);
    expect(isRefused(() => takeRefusal("192.0.2.1"))).toBe(true);
  });

  test("of a customer start anew for no flood of 20,000 refused keys and 20,000 customers", () => {
    const { takeFor, takeRefusal } = rates();
    const take = (customer: string) => () => takeFor(customerOf(customer), response);
    while (!isRefused(take("busy")));
    for (let i = 0; i < 20_000; i += 1) takeRefusal(`10.${i >> 8}.${i & 255}.1`);
    for (let i = 0; i < 20_000; i += 1) while (!isRefused(take(`customer ${i}`)));
    expect(isRefused(take("busy"))).toBe(true);
    expect(isRefused(take("customer 0"))).toBe(true);
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["", ""],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

let running: Running | undefined;
afterEach(() => running?.stop());

async function start(environment: Readonly<Record<string, string>>) {
  const service = await run({ CADASTRE_LISTINGS: "20", ...environment });
  running = service;
  const { baseUrl } = service.service;
  return {
    get: (target: string, name = "national") => ask(baseUrl, target, { "x-api-key": service.key(name) }),
    guess: (apiKey: string) => ask(baseUrl, "/reso/odata", { "x-api-key": apiKey }),
    batch: (body: string) =>
      ask(
        baseUrl,
        "/reso/odata/$batch",
        {
          "x-api-key": service.key("market"),
          "content-type": "application/json",
          prefer: "continue-on-error",
        },
        "POST",
        body,
      ),
  };
}

test("a key that asks too often is told when to come back, in the form of each family", async () => {
  const { get, batch } = await start({ CADASTRE_REQUESTS_PER_SECOND: "1" });
  const first = await get("/reso/odata");
  expect(first.headers).toMatchObject({ "ratelimit-limit": "10", "ratelimit-remaining": "9" });
  const rest = await Promise.all(Array.from({ length: 12 }, () => get("/reso/odata/Nope")));
  expect(rest.filter(({ status }) => status === 404).length).toBeLessThanOrEqual(11);
  const refused = rest.at(-1);
  expect([refused?.status, refused?.headers["ratelimit-remaining"]]).toEqual([429, "0"]);
  expect(refused === undefined ? "" : toError(refused).code).toBe("rate_limited");
  expect(Number(refused?.headers["retry-after"])).toBe(1);
  const plain = await get("/v1/nope");
  expect([plain.status, plain.text]).toEqual([429, errorText("rate_limited")]);
  // Another key has its own, and a batch counts by its requests.
  const requests = Array.from({ length: 12 }, (_, i) => ({ id: String(i), method: "GET", url: "" }));
  const reply = await batch(JSON.stringify({ requests }));
  const { responses } = JSON.parse(reply.text) as { responses: { status: number; headers: object }[] };
  expect([reply.status, responses[0]?.status, responses[11]?.status]).toEqual([200, 200, 429]);
  expect(responses[11]?.headers).toMatchObject({ "retry-after": "1" });
});

test("an address that guesses keys is slowed down, and a key in force there is not", async () => {
  const { get, guess } = await start({ CADASTRE_REFUSALS_PER_SECOND: "1" });
  const replies = [];
  for (let i = 0; i < 13; i += 1) replies.push(await guess(i % 2 === 0 ? createApiKey() : "x"));
  expect(replies[0]?.status).toBe(401);
  expect([replies.at(-1)?.status, replies.at(-1)?.headers["retry-after"]]).toEqual([429, "1"]);
  expect((await get("/reso/odata")).status).toBe(200);
  expect((await get("/reso/odata")).headers["ratelimit-limit"]).toBeUndefined();
});

/** `CASES=12000` for more. */
const guesses = Number(process.env["CASES"] ?? 500);

test("random keys from one address do not free it, nor slow a customer", async () => {
  const { get, guess } = await start({
    CADASTRE_REFUSALS_PER_SECOND: "1",
    CADASTRE_REQUESTS_PER_SECOND: "1",
  });
  const drained = await Promise.all(Array.from({ length: 12 }, () => get("/reso/odata")));
  expect(drained.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  const counts = new Map<number, number>();
  const started = performance.now();
  for (let i = 0; i < guesses; i += 100)
    for (const { status } of await Promise.all(Array.from({ length: 100 }, () => guess(createApiKey()))))
      counts.set(status, (counts.get(status) ?? 0) + 1);
  const seconds = (performance.now() - started) / 1000;
  // The burst, and one a second.
  expect(counts.get(401)).toBeLessThanOrEqual(10 + Math.ceil(seconds) + 1);
  expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([401, 429]);
  expect((await get("/reso/odata", "market")).status).toBe(200);
}, 120_000);
