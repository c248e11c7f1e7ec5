import type { Knex } from "knex";

/** The migration step `011_guards`. It must not change after its release. */
export const guardTables = (schema: Knex.SchemaBuilder): Knex.SchemaBuilder =>
  schema
    .createTable("cadastre_pepper", (table) => {
      table.integer("version").primary();
      table.text("check_value").notNullable();
    })
    // Has one row: the identity of this registry.
    .createTable("cadastre_registry", (table) => {
      table.integer("number").primary();
      table.text("id").notNullable();
    });
