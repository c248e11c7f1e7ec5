import { datasetProperty, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import type { ResourceName } from "@cadastre/reso";
import { textKeyOf } from "@cadastre/store/changes";
import { perCatalog } from "../catalog.ts";
import { changeScope } from "../identity/system-scope.ts";

/** Queries for what has changed of a resource, in the order of its key. */
type ChangeQueries = {
  /** Selects all fields, and the dataset. */
  readonly everything: BoundQuery;
  /** Selects the key. */
  readonly keys: BoundQuery;
};

/** Returns the queries of a catalog: the same objects for the same resource, because statements are cached by their selection. */
export const changeQueriesOf = perCatalog((catalog) => {
  const made = new Map<ResourceName, ChangeQueries>();
  return (resource: ResourceName): ChangeQueries => {
    const queries =
      made.get(resource) ?? queriesOver(visibleEntitySet(catalog.entitySet(resource), changeScope(catalog)));
    made.set(resource, queries);
    return queries;
  };
});

function queriesOver(entitySet: BoundQuery["entitySet"]): ChangeQueries {
  const all = bindQuery({ top: 0 }, entitySet);
  const key = textKeyOf(entitySet);
  const orderBy = [{ expression: propertyNode(key), direction: "asc" as const }];
  const selected = (property: typeof key) => ({ property, expression: propertyNode(property) });
  return {
    everything: { ...all, orderBy, select: [...all.select, selected(datasetProperty)] },
    keys: { ...all, orderBy, select: [selected(key)] },
  };
}
