import type { Knex } from "knex";

/** The migration step `004_deliveries`. It must not change after its release. */
export const deliveryTables = (schema: Knex.SchemaBuilder): Knex.SchemaBuilder =>
  schema
    .createTable("cadastre_delivery", (table) => {
      table.text("id").primary();
      table.text("customer").notNullable().references("name").inTable("cadastre_customer");
      table.text("domain").notNullable();
      table.text("kind").notNullable();
      table.text("mode").notNullable();
      table.text("destination");
      table.text("subscription");
      table.bigInteger("generation").notNullable();
      table.bigInteger("sequence").notNullable();
      table.text("previous");
      table.bigInteger("from_checkpoint");
      table.bigInteger("to_checkpoint").notNullable();
      table.bigInteger("entitlement_version").notNullable();
      table.text("scope_sha256").notNullable();
      table.text("pinned").notNullable();
      table.bigInteger("created").notNullable();
      table.bigInteger("expires").notNullable();
      table.text("state").notNullable();
      table.text("code");
      table.bigInteger("completed");
      table.text("manifest_sha256");
      table.text("worker");
      table.bigInteger("fence").notNullable().defaultTo(0);
      table.integer("attempts").notNullable().defaultTo(0);
      // In the time of the database's clock: before claiming, the earliest time to claim; during a build, the end of the
      // lease.
      table.bigInteger("due").notNullable().defaultTo(0);
      table.text("announced");
      table.index(["customer", "state", "completed", "id"]);
      table.index(["state", "created", "id"]);
    })
    .createTable("cadastre_delivery_request", (table) => {
      table.text("customer").notNullable();
      table.text("operation").notNullable();
      table.text("key").notNullable();
      table.text("fingerprint").notNullable();
      table.text("delivery").notNullable().references("id").inTable("cadastre_delivery");
      table.primary(["customer", "operation", "key"]);
    })
    .createTable("cadastre_delivery_part", (table) => {
      table.text("delivery").notNullable().references("id").inTable("cadastre_delivery");
      table.integer("ordinal").notNullable();
      table.bigInteger("number").notNullable();
      table.text("dataset").notNullable();
      table.text("sha256").notNullable().index();
      table.bigInteger("byte_length").notNullable();
      table.bigInteger("rows").notNullable();
      table.text("next");
      table.text("entry").notNullable();
      table.primary(["delivery", "ordinal"]);
      table.unique(["delivery", "number"]);
    })
    .createTable("cadastre_manifest", (table) => {
      table.text("delivery").primary().references("id").inTable("cadastre_delivery");
      table.text("text").notNullable();
      table.text("sha256").notNullable();
      table.text("signature").notNullable();
    })
    // Parts that are in the part store or about to be written to it.
    .createTable("cadastre_part_bytes", (table) => {
      table.text("sha256").primary();
    })
    .createTable("cadastre_part_grant", (table) => {
      table.text("digest").primary();
      table.text("customer").notNullable();
      table.text("api_key").notNullable();
      table.text("delivery").notNullable().references("id").inTable("cadastre_delivery");
      table.bigInteger("part").notNullable();
      table.text("scope_sha256").notNullable();
      table.bigInteger("expires").notNullable().index();
    })
    .createTable("cadastre_acknowledgement", (table) => {
      table.text("delivery").primary().references("id").inTable("cadastre_delivery");
      table.bigInteger("generation").notNullable();
      table.bigInteger("sequence").notNullable();
      table.text("manifest_sha256").notNullable();
      table.text("reference").notNullable();
      table.bigInteger("at").notNullable();
    });
