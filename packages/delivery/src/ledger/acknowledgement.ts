import type { DeliveryPlace } from "./delivery.ts";

/** What a customer says to have loaded. */
export type NewAcknowledgement = DeliveryPlace & {
  readonly manifestSha256: string;
  /** What the customer calls it. */
  readonly reference: string;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** Evidence that a customer has loaded a delivery: what was said first. */
export type Acknowledgement = NewAcknowledgement & { readonly delivery: string };
