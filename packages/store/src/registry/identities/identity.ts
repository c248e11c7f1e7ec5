/** That what goes by one id is the physical property of a Placekey, and answers as that. */
export type Resolution = {
  /** `prov:<ULID>`, or a Placekey that another has taken the place of. */
  readonly id: string;
  readonly placekey: string;
  /** Milliseconds since 1970. */
  readonly resolved: number;
};

/** The Placekey of one listing, in place of what its source says; null: what its source says. */
export type CrosswalkEntry = { readonly listing: string; readonly placekey: string | null };

/**
 * What is known of physical properties beside their listings. Every method throws {@link StoreError} `registry_unavailable`.
 */
export type IdentityRegister = {
  /**
   * Resolve an id to a Placekey, whatever it was resolved to before. Resolved again to the same one, it stays as it is.
   *
   * @throws {StoreError} `identity_circle` if the Placekey answers as the id, directly or not
   */
  readonly resolve: (id: string, placekey: string, at: number) => Promise<Resolution>;
  /** Have an id stand for itself again. False: it does. */
  readonly release: (id: string) => Promise<boolean>;
  /** All resolutions, by id. */
  readonly resolutions: () => Promise<readonly Resolution[]>;
  /** Rises whenever a resolution is made or ended. */
  readonly revision: () => Promise<number>;
  /** Set the Placekeys of listings of a source; they count when the listings are ingested. */
  readonly assign: (source: string, entries: readonly CrosswalkEntry[]) => Promise<void>;
  /** The Placekeys that were set of these listings of a source, by listing. */
  readonly assigned: (source: string, listings: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};
