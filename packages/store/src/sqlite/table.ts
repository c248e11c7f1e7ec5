import { datasetProperty } from "@cadastre/entitlement";
import {
  type Column,
  codecOf,
  type EncodingName,
  encodings,
  identifier,
  join,
  type Mapping,
  type Row,
  type SqlFragment,
  type StructuralProperty,
  sql,
  sqlite,
  value,
} from "@cadastre/odata";
import type { StoredResource } from "../store.ts";

/** Column of the record's JSON text: every property that has a value, in the order of the model. */
export const recordColumn = identifier("record");

/** A decimal with a scale is an integer, so that its comparisons are exact. */
const encodingOf = ({ type, scale }: StructuralProperty): EncodingName =>
  type === "Edm.Decimal" && scale !== undefined ? "scaled" : sqlite.encodings[type];

/** Where each property of a resource lies in its SQLite table. */
export function tableMapping(resource: StoredResource): Mapping {
  const columns = new Set(typedProperties(resource).map(({ name }) => name));
  return {
    from: identifier(resource.entitySet.name),
    column: (property) => (columns.has(property.name) ? typedColumn(property) : jsonMember(property)),
  };
}

const typedColumn = (property: StructuralProperty): Column => ({
  sql: identifier(property.name),
  encoding: encodingOf(property),
});

function jsonMember(property: StructuralProperty): Column {
  const encoding = encodingOf(property);
  if (property.collection || property.type === "Edm.GeographyPoint") {
    return { sql: sql`(${recordColumn} -> ${value(property.name)})`, encoding };
  }
  const member = sql`(${recordColumn} ->> ${value(property.name)})`;
  if (encoding !== "scaled") return { sql: member, encoding };
  // A double holds the fifteen digits of any decimal here, so the rounded product is the exact integer.
  return { sql: sql`cast(round(${member} * ${value(10 ** (property.scale ?? 0))}) as integer)`, encoding };
}

/** Properties with a typed column: the key, what the resource asks for, the dataset and the hidden ones. */
export function typedProperties({
  entitySet,
  columns,
  hidden = [],
}: StoredResource): readonly StructuralProperty[] {
  const names = new Set([...entitySet.type.key, ...columns]);
  const found = [...names].map((name) => {
    const property = entitySet.type.properties.get(name);
    if (property === undefined)
      throw new RangeError(`${entitySet.name} has no property ${name} to store in a column`);
    return property;
  });
  return [...found, datasetProperty, ...hidden];
}

/** The typed columns of a record in database form, in the order of {@link typedProperties}. */
export function columnValues(properties: readonly StructuralProperty[], record: Row): unknown[] {
  return properties.map((property) => {
    const json = record[property.name];
    if (json === null || json === undefined) return null;
    if (property.collection) return JSON.stringify(json);
    const inMemory = codecOf(property.type).fromJson(json);
    if (inMemory === undefined) throw new RangeError(`${property.name} is not a valid ${property.type}`);
    return encodings[encodingOf(property)](inMemory, property).value;
  });
}

/** Statements that make the table and its indexes, unless they exist. */
export function createStatements(resource: StoredResource): readonly SqlFragment[] {
  const { name, type } = resource.entitySet;
  const properties = typedProperties(resource);
  const declared = properties.map(
    (property) =>
      sql`${identifier(property.name)} ${affinities[property.collection ? "plain" : encodingOf(property)] ?? sql`text`}${property.nullable ? sql`` : sql` not null`}`,
  );
  const key = join(
    type.key.map((part) => identifier(part)),
    ", ",
  );
  return [
    sql`create table if not exists ${identifier(name)} (${join(declared, ", ")}, ${recordColumn} text not null, primary key (${key}))`,
    ...resource.indexes.map(
      (columns) =>
        sql`create index if not exists ${identifier(`${name}_${columns.join("_")}`)} on ${identifier(name)} (${join(columns.map(identifier), ", ")})`,
    ),
  ];
}

/** Declared type of a column by the form of its values; what is not named is text. */
const affinities: Partial<Record<EncodingName, SqlFragment>> = {
  bit: sql`integer`,
  scaled: sql`integer`,
  double: sql`real`,
};
