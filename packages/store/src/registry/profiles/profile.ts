/** How listings of a dataset are to be presented, and what its MLS asks of who does. */
export type MlsProfile = {
  /** UUID. */
  readonly datasetId: string;
  /** Name for presentation and attribution. */
  readonly displayName: string;
  /** Name of the originating system in full. */
  readonly fullName: string;
  readonly disclaimer: string;
  readonly logoUrl: string;
  readonly rulesUrl: string;
  /** How often copies must be brought up to date at least, in hours. */
  readonly updateHours: number;
  /** When it was approved, in milliseconds since 1970; null: it is a draft, which customers do not see. */
  readonly approved: number | null;
};

/** The profiles of datasets. Every method throws {@link StoreError} `registry_unavailable`. */
export type ProfileRegistry = {
  /** Put a profile in place of the dataset's earlier one. */
  readonly set: (profile: MlsProfile) => Promise<void>;
  readonly find: (datasetId: string) => Promise<MlsProfile | undefined>;
  /** Those of all datasets, by id. */
  readonly list: () => Promise<readonly MlsProfile[]>;
};
