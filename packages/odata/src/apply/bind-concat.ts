import { type BoundNode, propertyNode } from "../bound/tree.ts";
import { QueryError } from "../errors.ts";
import type { StructuralProperty } from "../model/types.ts";
import type { Transformation } from "../syntax/items.ts";
import type { Span } from "../syntax/tree.ts";
import {
  type ApplyContext,
  type ApplyScope,
  ascending,
  type BindSequence,
  derivedSet,
  pathsIn,
  type Transformed,
} from "./apply-scope.ts";
import {
  type ApplyColumn,
  branchProperty,
  type ConcatBranch,
  columnPath,
  placeProperty,
  structureProperty,
} from "./bound-apply.ts";

/** Maximum number of rows that one entity may become: each `concat` multiplies the rows, and the size of the statement. */
const mostCopies = 16;

/** Maximum number of selected values, in all copies together. */
const mostValues = 4096;

/**
 * Binds `concat`. The rows are those of the first branch in its order, then those of the second one, and so on. Entities become rows of
 * their properties. Source: OData Extension for Data Aggregation 4.0, section 3.2.2.
 */
export function bindConcat(
  transformation: Transformation,
  scope: ApplyScope,
  context: ApplyContext,
  bindSequence: BindSequence,
): Transformed {
  const results = transformation.args.flatMap((arg) =>
    arg.kind === "Sequence" ? [bindSequence(arg.transformations, scope, context)] : [],
  );
  return concatenated(results, transformation, context);
}

/** Returns the concatenation of results over the same rows. */
export function concatenated(
  results: readonly Transformed[],
  span: Span,
  context: ApplyContext,
): Transformed {
  const copies = results.reduce((sum, { scope: result }) => sum + result.copies, 0);
  if (copies > mostCopies) {
    const measure = "the number of rows that `concat` makes of one";
    throw new QueryError("query_too_complex", span, { measure, limit: mostCopies });
  }
  const columns = mergedColumns(
    results.map((result) => result.scope),
    span,
  );
  if (copies * columns.length > mostValues) {
    const measure = "the number of values in `concat`";
    throw new QueryError("query_too_complex", span, { measure, limit: mostValues });
  }
  const structures = new Map<number, ReadonlySet<string>>();
  const branches = results.map(({ steps, scope: result }): ConcatBranch => {
    const own = new Map(result.columns.map((column) => [columnPath(column), column.expression]));
    for (const [i, paths] of result.structures ?? []) structures.set(i, paths);
    return {
      steps,
      orderBy: result.orderBy,
      columns: columns.map((column) => own.get(columnPath(column)) ?? null),
      structure: structureOf(result, structures, context),
    };
  });
  const derived = derivedSet(context.entitySet, columns);
  return {
    steps: [{ kind: "Concat", columns, branches }],
    scope: {
      ...derived,
      isEntities: false,
      computed: new Map(),
      orderBy: ascending([propertyNode(branchProperty), propertyNode(placeProperty)]),
      structures,
      copies,
      partition: [],
    },
  };
}

/** Returns the number of the structure of a branch's rows. Rows of an inner `concat` keep theirs. */
function structureOf(
  result: ApplyScope,
  structures: Map<number, ReadonlySet<string>>,
  context: ApplyContext,
): BoundNode {
  if (result.structures !== null) return propertyNode(structureProperty);
  const number = context.structures;
  context.structures += 1;
  structures.set(number, pathsIn(result));
  return { kind: "Constant", type: "Edm.Int64", value: BigInt(number) };
}

/**
 * Returns the columns of all branches.
 *
 * @throws {QueryError} `type_mismatch` if a name has two types
 */
function mergedColumns(
  scopes: readonly ApplyScope[],
  span: Span,
): readonly Pick<ApplyColumn, "path" | "property">[] {
  const merged = new Map<string, Pick<ApplyColumn, "path" | "property">>();
  for (const column of scopes.flatMap(({ columns }) => columns)) {
    const path = columnPath(column);
    const known = merged.get(path);
    if (known === undefined) {
      merged.set(path, { path: column.path, property: withoutFacets(column.property) });
      continue;
    }
    const types = [known.property, column.property].map(({ type, collection }) =>
      collection ? `Collection(${type})` : type,
    );
    if (types[0] !== types[1]) {
      const actual = `${types.join(" and ")}, the types of \`${path}\``;
      throw new QueryError("type_mismatch", span, { operator: "concat", actual });
    }
  }
  return [...merged.values()];
}

/** Returns a property without the facets in which the columns of several branches may differ. */
function withoutFacets({
  scale: _scale,
  precision: _precision,
  ...property
}: StructuralProperty): StructuralProperty {
  return { ...property, nullable: !property.collection };
}
