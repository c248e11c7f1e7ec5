import {
  anyOf,
  type BoundNode,
  type EntitySet,
  type EntityType,
  propertyNode,
  type StructuralProperty,
} from "@cadastre/odata";
import { EntitlementError } from "./errors.ts";
import { isNull, isOneOf } from "./predicate.ts";
import { datasetProperty } from "./resources.ts";

/** What each dataset shows of one resource: dataset id → names of fields, or all. */
export type FieldGrants = ReadonlyMap<string, "*" | ReadonlySet<string>>;

/** Granted with the resource, in every dataset, as is the key: without them no record can be told from another. */
const alwaysGranted: readonly string[] = ["ModificationTimestamp", "OriginatingSystemName"];

/** Fields of one resource as one caller sees them. */
export type Fields = {
  /** The entity set without what no dataset shows. */
  readonly entitySet: EntitySet;
  /** For each property that only some datasets show: its value there, null (or `[]`) elsewhere. */
  readonly partial: ReadonlyMap<string, BoundNode>;
  /** Names of the properties that `dataset` shows. */
  readonly shownBy: (dataset: string) => readonly string[];
};

/**
 * @param shared whether rows that belong to no dataset are shown: they show what any dataset does.
 * @throws {EntitlementError} if a grant names a field that the entity set does not have.
 */
export function narrowFields(entitySet: EntitySet, grants: FieldGrants, shared: boolean): Fields {
  refuseUnknownFields(entitySet, grants);
  const properties = [...entitySet.type.properties.values()];
  const datasets = new Map(
    properties.map((property) => [property.name, datasetsThatShow(property, entitySet, grants)]),
  );
  const datasetsOf = (name: string) => datasets.get(name) ?? [];
  const visible = properties.filter(
    ({ name }) => isAlwaysGranted(name, entitySet) || datasetsOf(name).length > 0,
  );
  return {
    entitySet: { ...entitySet, type: narrowType(entitySet.type, visible) },
    partial: new Map(
      visible
        .filter(({ name }) => datasetsOf(name).length < grants.size)
        .map((property) => [property.name, onlyWithin(property, datasetsOf(property.name), shared)]),
    ),
    shownBy: (dataset) =>
      visible.map(({ name }) => name).filter((name) => datasetsOf(name).includes(dataset)),
  };
}

/** Member by member, so without `structured`: nothing grants what lies behind a navigation or complex property. */
function narrowType(
  { name, key, annotations }: EntityType,
  visible: readonly StructuralProperty[],
): EntityType {
  const properties = new Map(visible.map((property) => [property.name, property]));
  return { name, key, properties, ...(annotations === undefined ? {} : { annotations }) };
}

const datasetsThatShow = (property: StructuralProperty, entitySet: EntitySet, grants: FieldGrants) =>
  [...grants].filter(([, fields]) => shows(fields, property, entitySet)).map(([dataset]) => dataset);

/** A derived property is shown where it is granted and all that it is computed from is shown. */
function shows(
  fields: "*" | ReadonlySet<string>,
  property: StructuralProperty,
  entitySet: EntitySet,
): boolean {
  const { name, derivedFrom = [] } = property;
  if (isAlwaysGranted(name, entitySet)) return true;
  if (fields !== "*" && !fields.has(name)) return false;
  return derivedFrom.every((inputName) => {
    const input = entitySet.type.properties.get(inputName);
    return input !== undefined && shows(fields, input, entitySet);
  });
}

const isAlwaysGranted = (name: string, { type }: EntitySet) =>
  type.key.includes(name) || alwaysGranted.includes(name);

function onlyWithin(property: StructuralProperty, datasets: readonly string[], shared: boolean): BoundNode {
  const value = propertyNode(property);
  const granted = isOneOf(datasetProperty, datasets);
  const when = shared ? anyOf(granted, isNull(datasetProperty)) : granted;
  return { kind: "Choice", type: value.type, when, value };
}

function refuseUnknownFields({ name, type }: EntitySet, grants: FieldGrants): void {
  for (const fields of grants.values()) {
    if (fields === "*") continue;
    for (const field of fields) {
      if (!type.properties.has(field)) {
        throw new EntitlementError("entitlement_unknown_field", { resource: name, field });
      }
    }
  }
}
