/** A table, view or whatever else has a name that a load would use, as the catalog of the database describes it. */
export type Relation = {
  /** `table` for an ordinary table, whose rows are its own alone; else its kind in words, such as `view`. */
  readonly kind: string;
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  /** Other tables whose rows are deleted or changed when rows of this one are deleted, by a foreign key. */
  readonly dependents: readonly string[];
};
