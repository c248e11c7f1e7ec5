import type { BoundNode, BoundOrderBy, BoundQuery } from "../bound/tree.ts";
import type { EntitySet, StructuralProperty } from "../model/types.ts";

/** Standard aggregation methods. Source: OData Extension for Data Aggregation 4.0, section 3.2.1.3. */
export type AggregationMethod = "sum" | "min" | "max" | "average" | "countdistinct";

/** One item of `aggregate`: the property that holds the result, and what it aggregates. */
export type BoundAggregate = {
  readonly property: StructuralProperty;
  /** `count` counts rows and has no operand. */
  readonly method: AggregationMethod | "count";
  readonly operand: BoundNode | null;
};

/** A property of the rows of a set, and the expression of its value over the rows that the set is made of. */
export type ApplyColumn = {
  /** Names from the row to the property: `["Customer", "Country"]`. */
  readonly path: readonly string[];
  readonly property: StructuralProperty;
  readonly expression: BoundNode;
};

/** Keeps the rows for which the condition is true. */
type FilterStep = { readonly kind: "Filter"; readonly condition: BoundNode };

/**
 * Keeps `top` rows (all, if null) after the first `skip` in a total order, of each group of rows with equal values of `partition`. The order
 * of the result is stated by later steps.
 */
type LimitStep = {
  readonly kind: "Limit";
  readonly partition: readonly BoundNode[];
  readonly orderBy: readonly BoundOrderBy[];
  readonly skip: number;
  readonly top: number | null;
};

/**
 * Suppression of small groups. A group of entities is left out
 *
 * - if it has fewer entities than `least` (primary suppression);
 * - if what was left out before has fewer than `least` in all, and no other group has fewer: the difference to a total would tell of them
 *   (complementary suppression);
 * - if the entities that its filters leave out are fewer than `least`: the difference to the result without filters would tell of them
 *   (query set size restriction).
 *
 * An aggregate of fewer values than `least` is null.
 */
export type CellRule = {
  /** Least number of entities in a group: 1 or more. */
  readonly least: number;
  /** Condition on the entities that the caller may see. */
  readonly rows: BoundNode;
  /** Condition of the filters before the step; constantly true without one. */
  readonly passed: BoundNode;
};

/**
 * Replaces each group of rows with equal keys by one row of the keys and the aggregates. Null equals null. Without keys there is exactly
 * one row, also for no rows. Aggregates see only the rows of the group that meet the condition.
 */
export type GroupStep = {
  readonly kind: "Group";
  readonly keys: readonly ApplyColumn[];
  readonly aggregates: readonly BoundAggregate[];
  readonly condition: BoundNode | null;
  /** Rule for groups that are too small to be shown. By default all are shown. */
  readonly cells?: CellRule;
};

/** One parameter of `concat`: its steps, the total order of their result, and its value of each column of the concatenation. */
export type ConcatBranch = {
  readonly steps: readonly ApplyStep[];
  readonly orderBy: readonly BoundOrderBy[];
  /** Null where the rows of the branch do not have the column. */
  readonly columns: readonly (BoundNode | null)[];
  /** Number of the structure of a row, see {@link ApplyOutput.structures}. */
  readonly structure: BoundNode;
};

/**
 * Concatenates the results of branches over the same rows. Its rows also have the properties {@link branchProperty}, {@link placeProperty}
 * and {@link structureProperty}.
 */
type ConcatStep = {
  readonly kind: "Concat";
  readonly columns: readonly Pick<ApplyColumn, "path" | "property">[];
  readonly branches: readonly ConcatBranch[];
};

/** A step of a bound `$apply`. Computed properties and orders are no steps: they are part of the expressions that use them. */
export type ApplyStep = FilterStep | LimitStep | GroupStep | ConcatStep;

/** The set that the transformations result in. */
export type ApplyOutput = {
  /** Set that expressions over the rows are bound to. Unless the rows are entities, its type has no key. */
  readonly entitySet: EntitySet;
  /** True if the rows are entities of the first set, perhaps with computed properties. */
  readonly isEntities: boolean;
  /** All properties of the rows, including computed ones. */
  readonly columns: readonly ApplyColumn[];
  readonly computed: ReadonlyMap<string, BoundNode>;
  /** Total order of the rows. */
  readonly orderBy: readonly BoundOrderBy[];
  /**
   * After `concat`: the paths that rows have, joined by slashes, by the number in {@link structureProperty}. Other properties of such a row
   * are absent. Null if all rows have all properties.
   */
  readonly structures: ReadonlyMap<number, ReadonlySet<string>> | null;
};

/** A bound `$apply`. */
export type BoundApply = {
  /** The first set. */
  readonly entitySet: EntitySet;
  readonly steps: readonly ApplyStep[];
  readonly output: ApplyOutput;
};

/** A query over the result of `$apply`: its `entitySet` is that of the output. */
export type AppliedQuery = {
  readonly apply: BoundApply;
  readonly query: BoundQuery;
  /** The selected properties, in the order of `query.select`, unless the rows are entities. */
  readonly fields: readonly AppliedField[];
};

/** A property of a record of the answer. */
export type AppliedField = ApplyColumn & {
  /** True if the first set's type does not declare it: an aggregate or a computed property. */
  readonly isDynamic: boolean;
};

const hidden = (name: string): StructuralProperty => ({
  name,
  type: "Edm.Int64",
  collection: false,
  nullable: false,
});

/** Number of the branch of a row after `concat`, counted from 0. No name in a query begins with `$`. */
export const branchProperty: StructuralProperty = hidden("$branch");
/** Number of the row within its branch, counted from 1. */
export const placeProperty: StructuralProperty = hidden("$place");
/** Number of the row's structure. */
export const structureProperty: StructuralProperty = hidden("$structure");

export const columnPath = ({ path }: Pick<ApplyColumn, "path">): string => path.join("/");
