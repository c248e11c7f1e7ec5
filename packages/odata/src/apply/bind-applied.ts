import { bindExpression, bindFilter, bindOrderBy } from "../bound/bind.ts";
import { computedProjection } from "../bound/compute.ts";
import type { BindOptions } from "../bound/context.ts";
import { segmentsOf, unknownProperty, withoutCasts } from "../bound/path.ts";
import type { QueryParts } from "../bound/query.ts";
import { bindSelect } from "../bound/select.ts";
import { checkSize } from "../bound/size.ts";
import { type BoundNode, constant } from "../bound/tree.ts";
import { isStructure, typeName } from "../bound/typing.ts";
import { QueryError } from "../errors.ts";
import type { StructuredProperty, StructuredType } from "../model/types.ts";
import type { ComputeItem, SelectItem } from "../syntax/items.ts";
import { checkAlias, namesIn, stableOrder } from "./apply-scope.ts";
import { type AppliedField, type AppliedQuery, type BoundApply, columnPath } from "./bound-apply.ts";

/**
 * Binds the options of a query over the result of `$apply`: they name the properties of the result. Rows that `$orderby` leaves equal stay in
 * the order of the result. `$search` is refused unless the rows are still entities. Source: OData Extension for Data Aggregation 4.0, section 3.
 *
 * @throws {QueryError} whose `option` names the option at fault
 */
export function bindApplied(
  apply: BoundApply,
  { filter, search, orderBy, select, compute, top, skip = 0, after = null }: QueryParts,
  given: Omit<BindOptions, "computed"> = {},
): AppliedQuery {
  if (search !== undefined) {
    const feature = "`$search` after `$apply` (use the transformation `search`)";
    throw new QueryError("not_supported", search, { feature }, "$search");
  }
  const { entitySet } = apply.output;
  const output = inOption("$compute", () => withCompute(apply, compute, given));
  const options = output.computed.size === 0 ? given : { ...given, computed: output.computed };
  const condition = filter && inOption("$filter", () => bindFilter(filter, entitySet, options));
  const items = orderBy && inOption("$orderby", () => bindOrderBy(orderBy, entitySet, options));
  const all = output.columns.map((column) => ({ ...column, isDynamic: isDynamic(column, apply) }));
  const fields = inOption("$select", () => selectFields(select, all, entitySet.type));
  const projections = output.isEntities
    ? inOption("$select", () => bindSelect(select, entitySet, output.computed))
    : fields.map((field) => ({
        property: { ...field.property, name: columnPath(field) },
        expression: field.expression,
      }));
  return {
    apply,
    fields: output.isEntities ? [] : fields,
    query: {
      entitySet,
      filter: condition ?? constant(true),
      orderBy: stableOrder(items ?? [], output.orderBy),
      select: projections,
      top,
      skip,
      after,
    },
  };
}

function inOption<T>(option: string, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    throw error instanceof QueryError ? error.in(option) : error;
  }
}

/** True for a property that the type of the first set does not declare. Nested properties are declared: no alias has a slash. */
const isDynamic = ({ path }: Pick<AppliedField, "path">, { entitySet: { type } }: BoundApply): boolean =>
  path.length === 1 && !type.properties.has(path[0] ?? "");

/** Adds the properties of `$compute` to the output. */
function withCompute(
  { entitySet, output }: BoundApply,
  items: readonly ComputeItem[] = [],
  options: BindOptions,
): Pick<BoundApply["output"], "isEntities" | "columns" | "computed" | "orderBy"> {
  const computed = new Map<string, BoundNode>(output.computed);
  const columns = [...output.columns];
  for (const item of items) {
    const { name, expression } = item;
    checkAlias(name, item, "$compute", namesIn({ columns }), { entitySet });
    const node = bindExpression(expression, output.entitySet, { ...options, computed });
    if (isStructure(node.type))
      throw new QueryError("type_mismatch", item, { operator: "$compute", actual: typeName(node.type) });
    computed.set(name, node);
    checkSize([...computed.values()], item);
    columns.push({ path: [name], property: computedProjection(name, node).property, expression: node });
  }
  return { ...output, columns, computed };
}

/** Returns the fields that `$select` names, with all properties of what it names a part of. */
function selectFields(
  items: readonly SelectItem[] | undefined,
  all: readonly AppliedField[],
  type: StructuredType,
): readonly AppliedField[] {
  if (items === undefined || items.some(({ path }) => path[0] === "*")) return all;
  const selected = new Set<AppliedField>();
  for (const item of items) {
    if (item.options !== null)
      throw new QueryError("not_supported", item, { feature: "options inside `$select`" });
    const segments = withoutCasts(segmentsOf(item.path, item.start), type);
    const names = segments.map(({ name }) => name);
    const found = all.filter(({ path }) => names.every((name, i) => path[i] === name));
    if (found.length === 0) throw unknownField(segments, type);
    for (const field of found) selected.add(field);
  }
  return all.filter((field) => selected.has(field));
}

/** Returns the error for the first segment of a path that does not exist. */
function unknownField(segments: ReturnType<typeof segmentsOf>, root: StructuredType): QueryError {
  let type: StructuredType | undefined = root;
  for (const { name, span } of segments) {
    // Below a primitive value there is nothing to suggest.
    if (type === undefined) return new QueryError("unknown_property", span, { name });
    const below: StructuredProperty | undefined = type.structured?.get(name);
    if (below === undefined && !type.properties.has(name)) return unknownProperty(name, span, type);
    type = below?.target();
  }
  return new QueryError("unknown_property", null, {});
}
