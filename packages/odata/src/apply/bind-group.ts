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
  checkAlias,
  countNodes,
  derivedSet,
  namesIn,
  optionsIn,
  type Transformed,
} from "./apply-scope.ts";
import {
  type AggregationMethod,
  type ApplyColumn,
  type BoundAggregate,
  columnPath,
  type GroupStep,
} from "./bound-apply.ts";

/** Binds transformations that are applied one after the other. */
export type BindSequence = (
  transformations: readonly Transformation[],
  scope: ApplyScope,
  context: ApplyContext,
) => Transformed;

/** Binds `aggregate`: one row of the aggregates of all rows. */
export const bindAggregate = (
  transformation: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
): Transformed => grouped([], bindAggregates(transformation, scope, context), null, scope, context);

/**
 * Binds `groupby`. What is applied to each group may be `filter`, `search`, `compute` and `identity`, and then `aggregate`. A group whose
 * rows the filter drops is still a row of the result. Source: OData Extension for Data Aggregation 4.0, section 3.2.3.1.
 */
export function bindGroupBy(
  { args }: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
  bindSequence: BindSequence,
): Transformed {
  const keys = new Map<string, ApplyColumn>();
  let [inner, condition]: [ApplyScope, BoundNode | null] = [scope, null];
  let aggregates: readonly BoundAggregate[] = [];
  for (const arg of args) {
    if (arg.kind === "Grouping") {
      for (const item of arg.items) {
        const key = bindKey(item, scope, context);
        keys.set(columnPath(key), key);
      }
    } else if (arg.kind === "Sequence") {
      const before = arg.transformations.slice(0, -1);
      const last = arg.transformations.at(-1);
      for (const one of before) if (!rowWise.has(one.name)) throw notInGroup(one);
      if (last === undefined) continue;
      if (last.name !== "aggregate") throw rowWise.has(last.name) ? withoutAggregate(last) : notInGroup(last);
      const { steps, scope: current } = bindSequence(before, scope, context);
      const conditions = steps.flatMap((step) => (step.kind === "Filter" ? [step.condition] : []));
      if (conditions.length > 0) condition = allOf(...conditions);
      inner = current;
      context.transformations += 1;
      aggregates = bindAggregates(last, inner, context);
    }
  }
  return grouped([...keys.values()], aggregates, condition, scope, context);
}

/** Transformations that treat each row by itself. */
const rowWise: ReadonlySet<string> = new Set(["filter", "search", "compute", "identity"]);

function notInGroup({ name, start }: Transformation): QueryError {
  const feature = `the transformation \`${name}\` in \`groupby\``;
  return new QueryError("not_supported", { start, end: start + name.length }, { feature });
}

const withoutAggregate = (last: Transformation): QueryError =>
  new QueryError("not_supported", last, {
    feature: "`groupby` without `aggregate` as its last transformation",
  });

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
    scope: { entitySet, isEntities: false, columns, computed: new Map(), orderBy, structures: null, copies },
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
