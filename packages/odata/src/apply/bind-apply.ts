import { bindExpression, bindFilter, bindOrderBy } from "../bound/bind.ts";
import { computedProjection } from "../bound/compute.ts";
import { bindSearch } from "../bound/search.ts";
import type { BoundNode } from "../bound/tree.ts";
import { isStructure, typeName } from "../bound/typing.ts";
import { fold } from "../compile/fold.ts";
import { QueryError } from "../errors.ts";
import type { EntitySet } from "../model/types.ts";
import type { ApplyArgument, Direction, OrderByItem, Transformation } from "../syntax/items.ts";
import { printExpression } from "../syntax/print/expression.ts";
import type { Span, SyntaxNode } from "../syntax/tree.ts";
import {
  type ApplyBindOptions,
  type ApplyContext,
  type ApplyScope,
  checkAlias,
  countNodes,
  entityScope,
  namesIn,
  optionsIn,
  stableOrder,
  type Transformed,
} from "./apply-scope.ts";
import { checkApplySize } from "./apply-size.ts";
import { bindConcat } from "./bind-concat.ts";
import { bindAggregate, bindGroupBy } from "./bind-group.ts";
import type { BoundApply } from "./bound-apply.ts";

/** Maximum number of transformations, nested ones included: each may nest the SQL one level deeper. */
const mostTransformations = 32;

/** Maximum number of items that rows are sorted by, including those that earlier orders leave. */
const mostOrderItems = 32;

/** Maximum number of properties that `$apply` adds to a row: PostgreSQL selects at most 1,664 values. */
const mostColumns = 1000;

/**
 * Binds a parsed `$apply` to an entity set. Orders are total: rows that an order leaves equal stay in the order of the set before it, which
 * is `defaultOrder` and the key for entities, and the grouping properties after `groupby`. Source: OData Extension for Data Aggregation 4.0,
 * section 3.
 *
 * @throws {QueryError} with the option `$apply`; `not_supported` for a transformation that is not offered
 */
export function bindApply(
  transformations: readonly Transformation[],
  entitySet: EntitySet,
  options: ApplyBindOptions = {},
): BoundApply {
  const context: ApplyContext = { entitySet, options, transformations: 0, structures: 0, nodes: 0 };
  try {
    const { steps, scope } = bindSequence(
      transformations,
      entityScope(entitySet, options.defaultOrder),
      context,
    );
    const span = { start: 0, end: transformations.at(-1)?.end ?? 0 };
    const order = scope.orderBy.map(({ expression }) => expression);
    checkApplySize(steps, [...scope.computed.values(), ...order], span);
    return { entitySet, steps, output: scope };
  } catch (error) {
    throw error instanceof QueryError ? error.in("$apply") : error;
  }
}

/** Binds transformations that are applied one after the other. */
function bindSequence(
  transformations: readonly Transformation[],
  scope: ApplyScope,
  context: ApplyContext,
): Transformed {
  let result: Transformed = { steps: [], scope };
  for (const transformation of transformations) {
    context.transformations += 1;
    if (context.transformations > mostTransformations) {
      const measure = "the number of transformations";
      throw new QueryError("query_too_complex", transformation, { measure, limit: mostTransformations });
    }
    const { steps, scope: next } = bindOne(transformation, result.scope, context);
    checkCounts(next, transformation);
    result = { steps: [...result.steps, ...steps], scope: next };
  }
  return result;
}

/** @throws {QueryError} `query_too_complex` if the rows have too many properties, or are sorted by too many */
function checkCounts({ orderBy, columns, isEntities, entitySet }: ApplyScope, span: Span): void {
  if (orderBy.length > mostOrderItems) {
    const measure = "the number of order items in `$apply`";
    throw new QueryError("query_too_complex", span, { measure, limit: mostOrderItems });
  }
  const own = isEntities ? entitySet.type.properties.size : 0;
  if (columns.length - own > mostColumns) {
    const measure = "the number of properties that `$apply` makes";
    throw new QueryError("query_too_complex", span, { measure, limit: mostColumns });
  }
}

type Binder = (transformation: Transformation, scope: ApplyScope, context: ApplyContext) => Transformed;

const binders: ReadonlyMap<string, Binder> = new Map<string, Binder>([
  ["identity", (_, scope) => ({ steps: [], scope })],
  ["filter", bindFilterStep],
  ["search", bindSearchStep],
  ["compute", bindComputeStep],
  ["orderby", bindOrderByStep],
  ["top", limit((count) => ({ skip: 0, top: count }))],
  ["skip", limit((count) => ({ skip: count, top: null }))],
  ["topcount", extreme("desc")],
  ["bottomcount", extreme("asc")],
  ["aggregate", bindAggregate],
  ["groupby", (one, scope, context) => bindGroupBy(one, scope, context, bindSequence)],
  ["concat", (one, scope, context) => bindConcat(one, scope, context, bindSequence)],
]);

