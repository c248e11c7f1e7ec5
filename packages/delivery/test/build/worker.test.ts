import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { EntitlementError } from "@cadastre/entitlement";
import { verifyManifest } from "@cadastre/manifest";
import { StoreError } from "@cadastre/store";
import { describe, expect, test } from "vitest";
import { partNumber } from "../../src/build/build-delivery.ts";
import type { CrashPoint } from "../../src/build/crash-point.ts";
import {
  createWorker,
  DeliveryError,
  folderParts,
  retain,
  type WorkerOptions,
  type WorkReport,
} from "../../src/index.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import {
  at,
  caller,
  checkedManifest,
  contentsOf,
  customer,
  deliveriesOf,
  endlessSource,
  keySet,
  meansOf,
  openRegistry,
  order,
  type Place,
} from "../support/workshop.ts";

const folder = scratchFolder();
let places = 0;

type Workshop = {
  readonly registry: TestRegistry;
  readonly place: Place;
  /** The delivery that waits. */
  readonly id: string;
  /** Have a worker build it. */
  readonly work: (options?: Partial<WorkerOptions>, signal?: AbortSignal) => Promise<WorkReport | undefined>;
};

async function withWorkshop(use: (workshop: Workshop) => Promise<void>): Promise<void> {
  const own = join(folder, String(++places));
  const place = { file: `${own}.sqlite`, parts: own };
  const registry = await openRegistry(place);
  try {
    const [delivery] = await order(registry, place);
    const work: Workshop["work"] = (options, signal) =>
      createWorker({ ...meansOf(registry, place), clock: () => at + 1000, backoff: 0, ...options }).work(
        signal,
      );
    await use({ registry, place, id: delivery?.id ?? "", work });
  } finally {
    await registry.close();
  }
}

const stateOf = async ({ registry, id }: Workshop) => {
  const { state, code } = (await registry.deliveries.find(customer, id)) ?? {};
  return { state, code };
};

