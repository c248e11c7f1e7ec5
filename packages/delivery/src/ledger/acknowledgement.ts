import type { DeliveryPlace } from "./delivery.ts";

/** A customer's statement that it has loaded a delivery. */
export type NewAcknowledgement = DeliveryPlace & {
  readonly manifestSha256: string;
  /** The customer's name for the load. */
  readonly reference: string;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** The first acknowledgement of a delivery, which is the evidence that the customer has loaded it. */
export type Acknowledgement = NewAcknowledgement & { readonly delivery: string };

/** A reference that a customer gave when it acknowledged a delivery. */
export type AcknowledgedReference = {
  readonly reference: string;
  /** Milliseconds since 1970, when the customer first gave it. */
  readonly at: number;
};
