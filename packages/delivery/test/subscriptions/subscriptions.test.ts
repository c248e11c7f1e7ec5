import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { canonicalText, readManifest } from "@cadastre/manifest";
import { afterAll, describe, expect, test } from "vitest";
import { statusOf } from "../../src/index.ts";
import { deliveredDatasets } from "../../src/profiles/profile.ts";
import { type Edit, type Granted, scopeOf } from "../support/market.ts";
import { day, hour, Subscribed } from "../support/subscribed.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-subscriptions-"));
afterAll(() => rmSync(folder, { recursive: true }));

const texas: Granted = { states: ["TX"], fields: "*" };
const national: Granted = { states: ["TX", "OR"], fields: "*" };
const narrow: Granted = { states: ["TX"], fields: ["City", "StateOrProvince"] };
const nothing: Granted = { ...texas, products: ["property"] };

async function withService(use: (service: Subscribed) => Promise<void>, granted = texas): Promise<void> {
  const service = await Subscribed.open(mkdtempSync(join(folder, "service-")), granted);
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

const put = (key: string, values: Edit["values"]): Edit => ({
  set: "Property",
  key,
  values: values && { StateOrProvince: "TX", ...values },
});

/** Let time pass, and have built what is due then. */
async function pass(service: Subscribed, time = day): Promise<void> {
  service.now += time;
  await service.tick();
  await service.workAll();
  await service.tick();
}

/** What the last delivery holds: its lines by the names of its parts, and what its manifest says. */
async function lastOf(service: Subscribed, id: string) {
  const [delivery] = await service.registry.subscriptions.deliveries("customer", id, 1);
  const sealed = await service.registry.deliveries.manifest(delivery?.id ?? "");
  if (sealed === undefined) throw new Error(`there is no manifest: ${delivery?.state}`);
  const manifest = readManifest(Buffer.from(sealed.text));
  const contents: Record<string, unknown> = {};
  for (const part of manifest.parts) {
    const lines = (await text((await service.parts.open(part)).stream())).trimEnd().split("\n");
    contents[`${part.dataset} ${part.content}`] = lines.map((line) => JSON.parse(line) as unknown);
  }
  return { manifest, contents, sha256: sealed.sha256 };
}

/** Where a subscription stands. */
async function placeOf(service: Subscribed, id: string) {
  const found = await service.subscriptions.find(service.caller, id);
  return [statusOf(found), found.generation, found.sequence, found.code];
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

describe("what is delivered", () => {
  test("a seed at once, then what changed, each naming the one before", () =>
    withService(async (service) => {
      await service.edit([put("a", { City: "Austin" }), put("b", {}), put("c", {})]);
      const { id } = await service.subscribe();
      await pass(service, 0);
      const seed = await lastOf(service, id);
      expect(seed.manifest).toMatchObject({ kind: "seed", generation: 1, sequence: 0, previous: null });
      expect(seed.manifest.totals.rowCount).toBe(3);
      await service.edit([put("a", { City: "Waco" }), put("b", undefined), put("d", {})]);
      await pass(service, day - 1);
      expect((await lastOf(service, id)).sha256).toBe(seed.sha256);
      await pass(service, 1);
      const { manifest, contents } = await lastOf(service, id);
      expect(manifest).toMatchObject({
        kind: "delta",
        generation: 1,
        sequence: 1,
        previous: { generation: 1, sequence: 0, manifestSha256: seed.sha256 },
        window: { fromCheckpoint: seed.manifest.window.toCheckpoint },
      });
      expect(contents).toEqual({
        "listing rows": [
          expect.objectContaining({ ListingKey: "a", City: "Waco" }),
          expect.objectContaining({ ListingKey: "d" }),
        ],
        "listing removals": [{ ListingKey: "b", removalReason: "deleted" }],
      });
    }));

  test("nothing changed that is shown: no part, or no delivery, and the window goes on", () =>
    withService(async (service) => {
      await service.edit([put("a", { ListPrice: 1 }), put("b", { StateOrProvince: "OR" })]);
      const { id } = await service.subscribe();
      const skipping = await service.subscribe({ name: "skipping", emptyDeliveryBehavior: "skip" });
      await pass(service, 0);
      // Its price is not shown, the other is not at all, and one comes and goes.
      await service.edit([put("a", { ListPrice: 2 }), put("b", { StateOrProvince: "CA" }), put("c", {})]);
      await service.edit([put("c", undefined)]);
      await pass(service);
      const { manifest } = await lastOf(service, id);
      expect(manifest).toMatchObject({ sequence: 1, noChange: true, parts: [], totals: { partCount: 0 } });
      expect((await lastOf(service, skipping.id)).manifest).toMatchObject({ kind: "seed" });
      expect(await placeOf(service, skipping.id)).toEqual(["active", 1, 1, null]);
      await service.edit([put("d", {})]);
      await pass(service);
      const seed = (await service.registry.subscriptions.deliveries("customer", skipping.id, 2))[1];
      const { manifest: next, contents } = await lastOf(service, skipping.id);
      expect(next).toMatchObject({ sequence: 1, previous: { manifestSha256: seed?.manifestSha256 } });
      expect(contents).toEqual({ "listing rows": [expect.objectContaining({ ListingKey: "d" })] });
    }, narrow));

  test("what is deleted and what is hidden by now are removed in the same bytes", async () => {
    const parts: unknown[] = [];
    for (const gone of [undefined, { StateOrProvince: "CA" }])
      await withService(async (service) => {
        await service.edit([put("a", {}), put("b", {})]);
        const { id } = await service.subscribe();
        await pass(service, 0);
        await service.edit([put("a", gone)]);
        await pass(service);
        parts.push((await lastOf(service, id)).manifest.parts);
      });
    expect(parts[0]).toEqual(parts[1]);
    expect(parts[0]).toMatchObject([{ content: "removals", removalCount: 1, rowCount: 0 }]);
  });

  test("a profile may keep the reason back", () =>
    withService(async (service) => {
      service.reprofile("*");
      await service.edit([put("a", {})]);
      const { id } = await service.subscribe();
      await pass(service, 0);
      await service.edit([put("a", undefined)]);
      await pass(service);
      expect((await lastOf(service, id)).contents).toEqual({ "listing removals": [{ ListingKey: "a" }] });
    }));

  test("what was missed is one delivery", () =>
    withService(async (service) => {
      const { id } = await service.subscribe({ cadenceSeconds: 3600 });
      await pass(service, 0);
      await pass(service, 50 * hour);
      expect(await placeOf(service, id)).toEqual(["active", 1, 2, null]);
      await pass(service, hour - 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 2, null]);
    }));

  test("while a delivery is built none is created; what is due then follows it", () =>
    withService(async (service) => {
      const { id } = await service.subscribe({ cadenceSeconds: 3600 });
      await service.tick();
      service.now += 5 * hour;
      await service.tick(2);
      expect(await service.registry.subscriptions.deliveries("customer", id, 9)).toHaveLength(1);
      await service.work();
      await service.tick(3);
      const deliveries = await service.registry.subscriptions.deliveries("customer", id, 9);
      expect(deliveries.map(({ sequence, state }) => [sequence, state])).toEqual([
        [1, "queued"],
        [0, "complete"],
      ]);
    }));
});

describe("a generation that an earlier release has begun", () => {
  /** The hash of the document of names and types alone, which earlier releases pinned. */
  const earlierHash = ({ source, profile, caller }: Subscribed): string => {
    const datasets = deliveredDatasets(source, caller.scope, profile).map(
      ({ name, resource, keyField, columns }) => ({
        name,
        resource,
        keyField,
        columns: columns.map(({ name: own, type, collection, nullable }) => ({
          name: own,
          type,
          collection,
          nullable,
        })),
      }),
    );
    return createHash("sha256")
      .update(canonicalText({ ...profile.schema, datasets }))
      .digest("hex");
  };

  test("goes on with the schema that it was pinned to; the next generation has the present one", () =>
    withService(async (service) => {
      const { subscriptions } = service.registry;
      await service.edit([put("a", {})]);
      const { id } = await service.subscribe();
      await pass(service, 0);
      const present = (await lastOf(service, id)).manifest.schema.sha256;
      const found = await service.subscriptions.find(service.caller, id);
      if (found.pins === null) throw new Error("it has no pins");
      const schemaSha256 = earlierHash(service);
      expect(schemaSha256).not.toBe(present);
      await subscriptions.step(found, { changes: { pins: { ...found.pins, schemaSha256 } } });
      await service.edit([put("b", {})]);
      await pass(service);
      const { manifest } = await lastOf(service, id);
      expect(manifest).toMatchObject({ generation: 1, sequence: 1, schema: { sha256: schemaSha256 } });
      const kept = await service.registry.deliveries.document("customer", "schema", schemaSha256);
      expect(
        createHash("sha256")
          .update(kept?.text ?? "")
          .digest("hex"),
      ).toBe(schemaSha256);
      // The profile shows fewer fields, so the schema is another one.
      await service.grant(narrow);
      await pass(service);
      const next = (await lastOf(service, id)).manifest;
      expect(next).toMatchObject({ generation: 2, sequence: 0 });
      const document = await service.registry.deliveries.document("customer", "schema", next.schema.sha256);
      expect(JSON.parse(document?.text ?? "")).toMatchObject({ documentVersion: 2 });
    }));
});

describe("what a generation is", () => {
  test("the same granted again goes on; another scope starts anew, at once", () =>
    withService(async (service) => {
      await service.edit([put("a", {}), put("b", { StateOrProvince: "OR" })]);
      const { id } = await service.subscribe();
      await pass(service, 0);
      await service.grant(texas);
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 1, null]);
      await pass(service);
      expect((await lastOf(service, id)).manifest.entitlement.version).toBe(2);
      const before = (await lastOf(service, id)).sha256;
      await service.grant(national);
      await service.tick();
      expect(await placeOf(service, id)).toEqual(["resetting", 2, 0, null]);
      await pass(service, 1);
      const { manifest } = await lastOf(service, id);
      expect(manifest).toMatchObject({
        kind: "seed",
        generation: 2,
        sequence: 0,
        previous: { generation: 1, sequence: 1, manifestSha256: before },
        totals: { rowCount: 2 },
      });
      expect(await placeOf(service, id)).toEqual(["active", 2, 1, null]);
    }));

  test("a delivery that is being built when the scope changes is given up", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await pass(service, 0);
      service.now += day;
      await service.tick();
      await service.grant(national);
      await service.work();
      await service.tick();
      await service.work();
      const deliveries = await service.registry.subscriptions.deliveries("customer", id, 9);
      expect(
        deliveries.map(({ generation, sequence, state, code }) => [generation, sequence, state, code]),
      ).toEqual([
        [2, 0, "complete", null],
        [1, 1, "canceled", "entitlement_changed"],
        [1, 0, "complete", null],
      ]);
    }));

  test("what is granted no more suspends, and the same granted again resumes where it was", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await pass(service, 0);
      await service.grant(nothing);
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["suspended", 1, 1, "entitlement_expired"]);
      const { revision } = await service.subscriptions.find(service.caller, id);
      await pass(service, 1);
      expect(await service.subscriptions.find(service.caller, id)).toMatchObject({ revision });
      await service.edit([put("a", {})]);
      await service.grant(texas);
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 2, null]);
      expect((await lastOf(service, id)).manifest.totals.rowCount).toBe(1);
    }));

  test("other fields start anew when the next delivery is due", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await pass(service, 0);
      service.reprofile({ listing: ["City"] });
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 1, null]);
      await pass(service);
      expect(await placeOf(service, id)).toEqual(["active", 2, 1, null]);
      expect((await lastOf(service, id)).manifest.datasets.map(({ name }) => name)).toEqual(["listing"]);
    }));

  test("what records are made by starts anew once it is another, also while a delta of the old one is built", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await pass(service, 0);
      service.basis = "second";
      await pass(service);
      expect(await placeOf(service, id)).toEqual(["active", 2, 1, null]);
      service.now += day;
      await service.tick();
      service.basis = "third";
      expect(await service.work()).toMatchObject({ outcome: "failed", code: "basis_changed" });
      await service.tick();
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 3, 1, null]);
    }));

  test("history that is not kept any more is made up for by a seed", () =>
    withService(async (service) => {
      await service.edit([put("a", {})]);
      const one = await service.subscribe();
      const other = await service.subscribe({ name: "other", emptyDeliveryBehavior: "skip" });
      await pass(service, 0);
      await service.edit([put("a", undefined), put("b", {})]);
      await service.store.prune(Date.now() + day);
      service.now += day;
      await service.tick();
      for (const _ of [one, other])
        expect(await service.work()).toMatchObject({ outcome: "failed", code: "checkpoint_expired" });
      await service.tick();
      await pass(service, 1);
      for (const { id } of [one, other]) {
        expect(await placeOf(service, id)).toEqual(["active", 2, 1, null]);
        expect((await lastOf(service, id)).manifest).toMatchObject({ kind: "seed", generation: 2 });
      }
    }));
});

