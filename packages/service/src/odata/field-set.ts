import type { Scope } from "@cadastre/entitlement";
import type { EntityModel, EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import { rowSource } from "@cadastre/server/memory";
import type { RecordSource } from "@cadastre/server/parts";
import { withOwnSet } from "../own-set.ts";

const property = (
  name: string,
  displayName: string,
  type: "Edm.String" | "Edm.DateTimeOffset" = "Edm.String",
): StructuralProperty => ({
  name,
  type,
  collection: false,
  nullable: false,
  ...(type === "Edm.String" ? {} : { precision: 3 }),
  annotations: [{ term: "RESO.OData.Metadata.StandardName", value: displayName }],
});

const properties = [
  property("FieldKey", "Field Key"),
  property("FieldName", "Field Name"),
  property("ModificationTimestamp", "Modification Timestamp", "Edm.DateTimeOffset"),
  property("ResourceName", "Resource Name"),
];

/** The set of all fields that a caller sees. Source: RESO Web API Core 2.1.0; RESO Data Dictionary 2.0, Field. */
export const fieldEntitySet: EntitySet = {
  name: "Field",
  type: { name: "Field", key: ["FieldKey"], properties: new Map(properties.map((one) => [one.name, one])) },
};

/** Time of the fields of the Data Dictionary 2.0, in milliseconds since 1970. */
const dictionaryTime = Date.parse("2024-06-01T00:00:00.000Z");

/**
 * Returns the fields of a model in the order of its sets, a millisecond apart, so that a client that pages by time alone gets each one. What a caller
 * sees changes with its entitlement, so no field has a time before it.
 */
function fieldRows({ entitySets }: EntityModel, { issuedAt }: Scope): readonly Row[] {
  const named = entitySets.flatMap(({ name, type }) =>
    [...type.properties.keys()].map((field) => ({ ResourceName: name, FieldName: field })),
  );
  const first = Math.max(dictionaryTime, issuedAt * 1000) - named.length;
  return named.map(({ ResourceName, FieldName }, i) => ({
    FieldKey: `${ResourceName}-${FieldName}`,
    FieldName,
    ModificationTimestamp: new Date(first + i).toISOString(),
    ResourceName,
  }));
}

const sources = new WeakMap<EntityModel, RecordSource>();

/** Returns the source of the fields of a model, which is one caller's. */
function fieldSource(model: EntityModel, scope: Scope): RecordSource {
  const known = sources.get(model);
  if (known !== undefined) return known;
  const rows = fieldRows(model, scope);
  const source = rowSource(() => rows);
  sources.set(model, source);
  return source;
}

/** Adds the set of fields to a source, if the model has it: a field that the caller does not see has no row. */
export function withFieldSet(source: RecordSource, model: EntityModel, scope: Scope): RecordSource {
  const { name } = fieldEntitySet;
  if (!model.entitySets.some((one) => one.name === name)) return source;
  return withOwnSet(source, name, () => fieldSource(model, scope));
}
