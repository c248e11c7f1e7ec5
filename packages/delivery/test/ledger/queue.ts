import { describe, expect, test } from "vitest";
import {
  addPart,
  at,
  claim,
  codeOf,
  create,
  customer,
  day,
  lapsed,
  manifest,
  newPart,
  sha,
  terms,
  type WithRegistry,
} from "../support/tables.ts";

/** Longer than a busy machine takes for two statements, in milliseconds. */
const pause = 1000;

/** Interval at which a test looks for the end of a pause. */
const soon = { interval: 20 };

/** What workers ask of a ledger of deliveries, whatever its database. */
export function queueConformance(name: string, withRegistry: WithRegistry): void {
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

    test("what is sealed is published by whoever publishes, under a lease and a fence of its own", () =>
      withRegistry(async (registry, again) => {
        const { queue, find } = registry.deliveries;
        const { id } = await create(registry, { mode: "both", destination: "d1" });
        await queue.seal(await claim(registry), manifest, at);
        expect(await queue.claim("w1", terms)).toBeUndefined();
        const publishing = { ...terms, task: "publish" } as const;
        const lost = await claim(registry, { ...publishing, lease: -1 });
        expect(await find(customer, id)).toMatchObject({ state: "publishing", attempts: 1, completed: null });
        expect(await queue.claim("w1", terms)).toBeUndefined();
        const other = (await again()).deliveries.queue;
        const held = await claim(await again(), publishing, "w2");
        expect(held).toEqual({ id, fence: 3 });
        const asked = [
          queue.extend(lost, 1),
          queue.advance(lost),
          queue.complete(lost, at),
          queue.release(lost),
        ];
        // Nothing more is built of it, by whomever.
        const built = [
          queue.announce(held, sha("b")),
          queue.addPart(held, newPart(0)),
          queue.seal(held, manifest, at),
        ];
        const codes = await Promise.all([...asked, ...built].map(codeOf));
        expect(new Set(codes)).toEqual(new Set(["lease_lost"]));
        await other.release(held);
        expect(await find(customer, id)).toMatchObject({ state: "sealed", attempts: 1 });
        const next = await claim(registry, publishing);
        expect(await queue.retry(next, 0, 3, "bucket_unavailable")).toBe("sealed");
        const last = await claim(registry, publishing);
        await queue.advance(last);
        expect(await find(customer, id)).toMatchObject({ attempts: 1 });
        await queue.complete(last, at + 5);
        expect(await find(customer, id)).toMatchObject({ state: "complete", completed: at + 5 });
        expect(await codeOf(queue.complete(last, at))).toBe("lease_lost");
      }));

    test("what is published is given up, fails after so many attempts, and once its time is over", () =>
      withRegistry(async (registry) => {
        const { queue, retention, cancel, find } = registry.deliveries;
        const publishing = { ...terms, task: "publish" } as const;
        const begun = async () => {
          const { id } = await create(registry, { mode: "push", destination: "d1" });
          await queue.seal(await claim(registry), manifest, at);
          return { id, held: await claim(registry, publishing) };
        };
        const canceled = await begun();
        expect(await cancel(customer, canceled.id, "code")).toMatchObject({ state: "canceled" });
        expect(await codeOf(queue.complete(canceled.held, at))).toBe("lease_lost");
        const failed = await begun();
        expect(await queue.retry(failed.held, 0, 1, "bucket_unavailable")).toBe("failed");
        const late = await begun();
        expect(await retention.expire(at + 20 * day)).toBe(0);
        expect(await find(customer, late.id)).toMatchObject({ state: "failed", code: "delivery_expired" });
        const over = await begun();
        expect(await retention.earliestCheckpoint()).toBeUndefined();
        await queue.end(over.held, "failed", "destination_conflict");
        expect(await find(customer, over.id)).toMatchObject({
          state: "failed",
          code: "destination_conflict",
        });
      }));

    test("a lease ends by itself", () =>
      withRegistry(async (registry) => {
        const { id } = await create(registry);
        await claim(registry, { ...terms, lease: pause });
        expect(await registry.deliveries.queue.claim("w2", terms)).toBeUndefined();
        await expect.poll(() => claim(registry), soon).toEqual({ id, fence: 2 });
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
        expect(await queue.retry(await claim(registry), pause, 3, "fault")).toBe("queued");
        expect(await queue.claim("w1", terms)).toBeUndefined();
        const again = async () => queue.retry(await claim(registry), 0, 3, "fault");
        await expect.poll(again, soon).toBe("queued");
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
}
