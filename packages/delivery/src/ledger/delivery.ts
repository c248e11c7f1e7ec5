/**
 * Allowed state changes of a delivery. `sealed` is built and waits to be published; a delivery of mode `pull` becomes complete as
 * soon as it is built. `expired` is no longer served, and the parts of `purged` are deleted. A complete delivery fails only if
 * one of its parts is damaged and cannot be rebuilt. An operator may have a failed export tried again.
 */
export const transitions = {
  queued: ["building", "canceled"],
  building: ["building", "queued", "sealed", "complete", "canceled", "failed"],
  sealed: ["publishing", "complete", "canceled", "failed"],
  publishing: ["publishing", "sealed", "complete", "canceled", "failed"],
  complete: ["expired", "failed"],
  expired: ["purged"],
  canceled: [],
  failed: ["queued"],
  purged: [],
} as const satisfies Record<string, readonly string[]>;

export type DeliveryState = keyof typeof transitions;

export const deliveryStates = Object.keys(transitions) as readonly DeliveryState[];

/** Returns the states from which a delivery may change to `state`. */
export const statesBefore = (state: DeliveryState): readonly DeliveryState[] =>
  deliveryStates.filter((before) => (transitions[before] as readonly DeliveryState[]).includes(state));

/** States of deliveries that are not built or not published yet. */
export const openStates = [
  "queued",
  "building",
  "sealed",
  "publishing",
] as const satisfies readonly DeliveryState[];

/** States that only a delivery which was complete at some time can have. */
export const onceComplete: readonly DeliveryState[] = ["complete", "expired", "purged"];

/** States of deliveries whose parts are deleted or will never exist. */
export const deadStates = ["purged", "canceled", "failed"] as const satisfies readonly DeliveryState[];

/** Code of a delivery that failed because a part of it is damaged and cannot be rebuilt. */
export const partLost = "part_lost";

/** Transfer of a delivery: the customer fetches it, it is written to the customer's bucket, or both. */
export type DeliveryMode = "pull" | "push" | "both";

/** Position of a delivery in its subscription. A single export has generation 1 and sequence 0. */
export type DeliveryPlace = { readonly generation: number; readonly sequence: number };

/** The part of a delivery that never changes. Times are in milliseconds since 1970. */
type DeliveryFacts = DeliveryPlace & {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  readonly domain: string;
  readonly kind: "snapshot" | "seed" | "delta";
  readonly mode: DeliveryMode;
  readonly destination: string | null;
  readonly subscription: string | null;
  /** The delivery before this one in the subscription. */
  readonly previous: (DeliveryPlace & { readonly manifestSha256: string }) | null;
  /** Checkpoint after which changes are delivered; null to deliver all records. */
  readonly fromCheckpoint: number | null;
  readonly toCheckpoint: number;
  readonly entitlementVersion: number;
  readonly scopeSha256: string;
  /** Other values for the manifest, as JSON text of the builder. */
  readonly pinned: string;
  readonly created: number;
  /** Time after which it is no longer served. */
  readonly expires: number;
};

/** A delivery to create, with the documents that its manifest will name by hash. */
export type NewDelivery = DeliveryFacts & { readonly documents?: readonly DeliveryDocument[] };

export const documentKinds = ["schema", "profile", "disclaimer"] as const;

/** A document that manifests name by its hash. */
export type DeliveryDocument = {
  readonly kind: (typeof documentKinds)[number];
  /** Of the text in UTF-8, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly text: string;
  /** The scope of the last delivery that named it, as JSON text of `membersOf`. */
  readonly scope: string;
};

export type Delivery = DeliveryFacts & {
  readonly state: DeliveryState;
  /** Reason for being canceled or failed; for a committed delivery, the error that delays its completion. */
  readonly code: string | null;
  /** Number of claims since the last progress. */
  readonly attempts: number;
  readonly completed: number | null;
  /**
   * Time at which the publisher was about to write the last object, which makes the delivery complete. After this the delivery
   * cannot be canceled.
   */
  readonly committed: number | null;
  readonly manifestSha256: string | null;
  /** True for a delta that was built without any part. */
  readonly noChange: boolean;
};

/** A finished part, which never changes. */
export type DeliveryPart = {
  /** Position in the order of building, starting with 0. */
  readonly ordinal: number;
  /** Number of the part in the manifest. */
  readonly number: number;
  readonly dataset: string;
  /** Of its bytes, in lower-case hexadecimal. It is the key in the part store. */
  readonly sha256: string;
  readonly byteLength: number;
  readonly rows: number;
  /** Position where the next part of the dataset starts, as a text of the builder; null for the last part. */
  readonly next: string | null;
  /** Its entry in the manifest, as JSON text. */
  readonly entry: string;
};

/** A manifest when it was sealed. */
export type SealedManifestRecord = {
  /** The exact text. The SHA-256 and the signature are computed over its bytes in UTF-8. */
  readonly text: string;
  readonly sha256: string;
  /** The detached signature, as JSON text. */
  readonly signature: string;
};

/** A manifest as it is currently stored. */
export type StoredManifest = SealedManifestRecord & {
  /** SHA-256 of the signature's text when it was sealed; null if sealed by a version that did not store it. */
  readonly signatureSha256: string | null;
};

/** True if the delivery can be fetched at the time `at`. */
export const isServed = ({ state, expires }: Pick<Delivery, "state" | "expires">, at: number): boolean =>
  state === "complete" && at < expires;
