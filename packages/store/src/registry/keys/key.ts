/** Maximum number of live keys of a customer: one in use, and one to change over to. */
export const maxLiveKeys = 2;

/** An API key, without its text, which is not stored. Times are in milliseconds since 1970. */
export type ApiKeyRecord = {
  /** ULID, which sorts by the time of creation. */
  readonly id: string;
  readonly customer: string;
  /** The first characters of the key, for its owner to recognize it. */
  readonly prefix: string;
  /** HMAC-SHA256 of the key, in lower-case hexadecimal. */
  readonly digest: string;
  /** Version of the pepper that the digest was computed with. */
  readonly pepper: number;
  readonly created: number;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** Last recorded time of use. Not every use is recorded. */
  readonly lastUsed: number | null;
};

export type NewApiKey = Pick<ApiKeyRecord, "customer" | "prefix" | "digest" | "pepper" | "expires">;

/** True if a key gives access at a time. */
export const isInForce = ({ expires, revoked }: ApiKeyRecord, at: number): boolean =>
  (expires === null || at < expires) && (revoked === null || at < revoked);

/** The API keys. Times are in milliseconds since 1970. Every method throws {@link StoreError} `registry_unavailable`. */
export type KeyRegistry = {
  /** @throws {StoreError} `unknown_customer`, `too_many_keys` */
  readonly add: (key: NewApiKey, at: number) => Promise<ApiKeyRecord>;
  /** Returns the key with one of the digests. */
  readonly find: (digests: readonly string[]) => Promise<ApiKeyRecord | undefined>;
  /** Returns all keys, or those of a customer, ordered by customer and age, oldest first. */
  readonly list: (customer?: string) => Promise<readonly ApiKeyRecord[]>;
  /**
   * Adds a new key, and lets the key `id` expire at `end`, or earlier if it already does. Both happen in one transaction.
   *
   * @throws {StoreError} `unknown_key`, `key_not_in_force`, `too_many_keys`
   */
  readonly rotate: (
    id: string,
    key: Omit<NewApiKey, "customer">,
    times: { readonly at: number; readonly end: number },
  ) => Promise<{ readonly added: ApiKeyRecord; readonly ending: ApiKeyRecord }>;
  /**
   * Revokes a key immediately. A key that is already revoked keeps its time.
   *
   * @throws {StoreError} `unknown_key`
   */
  readonly revoke: (id: string, at: number) => Promise<ApiKeyRecord>;
  /** Records a use of a key. Replaces its digest by one of the same or a later pepper version. */
  readonly noteUse: (
    id: string,
    use: Pick<ApiKeyRecord, "digest" | "pepper"> & { readonly at: number },
  ) => Promise<void>;
};
