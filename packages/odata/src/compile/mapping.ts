import type { StructuralProperty, StructuredProperty } from "../model/types.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, type SqlFragment } from "../sql/fragment.ts";
import type { PointIndex } from "./point-index.ts";
import type { SearchIndex } from "./search-index.ts";

/** Where the values of a property are, and in what form. Without `encoding`: in the dialect's own. */
export type Column = {
  readonly sql: SqlFragment;
  readonly encoding?: EncodingName;
  /**
   * Where the values lie in another table: what is held in their stead. `sql` gives the value itself.
   */
  readonly codes?: Codes;
  /** Of points: the index that finds them by place. */
  readonly index?: PointIndex;
};

/** What a column holds in the stead of values that lie in another table. */
export type Codes = {
  readonly sql: SqlFragment;
  /** The subquery that gives the codes of a list of values. */
  readonly of: (values: SqlFragment) => SqlFragment;
  /** The code of a value, which never changes; undefined where only the subquery knows it. */
  readonly known?: (value: unknown) => unknown;
  /** Adds a hint for the planner to a condition that compares codes. By default there is none. */
  readonly hint?: (condition: SqlFragment) => SqlFragment;
};

/** Where an entity set lies in the database. The caller's: any table, view or subquery will do. */
export type Mapping = {
  /** What follows `from`. */
  readonly from: SqlFragment;
  /** A condition on the rows of `from`, looked at before those of the query. */
  readonly where?: SqlFragment;
  readonly column: (property: StructuralProperty) => Column;
  /**
   * Where a property leads that is no column. Undefined: nowhere, so a path is refused, and a collection of
   * primitive values is a JSON array in its column.
   */
  readonly path?: (property: StructuralProperty | StructuredProperty) => Path | undefined;
  /** Where the text of a property is kept as `foldCase` gives it, for `$ignorecase`. Without: it is computed. */
  readonly folded?: (property: StructuralProperty) => Column | undefined;
  /**
   * Whether indexes hold the rows in the order asked for. Then a page after the first is read in ranges of its index,
   * which costs what the first page does; without an index one scan costs less. By default where the order begins with
   * a property.
   */
  readonly ranges?: boolean;
  /**
   * A property that indexes have before the order. If the filter lists several of its values, none twice, a page is merged from the rows
   * of each value: an index on the property and the order then serves it, and rows of other values are not read. The rows have the
   * values of the order too, as `sort0`, `sort1`, ….
   */
  readonly dividedBy?: StructuralProperty;
  /** Whether hardly a row is looked at, as where the key is given: nothing is made first to find values in. */
  readonly few?: boolean;
  /** What serves `$search`. Without: the texts themselves are searched. */
  readonly search?: SearchIndex;
};

/** What the properties of one entity or complex value need to be found. */
export type Members = Pick<Mapping, "column" | "path" | "folded" | "search">;

/** Columns of the row that a path leaves and of the one it reaches, which are equal. Null equals nothing. */
export type Join = { readonly parent: SqlFragment; readonly child: SqlFragment };

/** Where a path leads. Nobody qualifies a column: both rows may have columns of one name. */
export type Path =
  /** Related entities, or complex values that are rows: of `mapping`, deferred since paths may go round. */
  | { readonly kind: "rows"; readonly mapping: () => Mapping; readonly on: readonly Join[] }
  /** A complex value within the row itself. `present` is null where the value is, and then so are its members. */
  | { readonly kind: "members"; readonly members: Members; readonly present?: SqlFragment }
  /** A complex value, or a collection of them, as JSON: all of `json`, or what the names `at` lead to in it. */
  | { readonly kind: "json"; readonly json: SqlFragment; readonly at?: readonly string[] }
  /** Items of a collection of primitive values, one a row. `order` is theirs in the collection. */
  | {
      readonly kind: "items";
      readonly from: SqlFragment;
      readonly on: readonly Join[];
      readonly item: Column;
      readonly order?: SqlFragment;
    };

/**
 * A table with a column of the property's name for every property, or of another name where `names` has one,
 * and with the paths that `paths` has by the name of their property.
 */
export const tableMapping = (
  table: string,
  names: Readonly<Record<string, string>> = {},
  paths: Readonly<Record<string, Path>> = {},
): Mapping => ({
  from: identifier(table),
  column: ({ name }) => ({ sql: identifier(names[name] ?? name) }),
  path: ({ name }) => (Object.hasOwn(paths, name) ? paths[name] : undefined),
});
