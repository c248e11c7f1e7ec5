import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type SqlFragment, type StructuralProperty, sql } from "@cadastre/odata";
import { caseMappingTables } from "@cadastre/odata/functions";
import { type Dialect, join, render } from "@cadastre/odata/run";
import type { FormOf } from "../record/column-values.ts";
import {
  beginning,
  type IndexSchema,
  type PointSchema,
  stagedKey,
  type TableSchema,
  type TextSchema,
} from "./table.ts";

/** A column or index of a table, or the keys of its tables, as recorded in `cadastre_schema`. */
export type SchemaObject = {
  /** Name of the resource. */
  readonly resource: string;
  readonly kind: "column" | "index" | "points" | "texts" | "keys";
  readonly name: string;
  /** If it differs from the recorded one, the object is created again. */
  readonly definition: string;
};

/** An index with the statement that creates it. */
export type IndexObject = SchemaObject & { readonly create: string };

/** Differences of declarations between the databases. */
export type SchemaDialect = {
  readonly dialect: Dialect;
  readonly formOf: FormOf;
  /** Declared type of a column. */
  readonly declaredType: (property: StructuralProperty) => string;
  /** Declared type of the column with the record's text. */
  readonly recordType: string;
  /** Returns a column in the sort order of pages, for an index. */
  readonly sorted: (property: StructuralProperty) => SqlFragment;
  /** Expression for the dataset id of a row. */
  readonly datasetId: SqlFragment;
  /** Returns the names of the columns of the primary key of current versions. That of closed versions also has their end. */
  readonly primaryKey: (table: Pick<TableSchema, "key" | "shared">) => readonly string[];
  /** See `BuildDatabase.sha256`. */
  readonly sha256: (text: SqlFragment) => SqlFragment;
  /** Version of the indexes that `SchemaTransaction.createPoints` creates. */
  readonly pointsVersion: string;
  /** Version of the indexes that `SchemaTransaction.createTexts` creates. */
  readonly textsVersion: string;
};

const textOf = (fragment: SqlFragment): string => render(fragment, () => "?").text;

export function columnObject(
  { name: resource, key }: TableSchema,
  property: StructuralProperty,
  dialect: SchemaDialect,
): SchemaObject {
  const { name, type, collection, scale } = property;
  const form = [dialect.declaredType(property), dialect.formOf(property), type];
  if (scale !== undefined) form.push(`scale ${scale}`);
  if (collection) form.push("collection");
  if (key.includes(property)) form.push("key");
  return { resource, kind: "column", name, definition: form.join(", ") };
}

/** Returns the primary keys of the tables of a resource. */
export const keysObject = (table: TableSchema, { primaryKey }: SchemaDialect): SchemaObject => ({
  resource: table.name,
  kind: "keys",
  name: `${table.name}_key`,
  definition: [primaryKey(table), stagedKey(table)].map((names) => names.join(", ")).join("; "),
});

/** Returns the indexes of a table, except spatial ones. */
export function indexObjects(table: TableSchema, dialect: SchemaDialect): readonly IndexObject[] {
  const foldedText = ({ name }: StructuralProperty) =>
    dialect.dialect.call("foldcase", ["Edm.String"], [identifier(name)]);
  const plain = ({ name, columns }: IndexSchema) =>
    indexObject(table, { name, columns }, columns.map(dialect.sorted), dialect);
  const folded = ({ name, columns }: IndexSchema) => {
    const text = columns.find((column) => column !== datasetProperty);
    const held = columns.map((column) => (column === text ? foldedText(column) : dialect.sorted(column)));
    return indexObject(table, { name, columns }, held, dialect, `folded ${foldingVersion()}`);
  };
  return [
    ...table.indexes.map(plain),
    ...table.folded.map(folded),
    indexObject(table, { name: table.beginnings, columns: [] }, [beginning], dialect),
  ];
}

function indexObject(
  table: TableSchema,
  { name, columns }: IndexSchema,
  held: readonly SqlFragment[],
  dialect: SchemaDialect,
  functions = "",
): IndexObject {
  const create = textOf(
    sql`create index ${identifier(name)} on ${identifier(table.name)} (${join(held, ", ")})`,
  );
  const definition = [create, ...columnDefinitions(table, columns, dialect), functions].join("; ");
  return { resource: table.name, kind: "index", name, definition, create };
}

const pointsObject = (
  table: TableSchema,
  { name, column }: PointSchema,
  dialect: SchemaDialect,
): SchemaObject => ({
  resource: table.name,
  kind: "points",
  name,
  definition: [dialect.pointsVersion, ...columnDefinitions(table, [column], dialect)].join("; "),
});

const textsObject = (
  table: TableSchema,
  { name, column }: TextSchema,
  dialect: SchemaDialect,
): SchemaObject => {
  const columns = columnDefinitions(table, [datasetProperty, column], dialect);
  const definition = [dialect.textsVersion, ...columns, `folded ${foldingVersion()}`].join("; ");
  return { resource: table.name, kind: "texts", name, definition };
};

const columnDefinitions = (
  table: TableSchema,
  columns: readonly StructuralProperty[],
  dialect: SchemaDialect,
): readonly string[] =>
  columns.map((column) => `${column.name} ${columnObject(table, column, dialect).definition}`);

/** Hash of the case mapping tables that the functions of folded indexes use. */
const foldingVersion = (): string =>
  createHash("sha256").update(caseMappingTables).digest("hex").slice(0, 16);

/** Returns the columns, keys and indexes of a table in the form in which they are recorded. */
export const schemaObjects = (table: TableSchema, dialect: SchemaDialect): readonly SchemaObject[] => [
  ...table.columns.map((column) => columnObject(table, column, dialect)),
  keysObject(table, dialect),
  ...indexObjects(table, dialect),
  ...table.points.map((point) => pointsObject(table, point, dialect)),
  ...table.texts.map((text) => textsObject(table, text, dialect)),
];
