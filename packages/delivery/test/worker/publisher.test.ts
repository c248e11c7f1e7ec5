import { join } from "node:path";
import { EntitlementError, type Scope } from "@cadastre/entitlement";
import type { DeliveryQueue } from "@cadastre/store/registry";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDeliveries,
  createPublisher,
  createWorker,
  type Deliveries,
  type PublisherOptions,
  type WorkReport,
} from "../../src/index.ts";
import type { CrashPoint } from "../../src/worker/crash-point.ts";
import { type Customer, customer, makeCustomer } from "../support/object-storage/customer.ts";
import { startFakeObjectServer } from "../support/object-storage/fake/server.ts";
import type { ObjectServer } from "../support/object-storage/server.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import { endlessSource, meansOf, type Place, smallParts } from "../support/workshop.ts";

const granted = { sub: customer, capabilities: ["file_export_push"] } as const;
const scope = scopeFor(granted);
const folder = scratchFolder();

let server: ObjectServer;
let brokerage: Customer;
let place: Place;
let deliveries: Deliveries;
beforeAll(async () => {
  server = await startFakeObjectServer();
  brokerage = await makeCustomer(server);
  place = { file: "of the customer", parts: join(folder, "parts") };
  deliveries = createDeliveries({
    ledger: brokerage.registry.deliveries,
    source: endlessSource(),
    parts: meansOf(brokerage.registry, place).parts,
    profiles: [smallParts],
    targets: brokerage.destinations,
  });
});
afterAll(async () => {
  await brokerage.close();
  await server.stop();
});

const caller = { scope, apiKey: "01" };
let asked = 0;

/** A delivery that is sealed, for a destination of its own. */
async function sealed() {
  const { id: destinationId, prefix } = await brokerage.onboard();
  await brokerage.destinations.verify(customer, destinationId);
  const request = {
    domain: "listing",
    deliveryMode: "both",
    destinationId,
    idempotencyKey: `${++asked}`,
  } as const;
  const { delivery } = await deliveries.create(caller, request);
  const worker = createWorker(meansOf(brokerage.registry, place, { scopeOf: async () => scope }));
  expect(await worker.work()).toMatchObject({ delivery: delivery.id, outcome: "sealed" });
  const look = () => brokerage.look(`${prefix}/exports/${delivery.id}/`);
  return { id: delivery.id, destinationId, look };
}

const publish = (
  more: Partial<PublisherOptions> = {},
  signal?: AbortSignal,
): Promise<WorkReport | undefined> =>
  createPublisher({
    ledger: brokerage.registry.deliveries,
    parts: meansOf(brokerage.registry, place).parts,
    destinations: brokerage.destinations,
    scopeOf: async () => scope,
    name: "publisher",
    backoff: 0,
    ...more,
  }).work(signal);

const stateOf = async (id: string) => {
  const { state, delivery } = await deliveries.status(caller, id);
  return [state, delivery.code];
};

/** A queue that says nothing any more once its publisher is dead, and whose leases are over at once. */
function mortal(isDead: () => boolean): DeliveryQueue {
  const { queue } = brokerage.registry.deliveries;
  const methods = Object.entries(queue).map(([name, method]) => [
    name,
    (...args: never[]) =>
      isDead() ? Promise.reject(new Error("dead")) : (method as (...args: never[]) => unknown)(...args),
  ]);
  const whileAlive = Object.fromEntries(methods) as DeliveryQueue;
  return {
    ...whileAlive,
    claim: (name, terms) => whileAlive.claim(name, { ...terms, lease: -1 }),
    extend: (claim) => whileAlive.extend(claim, -1),
  };
}

