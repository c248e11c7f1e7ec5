/** A redirect from an id of a physical property to a Placekey: a request for the id returns the property of the Placekey. */
export type Resolution = {
  /** `prov:<ULID>`, or a Placekey that was replaced by another one. */
  readonly id: string;
  readonly placekey: string;
  /** Milliseconds since 1970. */
  readonly resolved: number;
};

/** Sets the Placekey of a listing in place of the one from its source. Null removes such an entry. */
export type CrosswalkEntry = { readonly listing: string; readonly placekey: string | null };

/**
 * Resolved ids of physical properties, and Placekeys assigned to listings. Every method throws {@link StoreError}
 * `registry_unavailable`.
 */
export type IdentityRegister = {
  /**
   * Resolves an id to a Placekey, and replaces an earlier resolution. If the id is already resolved to this Placekey, nothing is
   * changed.
   *
   * @throws {StoreError} `identity_circle` if the Placekey resolves to the id, directly or through others
   */
  readonly resolve: (id: string, placekey: string, at: number) => Promise<Resolution>;
  /** Removes the resolution of an id. Returns false if it has none. */
  readonly release: (id: string) => Promise<boolean>;
  /** All resolutions, ordered by id. */
  readonly resolutions: () => Promise<readonly Resolution[]>;
  /** Number that increases whenever a resolution is set or removed. */
  readonly revision: () => Promise<number>;
  /** Assigns Placekeys to listings of a source. They take effect when the listings are next ingested. */
  readonly assign: (source: string, entries: readonly CrosswalkEntry[]) => Promise<void>;
  /** Returns the assigned Placekeys of listings of a source, by listing. */
  readonly assigned: (source: string, listings: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};
