import { join } from "node:path";
import { type ShiftedClock, shiftClock } from "@cadastre/store/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRebuilder, createWorker } from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { scratchFolder } from "../support/scratch.ts";
import {
  checkedManifest,
  customer,
  endlessSource,
  meansOf,
  openRegistry,
  order,
  type Place,
} from "../support/workshop.ts";

const day = 86_400_000;
const lease = 30_000;
const folder = scratchFolder();

let clock: ShiftedClock;
beforeAll(() => {
  clock = shiftClock();
});
afterAll(() => clock.restore());
beforeEach(() => clock.set(0));

let places = 0;
async function withDelivery(use: (registry: TestRegistry, place: Place, id: string) => Promise<void>) {
  const own = join(folder, `clock_${++places}`);
  const place = { file: `${own}.sqlite`, parts: own };
  const registry = await openRegistry(place);
  try {
    const [delivery] = await order(registry, place);
    await use(registry, place, delivery?.id ?? "");
  } finally {
    await registry.close();
  }
}

const complete = { outcome: "complete" };

describe.each([
  ["ahead by a day and back", day, 0],
  ["back by a day", 0, -day],
])("the clock is set %s", (_, before, after) => {
  test("a delivery of a worker that died is built by the next one", () =>
    withDelivery(async (registry, place, id) => {
      clock.set(before);
      await registry.deliveries.queue.claim("dead", { lease, attempts: 8 });
      clock.set(after);
      expect(await createWorker({ ...meansOf(registry, place), lease }).work()).toMatchObject(complete);
      await checkedManifest(registry, place, id);
    }));

  test("a delivery that is to be tried again is", () =>
    withDelivery(async (registry, place, id) => {
      clock.set(before);
      const read = () => {
        throw new Error("gone");
      };
      const source = { ...endlessSource(), read };
      const failing = createWorker({ ...meansOf(registry, place, { source }), backoff: 60_000 });
      expect(await failing.work()).toMatchObject({ outcome: "queued" });
      const worker = createWorker(meansOf(registry, place));
      expect(await worker.work()).toBeUndefined();
      clock.set(after);
      expect(await worker.work()).toMatchObject(complete);
      await checkedManifest(registry, place, id);
    }));

  test("a worker that is at it meanwhile completes it, or has lost it to another one", () =>
    withDelivery(async (registry, place, id) => {
      clock.set(before);
      let other: unknown;
      const worker = createWorker({
        ...meansOf(registry, place),
        lease,
        at: async (point) => {
          if (point !== "before_part_commit" || other !== undefined) return;
          clock.set(after);
          other = null;
          other = await createWorker({ ...meansOf(registry, place, { name: "other" }), lease }).work();
        },
      });
      const outcomes = [(await worker.work())?.outcome, (other as { outcome?: string } | undefined)?.outcome];
      expect(outcomes.filter((outcome) => outcome === "complete")).toHaveLength(1);
      await checkedManifest(registry, place, id);
    }));
});

test("a worker that keeps its lease keeps its delivery, whichever way the clock is set", () =>
  withDelivery(async (registry, place, id) => {
    const { queue } = registry.deliveries;
    const held = await queue.claim("one", { lease, attempts: 8 });
    if (held === undefined) throw new Error("nothing to claim");
    for (const offset of [day, 0, -day, 0]) {
      clock.set(offset);
      await queue.extend(held.claim, lease);
      expect(await queue.claim("two", { lease, attempts: 8 })).toBeUndefined();
    }
    await queue.release(held.claim);
    await createWorker(meansOf(registry, place)).work();
    await checkedManifest(registry, place, id);
    expect(await registry.deliveries.find(customer, id)).toMatchObject({ state: "complete" });
  }));

test("a damaged part that a rebuilder has died of is rebuilt", () =>
  withDelivery(async (registry, place, id) => {
    const means = meansOf(registry, place);
    await createWorker(means).work();
    const [part] = await registry.deliveries.parts(id);
    if (part === undefined) throw new Error("there is no part");
    await registry.deliveries.damage.mark(part.sha256, Date.now());
    clock.set(day);
    await registry.deliveries.damage.claim("dead", lease);
    clock.set(0);
    expect(await createRebuilder(means).work()).toBeDefined();
  }));
