import { anyOf, type BoundNode, constant, type EntitySet, propertyNode } from "@cadastre/odata";
import type { Grants } from "./grants.ts";
import { isOneOf, text } from "./predicate.ts";
import { datasetProperty, hiddenProperties, type Privacy, type ResourceRule } from "./resources/index.ts";

/** Whether a row is for the public, or of a dataset that grants its private rows too. */
export function openRows(entitySet: EntitySet, { privacy }: ResourceRule, grants: Grants): BoundNode {
  const unlimited = [...grants].filter(([, grant]) => grant.private).map(([dataset]) => dataset);
  if (privacy === undefined || unlimited.length === grants.size) return constant(true);
  return anyOf(isOneOf(datasetProperty, unlimited), isOpen(entitySet, privacy));
}

/** `Permission/all(value:value in ('Public',…))`. A row that cannot say is private, one that says nothing is not. */
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
    predicate: { kind: "Membership", type: "Edm.Boolean", operand: variable, values: open.map(text) },
  };
}
