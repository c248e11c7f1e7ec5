import type { StructuralProperty } from "@cadastre/odata";
import type { Knex } from "knex";
import type { SchemaDialect } from "../schema/object.ts";
import {
  recordColumns,
  sourceProperty,
  stagedColumns,
  stagedKey,
  type TableSchema,
  validity,
} from "../schema/table.ts";

/**
 * Creates the missing tables of a resource: for current versions, closed versions and staged changes.
 *
 * @param present names of the tables that exist in the database
 */
export async function createTables(
  knex: Knex,
  schema: TableSchema,
  { declaredType, recordType, primaryKey }: SchemaDialect,
  present: ReadonlySet<string>,
): Promise<void> {
  const key = primaryKey(schema);
  const declareColumn = (table: Knex.TableBuilder, property: StructuralProperty) => {
    const column = table.specificType(property.name, declaredType(property));
    if (key.includes(property.name)) column.notNullable();
  };
  const declare = (table: Knex.CreateTableBuilder) => {
    for (const property of schema.columns) declareColumn(table, property);
    table.specificType(validity.from.name, declaredType(validity.from)).notNullable();
    table.specificType(recordColumns.text, recordType).notNullable();
    table.specificType(recordColumns.members, "text").notNullable();
    // Null only within the transaction that inserts the row, see `fillChecksums`.
    table.bigInteger(recordColumns.checksum);
  };
  if (!present.has(schema.name)) {
    await knex.schema.createTable(schema.name, (table) => {
      declare(table);
      table.primary([...key], `${schema.name}_key`);
    });
  }
  if (!present.has(schema.closed)) {
    await knex.schema.createTable(schema.closed, (table) => {
      declare(table);
      table.specificType(validity.to.name, declaredType(validity.to)).notNullable();
      table.primary([...key, validity.to.name], `${schema.closed}_key`);
      table.index([validity.to.name], schema.endings);
    });
  }
  if (!present.has(schema.staged)) {
    await knex.schema.createTable(schema.staged, (table) => {
      for (const property of schema.key) declareColumn(table, property);
      table.text(sourceProperty.name).notNullable();
      table.bigInteger(stagedColumns.batch).notNullable();
      const dataset = table.text(stagedColumns.dataset);
      if (!schema.shared) dataset.notNullable();
      for (const name of [stagedColumns.record, stagedColumns.hidden]) table.text(name);
      table.primary([...stagedKey(schema)], `${schema.staged}_key`);
    });
  }
}
