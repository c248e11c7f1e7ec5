import type { Acknowledgement, NewAcknowledgement } from "./acknowledgement.ts";
import type { Delivery, DeliveryPart, NewDelivery, StoredManifest } from "./delivery.ts";
import type { DeliveryRetention } from "./delivery-retention.ts";
import type { PartDamage } from "./part-damage.ts";
import type { PartGrants } from "./part-grant.ts";
import type { DeliveryQueue } from "./queue.ts";

/** A request that may come again, and then creates nothing. */
export type IdempotentRequest = {
  /** What is asked for: keys of different operations have nothing to do with each other. */
  readonly operation: string;
  readonly key: string;
  /** SHA-256 of what the request says. */
  readonly fingerprint: string;
};

/** Where a list goes on: after the delivery of this time of completion and id. */
export type ListPosition = Pick<Delivery, "id"> & { readonly completed: number };

/**
 * The deliveries of customers. A delivery of another customer is as absent as one that does not exist. Times are in
 * milliseconds since 1970; every method throws {@link StoreError} `registry_unavailable`.
 */
export type DeliveryRecords = {
  /**
   * Create a delivery, unless the request was met before: then it is the delivery that it created.
   *
   * @param most open deliveries that the customer may have with this one
   * @throws {DeliveryError} `idempotency_conflict`, `too_many_exports`, `unknown_customer`
   */
  readonly create: (
    delivery: NewDelivery,
    request: IdempotentRequest,
    most: number,
  ) => Promise<{ readonly delivery: Delivery; readonly replayed: boolean }>;
  /**
   * The delivery that a request created when it was met before, as it is now.
   *
   * @throws {DeliveryError} `idempotency_conflict`
   */
  readonly replay: (customer: string, request: IdempotentRequest) => Promise<Delivery | undefined>;
  readonly find: (customer: string, id: string) => Promise<Delivery | undefined>;
  /** Those that may be fetched at a time, the last completed first, and of one time that of the highest id. */
  readonly list: (
    customer: string,
    page: { readonly after?: ListPosition | undefined; readonly limit: number; readonly at: number },
  ) => Promise<readonly Delivery[]>;
  /** Parts that are finished so far, in the order of building. */
  readonly parts: (id: string) => Promise<readonly DeliveryPart[]>;
  readonly countParts: (id: string) => Promise<number>;
  readonly part: (id: string, number: number) => Promise<DeliveryPart | undefined>;
  /** The manifest of a delivery that is sealed, and not purged. */
  readonly manifest: (id: string) => Promise<StoredManifest | undefined>;
  /**
   * Give up a delivery that is neither complete nor committed. One that was canceled stays as it is.
   *
   * @throws {DeliveryError} `not_found`, `delivery_not_open`
   */
  readonly cancel: (customer: string, id: string, code: string) => Promise<Delivery>;
  /**
   * Note that a customer has loaded a delivery. Noted again it is the same; `first` says which.
   *
   * @throws {DeliveryError} `not_found`, `delivery_not_complete`, `sequence_conflict`, `manifest_conflict`
   */
  readonly acknowledge: (
    customer: string,
    id: string,
    acknowledgement: NewAcknowledgement,
  ) => Promise<{ readonly acknowledgement: Acknowledgement; readonly first: boolean }>;
};

/** All that is known of deliveries: what customers ask of them, and what is done for them. */
export type DeliveryLedger = DeliveryRecords & {
  readonly queue: DeliveryQueue;
  readonly damage: PartDamage;
  readonly grants: PartGrants;
  readonly retention: DeliveryRetention;
};
