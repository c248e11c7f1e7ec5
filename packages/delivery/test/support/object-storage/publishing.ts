import { join } from "node:path";
import type { Scope } from "@cadastre/entitlement";
import { afterAll, beforeAll } from "vitest";
import {
  type ApiKeyCaller,
  createDeliveries,
  createPublisher,
  createRebuilder,
  createWorker,
  type Deliveries,
  type FileExportRequest,
  type PublisherOptions,
  type WorkReport,
} from "../../../src/index.ts";
import type { DeliveryQueue } from "../../../src/ledger/queue.ts";
import {
  bucketCustomer,
  type Customer,
  makeCustomer,
  type Onboarded,
} from "../../../src/testing/object-storage/customer.ts";
import { startFakeObjectServer } from "../../../src/testing/object-storage/fake/server.ts";
import type { ObjectServer } from "../../../src/testing/object-storage/server.ts";
import { scopeFor } from "../scope.ts";
import { endlessSource, meansOf, smallParts } from "../workshop.ts";

/** Entitlement of a customer that may have deliveries pushed. */
export const granted = { sub: bucketCustomer, capabilities: ["file_export_push"] } as const;
export const scope: Scope = scopeFor(granted);
export const caller: ApiKeyCaller = { scope, apiKey: "01" };

/** A sealed delivery that waits to be published, and its objects in the bucket. */
export type Sealed = {
  readonly id: string;
  readonly destinationId: string;
  /** Beginning of the keys of its objects. */
  readonly root: string;
  /** Values that its destination was onboarded with. */
  readonly words: Onboarded["words"];
  readonly look: () => ReturnType<Customer["look"]>;
};

/** A customer, and the workers that publish to its bucket. */
export type Publishing = {
  readonly brokerage: Customer;
  readonly deliveries: Deliveries;
  /** Returns a request with a new active destination. */
  readonly asking: () => Promise<FileExportRequest & { readonly destinationId: string }>;
  /** Makes a sealed delivery with a new destination. */
  readonly sealed: () => Promise<Sealed>;
  /** Builds the delivery that has waited longest. */
  readonly build: () => Promise<WorkReport | undefined>;
  /** Publishes the delivery that has waited longest. */
  readonly publish: (
    more?: Partial<PublisherOptions>,
    signal?: AbortSignal,
  ) => Promise<WorkReport | undefined>;
  /** Rebuilds what is damaged. */
  readonly rebuild: () => Promise<WorkReport | undefined>;
  /** Returns the file of the first part of a delivery. */
  readonly partOf: (id: string) => Promise<string>;
  /** Returns the state and the code of a delivery. */
  readonly stateOf: (id: string) => Promise<readonly [string, string | null]>;
  /** Returns a ledger whose queue stops answering once its publisher is dead, and whose leases expire at once. */
  readonly mortal: (isDead: () => boolean) => PublisherOptions["ledger"];
};

/** @param folder folder of the parts */
async function openPublishing(server: ObjectServer, folder: string): Promise<Publishing> {
  const brokerage = await makeCustomer(server);
  const { destinations, registry } = brokerage;
  const place = { file: "of the customer", parts: folder };
  const { parts } = meansOf(registry, place);
  const deliveries = createDeliveries({
    ledger: registry.deliveries,
    source: endlessSource(),
    parts,
    profiles: [smallParts],
    targets: destinations,
  });
  let asked = 0;

  const onboarded = async () => {
    const { id, prefix, words } = await brokerage.onboard();
    await destinations.verify(bucketCustomer, id);
    return { destinationId: id, prefix, words };
  };
  const requestFor = (destinationId: string) =>
    ({ domain: "listing", deliveryMode: "both", destinationId, idempotencyKey: `${++asked}` }) as const;

  const build = () => createWorker(meansOf(registry, place, { scopeOf: async () => scope })).work();

  return {
    brokerage,
    deliveries,
    build,
    asking: async () => requestFor((await onboarded()).destinationId),
    sealed: async () => {
      const { destinationId, prefix, words } = await onboarded();
      const { delivery } = await deliveries.create(caller, requestFor(destinationId));
      const { id } = delivery;
      const worked = await build();
      if (worked?.delivery !== id || worked.outcome !== "sealed") throw new Error("it is not sealed");
      const root = `${prefix}/exports/${id}/`;
      return { id, destinationId, root, words, look: () => brokerage.look(root) };
    },
    publish: (more = {}, signal) =>
      createPublisher({
        ledger: registry.deliveries,
        parts,
        destinations,
        scopeOf: async () => scope,
        name: "publisher",
        backoff: 0,
        ...more,
      }).work(signal),
    rebuild: createRebuilder(meansOf(registry, place, { scopeOf: async () => scope })).work,
    partOf: async (id) => {
      const [part] = await registry.deliveries.parts(id);
      const { sha256 } = part ?? { sha256: "" };
      return join(folder, "parts", sha256.slice(0, 2), sha256);
    },
    stateOf: async (id) => {
      const { state, delivery } = await deliveries.status(caller, id);
      return [state, delivery.code];
    },
    mortal: (isDead) => ({ ...registry.deliveries, queue: mortalQueue(registry.deliveries.queue, isDead) }),
  };
}

function mortalQueue(queue: DeliveryQueue, isDead: () => boolean): DeliveryQueue {
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

/**
 * Starts an object server in this process, and workers that publish to it, for the tests of a file.
 *
 * @param folder folder of the parts
 */
export function usePublishing(folder: string): {
  readonly server: () => ObjectServer;
  readonly office: () => Publishing;
} {
  let server: ObjectServer;
  let office: Publishing;
  beforeAll(async () => {
    server = await startFakeObjectServer();
    office = await openPublishing(server, folder);
  });
  afterAll(async () => {
    await office.brokerage.close();
    await server.stop();
  });
  return { server: () => server, office: () => office };
}
