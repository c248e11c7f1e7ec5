/** Callbacks of a migration to the current schema. */
export type Migration = {
  /**
   * Called before an existing database is changed, while no other process can write to it. Use it to copy the database. If it throws,
   * the database is unchanged.
   */
  readonly before?: (() => Promise<void>) | undefined;
  /** Called with each step, such as `Property: building index Property_City`. */
  readonly onProgress?: ((step: string) => void) | undefined;
};

/** Options for opening a database with regard to its schema. */
export type SchemaOptions = {
  /**
   * Version of the caller's resources; increase it with every release that changes them. A database that was opened with a higher
   * version is refused. By default versions are not compared.
   */
  readonly version?: number | undefined;
  /**
   * True if the database must already contain a store: an empty or foreign database is refused. By default the tables are
   * created.
   */
  readonly existing?: boolean | undefined;
  /**
   * Callbacks of the migration, or `refuse` to refuse a database with an earlier schema. By default the database is migrated.
   */
  readonly migration?: Migration | "refuse" | undefined;
};
