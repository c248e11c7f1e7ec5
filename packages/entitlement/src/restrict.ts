import type { BoundNode, BoundQuery, Projection } from "@cadastre/odata";
import { allOf, mapChildren } from "@cadastre/odata/tree";
import type { VisibleResource } from "./rows.ts";
import { resourceOf, type Scope } from "./scope.ts";

/** A brand without a value: only {@link restrict} creates a {@link RestrictedQuery}, and a changed copy is not one. */
declare class Restricted {
  private readonly restricted: true;
}

/** A query that {@link restrict} has restricted. Stores accept no other query. */
export type RestrictedQuery = BoundQuery & Restricted;

/**
 * Restricts `query` to what `scope` grants: to its rows, and in the filter, the order and the selection to what each dataset shows of a field, which may be
 * masked or hidden. A result of `$compute` is computed from what is shown. Without a grant of the entity set, the filter is `false`, never absent.
 *
 * @throws {TypeError} if the query names a property that the scope hides: it was not bound to the entity set that
 * {@link visibleEntitySet} returns
 */
export function restrict(query: BoundQuery, scope: Scope): RestrictedQuery {
  const resource = resourceOf(query.entitySet, scope);
  const rewrite = visibleNodeOf(resource);
  // Single members are copied, so that a member that is added to queries later is not passed through unchecked.
  const restricted: BoundQuery = {
    entitySet: resource.entitySet,
    filter: allOf(resource.rows, rewrite(query.filter)),
    orderBy: query.orderBy.map((item) => {
      const expression = rewrite(item.expression);
      return expression === item.expression ? item : { expression, direction: item.direction };
    }),
    select: restrictSelect(query.select, resource, rewrite),
    top: query.top,
    skip: query.skip,
    after: query.after,
  };
  scopes.set(restricted, scope);
  return restricted as RestrictedQuery;
}

const scopes = new WeakMap<BoundQuery, Scope>();

/** Returns the scope that {@link restrict} restricted the query to; undefined for any other query, or a copy. */
export const scopeOf = (query: RestrictedQuery): Scope | undefined => scopes.get(query);

/** Cache of restricted selections by resource: the same array for the same selection. */
const selections = new WeakMap<VisibleResource, WeakMap<readonly Projection[], readonly Projection[]>>();

function restrictSelect(
  select: readonly Projection[],
  resource: VisibleResource,
  rewrite: (node: BoundNode) => BoundNode,
): readonly Projection[] {
  const ofResource = selections.get(resource) ?? new WeakMap<readonly Projection[], readonly Projection[]>();
  selections.set(resource, ofResource);
  const known = ofResource.get(select);
  if (known !== undefined) return known;
  const restricted = select.map((item) => {
    if (resource.hidden.has(item.property)) throw hidden(item.property.name);
    const expression = rewrite(item.expression);
    return expression === item.expression ? item : { property: item.property, expression };
  });
  ofResource.set(select, restricted);
  return restricted;
}

/** Returns a function that rewrites expressions to what a caller may see. @throws {TypeError} as {@link restrict} */
export function visibleNodeOf(resource: VisibleResource): (node: BoundNode) => BoundNode {
  const rewrite = (node: BoundNode): BoundNode => visibleNode(node, resource, rewrite);
  return rewrite;
}

/** Rewrites a node. Every kind of node is named, so that for a new kind it must be decided here what it may read. */
function visibleNode(
  node: BoundNode,
  resource: VisibleResource,
  rewrite: (node: BoundNode) => BoundNode,
): BoundNode {
  switch (node.kind) {
    case "Property":
      return visibleProperty(node, resource);
    case "Structure":
      throw hidden(node.property.name);
    case "Variable":
      if (typeof node.type === "object") throw hidden(node.name);
      return node;
    case "Constant":
    case "Call":
    case "Compare":
    case "Arithmetic":
    case "Membership":
    case "Logical":
    case "Not":
    case "Negate":
    case "Flags":
    case "Cast":
    case "IsOf":
    case "Lambda":
    case "Size":
    case "Choice":
    case "Search":
      return mapChildren(node, rewrite);
  }
}

/** Replaces a property of the entity itself. Any other property is refused, because grants do not cover what is behind a path. */
function visibleProperty(node: BoundNode & { kind: "Property" }, resource: VisibleResource): BoundNode {
  const { property, base } = node;
  const ofEntity = base === undefined || (base.kind === "Variable" && base.name === "$it");
  if (!ofEntity) throw hidden(property.name);
  refuseUnreadable(property.name, resource);
  return resource.replaced.get(property.name) ?? node;
}

function refuseUnreadable(name: string, { entitySet, hostReadable }: VisibleResource): void {
  if (!hostReadable.has(name) && !entitySet.type.properties.has(name)) throw hidden(name);
}

const hidden = (name: string) =>
  new TypeError(`the query is not bound to the visible entity set: \`${name}\` is hidden`);
