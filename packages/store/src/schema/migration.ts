/** Callbacks of a migration to the present schema. */
export type Migration = {
  /**
   * Called before an existing database is changed, while no other process can write to it. Use it to copy the database. If it throws,
   * the database is unchanged.
   */
  readonly before?: (() => Promise<void>) | undefined;
  /** Called with each step, such as `Property: building index Property_City`. */
  readonly onProgress?: ((step: string) => void) | undefined;
};

/** Options for the schema of a database that is opened. */
export type SchemaOptions = {
  /**
   * Version of the caller's resources, which rises with every release that changes them. A database that was opened with a higher
   * version is refused. By default versions are not compared.
   */
  readonly version?: number | undefined;
  /** True if the database must be one of a store already: an empty or foreign one is refused. By default it becomes one. */
  readonly existing?: boolean | undefined;
  /** Callbacks of a migration, or `refuse` to refuse a database of an earlier schema. By default it is migrated. */
  readonly migration?: Migration | "refuse" | undefined;
};
