/** A table, view or other object that has the name of a table that a load would use, from the database's catalog. */
export type Relation = {
  /** `table` for an ordinary table without partitions, children or hidden rows; else the kind in words, such as `view`. */
  readonly kind: string;
  readonly columns: readonly string[];
  /** Marks of copies that the table carries, see `SqlSession.mark`. */
  readonly marks: readonly string[];
  readonly primaryKey: readonly string[];
  /**
   * Tables with a foreign key to this one. A load deletes rows, and so changes rows of theirs or fails. A key that is checked at the end of the
   * transaction does not count, because the load has put the rows back by then.
   */
  readonly dependents: readonly string[];
};