function bindOne(transformation: Transformation, scope: ApplyScope, context: ApplyContext): Transformed {
  const { name, start } = transformation;
  const bind = binders.get(name);
  if (bind !== undefined) return bind(transformation, scope, context);
  const feature = name.includes(".")
    ? `the function \`${name}\` in \`$apply\``
    : `the transformation \`${name}\``;
  throw new QueryError("not_supported", { start, end: start + name.length }, { feature });
}

/** Returns the expressions among the arguments. */
const expressionArguments = (args: readonly ApplyArgument[]): readonly SyntaxNode[] =>
  args.flatMap((arg) => (arg.kind === "Expression" ? [arg.expression] : []));

function bindFilterStep({ args }: Transformation, scope: ApplyScope, context: ApplyContext): Transformed {
  const steps = expressionArguments(args).map((expression) => ({
    kind: "Filter" as const,
    condition: countNodes(
      bindFilter(expression, scope.entitySet, optionsIn(scope, context)),
      expression,
      context,
    ),
  }));
  return { steps, scope };
}

function bindSearchStep(
  transformation: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
): Transformed {
  if (!scope.isEntities) {
    const feature = "`search` after `groupby`, `aggregate` or `concat`";
    throw new QueryError("not_supported", transformation, { feature });
  }
  const steps = transformation.args.flatMap((arg) =>
    arg.kind === "Search"
      ? [
          {
            kind: "Filter" as const,
            condition: bindSearch(arg.search, scope.entitySet, context.options.searchable),
          },
        ]
      : [],
  );
  return { steps, scope };
}

function bindComputeStep({ args }: Transformation, scope: ApplyScope, context: ApplyContext): Transformed {
  let current = scope;
  for (const arg of args) {
    if (arg.kind !== "Compute") continue;
    for (const item of arg.items) {
      const { name, expression } = item;
      checkAlias(name, item, "compute", namesIn(current), context);
      const bound = bindExpression(expression, current.entitySet, optionsIn(current, context));
      const node = countNodes(bound, item, context);
      if (isStructure(node.type))
        throw new QueryError("type_mismatch", item, { operator: "compute", actual: typeName(node.type) });
      const computed = new Map([...current.computed, [name, node]]);
      current = withComputed(current, name, node, computed);
    }
  }
  return { steps: [], scope: current };
}

/** Adds a computed property to a scope. */
function withComputed(
  scope: ApplyScope,
  name: string,
  node: BoundNode,
  computed: ApplyScope["computed"],
): ApplyScope {
  const { property } = computedProjection(name, node);
  const structures =
    scope.structures && new Map([...scope.structures].map(([i, paths]) => [i, new Set([...paths, name])]));
  return {
    ...scope,
    computed,
    structures,
    columns: [...scope.columns, { path: [name], property, expression: node }],
  };
}

function bindOrderByStep({ args }: Transformation, scope: ApplyScope, context: ApplyContext): Transformed {
  const items = args.flatMap((arg) => (arg.kind === "OrderBy" ? arg.items : []));
  const orderBy = bindOrderBy(items, scope.entitySet, optionsIn(scope, context));
  for (const [i, { expression }] of orderBy.entries())
    countNodes(expression, items[i] as OrderByItem, context);
  return { steps: [], scope: { ...scope, orderBy: stableOrder(orderBy, scope.orderBy) } };
}

/** Binds `top` or `skip`. */
function limit(of: (count: number) => { readonly skip: number; readonly top: number | null }): Binder {
  return ({ name, args }, scope, context) => {
    const [expression] = expressionArguments(args);
    const count = expression === undefined ? 0 : countOf(expression, name, 0, scope, context);
    return {
      steps: [{ kind: "Limit", partition: scope.partition, orderBy: scope.orderBy, ...of(count) }],
      scope,
    };
  };
}

/** Binds `topcount` or `bottomcount`. The rows that are left stay in the order of the set before. */
function extreme(direction: Direction): Binder {
  return ({ name, args }, scope, context) => {
    const [number, expression] = expressionArguments(args);
    if (number === undefined || expression === undefined) return { steps: [], scope };
    const top = countOf(number, name, 1, scope, context);
    const item: OrderByItem = { start: expression.start, end: expression.end, expression, direction };
    const first = bindOrderBy([item], scope.entitySet, optionsIn(scope, context));
    for (const { expression: node } of first) countNodes(node, item, context);
    const orderBy = stableOrder(first, scope.orderBy);
    return { steps: [{ kind: "Limit", partition: scope.partition, orderBy, skip: 0, top }], scope };
  };
}

/** Longest text of an expression in an error message. */
const longestText = 40;

/**
 * Returns the number of rows that a constant states.
 *
 * @throws {QueryError} `invalid_option` for anything but a whole number of at least `least`
 */
function countOf(
  expression: SyntaxNode,
  name: string,
  least: number,
  scope: ApplyScope,
  context: ApplyContext,
): number {
  const node = fold(bindExpression(expression, scope.entitySet, optionsIn(scope, context)));
  const value = node.kind === "Constant" && typeof node.value === "bigint" ? Number(node.value) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  const expected = `a whole number from ${least} on`;
  const text = printExpression(expression).slice(0, longestText);
  throw new QueryError("invalid_option", expression, { name, expected, text });
}
