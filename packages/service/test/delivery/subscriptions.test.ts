import { gunzipSync } from "node:zlib";
import { domainNames } from "@cadastre/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { removalsOf } from "../support/removals.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot as root } from "../support/subscriptions.ts";

const destinations = "/v1/file-export-destinations";
const nowhere = "01939b2e-0000-7000-8000-000000000000";
const daily = { domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400, preferredMinuteOfDay: 240 };

type Seen = { readonly id: string; readonly status: string; readonly next_sequence: number };
type Due = { readonly emptyDeliveryBehavior: string; readonly next_due_at: string };
type Listed = {
  readonly id: string;
  readonly status: string;
  readonly generation: number;
  readonly sequence: number;
  readonly noChange: boolean;
};

let running: Running;
let national: ReturnType<typeof customerOf>;
let market: ReturnType<typeof customerOf>;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150" });
  await publishOpenHouses(running);
  national = customerOf(running);
  market = customerOf(running, "market");
});
afterAll(() => running.stop());

const remove = (id: string) => ask(running.service.baseUrl, `${root}/${id}`, national.headers, "DELETE");

async function subscribed(body: Readonly<Record<string, unknown>>): Promise<string> {
  const reply = await national.post(root, { ...daily, ...body });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return dataOf<Seen>(reply).id;
}

const delivered = (id: string, sequence: number) => completeAt<Listed>(national, id, { sequence });

