import { type BoundNode, type BoundQuery, constant } from "../bound/tree.ts";
import type { CompileContext, Operand } from "../compile/compile-context.ts";
import { compileOperand } from "../compile/expression.ts";
import { fold } from "../compile/fold.ts";
import type { Mapping } from "../compile/mapping.ts";
import { toComputedOperand } from "../compile/operand.ts";
import { targetOf } from "../compile/query.ts";
import { compileOrder, compileSort } from "../compile/select.ts";
import { valuesOf } from "../compile/value-source.ts";
import type { EntitySet } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import { identifier, type SqlFragment, sql } from "../sql/fragment.ts";

/** Rows during `$apply`: the mapping that reads them, that of the first set, and their set. */
export type AppliedRows = {
  readonly mapping: Mapping;
  readonly first: Mapping;
  readonly entitySet: EntitySet;
  readonly isEntities: boolean;
  /** Number of the columns of the mapping that hold places in groups. */
  readonly places: number;
};

/** Returns a query for all of a set. */
export const queryOver = (entitySet: EntitySet, orderBy: BoundQuery["orderBy"] = []): BoundQuery => ({
  entitySet,
  filter: constant(true),
  orderBy,
  select: [],
  top: 0,
  skip: 0,
  after: null,
});

/** Returns the context in which expressions over rows are compiled. */
export const compileContextOf = ({ mapping, entitySet }: AppliedRows, dialect: Dialect): CompileContext =>
  targetOf(dialect, mapping, valuesOf(queryOver(entitySet)));

/** Returns the `where` of a mapping, or nothing. */
export const whereOf = ({ where }: Mapping): SqlFragment =>
  where === undefined ? sql`` : sql` where ${where}`;

/** Compiles the items of an `order by`; undefined if there are none. */
export function sortOf(orderBy: BoundQuery["orderBy"], { entitySet }: AppliedRows, context: CompileContext) {
  const { items } = compileOrder(queryOver(entitySet, orderBy), [], context, null);
  return items.length === 0 ? undefined : compileSort(items, context);
}

/**
 * Compiles an expression as a column of a derived table. A property keeps the encoding of its column, so that indexes serve; everything
 * else has the computed form of its type.
 */
export function selectedValue(expression: BoundNode, context: CompileContext): Operand {
  const folded = fold(expression);
  const operand = compileOperand(folded, context);
  return isPlain(folded, operand) ? operand : toComputedOperand(operand, context);
}

const isPlain = ({ kind }: BoundNode, { isColumn }: Operand): boolean =>
  kind === "Property" && isColumn === true;

/** Returns the name of a key in a derived table. */
export const innerKey = (i: number): SqlFragment => identifier(`key${i}`);
