import type { Deliveries, Destinations, Subscriptions, Webhooks } from "@cadastre/delivery";
import type { AuditTrail } from "../audit/audit-trail.ts";

/** Dependencies of the routes of deliveries. */
export type DeliveryServices = {
  readonly audit: AuditTrail;
  readonly deliveries: Deliveries;
  readonly subscriptions: Subscriptions;
  readonly destinations: Destinations;
  readonly webhooks: Webhooks;
  /** True if a grant is a signed URL of the part in its bucket, instead of a token for this service. */
  readonly isDirect: boolean;
  /** True if deliveries can be pushed to destinations. */
  readonly isPushing: boolean;
  /** JWKS of the public keys that verify manifests, as JSON text. */
  readonly manifestKeys: string;
  /** Key of 32 bytes that authenticates cursors. */
  readonly cursorKey: Uint8Array;
};
