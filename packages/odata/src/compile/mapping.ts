import type { StructuralProperty } from "../model/types.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, type SqlFragment } from "../sql/fragment.ts";
import type { PointIndex } from "./point-index.ts";
import type { SearchIndex } from "./search-index.ts";

/** Where the values of a property are, and in what form. Without `encoding`: in the dialect's own. */
export type Column = {
  readonly sql: SqlFragment;
  readonly encoding?: EncodingName;
  /** Of points: the index that finds them by place. */
  readonly index?: PointIndex;
};

/** Where an entity set lies in the database. The caller's: any table, view or subquery will do. */
export type Mapping = {
  /** What follows `from`. */
  readonly from: SqlFragment;
  /** A condition on the rows of `from`, looked at before those of the query. */
  readonly where?: SqlFragment;
  readonly column: (property: StructuralProperty) => Column;
  /** Where the text of a property is kept as `foldCase` gives it, for `$ignorecase`. Without: it is computed. */
  readonly folded?: (property: StructuralProperty) => Column | undefined;
  /**
   * Whether indexes hold the rows in the order asked for. Then a page after the first is read in ranges of its index,
   * which costs what the first page does; without an index one scan costs less. By default where the order begins with
   * a property.
   */
  readonly ranges?: boolean;
  /** What serves `$search`. Without: the texts themselves are searched. */
  readonly search?: SearchIndex;
};

/** A table with a column of the property's name for every property, or of another name where `names` has one. */
export const tableMapping = (table: string, names: Readonly<Record<string, string>> = {}): Mapping => ({
  from: identifier(table),
  column: ({ name }) => ({ sql: identifier(names[name] ?? name) }),
});
