import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, type Headers } from "../support/ask.ts";
import { refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { type Running, run } from "../support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "20",
    CADASTRE_REQUESTS_PER_SECOND: "1",
    CADASTRE_REFUSALS_PER_SECOND: "1",
  });
});
afterAll(() => running.stop());

const path = "/v1/file-downloads/redeem";

type Case = { readonly target?: string; readonly headers?: Headers; readonly method?: string };

/** Sends a request with a customer's key, and gives what tells whether its answer may be stored. */
async function ended({ target = path, headers = {}, method = "GET" }: Case, key = "national") {
  const known = key === "" ? {} : { "x-api-key": running.key(key) };
  const reply = await ask(running.service.baseUrl, target, { ...known, ...headers }, method);
  return [...refusal(reply), reply.headers["cache-control"]];
}

const token = (text: string) => ({ authorization: `Bearer ${text}` });

test.each<[number, string, Case]>([
  [400, "query_not_allowed", { target: `${path}?part=1` }],
  [400, "invalid_host", { headers: { host: "a b" } }],
  [401, "invalid_token", {}],
  [401, "invalid_token", { headers: token(`ldsg_${"0".repeat(49)}`) }],
  [404, "not_found", { target: `${path}/1` }],
  [405, "method_not_allowed", { method: "POST" }],
  [406, "not_acceptable", { headers: { ...token("x"), accept: "text/plain" } }],
  [414, "uri_too_long", { target: `${path}?${"x".repeat(70_000)}` }],
])("%i %s of a redemption is not stored", async (status, code, asked) => {
  expect(await ended(asked)).toEqual([status, code, "no-store"]);
});

test("nor is what the edge refuses", async () => {
  expect(await ended({}, "")).toEqual([401, "unauthorized", "no-store"]);
  await entitle(running, "state", (before) => ({
    ...before,
    channels: { api: true, odata: true, file_delivery: false },
  }));
  expect(await ended({}, "state")).toEqual([403, "channel_not_entitled", "no-store"]);
  for (const key of ["market", ""]) {
    const all = await Promise.all(Array.from({ length: 30 }, () => ended({}, key)));
    expect(all).toContainEqual([429, "rate_limited", "no-store"]);
    for (const one of all) expect(one[2]).toBe("no-store");
  }
});

test("nor is what a grant is refused for", async () => {
  const target = "/v1/file-exports/01939b2e-0000-7000-8000-000000000000/download?part=0";
  expect(await ended({ target }, "coarse")).toEqual([404, "not_found", "no-store"]);
});
