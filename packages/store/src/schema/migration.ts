/** How a store that finds an earlier schema brings the database to its own. */
export type Migration = {
  /**
   * Called before anything of an existing database is changed, while no other process can write to it: the place to make a
   * copy. If it throws, the database is left as it is.
   */
  readonly before?: (() => Promise<void>) | undefined;
  /** Called with each step, such as `Property: building index Property_City`. */
  readonly onProgress?: ((step: string) => void) | undefined;
};

/** What a caller says of the schema of a database that it opens. */
export type SchemaOptions = {
  /**
   * Number of the caller's resources: it rises with every release that changes them. A database that was opened with a higher
   * number is refused. By default numbers are not compared.
   */
  readonly version?: number | undefined;
  /** How a database of an earlier schema is migrated, or that it is refused. By default it is migrated. */
  readonly migration?: Migration | "refuse" | undefined;
};