describe("what customers ask", () => {
  test("another customer's subscription is absent", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      const { caller, subscriptions } = service;
      const other = { ...caller, scope: scopeOf(1, texas, "other") };
      for (const asked of [
        subscriptions.find,
        subscriptions.pause,
        subscriptions.reset,
        subscriptions.cancel,
      ])
        expect(await codeOf(asked(other, id))).toBe("not_found");
      expect(await codeOf(subscriptions.deliveries(other, id, 1))).toBe("not_found");
      expect(await codeOf(subscriptions.find(caller, "1"))).toBe("not_found");
    }));

  test.each([
    [{ name: "" }, "invalid_name"],
    [{ name: "x".repeat(129) }, "invalid_name"],
    [{ cadenceSeconds: 59 }, "invalid_cadence"],
    [{ cadenceSeconds: 31 * 86_400 + 1 }, "invalid_cadence"],
    [{ cadenceSeconds: 3600.5 }, "invalid_cadence"],
    [{ preferredMinuteOfDay: 1440 }, "invalid_preferred_minute"],
    [{ idempotencyKey: "" }, "invalid_request"],
    [{ domain: "houses" }, "unknown_domain"],
    [{ profileId: "none" }, "unknown_profile"],
    [{ deliveryMode: "push" }, "destination_required"],
    [{ deliveryMode: "push", destinationId: "d" }, "capability_required"],
    [{ destinationId: "d" }, "invalid_request"],
    [{}, "done"],
  ] as const)("%j is %s", (asked, code) =>
    withService(async (service) => {
      expect(await codeOf(service.subscribe(asked))).toBe(code);
    }),
  );

  test("nothing of what is not granted", () =>
    withService(async (service) => {
      await service.grant(nothing);
      expect(await codeOf(service.subscribe())).toBe("entitlement_denied");
    }));

  test("paused, nothing is created until it is resumed; then what changed meanwhile is", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await service.tick();
      await service.subscriptions.pause(service.caller, id);
      await service.subscriptions.pause(service.caller, id);
      // What was begun is built.
      await pass(service, 2 * day);
      expect(await placeOf(service, id)).toEqual(["paused", 1, 1, null]);
      await service.edit([put("a", {})]);
      await service.subscriptions.resume(service.caller, id);
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 2, null]);
      expect((await lastOf(service, id)).manifest.totals.rowCount).toBe(1);
    }));

  test("a reset names the last complete delivery, settled or not", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await service.tick();
      await service.work();
      await service.subscriptions.reset(service.caller, id);
      await pass(service, 1);
      expect((await lastOf(service, id)).manifest).toMatchObject({
        generation: 2,
        previous: { generation: 1, sequence: 0 },
      });
      await service.subscriptions.reset(service.caller, id);
      await service.tick();
      await service.subscriptions.reset(service.caller, id);
      await pass(service, 1);
      expect((await lastOf(service, id)).manifest).toMatchObject({
        generation: 4,
        previous: { generation: 2, sequence: 0 },
      });
    }));

  test("canceled is canceled for good, with what is being built, and its name is free", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await service.tick();
      await service.subscriptions.cancel(service.caller, id);
      await service.subscriptions.cancel(service.caller, id);
      await pass(service);
      expect(await placeOf(service, id)).toEqual(["canceled", 1, 0, null]);
      const [given] = await service.subscriptions.deliveries(service.caller, id, 9);
      expect(given).toMatchObject({ state: "canceled", delivery: { code: "canceled_by_customer" } });
      expect(await codeOf(service.subscriptions.resume(service.caller, id))).toBe("subscription_canceled");
      expect(await codeOf(service.subscribe())).toBe("done");
      expect(await codeOf(service.subscribe())).toBe("subscription_exists");
    }));

  test("a delivery that was canceled is created again when the next one is due, in its place", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await pass(service, 0);
      service.now += day;
      await service.tick();
      const [given] = await service.subscriptions.deliveries(service.caller, id, 1);
      await service.registry.deliveries.cancel("customer", given?.delivery.id ?? "", "canceled_by_customer");
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 1, null]);
      await pass(service);
      expect((await lastOf(service, id)).manifest).toMatchObject({ generation: 1, sequence: 1 });
    }));

  test.each([
    ["invalid_record", "build_failed"],
    ["destination_conflict", "destination_conflict"],
  ])("what fails of %s is suspended until it is resumed, and is then of the same place", (fault, code) =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      await service.tick();
      const { queue } = service.registry.deliveries;
      const claimed = await queue.claim("w", { lease: 1000, attempts: 1 });
      if (claimed === undefined) throw new Error("nothing to claim");
      await queue.end(claimed.claim, "failed", fault);
      await pass(service, 3 * day);
      expect(await placeOf(service, id)).toEqual(["suspended", 1, 0, code]);
      await service.subscriptions.resume(service.caller, id);
      await pass(service, 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 1, null]);
    }),
  );

  test.each(["destination_denied", "destination_not_active", "delivery_expired"])(
    "what fails of %s is delivered at the same place as soon as it can be",
    (fault) =>
      withService(async (service) => {
        const { id } = await service.subscribe();
        await service.tick();
        const { queue } = service.registry.deliveries;
        const claimed = await queue.claim("w", { lease: 1000, attempts: 1 });
        if (claimed === undefined) throw new Error("nothing to claim");
        await queue.end(claimed.claim, "failed", fault);
        await pass(service, 1);
        expect(await placeOf(service, id)).toEqual(["active", 1, 1, null]);
      }),
  );
});

