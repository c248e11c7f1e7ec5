import type { Registry } from "../support/registry.ts";
import { at, customer } from "../support/tables.ts";
import { committedConformance } from "./committed.ts";
import { damageConformance } from "./damage.ts";
import { destinationConformance } from "./destinations.ts";
import { queueConformance } from "./queue.ts";
import { recordsConformance } from "./records.ts";
import { retentionConformance } from "./retention.ts";
import { subscriptionConformance } from "./subscriptions.ts";
import { webhookConformance } from "./webhooks.ts";

let opened = 0;

/** Tests of the tables of deliveries, the same for each database. `open` opens the registry of a name, and creates it if it does not exist. */
export function conformance(name: string, open: (name: string) => Promise<Registry>): void {
  /** Uses a new registry that has an entitlement of one customer. */
  async function withRegistry(use: (registry: Registry, again: () => Promise<Registry>) => Promise<void>) {
    const own = `registry_${++opened}`;
    const registries = [await open(own)];
    const again = async () => {
      const other = await open(own);
      registries.push(other);
      return other;
    };
    try {
      await registries[0]?.entitlements.install({ customer, version: 1, jws: "a.b.c", installed: at });
      await use(registries[0] as Registry, again);
    } finally {
      for (const registry of registries) await registry.close();
    }
  }

  recordsConformance(name, withRegistry);
  committedConformance(name, withRegistry);
  queueConformance(name, withRegistry);
  damageConformance(name, withRegistry);
  retentionConformance(name, withRegistry);
  destinationConformance(name, withRegistry);
  subscriptionConformance(name, withRegistry);
  webhookConformance(name, () => open("webhooks"));
}
