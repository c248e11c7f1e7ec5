import {
  type BoundNode,
  type BoundQuery,
  type EntitySet,
  type EntityType,
  QueryError,
} from "@cadastre/odata";
import { type ApplyStep, expressionsOf } from "@cadastre/odata/apply";
import type { StructuredProperty } from "@cadastre/odata/run";
import { mapChildren } from "@cadastre/odata/tree";
import { navigations, type ResourceName, type ResourceNavigation } from "@cadastre/reso";

/** How the records that a navigation property leads to are found. */
export type NavigationLink = ResourceNavigation & { readonly resource: ResourceName };

const links = new WeakMap<StructuredProperty, NavigationLink>();

/** Returns the link of a navigation property that {@link withNavigation} has made. @throws {TypeError} for any other */
export function navigationLinkOf(navigation: StructuredProperty): NavigationLink {
  const link = links.get(navigation);
  if (link === undefined)
    throw new TypeError(`\`${navigation.name}\` is no navigation property of the service`);
  return link;
}

/**
 * Adds navigation properties to entity sets of a caller: those whose target is among the sets, and whose fields on both sides the caller sees. The
 * sets of the result refer to each other.
 */
export function withNavigation(entitySets: readonly EntitySet[]): readonly EntitySet[] {
  const types = new Map<string, EntityType>();
  return entitySets.map((entitySet) => {
    const { name, type } = entitySet;
    const structured = new Map<string, StructuredProperty>();
    for (const navigation of navigations[name as ResourceName] ?? []) {
      const target = entitySets.find((one) => one.name === navigation.target);
      if (target !== undefined && isVisible(navigation, type, target.type))
        structured.set(
          navigation.name,
          toProperty({ ...navigation, resource: name as ResourceName }, () => types.get(navigation.target)),
        );
    }
    const withLinks = structured.size === 0 ? type : { ...type, structured };
    types.set(name, withLinks);
    return { ...entitySet, type: withLinks };
  });
}

const isVisible = (
  { own, other, resourceField }: ResourceNavigation,
  { properties }: EntityType,
  target: EntityType,
): boolean =>
  properties.has(own) &&
  target.properties.has(other) &&
  (resourceField === undefined || target.properties.has(resourceField));

function toProperty(link: NavigationLink, target: () => EntityType | undefined): StructuredProperty {
  const { name, collection, own, other, partner } = link;
  const property: StructuredProperty = {
    name,
    target: () => target() as EntityType,
    collection,
    ...(collection ? {} : { constraints: { [own]: other } }),
    ...(partner === undefined ? {} : { partner }),
  };
  links.set(property, link);
  return property;
}

/**
 * Refuses a query that reads related records, other than by `$expand`: a restriction covers the records of one set.
 *
 * @throws {QueryError} `not_supported`
 */
export function refusePaths({ filter, orderBy }: BoundQuery): void {
  refuseStructures(filter, "$filter");
  for (const { expression } of orderBy) refuseStructures(expression, "$orderby");
}

/** Refuses transformations that read related records. @throws {QueryError} `not_supported` */
export function refusePathsIn(steps: readonly ApplyStep[]): void {
  for (const expression of expressionsOf(steps)) refuseStructures(expression, "$apply");
}

function refuseStructures(node: BoundNode, option: string): void {
  if (node.kind === "Structure") {
    const feature = "a path to related entities outside of `$expand`";
    throw new QueryError("not_supported", null, { feature }, option);
  }
  mapChildren(node, (child) => {
    refuseStructures(child, option);
    return child;
  });
}
