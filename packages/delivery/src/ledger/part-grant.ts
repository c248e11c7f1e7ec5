import type { Delivery, DeliveryPart } from "./delivery.ts";

/** Leave to fetch one part, of which the token is nowhere. */
export type PartGrant = {
  /** SHA-256 of the token, in lower-case hexadecimal. */
  readonly digest: string;
  readonly customer: string;
  /** Id of the API key that it was given to. */
  readonly apiKey: string;
  readonly delivery: string;
  /** Number of the part; 0: the manifest. */
  readonly part: number;
  /** What the customer was granted when it was given. */
  readonly scopeSha256: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
};

/** A grant, and as much of its delivery and its part as it takes to send the part. */
export type FoundGrant = {
  readonly grant: PartGrant;
  readonly delivery: Pick<Delivery, "mode" | "state" | "expires" | "scopeSha256">;
  /** Undefined if the grant is for the manifest, or the part was purged. */
  readonly part: Pick<DeliveryPart, "sha256" | "byteLength"> | undefined;
  /** True if the part, or the manifest if the grant is for it, is marked as damaged. */
  readonly isDamaged: boolean;
};

/** The grants of parts. Every method throws {@link StoreError} `registry_unavailable`. */
export type PartGrants = {
  readonly add: (grant: PartGrant) => Promise<void>;
  /** The grant of a token's digest, expired or not, with what it is for. */
  readonly find: (digest: string) => Promise<FoundGrant | undefined>;
};
