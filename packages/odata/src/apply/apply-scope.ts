import type { BindOptions } from "../bound/context.ts";
import { mapChildren } from "../bound/rewrite.ts";
import { type BoundNode, type BoundOrderBy, propertyNode, type StructureNode } from "../bound/tree.ts";
import { QueryError } from "../errors.ts";
import type { EntitySet, EntityType, StructuralProperty, StructuredType } from "../model/types.ts";
import type { Transformation } from "../syntax/items.ts";
import { defaultLimits, tooComplex } from "../syntax/limits.ts";
import type { Span } from "../syntax/tree.ts";
import { type ApplyColumn, type ApplyOutput, type ApplyStep, columnPath } from "./bound-apply.ts";

/** Inputs of binding `$apply` besides its text. */
export type ApplyBindOptions = Omit<BindOptions, "computed"> & {
  /** Names of the properties that the entities are sorted by, ascending, before their key. */
  readonly defaultOrder?: readonly string[];
};

/** State common to all transformations of one `$apply`. */
export type ApplyContext = {
  readonly entitySet: EntitySet;
  readonly options: ApplyBindOptions;
  /** Number of transformations bound so far. */
  transformations: number;
  /** Number of structures of rows so far. */
  structures: number;
  /** Number of nodes of all expressions bound so far. */
  nodes: number;
};

/**
 * Counts the nodes of an expression, and returns it. A short text may bind the value of one parameter alias many times.
 *
 * @throws {QueryError} `query_too_complex`
 */
export function countNodes(node: BoundNode, span: Span, context: ApplyContext): BoundNode {
  const visit = (one: BoundNode): BoundNode => {
    context.nodes += 1;
    return mapChildren(one, visit);
  };
  visit(node);
  if (context.nodes > defaultLimits.nodes) throw tooComplex(defaultLimits, "nodes", span);
  return node;
}

/** The set before a transformation. */
export type ApplyScope = ApplyOutput & {
  /** Maximum number of copies of a row of the first set. */
  readonly copies: number;
  /** Inside `groupby`: the grouping properties. Transformations apply to each group. */
  readonly partition: readonly BoundNode[];
};

/** Binds transformations that are applied one after the other. */
export type BindSequence = (
  transformations: readonly Transformation[],
  scope: ApplyScope,
  context: ApplyContext,
) => Transformed;

/** Steps, and the set that they result in. */
export type Transformed = { readonly steps: readonly ApplyStep[]; readonly scope: ApplyScope };

/** Returns the binding options of expressions over the rows of a scope. */
export const optionsIn = ({ computed }: ApplyScope, { options }: ApplyContext): BindOptions =>
  computed.size === 0 ? options : { ...options, computed };

/** Returns the scope of the entities of a set. */
export function entityScope(entitySet: EntitySet, defaultOrder: readonly string[] = []): ApplyScope {
  const { properties, key } = entitySet.type;
  const names = [...new Set([...defaultOrder, ...key])];
  return {
    entitySet,
    isEntities: true,
    columns: [...properties.values()].map(columnOf),
    computed: new Map(),
    orderBy: ascending(names.flatMap((name) => properties.get(name) ?? []).map((one) => propertyNode(one))),
    structures: null,
    copies: 1,
    partition: [],
  };
}

const columnOf = (property: StructuralProperty): ApplyColumn => ({
  path: [property.name],
  property,
  expression: propertyNode(property),
});

export const ascending = (nodes: readonly BoundNode[]): readonly BoundOrderBy[] =>
  nodes.map((expression) => ({ expression, direction: "asc" }));

/** Appends an order to another one, without the properties that it already sorts by. */
export function stableOrder(
  first: readonly BoundOrderBy[],
  rest: readonly BoundOrderBy[],
): readonly BoundOrderBy[] {
  const known = new Set(first.map(({ expression }) => propertyPath(expression) ?? expression));
  return [...first, ...rest.filter(({ expression }) => !known.has(propertyPath(expression) ?? expression))];
}

/** Returns the path of a property of the row; undefined for any other expression. */
function propertyPath(node: BoundNode): string | undefined {
  if (node.kind !== "Property" && node.kind !== "Structure") return undefined;
  if (node.base === undefined) return node.property.name;
  const base = propertyPath(node.base);
  return base === undefined ? undefined : `${base}/${node.property.name}`;
}

/** Properties of rows that are no entities, and the properties that lead to nested ones, while the type is made. */
type TypeParts = {
  readonly properties: Map<string, StructuralProperty>;
  readonly nested: Map<string, TypeParts>;
};

const noParts = (): TypeParts => ({ properties: new Map(), nested: new Map() });

/**
 * Returns the set of rows that have the given properties: expressions are bound to its type, in which the parent of a nested property is a
 * complex value. The columns' expressions are the properties themselves.
 */
export function derivedSet(
  { name, type: { name: typeName } }: EntitySet,
  columns: readonly Pick<ApplyColumn, "path" | "property">[],
): { readonly entitySet: EntitySet; readonly columns: readonly ApplyColumn[] } {
  const root = noParts();
  for (const { path, property } of columns) {
    let parts = root;
    for (const parent of path.slice(0, -1)) {
      const below = parts.nested.get(parent) ?? noParts();
      parts.nested.set(parent, below);
      parts = below;
    }
    parts.properties.set(property.name, property);
  }
  const type: EntityType = { ...structuredType(typeName, root), key: [] };
  return {
    entitySet: { name, type },
    columns: columns.map(({ path, property }) => ({
      path,
      property,
      expression: propertyNode(property, parentOf(path.slice(0, -1), type)),
    })),
  };
}

function structuredType(name: string, { properties, nested }: TypeParts): StructuredType {
  const structured = [...nested].map(([parent, parts]) => {
    const type = structuredType(parent, parts);
    return [parent, { name: parent, collection: false, target: () => type }] as const;
  });
  return { name, properties, structured: new Map(structured) };
}

/** Returns the node of the complex value that a path of rows leads to; undefined for the row itself. */
function parentOf(path: readonly string[], root: StructuredType): StructureNode | undefined {
  let [node, type]: [StructureNode | undefined, StructuredType] = [undefined, root];
  for (const name of path) {
    const property = type.structured?.get(name);
    if (property === undefined) return undefined;
    type = property.target();
    const base: StructureNode | undefined = node;
    node = {
      kind: "Structure",
      type: { structure: type, collection: false },
      property,
      ...(base === undefined ? {} : { base }),
    };
  }
  return node;
}

/**
 * Checks the name of an aggregate or a computed property. It must differ from the names of the first set's type and of the current rows.
 * Source: OData Extension for Data Aggregation 4.0, section 3.1.1.
 *
 * @throws {QueryError} `invalid_option`
 */
export function checkAlias(
  alias: string,
  span: Span,
  transformation: string,
  used: ReadonlySet<string>,
  { entitySet: { type } }: Pick<ApplyContext, "entitySet">,
): void {
  if (!used.has(alias) && !type.properties.has(alias) && type.structured?.has(alias) !== true) return;
  const expected = "expressions with names that nothing else has";
  throw new QueryError("invalid_option", span, { name: transformation, expected, text: alias });
}

/** Returns the first names of the paths of the rows' properties. */
export const namesIn = ({ columns }: Pick<ApplyScope, "columns">): ReadonlySet<string> =>
  new Set(columns.map(({ path }) => path[0] ?? ""));

/** Returns the paths of all properties of the rows, joined by slashes. */
export const pathsIn = ({ columns }: Pick<ApplyScope, "columns">): ReadonlySet<string> =>
  new Set(columns.map(columnPath));
