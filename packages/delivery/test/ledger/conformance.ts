import { newRegistries } from "@cadastre/store/testing";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { at, customer } from "../support/tables.ts";
import { committedConformance } from "./committed.ts";
import { damageConformance } from "./damage.ts";
import { destinationConformance } from "./destinations.ts";
import { operationsConformance } from "./operations.ts";
import { queueConformance } from "./queue.ts";
import { recordsConformance } from "./records.ts";
import { retentionConformance } from "./retention.ts";
import { subscriptionConformance } from "./subscriptions.ts";
import { webhookConformance } from "./webhooks.ts";

/** Tests of the tables of deliveries, the same for each database. `open` opens the registry of a name, and creates it if it does not exist. */
export function conformance(name: string, open: (name: string) => Promise<TestRegistry>): void {
  const withRegistry = newRegistries(open, customer, at);

  recordsConformance(name, withRegistry);
  committedConformance(name, withRegistry);
  queueConformance(name, withRegistry);
  damageConformance(name, withRegistry);
  retentionConformance(name, withRegistry);
  destinationConformance(name, withRegistry);
  subscriptionConformance(name, withRegistry);
  operationsConformance(name, withRegistry);
  webhookConformance(name, () => open("webhooks"));
}
