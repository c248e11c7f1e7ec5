import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Delivery, Subscription } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";
import { day, plain, Subscribed } from "../support/subscribed.ts";

const folder = scratchFolder();

/** A subscription with a seed and so many deltas, all complete. */
async function withDeliveries(
  deltas: number,
  use: (service: Subscribed, subscription: Subscription) => Promise<void>,
): Promise<void> {
  const own = mkdtempSync(join(folder, "service-"));
  const service = await Subscribed.open(own, { states: ["TX"], fields: "*" });
  try {
    const subscription = await service.subscribe();
    for (let nth = 0; nth <= deltas; nth++) {
      const values = { City: `City ${nth}`, StateOrProvince: "TX" };
      await service.edit([{ set: "Property", key: `k${nth}`, values }]);
      await pass(service);
    }
    await use(service, subscription);
  } finally {
    await service.close();
  }
}

/** Let a day pass, and have built what is due then. */
async function pass(service: Subscribed): Promise<void> {
  service.now += day;
  await service.tick();
  await service.workAll();
  await service.tick();
}

const deliveriesOf = async (service: Subscribed, { id }: Subscription): Promise<readonly Delivery[]> =>
  (await service.registry.subscriptions.deliveries("customer", id, 100)).toReversed();

/** A part of a delivery is damaged, and cannot be rebuilt. */
async function lose({ registry, now }: Subscribed, { id }: Delivery): Promise<void> {
  const [part] = await registry.deliveries.parts(id);
  await registry.deliveries.damage.mark(part?.sha256 ?? "", now);
  const claimed = await registry.deliveries.damage.claim("worker", 60_000);
  expect(claimed?.delivery.id).toBe(id);
  if (claimed !== undefined) await registry.deliveries.damage.lose(claimed.claim, id);
}

const acknowledge = (
  { registry, now: at }: Subscribed,
  { id, generation, sequence, manifestSha256 }: Delivery,
) =>
  registry.deliveries.acknowledge("customer", id, {
    generation,
    sequence,
    manifestSha256: manifestSha256 ?? "",
    reference: "loaded",
    at,
  });

const placesOf = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ generation, sequence, kind, state }) => `${generation}.${sequence} ${kind} ${state}`);

describe("a delivery of a subscription that is lost after it was complete", () => {
  test.each([0, 1])(
    "number %d: a new generation begins at once, which a consumer at any place can apply",
    (nth) =>
      withDeliveries(2, async (service, subscription) => {
        const [seed, ...deltas] = await deliveriesOf(service, subscription);
        const before = service.follower();
        if (seed !== undefined && nth === 1) await before.apply(seed);
        const lost = [seed, ...deltas][nth];
        if (lost !== undefined) await lose(service, lost);
        await service.tick();
        await service.workAll();
        await service.tick();
        const all = await deliveriesOf(service, subscription);
        const last = all.at(-1);
        expect(placesOf(all).at(-1)).toBe("2.0 seed complete");
        expect(last?.previous).toMatchObject({ generation: 1, sequence: 2 });
        if (last === undefined) return;
        await before.apply(last);
        expect(plain(before.copy)).toEqual(plain(await service.view(last)));
        await pass(service);
        expect(placesOf(await deliveriesOf(service, subscription)).at(-1)).toBe("2.1 delta complete");
      }),
  );

  test.each([1, 2])("the generation goes on if number %d is acknowledged, that or a later one", (loaded) =>
    withDeliveries(2, async (service, subscription) => {
      const all = await deliveriesOf(service, subscription);
      const [lost, acknowledged] = [all[1], all[loaded]];
      if (lost === undefined || acknowledged === undefined) throw new Error("three deliveries are complete");
      if (loaded === 2) await acknowledge(service, acknowledged);
      await lose(service, lost);
      // Also after it was lost: the consumer has it.
      if (loaded === 1) await acknowledge(service, acknowledged);
      await pass(service);
      expect(placesOf(await deliveriesOf(service, subscription))).toEqual([
        "1.0 seed complete",
        "1.1 delta failed",
        "1.2 delta complete",
        "1.3 delta complete",
      ]);
    }),
  );

  test("one of an earlier generation changes nothing", () =>
    withDeliveries(1, async (service, subscription) => {
      const [seed] = await deliveriesOf(service, subscription);
      await service.subscriptions.reset(service.caller, subscription.id);
      await pass(service);
      if (seed !== undefined) await lose(service, seed);
      await pass(service);
      expect(placesOf(await deliveriesOf(service, subscription)).slice(-2)).toEqual([
        "2.0 seed complete",
        "2.1 delta complete",
      ]);
    }));
});
