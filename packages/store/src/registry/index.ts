/**
 * What a service must remember beside its listings: who may come in, what each customer is entitled to, which identities are
 * one property, how datasets are to be presented, what was delivered, where to, and who is told of it.
 *
 * @module
 */
export {
  type AuditedEntitlement,
  type AuditedManifest,
  type AuditedPart,
  openRegistryAudit,
  type RegistryAudit,
  type SealedText,
} from "./audit.ts";
export type { Acknowledgement, NewAcknowledgement } from "./deliveries/acknowledgement.ts";
export type { ClaimedDamage, PartDamage } from "./deliveries/damage.ts";
export {
  type Delivery,
  type DeliveryMode,
  type DeliveryPart,
  type DeliveryPlace,
  type DeliveryState,
  isServed,
  type NewDelivery,
  type SealedManifest,
  type StoredManifest,
} from "./deliveries/delivery.ts";
export type { FoundGrant, PartGrant, PartGrants } from "./deliveries/grant.ts";
export type {
  DeliveryLedger,
  DeliveryRecords,
  IdempotentRequest,
  ListPosition,
} from "./deliveries/ledger.ts";
export type { Claim, ClaimTerms, DeliveryQueue } from "./deliveries/queue.ts";
export type { DeliveryRetention } from "./deliveries/retention.ts";
export {
  type Destination,
  type DestinationFinding,
  type DestinationPlace,
  type DestinationRegistry,
  type DestinationState,
  destinationTransitions,
  type NewDestination,
} from "./destinations/destination.ts";
export { toleratedSkew } from "./elapsed.ts";
export type { EntitlementRegistry, InstalledEntitlement } from "./entitlements/entitlement.ts";
export type { PepperCheck, RegistryGuards } from "./guards/guards.ts";
export type { CrosswalkEntry, IdentityRegister, Resolution } from "./identities/identity.ts";
export { type ApiKeyRecord, isInForce, type KeyRegistry, maxLiveKeys, type NewApiKey } from "./keys/key.ts";
export { openPostgresRegistry, type PostgresRegistryOptions } from "./postgres.ts";
export type { MlsProfile, ProfileRegistry } from "./profiles/profile.ts";
export type { Registry } from "./registry.ts";
export { openSqliteRegistry, type SqliteRegistryOptions } from "./sqlite.ts";
export type {
  EmptyDeliveryBehavior,
  GenerationPins,
  NewSubscription,
  Subscription,
  SubscriptionProgress,
  SubscriptionRegistry,
  SubscriptionRequest,
  SubscriptionState,
  SubscriptionStep,
} from "./subscriptions/subscription.ts";
export type {
  WebhookMessage,
  WebhookOutbox,
  WebhookRegistry,
  WebhookResult,
  WebhookSending,
} from "./webhooks/outbox.ts";
export {
  type NewWebhook,
  type ToldEntitlement,
  type Webhook,
  type WebhookEvent,
  type WebhookRecords,
  type WebhookSecrets,
  type WebhookState,
  webhookEvents,
  webhookStates,
} from "./webhooks/webhook.ts";
