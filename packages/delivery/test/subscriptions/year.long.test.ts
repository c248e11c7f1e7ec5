import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CrashPoint, crashPoints } from "../../src/build/crash-point.ts";
import type { Edit } from "../support/market.ts";
import { day, hour, plain, Subscribed } from "../support/subscribed.ts";

const keys = Array.from({ length: 400 }, (_, i) => `k${String(i).padStart(3, "0")}`);

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    set: fc.constantFrom("Property", "Media"),
    key: fc.constantFrom(...keys),
    values: fc.option(
      fc.record({
        StateOrProvince: fc.constantFrom("TX", "TX", "OR", "CA"),
        City: fc.constantFrom("Austin", "Bend", null),
        ListPrice: fc.nat(1_000_000),
      }),
      { freq: 5, nil: undefined },
    ),
  }),
  { maxLength: 30 },
);

const whole = { states: ["TX", "OR"], fields: "*" } as const;
const less = { states: ["TX"], fields: "*" } as const;

/** What happens on a day beside edits. */
const events: Readonly<Record<number, (service: Subscribed) => unknown>> = {
  60: (service) => service.grant(less),
  // Signed again, the same is granted.
  90: (service) => service.grant(less),
  200: (service) => service.grant(whole),
  280: (service) => service.reprofile({ listing: ["City", "StateOrProvince"], listing_media: "*" }),
};

/** Deliveries of a subscription of a year: one a day, and the seeds. */
const daily = { name: "daily", cadenceSeconds: 86_400, preferredMinuteOfDay: 240 };

test("a year of days: each delivery leaves the follower with what the service shows", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-year-"));
  const service = await Subscribed.open(folder, whole, { partBytes: 4096 });
  try {
    const drawn = fc.sample(edits, { seed: 8, numRuns: 366 });
    await service.edit(drawn[365] ?? []);
    const { id } = await service.subscribe(daily);
    await service.tick();
    const follower = service.follower();
    const met = { seeds: 0, deltas: 0, removals: 0, crashes: 0, empty: 0, times: new Set<string>() };
    for (let today = 0; today < 365; today++) {
      // One day in ten nothing changes, and one in fifty the scheduler is down.
      if (today % 10 !== 5) await service.edit(drawn[today] ?? []);
      await events[today]?.(service);
      service.now += day;
      if (today % 50 === 49) continue;
      await service.tick(today % 7 === 0 ? 2 : 1);
      if (today % 12 === 0 && met.crashes < 20) {
        const point: CrashPoint = crashPoints[met.crashes % crashPoints.length] ?? "after_claim";
        const report = await service.work({ point, after: 0 });
        if (report?.outcome === "lost") met.crashes++;
      }
      await service.workAll();
      for (const delivery of await service.unread(id, follower)) {
        const { manifest, sha256 } = await follower.apply(delivery);
        const { generation, sequence, kind, totals, noChange } = manifest;
        expect(plain(follower.copy)).toEqual(plain(await service.view(delivery)));
        const acknowledgement = { generation, sequence, manifestSha256: sha256, reference: `day ${today}` };
        await service.registry.deliveries.acknowledge("customer", delivery.id, {
          ...acknowledgement,
          at: service.now,
        });
        met.removals += totals.removalCount;
        if (kind === "seed") met.seeds++;
        else met.deltas++;
        if (noChange) met.empty++;
        if (kind === "delta") met.times.add(new Date(delivery.created).toISOString().slice(11));
      }
      if (today % 30 === 0)
        await service.store.prune(
          Date.now() + day,
          3,
          await service.registry.deliveries.retention.earliestCheckpoint(),
        );
    }
    expect(met.seeds).toBe(4);
    expect(met.deltas).toBeGreaterThan(340);
    expect(met.removals).toBeGreaterThan(100);
    expect(met.crashes).toBe(20);
    expect(met.empty).toBeGreaterThan(20);
    // The first days' clock is nine, and no delivery wanders from where the day's look is.
    expect(met.times.size).toBe(1);
    const [last] = await service.registry.subscriptions.deliveries("customer", id, 1);
    expect(last).toMatchObject({ generation: 4, state: "complete" });
    expect(service.now - (last?.created ?? 0)).toBeLessThan(day + hour);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
});
