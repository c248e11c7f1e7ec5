import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  at,
  claim,
  codeOf,
  complete,
  create,
  customer,
  day,
  manifest,
  most,
  newDelivery,
  newPart,
  requestOf,
  sha,
  type WithRegistry,
} from "../support/tables.ts";

/** What customers ask of a ledger of deliveries, whatever its database. */
export function recordsConformance(name: string, withRegistry: WithRegistry): void {
  describe(`deliveries in ${name}`, () => {
    test("a delivery is created and found, by its customer alone", () =>
      withRegistry(async ({ deliveries, entitlements }, again) => {
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const previous = { generation: 1, sequence: 4, manifestSha256: sha("9") };
        const wanted = newDelivery({ previous, subscription: "s", destination: "d", fromCheckpoint: 7 });
        const { delivery, replayed } = await deliveries.create(wanted, requestOf("k"), most);
        expect(replayed).toBe(false);
        const waits = {
          state: "queued",
          code: null,
          attempts: 0,
          completed: null,
          committed: null,
          manifestSha256: null,
          noChange: false,
        };
        expect(delivery).toEqual({ ...wanted, ...waits });
        const other = (await again()).deliveries;
        expect(await other.find(customer, wanted.id)).toEqual(delivery);
        expect(await other.find("other", wanted.id)).toBeUndefined();
        expect(await codeOf(other.cancel("other", wanted.id, "canceled"))).toBe("not_found");
        const acknowledgement = { ...previous, reference: "r", at };
        expect(await codeOf(other.acknowledge("other", wanted.id, acknowledgement))).toBe("not_found");
        expect(await codeOf(deliveries.create(newDelivery({ customer: "no" }), requestOf("k"), most))).toBe(
          "unknown_customer",
        );
      }));

    test("documents are kept once for each customer, with the scope of the last delivery that named them", () =>
      withRegistry(async (registry, again) => {
        const { deliveries, entitlements } = registry;
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const document = {
          kind: "schema",
          sha256: sha("5"),
          text: '{"title":"é"}',
          scope: '{"a":1}',
        } as const;
        await create(registry, { documents: [document, { ...document, kind: "profile" }] });
        await create(registry, { documents: [{ ...document, scope: '{"a":2}' }] });
        await create(registry, { customer: "other", documents: [{ ...document, text: "{}" }] });
        const records = (await again()).deliveries;
        expect(await records.document(customer, "schema", sha("5"))).toEqual({
          ...document,
          scope: '{"a":2}',
        });
        expect(await records.document(customer, "profile", sha("5"))).toEqual({
          ...document,
          kind: "profile",
        });
        expect(await records.document("other", "schema", sha("5"))).toMatchObject({ text: "{}" });
        for (const [whose, kind, hash] of [
          ["other", "profile", sha("5")],
          [customer, "disclaimer", sha("5")],
          [customer, "schema", sha("6")],
        ] as const)
          expect(await deliveries.document(whose, kind, hash)).toBeUndefined();
      }));

    test("a request that comes again gives the delivery that it created, whatever has become of it", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const first = newDelivery();
        await deliveries.create(first, requestOf("k"), most);
        const again = await deliveries.create(newDelivery(), requestOf("k"), most);
        expect(again).toMatchObject({ replayed: true, delivery: { id: first.id, state: "queued" } });
        await complete(registry);
        expect(await deliveries.create(newDelivery(), requestOf("k"), 0)).toMatchObject({
          replayed: true,
          delivery: { id: first.id, state: "complete" },
        });
        const other = deliveries.create(newDelivery(), requestOf("k", sha("e")), most);
        expect(await codeOf(other)).toBe("idempotency_conflict");
        const met = { id: first.id, state: "complete" };
        expect(await deliveries.replay(customer, requestOf("k"))).toMatchObject(met);
        expect(await codeOf(deliveries.replay(customer, requestOf("k", sha("e"))))).toBe(
          "idempotency_conflict",
        );
        const elsewhere = { ...requestOf("k", sha("e")), operation: "subscription" };
        for (const unmet of [elsewhere, requestOf("other")])
          expect(await deliveries.replay(customer, unmet)).toBeUndefined();
        expect(await deliveries.replay("other", requestOf("k"))).toBeUndefined();
        expect(await deliveries.create(newDelivery(), elsewhere, most)).toMatchObject({ replayed: false });
      }));

    test("of many requests at once, in two processes, one key creates one delivery, and so many are open", () =>
      withRegistry(async ({ deliveries }, again) => {
        const other = (await again()).deliveries;
        const one = await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            (i % 2 ? deliveries : other).create(newDelivery(), requestOf("same"), most),
          ),
        );
        expect(new Set(one.map(({ delivery }) => delivery.id)).size).toBe(1);
        expect(one.filter(({ replayed }) => !replayed)).toHaveLength(1);
        const many = await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            codeOf((i % 2 ? deliveries : other).create(newDelivery(), requestOf(`k${i}`), most)),
          ),
        );
        const counted = ["done", "too_many_exports"].map((code) => many.filter((one) => one === code).length);
        expect(counted).toEqual([3, 3]);
      }));

    test("one that is complete or has ended makes room for another", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const first = await create(registry);
        expect(await codeOf(deliveries.create(newDelivery(), requestOf("k"), 1))).toBe("too_many_exports");
        await complete(registry);
        const second = newDelivery();
        await deliveries.create(second, requestOf("k"), 1);
        await deliveries.cancel(customer, second.id, "canceled");
        await deliveries.create(newDelivery(), requestOf("k2"), 1);
        expect(await deliveries.find(customer, first.id)).toMatchObject({ state: "complete" });
      }));

    test("only what may be fetched is listed, the last completed first", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const ids: string[] = [];
        for (const completed of [at, at + 2, at + 2, at + 1]) {
          await create(registry);
          ids.push(await complete(registry, completed));
        }
        await create(registry);
        const [a = "", b = "", c = "", d = ""] = ids;
        const list = async (page: Partial<Parameters<typeof deliveries.list>[1]> = {}, who = customer) =>
          (await deliveries.list(who, { limit: 10, at, ...page })).map(({ id }) => id);
        expect(await list()).toEqual([c, b, d, a]);
        expect(await list({ limit: 1 })).toEqual([c]);
        expect(await list({ after: { completed: at + 2, id: c } })).toEqual([b, d, a]);
        expect(await list({ after: { completed: at + 2, id: b }, limit: 1 })).toEqual([d]);
        expect(await list({ after: { completed: at, id: a } })).toEqual([]);
        expect(await list({ at: at + 14 * day })).toEqual([]);
        expect(await list({}, "other")).toEqual([]);
      }));

    test("parts and manifest are kept as they were noted", () =>
      withRegistry(async (registry, again) => {
        const { id } = await create(registry);
        expect(await registry.deliveries.manifest(id)).toBeUndefined();
        await complete(registry, at + 5);
        const { deliveries } = await again();
        expect(await deliveries.parts(id)).toEqual([newPart(0), newPart(1)]);
        expect(await deliveries.part(id, 10)).toEqual(newPart(1));
        expect(await deliveries.part(id, 0)).toBeUndefined();
        expect(await deliveries.countParts(id)).toBe(2);
        expect(await deliveries.countParts("none")).toBe(0);
        const signatureSha256 = createHash("sha256").update(manifest.signature).digest("hex");
        expect(await deliveries.manifest(id)).toEqual({ ...manifest, signatureSha256 });
        expect(await deliveries.find(customer, id)).toMatchObject({
          state: "complete",
          completed: at + 5,
          manifestSha256: manifest.sha256,
        });
      }));

    test("what is pushed is sealed, and not complete yet", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry, { mode: "both", destination: "d" });
        await complete(registry);
        const sealed = { state: "sealed", completed: null, manifestSha256: manifest.sha256 };
        expect(await registry.deliveries.find(customer, id)).toMatchObject(sealed);
        expect(await registry.deliveries.list(customer, { limit: 1, at })).toEqual([]);
      }));

    test("an open delivery is canceled, a complete one is not", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        const held = await claim(registry);
        const canceled = await deliveries.cancel(customer, id, "canceled");
        expect(canceled).toMatchObject({ id, state: "canceled", code: "canceled" });
        expect(await codeOf(deliveries.queue.extend(held, 1))).toBe("lease_lost");
        expect(await deliveries.cancel(customer, id, "again")).toEqual(canceled);
        await create(registry);
        const done = await complete(registry);
        expect(await codeOf(deliveries.cancel(customer, done, "canceled"))).toBe("delivery_not_open");
      }));

    test("an acknowledgement is noted once, and must say what was delivered", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        const loaded = { generation: 1, sequence: 0, manifestSha256: manifest.sha256, reference: "r", at };
        expect(await codeOf(deliveries.acknowledge(customer, id, loaded))).toBe("delivery_not_complete");
        await complete(registry);
        const acknowledgement = { ...loaded, delivery: id };
        expect(await deliveries.acknowledge(customer, id, loaded)).toEqual({ acknowledgement, first: true });
        const repeated = await deliveries.acknowledge(customer, id, {
          ...loaded,
          reference: "s",
          at: at + 1,
        });
        expect(repeated).toEqual({ acknowledgement, first: false });
        const other = { ...loaded, manifestSha256: sha("b") };
        expect(await codeOf(deliveries.acknowledge(customer, id, other))).toBe("manifest_conflict");
        const later = { ...loaded, sequence: 1 };
        expect(await codeOf(deliveries.acknowledge(customer, id, later))).toBe("sequence_conflict");
        await deliveries.retention.expire(at + 14 * day);
        await deliveries.retention.purge();
        expect(await deliveries.acknowledge(customer, id, loaded)).toEqual({ acknowledgement, first: false });
      }));
  });
}
