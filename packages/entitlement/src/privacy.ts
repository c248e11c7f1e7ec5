import type { BoundNode, EntitySet } from "@cadastre/odata";
import { anyOf, constant, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import type { Grants } from "./grants.ts";
import { isOneOf } from "./predicate.ts";
import { datasetProperty, hiddenProperties, type Privacy, type ResourceRule } from "./resources/index.ts";

/** Returns the predicate that is true if a row is public, or belongs to a dataset that grants private rows. */
export function openRows(entitySet: EntitySet, { privacy }: ResourceRule, grants: Grants): BoundNode {
  const unlimited = [...grants].filter(([, grant]) => grant.private).map(([dataset]) => dataset);
  if (privacy === undefined || unlimited.length === grants.size) return constant(true);
  return anyOf(isOneOf(datasetProperty, unlimited), isOpen(entitySet, privacy));
}

/**
 * Returns the predicate that a row is public: `Permission/all(value:value in ('Public',…))`. All rows are private if the entity set has no
 * such property; a row whose collection is empty is public.
 */
function isOpen({ type }: EntitySet, { property: name, open }: Privacy): BoundNode {
  const property = type.properties.get(name) ?? hiddenProperties.get(name);
  if (property?.collection !== true || property.type !== "Edm.String") return constant(false);
  const variable = { kind: "Variable", type: property.type, name: "value" } as const;
  return {
    kind: "Lambda",
    type: "Edm.Boolean",
    operator: "all",
    collection: propertyNode(property),
    variable,
    predicate: isAmong(variable, open.map(textConstant)),
  };
}
