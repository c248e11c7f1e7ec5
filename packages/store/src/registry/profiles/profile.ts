/** Display rules of a dataset: how to present its listings, and what its MLS requires of those who do. */
export type MlsProfile = {
  /** UUID. */
  readonly datasetId: string;
  /** Name for display and attribution. */
  readonly displayName: string;
  /** Full name of the originating system. */
  readonly fullName: string;
  readonly disclaimer: string;
  readonly logoUrl: string;
  readonly rulesUrl: string;
  /** Maximum age of a copy, in hours, before it must be updated. */
  readonly updateHours: number;
  /** Time of approval in milliseconds since 1970; null for a draft, which customers do not see. */
  readonly approved: number | null;
};

/** The profiles of datasets. Every method throws {@link StoreError} `registry_unavailable`. */
export type ProfileRegistry = {
  /** Sets the profile of a dataset, replacing an earlier one. */
  readonly set: (profile: MlsProfile) => Promise<void>;
  readonly find: (datasetId: string) => Promise<MlsProfile | undefined>;
  /** All profiles, ordered by dataset id. */
  readonly list: () => Promise<readonly MlsProfile[]>;
};
