import type { Deliveries } from "@cadastre/delivery";

/** What the routes of deliveries work with. */
export type DeliveryServices = {
  readonly deliveries: Deliveries;
  /** JWKS of the keys that manifests are signed with, as JSON text. */
  readonly manifestKeys: string;
  /** Of 32 bytes. */
  readonly cursorKey: Uint8Array;
};
