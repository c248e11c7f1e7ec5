import { datasetProperty, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import type { ResourceName } from "@cadastre/reso";
import { textKeyOf } from "@cadastre/store/changes";
import { perCatalog } from "../catalog.ts";
import { changeScope } from "../identity/system-scope.ts";

/**
 * Returns the query for all fields and the dataset of a resource, in the order of its key: the same object for the same resource, because
 * statements are cached by their selection.
 */
export const changeQueryOf = perCatalog((catalog) => {
  const made = new Map<ResourceName, BoundQuery>();
  return (resource: ResourceName): BoundQuery => {
    const query =
      made.get(resource) ?? queryOver(visibleEntitySet(catalog.entitySet(resource), changeScope(catalog)));
    made.set(resource, query);
    return query;
  };
});

function queryOver(entitySet: BoundQuery["entitySet"]): BoundQuery {
  const all = bindQuery({ top: 0 }, entitySet);
  const dataset = { property: datasetProperty, expression: propertyNode(datasetProperty) };
  return {
    ...all,
    orderBy: [{ expression: propertyNode(textKeyOf(entitySet)), direction: "asc" }],
    select: [...all.select, dataset],
  };
}
