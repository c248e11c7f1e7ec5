import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, type Headers } from "../support/ask.ts";
import { entitle } from "../support/entitle.ts";
import { errorBody } from "../support/error-body.ts";
import { type Running, run } from "../support/running.ts";

const account = "/v1/account/resources";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "20" });
});
afterAll(() => running.stop());

const get = (target: string, customer: string, headers: Headers = {}, method = "GET") =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key(customer), ...headers }, method);
const read = async (customer: string) => {
  const reply = await get(account, customer);
  expect(reply.status).toBe(200);
  return {
    etag: String(reply.headers["etag"]),
    ...(JSON.parse(reply.text) as { data: object; meta: object }),
  };
};

/** Replaces the entitlement of a customer by one that is valid from then until then, in seconds from now. */
const limit = (customer: string, from: number, until: number): Promise<void> => {
  const now = Math.floor(Date.now() / 1000);
  return entitle(running, customer, (before) => ({ ...before, nbf: now + from, exp: now + until }));
};

const nothing = {
  customer_id: "demo-state",
  entitlement_version: 2,
  entitlement_state: "expired",
  products: [],
  regions: [],
  datasets: [],
  channels: { api: false, odata: false, file_delivery: false },
  // Those of the service: the entitlement's own are not in force.
  limits: {
    requests_per_second: 0,
    concurrent_queries: 100,
    scan_seconds: 3600,
    query_weight: 1,
    open_exports: 4,
  },
};

test("an entitlement that expires is told as that, to the second, and grants nothing any more", async () => {
  await limit("state", -10, 5);
  await expect
    .poll(async () => (await read("state")).meta, { timeout: 4000 })
    .toEqual({ entitlement_version: 2 });
  const before = await read("state");
  expect(before.data).toMatchObject({ entitlement_version: 2, entitlement_state: "active" });
  await expect.poll(async () => (await get("/reso/odata", "state")).status, { timeout: 8000 }).toBe(403);
  const reply = await get(account, "state", { "if-none-match": before.etag });
  expect([reply.status, reply.headers["cache-control"]]).toEqual([200, "private, no-cache"]);
  const { etag, data, meta } = await read("state");
  expect(data).toEqual(nothing);
  expect(meta).toEqual({ entitlement_version: 2 });
  expect(etag).not.toBe(before.etag);
  expect((await get(account, "state", { "if-none-match": etag })).status).toBe(304);
  expect((await get(account, "state", {}, "HEAD")).headers["etag"]).toBe(etag);

  const family = (code: string) => [errorBody(code), { error: expect.objectContaining({ code }) as object }];
  for (const [method, target] of [
    ["GET", "/v1/mls-profiles"],
    ["GET", "/v1/field-completeness"],
    ["GET", "/v1/properties/222-222@8t2-fjb-26k"],
    ["GET", `${account}/`],
    ["GET", `${account}/x`],
    ["GET", "/v1/%61ccount/resources"],
    ["GET", "/v1"],
    ["GET", "/nowhere"],
    ["GET", "/reso/odata/Property"],
    ["GET", "/v1/file-exports"],
    ["GET", "/v1/file-downloads/redeem"],
    ["GET", "/v1/file-export-subscriptions"],
    ["GET", "/v1/file-export-destinations"],
    ["GET", "/v1/webhooks"],
    ["POST", "/v1/file-exports"],
    ["DELETE", "/v1/file-exports/1"],
  ] as const) {
    const refused = await get(target, "state", {}, method);
    expect([target, refused.status]).toEqual([target, 403]);
    expect(family("entitlement_changed")).toContainEqual(JSON.parse(refused.text));
  }
  expect((await get(`${account}?x=1`, "state")).status).toBe(400);
  expect((await get(account, "state", {}, "POST")).status).toBe(405);

  await limit("state", -10, 3600);
  await expect.poll(async () => (await get("/reso/odata", "state")).status, { timeout: 4000 }).toBe(200);
  expect((await read("state")).data).toMatchObject({ entitlement_version: 3, entitlement_state: "active" });
}, 30_000);

test("one that expired before the service saw it is told as that; one that is not valid yet is not", async () => {
  await limit("market", -20, -10);
  await limit("coarse", 3000, 3600);
  await expect
    .poll(async () => (await read("market")).data)
    .toEqual({ ...nothing, customer_id: "demo-market" });
  for (const target of [account, "/v1/mls-profiles"]) {
    await expect.poll(async () => (await get(target, "coarse")).status).toBe(403);
    const reply = await get(target, "coarse");
    expect([reply.status, JSON.parse(reply.text)]).toEqual([403, errorBody("entitlement_changed")]);
  }
  const unknown = await ask(running.service.baseUrl, account, { "x-api-key": "x" });
  expect(unknown.status).toBe(401);
});
