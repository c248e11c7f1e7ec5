import { QueryError } from "../errors.ts";
import type { EntitySet, Instant } from "../model/types.ts";
import type { OrderByItem } from "../syntax/items.ts";
import { defaultLimits } from "../syntax/limits.ts";
import type { Span, SyntaxNode } from "../syntax/tree.ts";
import { inAliasValue } from "./alias.ts";
import { checkAliases } from "./alias-limits.ts";
import { bindArithmetic, bindNegate } from "./arithmetic.ts";
import { bindCall, bindCase } from "./call.ts";
import { bindCompare } from "./comparison.ts";
import type { BindOptions, ComputedExpressions, Context } from "./context.ts";
import { enumTypeOf, underlyingNumber } from "./enumeration.ts";
import { bindHas } from "./has.ts";
import { bindCount, bindLambda, bindPredicate } from "./lambda.ts";
import { bindArray, bindGeo, bindLiteral } from "./literal.ts";
import { bindIn } from "./membership.ts";
import { bindMember, bindName } from "./path.ts";
import { checkDepth, checkSize } from "./size.ts";
import type { BoundNode, BoundOrderBy } from "./tree.ts";
import { isSortable, typeName } from "./typing.ts";

/**
 * Resolves every name in `node` against `entitySet` and gives every node a type.
 *
 * @throws {QueryError} with the span of the unknown name or the mismatched operand.
 */
export const bindExpression = (node: SyntaxNode, entitySet: EntitySet, options?: BindOptions): BoundNode =>
  checkTree(bind(node, rootContext([node], entitySet, options)), node, options);

/** Like {@link bindExpression}, for positions that require a boolean. */
export const bindFilter = (node: SyntaxNode, entitySet: EntitySet, options?: BindOptions): BoundNode =>
  checkTree(bindPredicate(node, rootContext([node], entitySet, options)), node, options);

/**
 * Binds the items of `$orderby`. `ignoreCase` does not apply to them. Collections, entities and geographies cannot
 * be sorted by.
 */
export function bindOrderBy(
  items: readonly OrderByItem[],
  entitySet: EntitySet,
  options?: BindOptions,
): readonly BoundOrderBy[] {
  const expressions = items.map(({ expression }) => expression);
  const context = rootContext(expressions, entitySet, { ...options, ignoreCase: false });
  return items.map(({ expression, direction }) => {
    const bound = bind(expression, context);
    if (!isSortable(bound.type))
      throw new QueryError("not_sortable", expression, { actual: typeName(bound.type) });
    return { expression: checkTree(inEnumOrder(bound), expression, options), direction };
  });
}

/** Returns what sorts as the values of the node do: enumerations sort by their underlying numbers. */
function inEnumOrder(node: BoundNode): BoundNode {
  const type = enumTypeOf(node);
  return type === undefined ? node : underlyingNumber(node, type);
}

/**
 * Refuses a tree that is too deep. A tree grows beyond its text only if it uses computed properties; then its size
 * is checked too.
 */
function checkTree(tree: BoundNode, span: Span, options: BindOptions | undefined): BoundNode {
  if (options?.computed === undefined) checkDepth(tree, span);
  else checkSize([tree], span);
  return tree;
}

const clock = (): Instant => ({ picoseconds: BigInt(Date.now()) * 1_000_000_000n, offset: 0 });

/** Returns the context of the expressions of one option, after checking them with {@link checkAliases}. */
function rootContext(
  expressions: readonly SyntaxNode[],
  { type }: EntitySet,
  {
    aliases = none,
    now = clock,
    ignoreCase = false,
    computed = noneComputed,
    limits = defaultLimits,
  }: BindOptions = {},
): Context {
  if (Object.keys(aliases).length > 0) checkAliases(expressions, aliases, limits);
  return {
    root: type,
    instance: { type },
    variables: [],
    aliases,
    openAlias: null,
    now,
    ignoreCase,
    computed,
    bind,
  };
}

const none: NonNullable<BindOptions["aliases"]> = {};
const noneComputed: ComputedExpressions = new Map();

function bind(node: SyntaxNode, context: Context): BoundNode {
  switch (node.kind) {
    case "Literal":
      return bindLiteral(node);
    case "Geo":
      return bindGeo(node);
    case "Array":
      return bindArray(node, context);
    case "Name":
      return bindName(node, context);
    case "Member":
      return bindMember(node, context);
    case "Alias":
      return inAliasValue(node, context, bind);
    case "Call":
      return bindCall(node, context);
    case "Case":
      return bindCase(node, context);
    case "Compare":
      return bindCompare(node, context);
    case "In":
      return bindIn(node, context);
    case "Has":
      return bindHas(node, context);
    case "Arithmetic":
      return bindArithmetic(node, context);
    case "Negate":
      return bindNegate(node, context);
    case "Lambda":
      return bindLambda(node, context);
    case "Count":
      return bindCount(node, context);
    case "Logical": {
      const operands = node.operands.map((operand) => bindPredicate(operand, context));
      return { kind: "Logical", type: "Edm.Boolean", operator: node.operator, operands };
    }
    case "Not":
      return { kind: "Not", type: "Edm.Boolean", operand: bindPredicate(node.operand, context) };
    case "Enum":
    case "Annotation":
    case "Key":
    case "Filter":
    case "Aggregation":
    case "Method":
    case "Type":
    case "List":
    case "Object":
    case "Root":
      throw new QueryError("not_supported", node, { feature: features[node.kind] });
  }
}

/** Names, for error messages, of the syntax that has no meaning for a single row of one entity set. */
const features = {
  Enum: "an enumeration literal here",
  Annotation: "an annotation",
  Key: "a key predicate in an expression",
  Filter: "`$filter` as a path segment",
  Aggregation: "`aggregate` as a path segment",
  Method: "a bound function",
  Type: "a type name here",
  List: "a list outside of `in`",
  Object: "a JSON object",
  Root: "`$root`",
} as const satisfies Partial<Record<SyntaxNode["kind"], string>>;
