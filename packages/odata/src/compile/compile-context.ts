import type { BoundNode, BoundType } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { EncodingName } from "../sql/encoding.ts";
import type { SqlFragment } from "../sql/fragment.ts";
import type { MemberMapping } from "./mapping.ts";
import type { ValueSource } from "./value-source.ts";

/**
 * Treatment of null in a compiled condition. `exact`: null where OData says null. `truth`: only true matters
 * (directly below `where`, `and` and `or`), so null may stand for false; comparisons are then compiled without
 * `coalesce`, so that an index can serve them.
 */
export type NullMode = "exact" | "truth";

/** Compilation context, passed down. Only the scope of variables grows on the way. */
export type CompileContext = {
  readonly dialect: Dialect;
  /** The row context of the queried entity. */
  readonly place: RowContext;
  readonly values: ValueSource;
  /** Conditions of the filter that every matching row meets. */
  readonly required: readonly BoundNode[];
  /** See `Mapping.readsFewRows`. */
  readonly readsFewRows: boolean;
  /** Variables of the enclosing lambdas, outermost first. Names from the query text never become SQL. */
  readonly variables: readonly Variable[];
  /**
   * Compiles an expression. Passed as a member because operands contain collections and predicates, which contain
   * operands.
   */
  readonly operand: (node: BoundNode, target: CompileContext) => Operand;
  readonly predicate: (node: BoundNode, target: CompileContext, mode: NullMode) => SqlFragment;
};

/** Value of a variable: a primitive value, or the row of an entity or complex value. */
export type Variable = { readonly name: string; readonly operand: Operand; readonly place?: RowContext };

/** Alias of a variable's items. It is made from the depth, because SQL does not distinguish `a` from `A`. */
export const aliasOf = (depth: number): string => `item${depth}`;

/** Adds a variable to the scope, for the inside of a lambda. */
export const withVariable = (target: CompileContext, variable: Variable): CompileContext => ({
  ...target,
  variables: [...target.variables, variable],
});

/** A compiled value, and its encoding in SQL. */
export type Operand = {
  readonly sql: SqlFragment;
  readonly type: BoundType;
  readonly nullable: boolean;
  readonly form: EncodingName;
  /** Digits after the point of a scaled integer; null for other forms. */
  readonly scale: number | null;
  /**
   * True for the value of a column. A null collection in a column is empty, whereas a computed null collection is
   * null.
   */
  readonly isColumn?: true;
};

/** Row context: the row whose columns an expression reads. */
export type RowContext = {
  readonly members: MemberMapping;
  /**
   * Reads a column of the row and returns the name it has inside {@link RowContext.outside}. `key` identifies the
   * column.
   */
  readonly read: (key: string, column: SqlFragment) => SqlFragment;
  /**
   * Turns a value of the row into an expression that is valid at the current point of the statement. Call it after
   * all columns are read.
   */
  readonly outside: (value: SqlFragment) => SqlFragment;
  /** Prefix of the keys of columns: the path of complex properties that leads here. */
  readonly prefix: string;
  /** True if the row or the complex value may be missing. */
  readonly optional: boolean;
  /** Lowest depth whose alias is not in use. */
  readonly free: number;
};
