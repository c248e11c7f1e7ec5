import type { BoundNode } from "../bound/tree.ts";
import { compareRows, evaluate, matches, type Row } from "../evaluate/evaluate.ts";
import { compareValues } from "../model/compare.ts";
import type { EdmNumber } from "../model/numbers.ts";
import { toSortable } from "../model/sortable.ts";
import type { PrimitiveType, StructuralProperty } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import {
  type ApplyStep,
  type BoundAggregate,
  type BoundApply,
  branchProperty,
  type CellRule,
  type ConcatBranch,
  type GroupStep,
  placeProperty,
  structureProperty,
} from "./bound-apply.ts";
import { isTellable, leftOut } from "./cell-rule.ts";
import { ExactSum } from "./exact-sum.ts";

/**
 * Applies `$apply` to the rows of the first set, in JSON form, and returns the rows of the result in no particular order: sort them by the
 * order of the query. This is the reference semantics that every dialect must agree with. Numbers of the result are exact: decimals are
 * objects of big.js, and integers bigints.
 */
export const evaluateApply = ({ steps }: Pick<BoundApply, "steps">, rows: readonly Row[]): readonly Row[] =>
  applySteps(steps, rows, rows);

/** @param all the rows of the first set */
const applySteps = (steps: readonly ApplyStep[], rows: readonly Row[], all: readonly Row[]): readonly Row[] =>
  steps.reduce((current, step) => applyStep(step, current, all), rows);

function applyStep(step: ApplyStep, rows: readonly Row[], all: readonly Row[]): readonly Row[] {
  switch (step.kind) {
    case "Filter":
      return rows.filter((row) => matches(step.condition, row));
    case "Limit": {
      const { partition, orderBy, skip, top } = step;
      const end = top === null ? undefined : skip + top;
      return groupsOf(partition, rows).flatMap((group) =>
        group.rows.toSorted((a, b) => compareRows(orderBy, a, b)).slice(skip, end),
      );
    }
    case "Group":
      return groupRows(step, rows, all);
    case "Concat":
      return step.branches.flatMap((branch, i) =>
        branchRows(branch, rows, all).map((row, place) => ({
          ...rowOf(
            step.columns.map((column, k) => ({ ...column, value: valueIn(branch.columns[k] ?? null, row) })),
          ),
          [branchProperty.name]: i,
          [placeProperty.name]: place + 1,
          [structureProperty.name]: evaluate(branch.structure, row),
        })),
      );
  }
}

const branchRows = (
  { steps, orderBy }: ConcatBranch,
  rows: readonly Row[],
  all: readonly Row[],
): readonly Row[] => applySteps(steps, rows, all).toSorted((a, b) => compareRows(orderBy, a, b));

/** Value of a column that a row does not have. */
const absent = Symbol("absent");

const valueIn = (node: BoundNode | null, row: Row): unknown => (node === null ? absent : evaluate(node, row));

type ColumnValue = {
  readonly path: readonly string[];
  readonly property: StructuralProperty;
  readonly value: unknown;
};

/** Returns the row with these values, nested by their paths. */
function rowOf(values: readonly ColumnValue[]): Row {
  const row: Record<string, unknown> = {};
  for (const { path, property, value } of values) {
    let parent = row;
    for (const name of path.slice(0, -1)) {
      const below = (parent[name] ?? {}) as Record<string, unknown>;
      parent[name] = below;
      parent = below;
    }
    if (value !== absent) parent[property.name] = toJsonForm(value, property);
  }
  return row;
}

/** Types whose values in memory are also accepted in the JSON form of a row, without a loss. */
const exactTypes: ReadonlySet<PrimitiveType> = new Set([
  "Edm.Decimal",
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
]);

function toJsonForm(value: unknown, { type, collection }: StructuralProperty): unknown {
  const item = (one: unknown) => (one === null || exactTypes.has(type) ? one : codecOf(type).toJson(one));
  return collection ? (value as readonly unknown[]).map(item) : item(value);
}