describe("a subscription", () => {
  test("is created, found at its location, and the same for the same request", async () => {
    const named = { ...daily, name: "same" };
    const body = { ...named, idempotencyKey: "same" };
    const first = await national.post(root, body);
    const { id } = dataOf<Seen>(first);
    expect(first.status).toBe(201);
    expect(first.headers["location"]).toBe(`${root}/${id}`);
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(JSON.parse(first.text)).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        name: "same",
        domain: "listing",
        deliveryMode: "pull",
        destinationId: null,
        cadenceSeconds: 86_400,
        preferredMinuteOfDay: 240,
        emptyDeliveryBehavior: "manifest_only",
        profileId: "listing-jsonl",
        filter: null,
        select: null,
        status: "active",
        failure: null,
        generation: 1,
        next_sequence: 0,
        next_due_at: expect.stringMatching(/^\d{4}-.+Z$/) as string,
        created_at: expect.stringMatching(/^\d{4}-.+Z$/) as string,
      },
      meta: { entitlement_version: 1 },
    });
    await delivered(id, 0);
    const again = await national.post(root, body);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([first, again].map(({ headers }) => headers["idempotency-replayed"])).toEqual([undefined, "true"]);
    const other = { ...body, cadenceSeconds: 3600 };
    expect(refusal(await national.post(root, other))).toEqual([409, "idempotency_conflict"]);
    expect(refusal(await national.post(root, named))).toEqual([409, "subscription_exists"]);
    expect((await market.post(root, body)).status).toBe(201);
  });

  test("tells of each delivery when it was acknowledged first", async () => {
    const id = await subscribed({ name: "acknowledged" });
    const { id: seed } = await delivered(id, 0);
    const told = async () => {
      const [last] = dataOf<{ acknowledgedAt: string | null }[]>(
        await national.get(`${root}/${id}/deliveries`),
      );
      return last?.acknowledgedAt;
    };
    expect(await told()).toBeNull();
    const { meta } = await national.manifest(seed);
    const said = {
      generation: 1,
      sequence: 0,
      manifest_sha256: meta.manifest_sha256,
      customer_reference: "r",
    };
    const reply = await national.post(`/v1/file-exports/${seed}/acknowledge`, said);
    const { acknowledged_at: at } = dataOf<{ acknowledged_at: string }>(reply);
    expect(await told()).toBe(at);
    await national.post(`/v1/file-exports/${seed}/acknowledge`, said);
    expect(await told()).toBe(at);
  });

  test("tells how far it has come: what was delivered and acknowledged last, and the lag", async () => {
    const id = await subscribed({ name: "how far" });
    type Reached = { readonly sequence: number; readonly as_of: string };
    type Reach = {
      readonly last_delivered: Reached | null;
      readonly last_acknowledged: Reached | null;
      readonly lag_seconds: number | null;
      readonly next_due_at: string;
    };
    const reach = async () => dataOf<Reach>(await national.get(`${root}/${id}`));
    const { id: seed } = await delivered(id, 0);
    const { data, meta } = await national.manifest(seed);
    const asOf = (data as unknown as { readonly window: { readonly asOf: string } }).window.asOf;
    const place = { delivery_id: seed, generation: 1, sequence: 0, as_of: asOf };
    const time = expect.stringMatching(/^\d{4}-.+Z$/) as string;
    expect(await reach()).toMatchObject({
      last_delivered: { ...place, completed_at: time },
      last_acknowledged: null,
      lag_seconds: null,
    });
    const said = {
      generation: 1,
      sequence: 0,
      manifest_sha256: meta.manifest_sha256,
      customer_reference: "r",
    };
    await national.post(`/v1/file-exports/${seed}/acknowledge`, said);
    await hurry(national, id);
    const { id: delta } = await delivered(id, 1);
    const after = await reach();
    expect(after).toMatchObject({
      last_delivered: { delivery_id: delta, sequence: 1 },
      last_acknowledged: { ...place, acknowledged_at: time },
    });
    const age = (Date.now() - Date.parse(asOf)) / 1000;
    expect(after.lag_seconds).toBeLessThanOrEqual(age);
    expect(after.lag_seconds).toBeGreaterThanOrEqual(Math.floor(age) - 60);
    expect(Date.parse(after.next_due_at)).toBeGreaterThan(Date.parse(asOf));
    const [listed] = dataOf<object[]>(await national.get(root));
    expect(listed).not.toHaveProperty("lag_seconds");
  });

  test("delivers a seed, then what changed, in every domain", async () => {
    const [first, second, ...others] = domainNames;
    const domains = [second, first, ...others];
    const ids = await Promise.all(domains.map((domain) => subscribed({ domain, name: `all of ${domain}` })));
    const seeds = await Promise.all(ids.map((id) => delivered(id, 0)));
    expect((await national.manifest(seeds[0]?.id ?? "")).data.datasets[0]?.rowCount).toBeGreaterThan(0);
    const listed = JSON.parse(
      (await national.get("/reso/odata/Property?$top=1&$select=ListingKey&$orderby=ListingKey")).text,
    ) as { readonly value: readonly { readonly ListingKey: string }[] };
    const key = listed.value[0]?.ListingKey ?? "";
    await commitTo(running, removalsOf("Property", key));
    for (const id of ids) await hurry(national, id);
    const [listing, property, publicRecord] = await Promise.all(ids.map((id) => delivered(id, 1)));
    expect(publicRecord?.noChange).toBe(true);
    const { data } = await national.manifest(listing?.id ?? "");
    const part = data.parts.find(({ dataset }) => dataset === "listing");
    expect(part?.rowCount).toBe(0);
    const removed = gunzipSync(await national.fetched(listing?.id ?? "", part?.number ?? -1)).toString();
    expect(removed).toBe(`${JSON.stringify({ ListingKey: key, removalReason: "deleted" })}\n`);
    expect((await national.manifest(property?.id ?? "")).data.parts).toHaveLength(1);
  });

  test("is listed, read, paused, reset and ended", async () => {
    const id = await subscribed({ name: "short" });
    await delivered(id, 0);
    const seen = async () => dataOf<Seen & { generation: number }>(await national.get(`${root}/${id}`));
    /** The subscription notes a delivery a moment after its end. */
    const noted = (state: object) => expect.poll(seen, { timeout: 20_000 }).toMatchObject(state);
    await national.post(`${root}/${id}/pause`, {});
    await noted({ status: "paused", next_sequence: 1 });
    await national.post(`${root}/${id}/resume`, {});
    await delivered(id, 1);
    expect(dataOf(await national.post(`${root}/${id}/reset`, {}))).toMatchObject({
      status: "resetting",
      generation: 2,
    });
    await delivered(id, 0);
    await noted({ status: "active", next_sequence: 1 });
    expect(await seen()).toMatchObject(dataOf<Seen[]>(await national.get(root))[0] ?? {});
    expect(dataOf<Seen[]>(await national.get(`${root}?limit=1`))).toHaveLength(1);
    const deliveries = dataOf<{ generation: number; sequence: number }[]>(
      await national.get(`${root}/${id}/deliveries`),
    );
    expect(deliveries.map(({ generation, sequence }) => [generation, sequence])).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
    ]);
    const from = async (place: string) =>
      dataOf<typeof deliveries>(await national.get(`${root}/${id}/deliveries?from=${place}&limit=2`));
    const inOrder = deliveries.toReversed();
    expect(await from("1.0")).toEqual(inOrder.slice(0, 2));
    expect(await from("9.0")).toEqual([]);
    expect(dataOf(await remove(id))).toMatchObject({ status: "canceled", next_due_at: null });
    expect((await remove(id)).status).toBe(200);
    expect(refusal(await national.post(`${root}/${id}/resume`, {}))).toEqual([409, "subscription_canceled"]);
    expect((await ask(running.service.baseUrl, `${root}/${id}`, national.headers, "HEAD")).status).toBe(200);
  });

  test.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "invalid_request"],
    ["an unknown member", { ...daily, name: "x", extra: 1 }, 400, "invalid_request"],
    ["no name", daily, 400, "invalid_request"],
    ["an empty name", { ...daily, name: "" }, 400, "invalid_name"],
    ["a short cadence", { ...daily, name: "x", cadenceSeconds: 59 }, 400, "invalid_cadence"],
    ["a long cadence", { ...daily, name: "x", cadenceSeconds: 2_678_401 }, 400, "invalid_cadence"],
    ["a broken cadence", { ...daily, name: "x", cadenceSeconds: 300.5 }, 400, "invalid_cadence"],
    ["no such behavior", { ...daily, name: "x", emptyDeliveryBehavior: "nothing" }, 400, "invalid_request"],
    [
      "a minute too early",
      { ...daily, name: "x", preferredMinuteOfDay: -1 },
      400,
      "invalid_preferred_minute",
    ],
    [
      "a minute too late",
      { ...daily, name: "x", preferredMinuteOfDay: 1440 },
      400,
      "invalid_preferred_minute",
    ],
    ["no such domain", { ...daily, name: "x", domain: "weather" }, 400, "unknown_domain"],
    [
      "a push without a destination",
      { ...daily, name: "x", deliveryMode: "push" },
      400,
      "destination_required",
    ],
  ])("is refused for %s", async (_, body, status, code) => {
    expect(refusal(await national.post(root, body))).toEqual([status, code]);
  });

  test("has no delivery or one without parts where nothing changed, and the next one at its minute", async () => {
    const behaviors = ["skip", "manifest_only"];
    const ids = await Promise.all(
      behaviors.map((emptyDeliveryBehavior) =>
        subscribed({ domain: "public_record", name: emptyDeliveryBehavior, emptyDeliveryBehavior }),
      ),
    );
    const seenOf = async (id: string) => dataOf<Seen & Due>(await national.get(`${root}/${id}`));
    const [skipping = "", telling = ""] = ids;
    for (const [nth, id] of ids.entries()) {
      await delivered(id, 0);
      const { emptyDeliveryBehavior, next_due_at } = await seenOf(id);
      expect([emptyDeliveryBehavior, next_due_at]).toEqual([
        behaviors[nth],
        expect.stringMatching(/T04:00:00\.000Z$/),
      ]);
      expect(Date.parse(next_due_at)).toBeGreaterThan(Date.now());
      expect(Date.parse(next_due_at)).toBeLessThanOrEqual(Date.now() + 86_400_000);
      await hurry(national, id);
    }
    const { id } = await delivered(telling, 1);
    const { data } = await national.manifest(id);
    expect(data).toMatchObject({ kind: "delta", noChange: true, parts: [] });
    expect(refusal(await national.get(`/v1/file-exports/${id}/download?part=1`))).toEqual([
      404,
      "part_not_found",
    ]);
    // Looked at and passed over, it is due at the minute of another day.
    await expect
      .poll(async () => (await seenOf(skipping)).next_due_at, { timeout: 20_000 })
      .toMatch(/T04:00:00\.000Z$/);
    expect((await seenOf(skipping)).next_sequence).toBe(1);
    expect(dataOf(await national.get(`${root}/${skipping}/deliveries`))).toHaveLength(1);
  });

  test("takes methods, limits and parameters as it says", async () => {
    const id = await subscribed({ name: "asked" });
    const [list, one] = ["POST, GET, HEAD", "GET, HEAD, DELETE"];
    for (const [path, allow] of [
      [root, list],
      [`${root}/${id}`, one],
      [`${root}/${id}/deliveries`, "GET, HEAD"],
      [`${root}/${id}/pause`, "POST"],
      [destinations, list],
      [`${destinations}/${nowhere}`, one],
      [`${destinations}/${nowhere}/verify`, "POST"],
    ] as const) {
      const { status, headers } = await ask(running.service.baseUrl, path, national.headers, "PUT");
      expect([path, status, headers["allow"]]).toEqual([path, 405, allow]);
      expect((await ask(running.service.baseUrl, path, {}, "GET")).status).toBe(401);
    }
    const deliveries = `${root}/${id}/deliveries`;
    for (const limit of ["0", "501", "-1", "1.5", "x", ""])
      expect(refusal(await national.get(`${deliveries}?limit=${limit}`))).toEqual([400, "invalid_limit"]);
    expect(refusal(await national.get(`${deliveries}?limit=1&limit=2`))).toEqual([
      400,
      "duplicate_parameter",
    ]);
    for (const from of ["", "1", "1.", "1.x", "-1.0", "1.0.0"])
      expect(refusal(await national.get(`${deliveries}?from=${from}`))).toEqual([400, "invalid_request"]);
    for (const path of [deliveries, root, destinations])
      expect(refusal(await national.get(`${path}?after=x`))).toEqual([400, "unknown_parameter"]);
  });

  test("of another customer is absent", async () => {
    const id = await subscribed({ name: "own" });
    for (const path of [id, nowhere, "x", `${id}/deliveries`])
      expect(refusal(await market.get(`${root}/${path}`))).toEqual([404, "not_found"]);
    for (const step of ["pause", "resume", "reset"])
      expect(refusal(await market.post(`${root}/${id}/${step}`, {}))).toEqual([404, "not_found"]);
    expect((await ask(running.service.baseUrl, root, {}, "GET")).status).toBe(401);
    expect(refusal(await national.get(`${root}?limit=501`))).toEqual([400, "invalid_limit"]);
  });
});
