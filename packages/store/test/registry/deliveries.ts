import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { transitions } from "../../src/registry/deliveries/delivery.ts";
import type {
  Claim,
  ClaimTerms,
  DeliveryPart,
  NewDelivery,
  PartGrant,
  Registry,
} from "../../src/registry/index.ts";

const at = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const customer = "acme";
const sha = (name: string) => name.padEnd(64, "0");
const most = 4;
const terms: ClaimTerms = { lease: 60_000, attempts: 3 };
/** A lease that is over at once. */
const lapsed: ClaimTerms = { ...terms, lease: -1 };

let made = 0;

const newDelivery = (more: Partial<NewDelivery> = {}): NewDelivery => ({
  id: `00000000-0000-7000-8000-${String(++made).padStart(12, "0")}`,
  customer,
  domain: "listing",
  kind: "snapshot",
  mode: "pull",
  destination: null,
  subscription: null,
  generation: 1,
  sequence: 0,
  previous: null,
  fromCheckpoint: null,
  toCheckpoint: 9_007_199_254_740_991,
  entitlementVersion: 3,
  scopeSha256: sha("5c09e"),
  pinned: '{"profile":"listing-jsonl"}',
  created: at,
  expires: at + 14 * day,
  ...more,
});

const requestOf = (key: string, fingerprint = sha("f")) => ({ operation: "export", key, fingerprint });

const newPart = (ordinal: number, sha256 = sha(`a${ordinal}`)): DeliveryPart => ({
  ordinal,
  number: 7 * ordinal + 3,
  dataset: "listing",
  sha256,
  byteLength: 5_000_000_000,
  rows: 10,
  next: ordinal === 1 ? null : `position ${ordinal}`,
  entry: `{"number":${7 * ordinal + 3}}`,
});

const manifest = { text: '{"deliveryId":"é"}', sha256: sha("3a"), signature: '{"protected":"e30"}' };

async function create({ deliveries }: Registry, more: Partial<NewDelivery> = {}) {
  const delivery = newDelivery(more);
  await deliveries.create(delivery, requestOf(delivery.id), most);
  return delivery;
}

async function claim({ deliveries }: Registry, with_ = terms, worker = "w1"): Promise<Claim> {
  const claimed = await deliveries.queue.claim(worker, with_);
  if (claimed === undefined) throw new Error("nothing to claim");
  return claimed.claim;
}

async function addPart({ deliveries }: Registry, held: Claim, part: DeliveryPart) {
  await deliveries.queue.announce(held, part.sha256);
  await deliveries.queue.addPart(held, part);
}

/** Build a delivery that waits, to its end. */
async function complete(registry: Registry, completed = at, parts = [newPart(0), newPart(1)]) {
  const held = await claim(registry);
  for (const part of parts) await addPart(registry, held, part);
  await registry.deliveries.queue.seal(held, manifest, completed);
  return held.id;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: unknown }) => error.code,
  );

type WithRegistry = (
  use: (registry: Registry, again: () => Promise<Registry>) => Promise<void>,
) => Promise<void>;

