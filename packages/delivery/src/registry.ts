import type { RegistryDatabase } from "@cadastre/store/registry";
import { type Backlog, readBacklog } from "./backlog.ts";
import type { DestinationRegistry } from "./destinations/destination.ts";
import { createDestinationRegistry } from "./destinations/tables/destination-records.ts";
import { DeliveryError } from "./errors.ts";
import type { DeliveryLedger } from "./ledger/ledger.ts";
import { createPartDamage } from "./ledger/tables/damaged-parts.ts";
import { createDeliveryQueue, queueDialects } from "./ledger/tables/delivery-queue.ts";
import { createDeliveryRecords } from "./ledger/tables/delivery-records.ts";
import { createDeliveryRetention } from "./ledger/tables/delivery-retention.ts";
import { createPartGrants } from "./ledger/tables/part-grants.ts";
import type { DeliveryOperations } from "./operations/operations.ts";
import { createDeliveryFigures } from "./operations/tables/delivery-figures.ts";
import { createDeliveryOperations } from "./operations/tables/operated-deliveries.ts";
import { createObjectOperations } from "./operations/tables/operated-objects.ts";
import type { SubscriptionRegistry } from "./subscriptions/subscription.ts";
import { createSubscriptionRegistry } from "./subscriptions/tables/subscription-records.ts";
import type { WebhookRegistry } from "./webhooks/outbox.ts";
import { createGathering } from "./webhooks/tables/gathering.ts";
import { createSending } from "./webhooks/tables/sending.ts";
import { createWebhookRecords } from "./webhooks/tables/webhook-records.ts";

/** The tables of deliveries in a registry's database. */
export type DeliveryRegistry = {
  readonly deliveries: DeliveryLedger;
  readonly destinations: DestinationRegistry;
  readonly subscriptions: SubscriptionRegistry;
  readonly webhooks: WebhookRegistry;
  /** All of them across customers, for the operator of the service. */
  readonly operations: DeliveryOperations;
  /** Counts the work that waits for a worker. */
  readonly backlog: () => Promise<Backlog>;
};

export function createDeliveryRegistry({
  engine,
  knex,
  lookUps,
  guarded,
}: RegistryDatabase): DeliveryRegistry {
  const dialect = queueDialects[engine];
  const guard = <T extends Parameters<typeof guarded>[0]>(tables: T): T => guarded(tables, DeliveryError);
  return {
    deliveries: {
      ...guard(createDeliveryRecords(knex)),
      queue: guard(createDeliveryQueue(knex, dialect)),
      damage: guard(createPartDamage(knex, dialect)),
      grants: guard(createPartGrants(knex, lookUps)),
      retention: guard(createDeliveryRetention(knex)),
    },
    destinations: guard(createDestinationRegistry(knex)),
    subscriptions: guard(createSubscriptionRegistry(knex)),
    webhooks: {
      ...guard(createWebhookRecords(knex)),
      outbox: guard({ ...createGathering(knex), ...createSending(knex) }),
    },
    operations: guard({
      ...createDeliveryOperations(knex, dialect),
      ...createObjectOperations(knex),
      ...createDeliveryFigures(knex, dialect),
    }),
    ...guard({ backlog: () => readBacklog(knex) }),
  };
}
