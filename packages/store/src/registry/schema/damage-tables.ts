import type { Knex } from "knex";

/** The step `010_damage`: released, it never changes. */
export const damageTables = (schema: Knex.SchemaBuilder): Knex.SchemaBuilder =>
  schema
    // Stored bytes of parts and manifests that are not those of their hash, until they are rebuilt.
    .createTable("cadastre_damage", (table) => {
      table.text("sha256").primary();
      table.bigInteger("found").notNullable();
      table.text("worker");
      table.bigInteger("fence").notNullable().defaultTo(0);
      table.integer("attempts").notNullable().defaultTo(0);
      // By the clock of the database, as `due` of a delivery.
      table.bigInteger("due").notNullable().defaultTo(0);
    })
    .alterTable("cadastre_delivery", (table) => {
      table.index(["manifest_sha256"]);
    })
    .alterTable("cadastre_manifest", (table) => {
      // Null: sealed by a version that did not keep it.
      table.text("signature_sha256");
    });
