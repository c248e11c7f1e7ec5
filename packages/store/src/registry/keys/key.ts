/** Live keys that a customer may have: one in use, and one to change over to. */
export const maxLiveKeys = 2;

/** An API key, of which the text is nowhere. Times are in milliseconds since 1970. */
export type ApiKeyRecord = {
  /** ULID: sorts by the time of creation. */
  readonly id: string;
  readonly customer: string;
  /** The first characters of the key, by which its owner knows it. */
  readonly prefix: string;
  /** HMAC-SHA256 of the key, in lower-case hexadecimal. */
  readonly digest: string;
  /** Version of the pepper that the digest is made with. */
  readonly pepper: number;
  readonly created: number;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** As of the last time that it was noted. */
  readonly lastUsed: number | null;
};

export type NewApiKey = Pick<ApiKeyRecord, "customer" | "prefix" | "digest" | "pepper" | "expires">;

/** Whether a key lets its owner in at a time. */
export const isInForce = ({ expires, revoked }: ApiKeyRecord, at: number): boolean =>
  (expires === null || at < expires) && (revoked === null || at < revoked);

/** The API keys. Times are in milliseconds since 1970; every method throws {@link StoreError} `registry_unavailable`. */
export type KeyRegistry = {
  /** @throws {StoreError} `unknown_customer`, `too_many_keys` */
  readonly add: (key: NewApiKey, at: number) => Promise<ApiKeyRecord>;
  /** The key with one of the digests. */
  readonly find: (digests: readonly string[]) => Promise<ApiKeyRecord | undefined>;
  /** All keys, or those of a customer, with the oldest of each first. */
  readonly list: (customer?: string) => Promise<readonly ApiKeyRecord[]>;
  /**
   * Put a new key beside the one of that id, which expires at `end` or when it would have before. All or nothing.
   *
   * @throws {StoreError} `unknown_key`, `key_not_in_force`, `too_many_keys`
   */
  readonly rotate: (
    id: string,
    key: Omit<NewApiKey, "customer">,
    times: { readonly at: number; readonly end: number },
  ) => Promise<{ readonly added: ApiKeyRecord; readonly ending: ApiKeyRecord }>;
  /**
   * End a key at once. One that is revoked stays as it is.
   *
   * @throws {StoreError} `unknown_key`
   */
  readonly revoke: (id: string, at: number) => Promise<ApiKeyRecord>;
  /** Note that a key was used, and keep it under this digest unless it is under a later pepper's. */
  readonly noteUse: (
    id: string,
    use: Pick<ApiKeyRecord, "digest" | "pepper"> & { readonly at: number },
  ) => Promise<void>;
};