test("what is sealed is served once it is published, however often its publishers die", async () => {
  const { id, look } = await sealed();
  const met: CrashPoint[] = [];
  const seen = new Map<string, unknown>();
  // Each publisher dies at the first point that none before has met.
  while (!met.includes("after_complete")) {
    await expect(deliveries.manifest(caller, id)).rejects.toMatchObject({ code: "delivery_not_complete" });
    let isDead = false;
    const at = (point: CrashPoint) => {
      if (met.includes(point)) return;
      met.push(point);
      isDead = true;
      throw new Error(`died at ${point}`);
    };
    const queue = mortal(() => isDead);
    await publish({ at, ledger: { ...brokerage.registry.deliveries, queue }, attempts: 1000 });
    for (const object of await look()) {
      expect(seen.get(object.key) ?? object).toEqual(object);
      seen.set(object.key, object);
    }
    expect(seen.has("_COMPLETE")).toBe(met.includes("after_put _COMPLETE"));
  }
  expect(met.slice(-2)).toEqual(["before_complete", "after_complete"]);
  const { parts } = JSON.parse((await deliveries.manifest(caller, id)).text) as {
    parts: readonly { name: string }[];
  };
  const names = [...parts.map(({ name }) => name), "manifest.json", "manifest.jws.json", "_COMPLETE"];
  expect((await look()).map(({ key }) => key)).toEqual(names.toSorted());
  // Each object has three points at which one died.
  expect(met).toHaveLength(3 * names.length + 3);
  expect(await publish()).toBeUndefined();
}, 60_000);

const narrowed = scopeFor({ ...granted, products: ["property"] });
const incapable = scopeFor({ sub: customer });

test.each<[string, () => Promise<Scope | undefined>]>([
  ["another scope", async () => narrowed],
  ["no capability", async () => incapable],
  ["nothing", async () => undefined],
  [
    "an entitlement that has ended",
    async () => {
      throw new EntitlementError("entitlement_expired");
    },
  ],
])("%s midway cancels it, before the next object", async (_, then) => {
  const { id, look } = await sealed();
  let times = 0;
  const report = await publish({ scopeOf: () => (++times > 2 ? then() : Promise.resolve(scope)) });
  expect(report).toMatchObject({ outcome: "canceled", code: "entitlement_changed" });
  expect(await stateOf(id)).toEqual(["canceled", "entitlement_changed"]);
  expect(await look()).toHaveLength(2);
});

test("a destination that is not active any more fails it, before the next object", async () => {
  const { id, destinationId, look } = await sealed();
  const at = async (point: CrashPoint) => {
    if (point.startsWith("after_check")) await brokerage.destinations.disable(customer, destinationId);
  };
  expect(await publish({ at })).toMatchObject({ outcome: "failed", code: "destination_not_active" });
  expect(await stateOf(id)).toEqual(["failed", "destination_not_active"]);
  expect(await look()).toHaveLength(1);
});

test("canceled by its customer it is given up, before the next object", async () => {
  const { id, look } = await sealed();
  const cutOff = (point: CrashPoint) => {
    if (point.startsWith("after_check")) throw new Error("cut off");
  };
  expect(await publish({ at: cutOff })).toMatchObject({ outcome: "sealed" });
  // The object is found, so nothing is noted of it.
  const at = async (point: CrashPoint) => {
    if (point.startsWith("after_check")) await deliveries.cancel(caller, id);
  };
  expect(await publish({ at })).toMatchObject({ outcome: "lost" });
  expect(await stateOf(id)).toEqual(["canceled", "canceled_by_customer"]);
  expect(await look()).toHaveLength(1);
});

test("a bucket that cannot be reached is tried again, so often since the last object that was written", async () => {
  const { id } = await sealed();
  server.failWhen(({ method, path }) =>
    method === "PUT" && path.includes("manifest.json") ? { status: 503, code: "SlowDown" } : undefined,
  );
  // The first attempt writes the parts, and those count from there.
  for (let attempt = 1; attempt < 3; attempt++) {
    expect(await publish({ attempts: 3 })).toMatchObject({ outcome: "sealed", code: "bucket_unavailable" });
    expect(await stateOf(id)).toEqual(["sealed", null]);
  }
  expect(await publish({ attempts: 3 })).toMatchObject({ outcome: "failed", code: "bucket_unavailable" });
  server.failWhen(undefined);
});

test("told to stop, a publisher gives it back at once", async () => {
  const { id } = await sealed();
  const stopping = new AbortController();
  const at = (point: CrashPoint) => {
    if (point.startsWith("after_check")) stopping.abort();
  };
  expect(await publish({ at, lease: 600_000 }, stopping.signal)).toMatchObject({ outcome: "released" });
  expect(await stateOf(id)).toEqual(["sealed", null]);
  expect(await publish()).toMatchObject({ delivery: id, outcome: "complete" });
});
