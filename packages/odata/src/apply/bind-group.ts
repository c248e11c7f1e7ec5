import { bindExpression } from "../bound/bind.ts";
import { computedProjection } from "../bound/compute.ts";
import { enumTypeOf } from "../bound/enumeration.ts";
import { allOf, type BoundNode } from "../bound/tree.ts";
import { isIntegral, isNumeric, isSortable, isStructure, typeName } from "../bound/typing.ts";
import { QueryError } from "../errors.ts";
import type { StructuralProperty } from "../model/types.ts";
import type { ApplyArgument, Transformation } from "../syntax/items.ts";
import type { AggregateItem, Span, SyntaxNode } from "../syntax/tree.ts";
import {
  type ApplyContext,
  type ApplyScope,
  ascending,
  type BindSequence,
  checkAlias,
  countNodes,
  derivedSet,
  namesIn,
  optionsIn,
  pathsIn,
  stableOrder,
  type Transformed,
} from "./apply-scope.ts";
import { concatenated } from "./bind-concat.ts";
import {
  type AggregationMethod,
  type ApplyColumn,
  type ApplyStep,
  type BoundAggregate,
  columnPath,
  type GroupStep,
} from "./bound-apply.ts";

/** Binds `aggregate`: one row of the aggregates of all rows. */
export const bindAggregate = (
  transformation: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
): Transformed => grouped([], bindAggregates(transformation, scope, context), null, scope, context);

/**
 * Binds `groupby`. Each group may be aggregated, or narrowed to some of its rows. A group whose rows a filter drops is still aggregated.
 * Source: OData Extension for Data Aggregation 4.0, section 3.2.3.1.
 */
export function bindGroupBy(
  transformation: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
  bindSequence: BindSequence,
): Transformed {
  const keys = bindKeys(transformation, scope, context);
  const sequence = transformation.args.flatMap((arg) => (arg.kind === "Sequence" ? arg.transformations : []));
  const last = sequence.at(-1);
  if (last === undefined) return grouped(keys, [], null, scope, context);
  const isAggregated = last.name === "aggregate";
  const before = isAggregated ? sequence.slice(0, -1) : sequence;
  for (const one of before) if (!ofGroups.has(one.name)) throw notInGroup(one);
  const partition = keys.map(({ expression }) => expression);
  const { steps, scope: inner } = bindSequence(before, { ...scope, partition }, context);
  if (!isAggregated) return narrowed(keys, steps, inner, transformation, context);
  context.transformations += 1;
  const aggregates = bindAggregates(last, inner, context);
  if (steps.every(({ kind }) => kind === "Filter")) {
    const conditions = steps.flatMap((step) => (step.kind === "Filter" ? [step.condition] : []));
    const condition = conditions.length === 0 ? null : allOf(...conditions);
    return grouped(keys, aggregates, condition, scope, context);
  }
  if (steps.some(mayEmpty)) {
    const feature = "`aggregate` in `groupby` after `skip` or `top(0)`, or after a limit and `filter`,";
    throw new QueryError("not_supported", last, { feature });
  }
  const result = grouped(keys, aggregates, null, inner, context);
  return { ...result, steps: [...steps, ...result.steps] };
}

/** Transformations that each group may be narrowed by, before `aggregate` or instead of it. */
const ofGroups: ReadonlySet<string> = new Set([
  "filter",
  "search",
  "compute",
  "identity",
  "orderby",
  "top",
  "skip",
  "topcount",
  "bottomcount",
]);

/** True for a step that may leave no row of a group, which must be aggregated all the same. */
const mayEmpty = (step: ApplyStep): boolean => step.kind !== "Limit" || step.skip > 0 || step.top === 0;

function notInGroup({ name, start }: Transformation): QueryError {
  const feature = `the transformation \`${name}\` in \`groupby\``;
  return new QueryError("not_supported", { start, end: start + name.length }, { feature });
}

/** Binds the grouping properties. One that is named twice counts once. */
function bindKeys(
  { args }: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
): readonly ApplyColumn[] {
  const items = args.flatMap((arg) => (arg.kind === "Grouping" ? arg.items : []));
  const keys = items.map((item) => bindKey(item, scope, context));
  return [...new Map(keys.map((key) => [columnPath(key), key])).values()];
}

/** Returns the rows that are left of the groups, group by group. Entities stay entities unless a key is behind a path. */
function narrowed(
  keys: readonly ApplyColumn[],
  steps: readonly ApplyStep[],
  inner: ApplyScope,
  span: Span,
  context: ApplyContext,
): Transformed {
  const known = pathsIn(inner);
  const added = keys.filter((key) => !known.has(columnPath(key)));
  const first = ascending(keys.map(({ expression }) => expression));
  const scope: ApplyScope = {
    ...inner,
    partition: [],
    columns: [...inner.columns, ...added],
    orderBy: stableOrder(first, inner.orderBy),
  };
  return added.length === 0 ? { steps, scope } : concatenated([{ steps, scope }], span, context);
}

/** Returns the group step and its result. */
function grouped(
  keys: readonly ApplyColumn[],
  aggregates: readonly BoundAggregate[],
  condition: BoundNode | null,
  { copies }: ApplyScope,
  { entitySet: source }: ApplyContext,
): Transformed {
  const step: GroupStep = { kind: "Group", keys, aggregates, condition };
  const { entitySet, columns } = derivedSet(source, [
    ...keys,
    ...aggregates.map(({ property }) => ({ path: [property.name], property })),
  ]);
  const orderBy = ascending(columns.slice(0, keys.length).map(({ expression }) => expression));
  return {
    steps: [step],
    scope: {
      entitySet,
      isEntities: false,
      columns,
      computed: new Map(),
      orderBy,
      structures: null,
      copies,
      partition: [],
    },
  };
}