test("a subscription whose step fails is left alone for half a minute, and others are not", () =>
  withService(async (service) => {
    const { id: failing } = await service.subscribe();
    await service.subscribe({ name: "two" });
    const seen: string[] = [];
    let isFailing = true;
    const { tick } = service.scheduler({
      registry: {
        ...service.registry.subscriptions,
        step: (subscription, step) =>
          isFailing && subscription.id === failing
            ? Promise.reject(new Error("out of order"))
            : service.registry.subscriptions.step(subscription, step),
      },
      report: ({ subscription, outcome }) =>
        seen.push(`${outcome}: ${subscription === failing ? "one" : "two"}`),
    });
    service.now += day;
    expect(await tick()).toBe(1);
    isFailing = false;
    service.now += 29_999;
    expect(await tick()).toBe(0);
    expect(seen.toSorted()).toEqual(["failed: one", "taken: two"]);
    service.now += 1;
    expect(await tick()).toBe(1);
    expect(seen.at(-1)).toBe("taken: one");
  }));

describe("a clock that was a day ahead and is set back", () => {
  test("delays no delivery of a subscription", () =>
    withService(async (service) => {
      await service.edit([put("a", {})]);
      const { id } = await service.subscribe();
      await pass(service, 0);
      await pass(service, day);
      expect(await placeOf(service, id)).toEqual(["active", 1, 2, null]);
      await service.edit([put("b", {})]);
      await pass(service, -day);
      const { contents } = await lastOf(service, id);
      expect(contents).toEqual({ "listing rows": [expect.objectContaining({ ListingKey: "b" })] });
      await pass(service, day - 1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 3, null]);
    }));

  test("leaves no subscription alone whose step has failed", () =>
    withService(async (service) => {
      const { id } = await service.subscribe();
      let isFailing = true;
      const { tick } = service.scheduler({
        registry: {
          ...service.registry.subscriptions,
          step: (subscription, step) =>
            isFailing
              ? Promise.reject(new Error("out of order"))
              : service.registry.subscriptions.step(subscription, step),
        },
      });
      service.now += day;
      expect(await tick()).toBe(0);
      isFailing = false;
      service.now -= day;
      expect(await tick()).toBe(1);
      expect(await placeOf(service, id)).toEqual(["active", 1, 0, null]);
    }));
});
