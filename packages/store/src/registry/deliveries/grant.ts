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

/** The grants of parts. Every method throws {@link StoreError} `registry_unavailable`. */
export type PartGrants = {
  readonly add: (grant: PartGrant) => Promise<void>;
  /** The grant of a token's digest, expired or not. */
  readonly find: (digest: string) => Promise<PartGrant | undefined>;
};