const unsupportedItems: Readonly<Record<string, string>> = {
  Rollup: "`rollup` in `groupby`",
  RollupRecursive: "`rolluprecursive` in `groupby`",
};

/** Binds a grouping property. */
function bindKey(item: SyntaxNode | ApplyArgument, scope: ApplyScope, context: ApplyContext): ApplyColumn {
  const path = pathOfNode(item as SyntaxNode);
  if (path === undefined) {
    const feature =
      unsupportedItems[item.kind] ?? "anything but a path of single-valued properties in `groupby`";
    throw new QueryError("not_supported", item as Span, { feature });
  }
  const node = item as SyntaxNode;
  const bound = bindExpression(node, scope.entitySet, optionsIn(scope, context));
  const expression = countNodes(bound, node, context);
  const name = path.at(-1) ?? "";
  if (isStructure(expression.type)) {
    const feature = `grouping by \`${path.join("/")}\`, which is no primitive value (name a property of it),`;
    throw new QueryError("not_supported", node, { feature });
  }
  if (!isSortable(expression.type))
    throw new QueryError("type_mismatch", node, { operator: "groupby", actual: typeName(expression.type) });
  const property: StructuralProperty =
    expression.kind === "Property"
      ? { ...expression.property, name, nullable: true }
      : computedProjection(name, expression).property;
  return { path, property, expression };
}

/** Returns the names of a path, without casts and `$it`; undefined for what is no path of names. */
function pathOfNode(node: SyntaxNode): readonly string[] | undefined {
  const isProperty = (name: string) => !name.includes(".") && !name.startsWith("$");
  if (node.kind === "Name") return isProperty(node.name) ? [node.name] : [];
  if (node.kind !== "Member") return undefined;
  const base = pathOfNode(node.base);
  return base && (isProperty(node.name) ? [...base, node.name] : base);
}

function bindAggregates(
  { args }: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
): readonly BoundAggregate[] {
  const used = new Set(namesIn(scope));
  return args.flatMap((arg) => {
    if (arg.kind !== "Aggregate") return [];
    const aggregate = bindItem(arg, scope, context);
    checkAlias(aggregate.property.name, arg, "aggregate", used, context);
    used.add(aggregate.property.name);
    return [aggregate];
  });
}

/** Type of counts. Source: OData Extension for Data Aggregation 4.0, section 3.2.1.4. */
const countProperty = (name: string): StructuralProperty => ({
  name,
  type: "Edm.Decimal",
  collection: false,
  nullable: true,
  scale: 0,
});

function bindItem(item: AggregateItem, scope: ApplyScope, context: ApplyContext): BoundAggregate {
  const { expression, method, from, alias } = item;
  if (from.length > 0) throw notSupported("`from` in `aggregate`", item);
  const isCount = expression.kind === "Name" && expression.name === "$count";
  if (isCount && alias !== null) return { property: countProperty(alias), method: "count", operand: null };
  if (expression.kind === "Count" && method === null)
    throw notSupported(
      "`$count` of a path in `aggregate` (add up the counts: `…/$count with sum as …`)",
      item,
    );
  if (method === null || alias === null) throw notSupported("a custom aggregate", item);
  const result = results.get(method.toLowerCase());
  if (result === undefined) throw notSupported(`the aggregation method \`${method}\``, item);
  const bound = bindExpression(expression, scope.entitySet, optionsIn(scope, context));
  const operand = countNodes(bound, item, context);
  const property = result.of(operand, alias);
  if (property === undefined)
    throw new QueryError("type_mismatch", item, { operator: result.method, actual: typeName(operand.type) });
  return { property, method: result.method, operand };
}

const notSupported = (feature: string, span: Span) => new QueryError("not_supported", span, { feature });

/** Result of an aggregation method: undefined if the method cannot be applied to the operand. */
type MethodResult = {
  readonly method: AggregationMethod;
  readonly of: (operand: BoundNode, name: string) => StructuralProperty | undefined;
};

const property = (name: string, type: StructuralProperty["type"]): StructuralProperty => ({
  name,
  type,
  collection: false,
  nullable: true,
});

/** Sums and averages of integers and decimals are decimals, those of singles and doubles are doubles. */
const arithmeticResult: MethodResult["of"] = ({ type }, name) => {
  if (type !== "Null" && !isNumeric(type)) return undefined;
  const isDecimal = type === "Null" || isIntegral(type) || type === "Edm.Decimal";
  return property(name, isDecimal ? "Edm.Decimal" : "Edm.Double");
};

/** The least and the greatest value have the type of the operand. Members of an enumeration are not ordered by their text. */
const orderedResult: MethodResult["of"] = (operand, name) => {
  if (isStructure(operand.type) || !isSortable(operand.type) || enumTypeOf(operand) !== undefined)
    return undefined;
  return operand.kind === "Property"
    ? { ...operand.property, name, nullable: true }
    : computedProjection(name, operand).property;
};

const results: ReadonlyMap<string, MethodResult> = new Map(
  (
    [
      { method: "sum", of: arithmeticResult },
      { method: "average", of: arithmeticResult },
      { method: "min", of: orderedResult },
      { method: "max", of: orderedResult },
      {
        method: "countdistinct",
        of: ({ type }, name) => (!isStructure(type) && isSortable(type) ? countProperty(name) : undefined),
      },
    ] satisfies readonly MethodResult[]
  ).map((result) => [result.method, result]),
);
