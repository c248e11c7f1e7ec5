import type { Acknowledgement, NewAcknowledgement } from "./acknowledgement.ts";
import type { Delivery, DeliveryDocument, DeliveryPart, NewDelivery, StoredManifest } from "./delivery.ts";
import type { DeliveryRetention } from "./delivery-retention.ts";
import type { PartDamage } from "./part-damage.ts";
import type { PartGrants } from "./part-grant.ts";
import type { DeliveryQueue } from "./queue.ts";

/** An idempotency key. A repeated request creates nothing. */
export type IdempotentRequest = {
  /** Name of the operation. Keys of different operations are independent. */
  readonly operation: string;
  readonly key: string;
  /** SHA-256 of the request's contents. */
  readonly fingerprint: string;
};

/** Position in a list for keyset pagination: the last delivery of the page before. */
export type ListPosition = Pick<Delivery, "id"> & { readonly completed: number };

/**
 * The deliveries of customers. A delivery of another customer is treated like one that does not exist. Times are in milliseconds
 * since 1970. Every method throws {@link StoreError} `registry_unavailable`.
 */
export type DeliveryRecords = {
  /**
   * Creates a delivery. If the request is a repetition, returns the delivery that it created.
   *
   * @param most maximum number of the customer's open deliveries, including this one
   * @throws {DeliveryError} `idempotency_conflict`, `too_many_exports`, `unknown_customer`
   */
  readonly create: (
    delivery: NewDelivery,
    request: IdempotentRequest,
    most: number,
  ) => Promise<{ readonly delivery: Delivery; readonly replayed: boolean }>;
  /**
   * Returns the current state of the delivery that an earlier, equal request created; undefined if there was none.
   *
   * @throws {DeliveryError} `idempotency_conflict`
   */
  readonly replay: (customer: string, request: IdempotentRequest) => Promise<Delivery | undefined>;
  readonly find: (customer: string, id: string) => Promise<Delivery | undefined>;
  /** Returns a delivery of the customer whose window ends at the checkpoint of this public name. */
  readonly endingAt: (customer: string, checkpoint: string) => Promise<Delivery | undefined>;
  /** Returns the deliveries that can be fetched at the time `at`, sorted by completion and id, the last first. */
  readonly list: (
    customer: string,
    page: { readonly after?: ListPosition | undefined; readonly limit: number; readonly at: number },
  ) => Promise<readonly Delivery[]>;
  /** Returns the parts finished so far, in the order of building. */
  readonly parts: (id: string) => Promise<readonly DeliveryPart[]>;
  readonly countParts: (id: string) => Promise<number>;
  readonly part: (id: string, number: number) => Promise<DeliveryPart | undefined>;
  /** Returns the manifest of a delivery that is sealed and not purged. */
  readonly manifest: (id: string) => Promise<StoredManifest | undefined>;
  /** Returns a document that a delivery of the customer has named by its hash. */
  readonly document: (
    customer: string,
    kind: DeliveryDocument["kind"],
    sha256: string,
  ) => Promise<DeliveryDocument | undefined>;
  /**
   * Cancels a delivery that is neither complete nor committed. A canceled delivery stays canceled.
   *
   * @throws {DeliveryError} `not_found`, `delivery_not_open`
   */
  readonly cancel: (customer: string, id: string, code: string) => Promise<Delivery>;
  /**
   * Records that a customer has loaded a delivery. Later calls return the first acknowledgement, with `first` false; a reference that
   * was not given before is kept beside it.
   *
   * @throws {DeliveryError} `not_found`, `delivery_not_complete`, `sequence_conflict`, `manifest_conflict`, `too_many_acknowledgements`
   */
  readonly acknowledge: (
    customer: string,
    id: string,
    acknowledgement: NewAcknowledgement,
  ) => Promise<{ readonly acknowledgement: Acknowledgement; readonly first: boolean }>;
};

/** Records of deliveries, with the queues and maintenance that workers use. */
export type DeliveryLedger = DeliveryRecords & {
  readonly queue: DeliveryQueue;
  readonly damage: PartDamage;
  readonly grants: PartGrants;
  readonly retention: DeliveryRetention;
};
