import {
  createDeliveries,
  createDocuments,
  createSubscriptions,
  createWebhooks,
  type DamageReport,
  type Deliveries,
  type Destinations,
  type Documents,
  type ExportSource,
  type Subscriptions,
  type Webhooks,
} from "@cadastre/delivery";
import type { AuditTrail } from "../audit/audit-trail.ts";
import { keyFor } from "../data/derived-keys.ts";
import type { Secrets } from "../data/secrets.ts";
import type { ExportDependencies } from "./dependencies.ts";
import type { FollowSigningKeys } from "./signing-keys.ts";

/** Services of the endpoints of deliveries. */
export type DeliveryServices = {
  readonly audit: AuditTrail;
  readonly deliveries: Deliveries;
  readonly documents: Documents;
  readonly subscriptions: Subscriptions;
  readonly destinations: Destinations;
  readonly webhooks: Webhooks;
  /** True if a grant is a signed URL of the part in its bucket, instead of a token for this service. */
  readonly isDirect: boolean;
  /** True if deliveries can be pushed to destinations. */
  readonly isPushing: boolean;
  readonly manifestKeys: FollowSigningKeys;
  /** Key of 32 bytes that authenticates cursors. */
  readonly cursorKey: Uint8Array;
  /** Called with the bytes of a part or manifest that was sent whole. */
  readonly onServed: (bytes: number) => void;
};

/** Creates the services of the endpoints of deliveries. */
export function createDeliveryServices(
  {
    config,
    registry,
    outputs,
    manifestKeys,
    parts,
    destinations,
    retention,
    creditsOf,
    webhookTerms,
  }: ExportDependencies,
  {
    audit,
    source,
    onDamage,
    onServed,
    skipTokenKey,
  }: {
    readonly audit: AuditTrail;
    readonly source: ExportSource;
    readonly onDamage: (report: DamageReport) => void;
    readonly onServed: DeliveryServices["onServed"];
  } & Pick<Secrets, "skipTokenKey">,
): DeliveryServices {
  const targets = config.push ? destinations : undefined;
  const sharedOptions = { source, profiles: outputs, targets };
  return {
    audit,
    onServed,
    destinations,
    webhooks: createWebhooks({ registry: registry.webhooks, ...webhookTerms }),
    isDirect: config.grants === "direct_https",
    isPushing: config.push,
    subscriptions: createSubscriptions({ ...sharedOptions, registry: registry.subscriptions }),
    deliveries: createDeliveries({
      ...sharedOptions,
      ledger: registry.deliveries,
      parts,
      onDamage,
      retention,
      creditsOf,
    }),
    documents: createDocuments({ ...sharedOptions, ledger: registry.deliveries, creditsOf }),
    manifestKeys,
    cursorKey: keyFor("cursor of file exports", { skipTokenKey }),
  };
}
