import type { Delivery, DeliveryPart } from "./delivery.ts";

/** Permission to fetch one part. Its token is not stored. */
export type PartGrant = {
  /** SHA-256 of the token, in lower-case hexadecimal. */
  readonly digest: string;
  readonly customer: string;
  /** Id of the API key that the token was issued to. */
  readonly apiKey: string;
  readonly delivery: string;
  /** Number of the part; 0 for the manifest. */
  readonly part: number;
  /** Hash of the customer's scope when the token was issued. */
  readonly scopeSha256: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
};

/** A grant with the values of its delivery and part that are needed to send the part. */
export type FoundGrant = {
  readonly grant: PartGrant;
  readonly delivery: Pick<Delivery, "mode" | "state" | "expires" | "scopeSha256">;
  /** Undefined if the grant is for the manifest, or the part was purged. */
  readonly part: Pick<DeliveryPart, "sha256" | "byteLength"> | undefined;
  /** True if the part, or the manifest if the grant is for it, is marked as damaged. */
  readonly isDamaged: boolean;
};

/** Stored grants. Every method throws {@link StoreError} `registry_unavailable`. */
export type PartGrants = {
  readonly add: (grant: PartGrant) => Promise<void>;
  /** Returns the grant of a token digest, even if it has expired, with its delivery and part. */
  readonly find: (digest: string) => Promise<FoundGrant | undefined>;
};