/** Rows with equal values of some expressions. */
type RowGroup = { readonly values: readonly unknown[]; readonly rows: Row[] };

/** Divides rows by the values of expressions. Without expressions there is one group. */
function groupsOf(expressions: readonly BoundNode[], rows: readonly Row[]): readonly RowGroup[] {
  if (expressions.length === 0) return [{ values: [], rows: [...rows] }];
  const groups = new Map<string, RowGroup>();
  for (const row of rows) {
    const values = expressions.map((expression) => evaluate(expression, row));
    const id = JSON.stringify(values.map(valueId));
    const group = groups.get(id) ?? { values, rows: [] };
    groups.set(id, group);
    group.rows.push(row);
  }
  return [...groups.values()];
}

/** A group, and those of its rows that meet the condition of the step. */
type Cell = RowGroup & { readonly members: readonly Row[] };

function groupRows(
  { keys, aggregates, condition, cells: rule }: GroupStep,
  rows: readonly Row[],
  all: readonly Row[],
): readonly Row[] {
  const expressions = keys.map(({ expression }) => expression);
  const cells = groupsOf(expressions, rows).map(
    (group): Cell => ({
      ...group,
      members: condition === null ? group.rows : group.rows.filter((row) => matches(condition, row)),
    }),
  );
  const shown = rule === undefined ? cells : tellableCells(cells, rule, all);
  return shown.map(({ values, members }) =>
    rowOf([
      ...keys.map(({ path, property }, i) => ({ path, property, value: values[i] })),
      ...aggregates.map((one) => ({
        path: [one.property.name],
        property: one.property,
        value: aggregateOf(one, members, rule?.least ?? 0),
      })),
    ]),
  );
}

/** Returns the groups that are large enough, see {@link CellRule}. */
function tellableCells(cells: readonly Cell[], rule: CellRule, all: readonly Row[]): readonly Cell[] {
  const left = leftOut(rule);
  if (left !== undefined && !isTellable(all.filter((row) => matches(left, row)).length, rule)) return [];
  const sizes = cells.map(({ members }) => members.length);
  const small = sizes.filter((size) => size < rule.least).reduce((sum, size) => sum + size, 0);
  const next = Math.min(...sizes.filter((size) => size >= rule.least));
  return cells.filter(
    ({ rows, members }) =>
      members.length >= rule.least &&
      isTellable(rows.length - members.length, rule) &&
      (isTellable(small, rule) || members.length > next),
  );
}

/** Returns a text or boolean that is equal for equal values of one type only. */
function valueId(value: unknown): unknown {
  if (typeof value === "object" && value !== null && "picoseconds" in value) return String(value.picoseconds);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  const number = value as EdmNumber;
  return toSortable(number) ?? number.toString();
}

/** @param least an aggregate of fewer values is null */
function aggregateOf(
  { method, operand, property: { type } }: BoundAggregate,
  rows: readonly Row[],
  least: number,
): unknown {
  if (operand === null) return BigInt(rows.length);
  const values = rows.map((row) => evaluate(operand, row)).filter((value) => value !== null);
  if (values.length < least) return null;
  switch (method) {
    case "count":
      return BigInt(rows.length);
    case "countdistinct":
      return BigInt(new Set(values.map(valueId)).size);
    case "min":
      return values.reduce((a, b) => (a === undefined || compareValues(b, a) < 0 ? b : a), undefined) ?? null;
    case "max":
      return values.reduce((a, b) => (a === undefined || compareValues(b, a) > 0 ? b : a), undefined) ?? null;
    default: {
      const sum = new ExactSum();
      for (const value of values) sum.add(value as EdmNumber);
      if (type === "Edm.Decimal") return method === "sum" ? sum.decimal() : sum.decimalAverage();
      return method === "sum" ? sum.double() : sum.doubleAverage();
    }
  }
}