/** A source that fails of its first batches, one after the other. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  const whole = endlessSource();
  return {
    ...whole,
    read: (request: Parameters<typeof whole.read>[0]) => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return whole.read(request);
    },
  };
}

test("a delivery is built, signed and complete", () =>
  withWorkshop(async ({ registry, place, id, work }) => {
    expect(await work()).toEqual({ delivery: id, outcome: "complete" });
    const manifest = await checkedManifest(registry, place, id);
    expect(manifest).toMatchObject({
      deliveryId: id,
      customerId: customer,
      kind: "snapshot",
      noChange: false,
      entitlement: { version: 1, scopeSha256: caller.scope.scopeSha256 },
      profile: { id: "small", format: "jsonl" },
      createdAt: new Date(at).toISOString(),
      expiresAt: new Date(at + 14 * 86_400_000).toISOString(),
      totals: { partCount: 7 },
    });
    expect(manifest.datasets.map(({ name, partNumbers }) => [name, partNumbers])).toEqual([
      ["listing", [0, 1, 2, 3, 4].map(partNumber)],
      ["listing_media", [5, 6].map(partNumber)],
      ["media_assets", []],
    ]);
    const sealed = await registry.deliveries.manifest(id);
    const signature: unknown = JSON.parse(sealed?.signature ?? "");
    expect(await verifyManifest(Buffer.from(sealed?.text ?? ""), signature, keySet)).toBe("test");
    expect(await registry.deliveries.find(customer, id)).toMatchObject({ completed: at + 1000 });
    expect(contentsOf(place)).toMatchObject({ staged: 0, parts: { length: 7 } });
    expect(await work()).toBeUndefined();
  }));

describe("what keeps a delivery from being built", () => {
  const poison = new DeliveryError("invalid_record");
  const changed = scopeFor({ products: ["listing", "property"] });

  test.each<[why: string, options: Partial<WorkerOptions>, outcome: string, code: string]>([
    ["another scope", { scopeOf: async () => changed }, "canceled", "entitlement_changed"],
    ["no entitlement", { scopeOf: async () => undefined }, "canceled", "entitlement_changed"],
    [
      "an entitlement that has expired",
      { scopeOf: () => Promise.reject(new EntitlementError("entitlement_expired")) },
      "canceled",
      "entitlement_changed",
    ],
    [
      "an entitlement that cannot be verified",
      { scopeOf: () => Promise.reject(new EntitlementError("entitlement_signature")), attempts: 1 },
      "failed",
      "build_failed",
    ],
    ["a record that does not fit", { source: failing(poison) }, "failed", "invalid_record"],
    [
      "versions that are gone",
      { source: failing(new StoreError("bookmark_expired")) },
      "failed",
      "checkpoint_expired",
    ],
    ["another schema", { source: { ...endlessSource(), columns: () => [] } }, "failed", "schema_changed"],
    [
      "a source that fails each time",
      { source: failing(new Error()), attempts: 1 },
      "failed",
      "build_failed",
    ],
  ])("%s", (_, options, outcome, code) =>
    withWorkshop(async (workshop) => {
      expect(await workshop.work(options)).toMatchObject({ delivery: workshop.id, outcome, code });
      expect(await stateOf(workshop)).toEqual({ state: outcome, code });
      expect(await workshop.work()).toBeUndefined();
      expect(contentsOf(workshop.place).staged).toBe(0);
    }),
  );

  test("a scope that changes while it is built", () =>
    withWorkshop(async (workshop) => {
      const scopes = [caller.scope, changed];
      expect(await workshop.work({ scopeOf: async () => scopes.shift() })).toMatchObject({
        outcome: "canceled",
      });
      expect(await workshop.registry.deliveries.manifest(workshop.id)).toBeUndefined();
    }));

  test("its customer, who cancels it while it is built", () =>
    withWorkshop(async (workshop) => {
      const { registry, place, id } = workshop;
      const built = await workshop.work({
        at: async (point) => {
          if (point !== "before_manifest") return;
          await deliveriesOf(registry, place).cancel(caller, id);
        },
      });
      expect(built).toMatchObject({ outcome: "lost" });
      expect(await stateOf(workshop)).toEqual({ state: "canceled", code: "canceled_by_customer" });
    }));

  test("a cancellation after which its last bytes are put for nothing: they do not stay", () =>
    withWorkshop(async ({ registry, place, id, work }) => {
      const parts = folderParts(place.parts);
      const keep = (sweep: typeof parts.sweep) =>
        retain({ ledger: registry.deliveries, parts: { ...parts, sweep } }, at);
      const built = await work({
        at: async (point) => {
          if (point !== "after_part_announce") return;
          await registry.deliveries.cancel(customer, id, "canceled_by_customer");
          // It has not come as far as sweeping what is staged.
          await keep(async () => 0);
        },
      });
      expect(built).toMatchObject({ outcome: "lost" });
      expect(contentsOf(place).parts).toHaveLength(1);
      await keep(parts.sweep);
      expect(contentsOf(place)).toEqual({ parts: [], staged: 0 });
    }));

  test("a lease that is another's is noticed while a part is being written", () =>
    withWorkshop(async ({ registry, id, work }) => {
      const source = endlessSource(10);
      let canceled: Promise<unknown> | undefined;
      const slow: typeof source = {
        ...source,
        read: async function* (request) {
          for await (const batch of source.read(request)) {
            if (canceled === undefined)
              canceled = registry.deliveries.cancel(customer, id, "canceled_by_customer");
            await setTimeout(200, undefined, { signal: request.signal });
            yield batch;
          }
        },
      };
      const started = performance.now();
      expect(await work({ source: slow, lease: 60 })).toMatchObject({ outcome: "lost" });
      await canceled;
      // The parts would take half a minute.
      expect(performance.now() - started).toBeLessThan(10_000);
    }));
});

test("a fault that passes is waited for, and finished parts are kept", () =>
  withWorkshop(async (workshop) => {
    const { registry, id, work } = workshop;
    let parts = 0;
    const dies = work({
      backoff: 3000,
      at: (point) => {
        if (point === "before_part_commit" && ++parts === 3) throw new Error("the network is gone");
      },
    });
    expect(await dies).toMatchObject({ outcome: "queued", code: "build_failed" });
    expect(await registry.deliveries.countParts(id)).toBe(2);
    expect(await stateOf(workshop)).toEqual({ state: "queued", code: null });
    expect(await work()).toBeUndefined();
    let written = 0;
    const counting = (point: CrashPoint) => {
      if (point === "after_part_write") written++;
    };
    await expect.poll(() => work({ at: counting })).toMatchObject({ outcome: "complete" });
    expect(written).toBe(5);
    await checkedManifest(registry, workshop.place, id);
  }));

test("parts that cannot be put fail with what is to be done, and nothing is half there", () =>
  withWorkshop(async (workshop) => {
    const { place, work } = workshop;
    const parts = folderParts(place.parts);
    const full = {
      ...parts,
      put: () => Promise.reject(new DeliveryError("parts_full")),
    };
    expect(await work({ parts: full, attempts: 2 })).toMatchObject({ outcome: "queued", code: "parts_full" });
    expect(await work({ parts: full, attempts: 2 })).toMatchObject({ outcome: "failed", code: "parts_full" });
    expect(contentsOf(place)).toEqual({ parts: [], staged: 0 });
  }));

test("a worker that stops in the middle of a part gives its delivery back", () =>
  withWorkshop(async (workshop) => {
    const stopping = new AbortController();
    let reads = 0;
    const source = endlessSource();
    const counted: typeof source = {
      ...source,
      read: async function* (request) {
        for await (const batch of source.read(request)) {
          if (++reads === 8) stopping.abort();
          yield batch;
        }
      },
    };
    const report = await workshop.work({ source: counted }, stopping.signal);
    expect(report).toEqual({ delivery: workshop.id, outcome: "released" });
    expect(await stateOf(workshop)).toEqual({ state: "queued", code: null });
    expect(await workshop.registry.deliveries.find(customer, workshop.id)).toMatchObject({ attempts: 0 });
    expect(await workshop.work()).toMatchObject({ outcome: "complete" });
  }));

test("a worker runs until it is stopped, and survives a ledger that is gone for a time", () =>
  withWorkshop(async ({ registry, place, id }) => {
    const stopping = new AbortController();
    const means = meansOf(registry, place);
    let asked = 0;
    const queue: typeof means.ledger.queue = {
      ...means.ledger.queue,
      claim: (...terms) =>
        ++asked < 3
          ? Promise.reject(new StoreError("registry_unavailable"))
          : means.ledger.queue.claim(...terms),
    };
    const reports: WorkReport[] = [];
    const worker = createWorker({
      ...means,
      ledger: { ...means.ledger, queue },
      poll: 5,
      report: (report) => {
        reports.push(report);
        stopping.abort();
      },
    });
    await worker.run(stopping.signal);
    expect(reports).toEqual([{ delivery: id, outcome: "complete" }]);
  }));
