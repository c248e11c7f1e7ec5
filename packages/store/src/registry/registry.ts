import type { Knex } from "knex";
import { createDeliveryQueue } from "./deliveries/claims.ts";
import { createPartDamage } from "./deliveries/damaged-parts.ts";
import { createDeliveryRecords } from "./deliveries/deliveries.ts";
import type { QueueDialect } from "./deliveries/dialect.ts";
import { createPartGrants } from "./deliveries/grants.ts";
import type { DeliveryLedger } from "./deliveries/ledger.ts";
import { createDeliveryRetention } from "./deliveries/leftovers.ts";
import type { DestinationRegistry } from "./destinations/destination.ts";
import { createDestinationRegistry } from "./destinations/destinations.ts";
import type { EntitlementRegistry } from "./entitlements/entitlement.ts";
import { createEntitlementRegistry } from "./entitlements/entitlements.ts";
import { type Attempt, guarded } from "./guarded.ts";
import { createRegistryGuards, type RegistryGuards } from "./guards/guards.ts";
import { createIdentityRegister } from "./identities/identities.ts";
import type { IdentityRegister } from "./identities/identity.ts";
import type { KeyRegistry } from "./keys/key.ts";
import { createKeyRegistry } from "./keys/keys.ts";
import type { ProfileRegistry } from "./profiles/profile.ts";
import { createProfileRegistry } from "./profiles/profiles.ts";
import type { SubscriptionRegistry } from "./subscriptions/subscription.ts";
import { createSubscriptionRegistry } from "./subscriptions/subscriptions.ts";
import { createGathering } from "./webhooks/gathering.ts";
import type { WebhookRegistry } from "./webhooks/outbox.ts";
import { createWebhookRecords } from "./webhooks/records.ts";
import { createSending } from "./webhooks/sending.ts";

/** What a service must remember beside its listings. Several processes may have one open. */
export type Registry = {
  readonly guards: RegistryGuards;
  readonly keys: KeyRegistry;
  readonly entitlements: EntitlementRegistry;
  readonly identities: IdentityRegister;
  readonly profiles: ProfileRegistry;
  readonly deliveries: DeliveryLedger;
  readonly destinations: DestinationRegistry;
  readonly subscriptions: SubscriptionRegistry;
  readonly webhooks: WebhookRegistry;
  readonly close: () => Promise<void>;
};

/** The registry of a database that has its tables. */
export const createRegistry = (knex: Knex, attempt: Attempt, dialect: QueueDialect): Registry => ({
  guards: guarded(createRegistryGuards(knex), attempt),
  keys: guarded(createKeyRegistry(knex), attempt),
  entitlements: guarded(createEntitlementRegistry(knex), attempt),
  identities: guarded(createIdentityRegister(knex), attempt),
  profiles: guarded(createProfileRegistry(knex), attempt),
  deliveries: {
    ...guarded(createDeliveryRecords(knex), attempt),
    queue: guarded(createDeliveryQueue(knex, dialect), attempt),
    damage: guarded(createPartDamage(knex, dialect), attempt),
    grants: guarded(createPartGrants(knex), attempt),
    retention: guarded(createDeliveryRetention(knex), attempt),
  },
  destinations: guarded(createDestinationRegistry(knex), attempt),
  subscriptions: guarded(createSubscriptionRegistry(knex), attempt),
  webhooks: {
    ...guarded(createWebhookRecords(knex), attempt),
    outbox: guarded({ ...createGathering(knex), ...createSending(knex) }, attempt),
  },
  close: () => knex.destroy(),
});