/** What every ledger of deliveries does, whatever its database. */
export function deliveryConformance(name: string, withRegistry: WithRegistry): void {
  describe(`deliveries in ${name}`, () => {
    test("a delivery is created and found, by its customer alone", () =>
      withRegistry(async ({ deliveries, entitlements }, again) => {
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const previous = { generation: 1, sequence: 4, manifestSha256: sha("9") };
        const wanted = newDelivery({ previous, subscription: "s", destination: "d", fromCheckpoint: 7 });
        const { delivery, replayed } = await deliveries.create(wanted, requestOf("k"), most);
        expect(replayed).toBe(false);
        const waits = { state: "queued", code: null, attempts: 0, completed: null, manifestSha256: null };
        expect(delivery).toEqual({ ...wanted, ...waits });
        const other = (await again()).deliveries;
        expect(await other.find(customer, wanted.id)).toEqual(delivery);
        expect(await other.find("other", wanted.id)).toBeUndefined();
        expect(await codeOf(other.cancel("other", wanted.id, "canceled"))).toBe("unknown_delivery");
        const acknowledgement = { ...previous, reference: "r", at };
        expect(await codeOf(other.acknowledge("other", wanted.id, acknowledgement))).toBe("unknown_delivery");
        expect(await codeOf(deliveries.create(newDelivery({ customer: "no" }), requestOf("k"), most))).toBe(
          "unknown_customer",
        );
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
        const elsewhere = { ...requestOf("k", sha("e")), operation: "subscription" };
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
        expect(await deliveries.manifest(id)).toEqual(manifest);
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

  describe(`the queue of deliveries in ${name}`, () => {
    test("the longest waiting delivery is claimed, each by one worker", () =>
      withRegistry(async (registry, again) => {
        const { deliveries } = registry;
        expect(await deliveries.queue.claim("w1", terms)).toBeUndefined();
        const second = await create(registry, { created: at + 1 });
        const first = await create(registry);
        const third = await create(registry, { created: at + 2 });
        const other = await again();
        const claims = await Promise.all(
          [registry, other, registry, other].map(({ deliveries: { queue } }) => queue.claim("w", terms)),
        );
        const claimed = claims.filter((one) => one !== undefined);
        expect(claimed.map(({ claim: { id } }) => id).toSorted()).toEqual(
          [first.id, second.id, third.id].toSorted(),
        );
        expect(claimed[0]).toMatchObject({
          claim: { fence: 1 },
          delivery: { state: "building", attempts: 1 },
        });
        expect(await deliveries.queue.claim("w1", terms)).toBeUndefined();
      }));

    test("a lease that has ended is another's, and who had it can do nothing any more", () =>
      withRegistry(async (registry, again) => {
        const { queue } = registry.deliveries;
        const { id } = await create(registry);
        const lost = await claim(registry, lapsed);
        await addPart(registry, lost, newPart(0));
        const other = await again();
        const held = await claim(other, terms, "w2");
        expect(held).toEqual({ id, fence: 2 });
        const asked = [
          queue.extend(lost, 60_000),
          queue.announce(lost, sha("b")),
          queue.addPart(lost, newPart(1)),
          queue.seal(lost, manifest, at),
          queue.release(lost),
          queue.retry(lost, 0, 3, "fault"),
          queue.end(lost, "failed", "fault"),
        ];
        expect(new Set(await Promise.all(asked.map(codeOf)))).toEqual(new Set(["lease_lost"]));
        expect(await other.deliveries.parts(id)).toEqual([newPart(0)]);
        await other.deliveries.queue.extend(held, 60_000);
        await addPart(other, held, newPart(1));
        await other.deliveries.queue.seal(held, manifest, at);
        expect(await codeOf(other.deliveries.queue.seal(held, manifest, at))).toBe("lease_lost");
      }));

    test("a lease that has ended and was taken by nobody is extended", () =>
      withRegistry(async (registry) => {
        await create(registry);
        const held = await claim(registry, lapsed);
        await registry.deliveries.queue.extend(held, 60_000);
        expect(await registry.deliveries.queue.claim("w2", terms)).toBeUndefined();
      }));

    test("a lease ends by itself", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        await claim(registry, { ...terms, lease: 60 });
        expect(await registry.deliveries.queue.claim("w2", terms)).toBeUndefined();
        await setTimeout(80);
        expect(await claim(registry)).toEqual({ id, fence: 2 });
      }));

    test("a delivery whose workers are lost without progress fails", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        for (let i = 0; i < 2; i++) await claim(registry, lapsed);
        // A part is progress: the count starts again.
        await addPart(registry, await claim(registry, lapsed), newPart(0));
        for (let i = 0; i < 2; i++) await claim(registry, lapsed);
        expect(await registry.deliveries.queue.claim("w1", lapsed)).toBeUndefined();
        const failed = { state: "failed", code: "worker_lost", attempts: 3 };
        expect(await registry.deliveries.find(customer, id)).toMatchObject(failed);
      }));

    test("one that is given back waits again, and has lost no attempt", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        for (let fence = 1; fence < 9; fence++) {
          const held = await claim(registry);
          expect(held).toEqual({ id, fence });
          await registry.deliveries.queue.release(held);
        }
        expect(await registry.deliveries.find(customer, id)).toMatchObject({ state: "queued", attempts: 0 });
      }));

    test("one that is to be tried again waits for its time, and fails after so many attempts", () =>
      withRegistry(async (registry) => {
        const { queue } = registry.deliveries;
        const { id } = await create(registry);
        expect(await queue.retry(await claim(registry), 60, 3, "fault")).toBe("queued");
        expect(await queue.claim("w1", terms)).toBeUndefined();
        await setTimeout(80);
        expect(await queue.retry(await claim(registry), 0, 3, "fault")).toBe("queued");
        expect(await queue.retry(await claim(registry), 0, 3, "fault")).toBe("failed");
        expect(await registry.deliveries.find(customer, id)).toMatchObject({
          state: "failed",
          code: "fault",
        });
      }));

    test.each(["canceled", "failed"] as const)("a worker ends one as %s", (state) =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        await registry.deliveries.queue.end(await claim(registry), state, "entitlement_changed");
        const ended = { state, code: "entitlement_changed" };
        expect(await registry.deliveries.find(customer, id)).toMatchObject(ended);
        expect(await registry.deliveries.queue.claim("w1", terms)).toBeUndefined();
      }),
    );

    test("a part is noted once", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        const held = await claim(registry);
        await addPart(registry, held, newPart(0));
        expect(await codeOf(addPart(registry, held, newPart(0)))).toBe("registry_unavailable");
        expect(await registry.deliveries.parts(id)).toEqual([newPart(0)]);
      }));
  });

  describe(`grants of parts in ${name}`, () => {
    test("a grant is found by its digest until it is forgotten", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        const grant: PartGrant = {
          digest: sha("d"),
          customer,
          apiKey: "01",
          delivery: id,
          part: 4_294_967_296,
          scopeSha256: sha("5c09e"),
          expires: at + 300_000,
        };
        await deliveries.grants.add(grant);
        expect(await deliveries.grants.find(sha("d"))).toEqual(grant);
        expect(await deliveries.grants.find(sha("c"))).toBeUndefined();
        await deliveries.retention.expire(at + 299_999);
        expect(await deliveries.grants.find(sha("d"))).toEqual(grant);
        await deliveries.retention.expire(at + 300_000);
        expect(await deliveries.grants.find(sha("d"))).toBeUndefined();
      }));
  });

  describe(`retention of deliveries in ${name}`, () => {
    /** Hashes of what is removed now. */
    async function removed({ deliveries: { retention } }: Registry): Promise<readonly string[]> {
      const hashes: string[] = [];
      const count = await retention.removeBytes(100, async (sha256) => void hashes.push(sha256));
      expect(hashes).toHaveLength(count);
      return hashes.toSorted();
    }

    test("a delivery expires at its time, and is purged; its hash stays", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        await complete(registry);
        expect(await deliveries.retention.expire(at + 14 * day - 1)).toBe(0);
        expect(await deliveries.retention.expire(at + 14 * day)).toBe(1);
        expect(await deliveries.find(customer, id)).toMatchObject({ state: "expired" });
        expect(await deliveries.parts(id)).toHaveLength(2);
        expect(await removed(registry)).toEqual([]);
        expect(await deliveries.retention.purge()).toBe(1);
        const purged = { state: "purged", manifestSha256: manifest.sha256, completed: at };
        expect(await deliveries.find(customer, id)).toMatchObject(purged);
        expect(await deliveries.parts(id)).toEqual([]);
        expect(await deliveries.manifest(id)).toBeUndefined();
        expect(await removed(registry)).toEqual([sha("a0"), sha("a1")]);
        expect(await removed(registry)).toEqual([]);
      }));

    test("bytes that another delivery needs, or that are being put, stay", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        await create(registry);
        await complete(registry, at, [newPart(0), newPart(1), newPart(2)]);
        const { id } = await create(registry, { expires: at + 30 * day });
        const held = await claim(registry);
        await addPart(registry, held, newPart(0, sha("a1")));
        await deliveries.queue.announce(held, sha("a2"));
        await deliveries.retention.expire(at + 14 * day);
        await deliveries.retention.purge();
        expect(await removed(registry)).toEqual([sha("a0")]);
        // Nobody is putting what was announced before something else was.
        await deliveries.queue.announce(held, sha("a3"));
        expect(await removed(registry)).toEqual([sha("a2")]);
        await deliveries.cancel(customer, id, "canceled");
        await deliveries.retention.purge();
        expect(await removed(registry)).toEqual([sha("a1"), sha("a3")]);
        await deliveries.queue.abandon(sha("a4"));
        expect(await removed(registry)).toEqual([sha("a4")]);
      }));

    test("bytes whose removal fails are removed later", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        await deliveries.queue.abandon(sha("a"));
        const failing = deliveries.retention.removeBytes(1, () => Promise.reject(new Error("no disk")));
        expect(await codeOf(failing)).not.toBe("done");
        expect(await removed(registry)).toEqual([sha("a")]);
      }));

    test("bytes that are announced while they are removed are announced after it", () =>
      withRegistry(async (registry, again) => {
        const other = await again();
        await registry.deliveries.queue.abandon(sha("a"));
        await create(registry);
        const held = await claim(registry);
        const order: string[] = [];
        let announced: Promise<unknown> = Promise.resolve();
        await registry.deliveries.retention.removeBytes(1, async () => {
          announced = other.deliveries.queue.announce(held, sha("a")).then(() => order.push("announced"));
          await setTimeout(50);
          order.push("removed");
        });
        await announced;
        expect(order).toEqual(["removed", "announced"]);
        expect(await removed(registry)).toEqual([]);
      }));

    test("bytes that have been announced are not removed, however close it was", () =>
      withRegistry(async (registry, again) => {
        const other = await again();
        await create(registry);
        const held = await claim(registry);
        for (let round = 0; round < 40; round++) {
          const sha256 = sha(`b${round}c`);
          await registry.deliveries.queue.abandon(sha256);
          let isAnnounced = false;
          const announcing = other.deliveries.queue.announce(held, sha256).then(() => {
            isAnnounced = true;
          });
          await setTimeout((round % 8) / 2);
          const late: boolean[] = [];
          // What the round before announced is nobody's any more, too.
          await registry.deliveries.retention.removeBytes(2, async (removing) => {
            late.push(removing === sha256 && isAnnounced);
          });
          await announcing;
          expect(late).not.toContain(true);
        }
      }));

    test("claims that hold are told, and the checkpoint that building reads from", () =>
      withRegistry(async (registry) => {
        const { queue, retention } = registry.deliveries;
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        await create(registry, { toCheckpoint: 30 });
        await create(registry, { fromCheckpoint: 20, toCheckpoint: 40, created: at + 1 });
        expect(await retention.earliestCheckpoint()).toBe(20);
        const [first, second] = [await claim(registry), await claim(registry)];
        expect(await retention.claims()).toEqual(expect.arrayContaining([first, second]));
        await queue.seal(second, manifest, at);
        expect(await retention.earliestCheckpoint()).toBe(30);
        await queue.end(first, "failed", "fault");
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        expect(await retention.claims()).toEqual([]);
      }));
  });
}

test("a delivery that has ended goes nowhere, and no other state is a dead end", () => {
  const ends = Object.entries(transitions).filter(([, next]) => next.length === 0);
  expect(ends.map(([state]) => state)).toEqual(["canceled", "failed", "purged"]);
});
