/**
 * Where a delivery may go from each state. `sealed` is built and waits to be published; what is only fetched is complete
 * as soon as it is built. `expired` is not served any more, `purged` has no bytes any more. What is complete fails only if a part
 * of it is damaged and cannot be rebuilt.
 */
export const transitions = {
  queued: ["building", "canceled"],
  building: ["building", "queued", "sealed", "complete", "canceled", "failed"],
  sealed: ["publishing", "complete", "canceled", "failed"],
  publishing: ["publishing", "sealed", "complete", "canceled", "failed"],
  complete: ["expired", "failed"],
  expired: ["purged"],
  canceled: [],
  failed: [],
  purged: [],
} as const satisfies Record<string, readonly string[]>;

export type DeliveryState = keyof typeof transitions;

/** States from which a delivery may go to another one. */
export const statesBefore = (state: DeliveryState): readonly DeliveryState[] =>
  (Object.keys(transitions) as readonly DeliveryState[]).filter((before) =>
    (transitions[before] as readonly DeliveryState[]).includes(state),
  );

/** States of deliveries that are still to be built or published. */
export const openStates = [
  "queued",
  "building",
  "sealed",
  "publishing",
] as const satisfies readonly DeliveryState[];

/** States of deliveries that have no parts any more, or will have none. */
export const deadStates = ["purged", "canceled", "failed"] as const satisfies readonly DeliveryState[];

/** Code of a delivery that failed because a part of it is damaged and cannot be rebuilt. */
export const partLost = "part_lost";

/** How a customer gets at what was built. */
export type DeliveryMode = "pull" | "push" | "both";

/** A place in the deliveries of a subscription; what is asked for once is of generation 1, sequence 0. */
export type DeliveryPlace = { readonly generation: number; readonly sequence: number };

/** What is settled when a delivery is created. Times are in milliseconds since 1970. */
export type NewDelivery = DeliveryPlace & {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  readonly domain: string;
  readonly kind: "snapshot" | "seed" | "delta";
  readonly mode: DeliveryMode;
  readonly destination: string | null;
  readonly subscription: string | null;
  /** The delivery of the subscription before this one. */
  readonly previous: (DeliveryPlace & { readonly manifestSha256: string }) | null;
  /** Changes after this checkpoint; null: all that is there. */
  readonly fromCheckpoint: number | null;
  readonly toCheckpoint: number;
  readonly entitlementVersion: number;
  readonly scopeSha256: string;
  /** What else the manifest will state, as JSON text of whoever builds. */
  readonly pinned: string;
  readonly created: number;
  /** From when on it is not served any more. */
  readonly expires: number;
};

export type Delivery = NewDelivery & {
  readonly state: DeliveryState;
  /** Why it was canceled or failed; what keeps one that is committed from being complete. */
  readonly code: string | null;
  /** Claims since its last progress. */
  readonly attempts: number;
  readonly completed: number | null;
  /** When its publisher was about to write what says that it is complete: from then on it is not given up, whoever asks. */
  readonly committed: number | null;
  readonly manifestSha256: string | null;
  /** Whether it is a delta that was built and has no part. */
  readonly noChange: boolean;
};

/** A part that is finished and will not change. */
export type DeliveryPart = {
  /** Place in the order of building, from 0 on. */
  readonly ordinal: number;
  /** How the manifest calls it. */
  readonly number: number;
  readonly dataset: string;
  /** Of its bytes, in lower-case hexadecimal; they are kept under it. */
  readonly sha256: string;
  readonly byteLength: number;
  readonly rows: number;
  /** Where the next part of the dataset starts, as text of whoever builds; null: there is none. */
  readonly next: string | null;
  /** What the manifest says of it, as JSON text. */
  readonly entry: string;
};

/** A manifest as it was sealed. */
export type SealedManifest = {
  /** Its bytes in UTF-8, as a text: the SHA-256 and the signature are over them. */
  readonly text: string;
  readonly sha256: string;
  /** The detached signature, as JSON text. */
  readonly signature: string;
};

/** A sealed manifest as the registry has it now. */
export type StoredManifest = SealedManifest & {
  /** SHA-256 of the signature's text when it was sealed; null: sealed by a version that did not keep it. */
  readonly signatureSha256: string | null;
};

/** Whether a delivery is of a time in which it may be fetched. */
export const isServed = ({ state, expires }: Pick<Delivery, "state" | "expires">, at: number): boolean =>
  state === "complete" && at < expires;
