import type { StructuralProperty, StructuredProperty } from "../model/types.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, type SqlFragment } from "../sql/fragment.ts";
import type { PointIndex } from "./point-index.ts";
import type { SearchIndex } from "./search-index.ts";
import type { TextIndex } from "./text-index.ts";

/**
 * Column of a property's values, and the encoding of the values. Without `encoding`, the default encoding of the
 * dialect.
 */
export type Column = {
  readonly sql: SqlFragment;
  readonly encoding?: EncodingName;
  /**
   * For dictionary-encoded columns, whose values are kept in another table: the codes. `sql` is the decoded value.
   */
  readonly codes?: ColumnDictionary;
  /** For points: the spatial index on them. */
  readonly index?: PointIndex;
  /** For texts: the trigram index on them. */
  readonly texts?: TextIndex;
};

/** The codes that a dictionary-encoded column holds in place of its values. */
export type ColumnDictionary = {
  readonly sql: SqlFragment;
  /** Returns the subquery that gives the codes of a list of values. */
  readonly of: (values: SqlFragment) => SqlFragment;
  /** Returns the code of a value, which never changes; undefined if only the subquery can find it. */
  readonly known?: (value: unknown) => unknown;
  /** Adds a hint for the planner to a condition that compares codes. By default there is none. */
  readonly hint?: (condition: SqlFragment) => SqlFragment;
};

/** Maps an entity set to the database. The caller defines it: any table, view or subquery will do. */
export type Mapping = {
  /** The contents of the `from` clause. */
  readonly from: SqlFragment;
  /** A condition on the rows of `from`, placed before the conditions of the query. */
  readonly where?: SqlFragment;
  readonly column: (property: StructuralProperty) => Column;
  /**
   * Returns the path of a property that is not a column. Without one, paths through the property are refused, and a
   * collection of primitive values is a JSON array in its column.
   */
  readonly path?: (property: StructuralProperty | StructuredProperty) => Path | undefined;
  /**
   * Returns the column that holds a property's text as `foldCase` returns it, for `$ignorecase`. Without one, the
   * folded text is computed.
   */
  readonly folded?: (property: StructuralProperty) => Column | undefined;
  /**
   * True if indexes hold the rows in the requested order. Then a page after the first is read as consecutive ranges
   * of its index, which costs as much as the first page; without an index, a single scan is cheaper. By default
   * true if the order begins with a property.
   */
  readonly ranges?: boolean;
  /**
   * A property that precedes the order in indexes. If the filter lists several of its values, none twice, a page is merged from the rows of
   * each value: each part is read in the order of an index on the property and the order, and rows of other values are not read. The rows
   * also contain the values of the order, as `sort0`, `sort1`, ….
   */
  readonly dividedBy?: StructuralProperty;
  /**
   * True if hardly any rows are read, for example because the key is given. Then no lookup table is built for lists
   * of values.
   */
  readonly readsFewRows?: boolean;
  /**
   * Table and identity of the rows of `from`. With it, a merged page sorts identities only, and reads the columns of the rows that are left: for
   * a database that sorts whole rows.
   */
  readonly identity?: { readonly from: SqlFragment; readonly row: SqlFragment };
  /** The index for `$search`. Without one, the texts themselves are searched. */
  readonly search?: SearchIndex;
};

/** The part of a mapping that resolves the properties of an entity or complex value. */
export type MemberMapping = Pick<Mapping, "column" | "path" | "folded" | "search">;

/**
 * A pair of columns that must be equal: one of the row that a path starts at, one of the row it leads to. Null
 * equals nothing.
 */
export type Join = { readonly parent: SqlFragment; readonly child: SqlFragment };

/** Target of a path. Column names need no qualifiers, even if both rows have columns of the same name. */
export type Path =
  /**
   * Related entities, or complex values stored as rows of `mapping`, which is a function because paths may be
   * cyclic.
   */
  | { readonly kind: "rows"; readonly mapping: () => Mapping; readonly on: readonly Join[] }
  /**
   * A complex value in columns of the row itself. `present` is null if the value is null; its members are null too
   * then.
   */
  | { readonly kind: "members"; readonly members: MemberMapping; readonly present?: SqlFragment }
  /** A complex value, or a collection of complex values, as JSON: all of `json`, or the part at the path `at`. */
  | { readonly kind: "json"; readonly json: SqlFragment; readonly at?: readonly string[] }
  /** Items of a collection of primitive values, one per row. `order` is the position of an item in the collection. */
  | {
      readonly kind: "items";
      readonly from: SqlFragment;
      readonly on: readonly Join[];
      readonly item: Column;
      readonly order?: SqlFragment;
    };

/**
 * Maps a table that has one column per property. A column has the property's name, unless `names` gives it another
 * one; `paths` holds the paths of properties by name.
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
