import type { Deliveries, Destinations, Subscriptions, Webhooks } from "@cadastre/delivery";
import type { AuditTrail } from "../audit/audit-trail.ts";

/** What the routes of deliveries work with. */
export type DeliveryServices = {
  readonly audit: AuditTrail;
  readonly deliveries: Deliveries;
  readonly subscriptions: Subscriptions;
  readonly destinations: Destinations;
  readonly webhooks: Webhooks;
  /** Whether parts are granted by their own addresses. */
  readonly isDirect: boolean;
  /** Whether anything is pushed at present. */
  readonly isPushing: boolean;
  /** JWKS of the keys that manifests are signed with, as JSON text. */
  readonly manifestKeys: string;
  /** Of 32 bytes. */
  readonly cursorKey: Uint8Array;
};
