import type { Knex } from "knex";

/** The migration step `010_damage`. It must not change after its release. */
export const damageTables = (schema: Knex.SchemaBuilder): Knex.SchemaBuilder =>
  schema
    // Damaged parts and manifests, until they are rebuilt.
    .createTable("cadastre_damage", (table) => {
      table.text("sha256").primary();
      table.bigInteger("found").notNullable();
      table.text("worker");
      table.bigInteger("fence").notNullable().defaultTo(0);
      table.integer("attempts").notNullable().defaultTo(0);
      // In the time of the database's clock, like `due` of a delivery.
      table.bigInteger("due").notNullable().defaultTo(0);
    })
    .alterTable("cadastre_delivery", (table) => {
      table.index(["manifest_sha256"]);
    })
    .alterTable("cadastre_manifest", (table) => {
      // Null if sealed by a version that did not store it.
      table.text("signature_sha256");
    });
