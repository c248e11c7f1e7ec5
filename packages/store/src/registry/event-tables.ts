import type { Knex } from "knex";

/** The migration step `017_events`. It must not change after its release. */
export const eventTables = (schema: Knex.SchemaBuilder): Knex.SchemaBuilder =>
  schema
    // One row for each customer who has asked for events.
    .createTable("cadastre_event_log", (table) => {
      table.text("customer").primary().references("name").inTable("cadastre_customer");
      // Grows with every change of the row, so that of two processes one writes.
      table.bigInteger("revision").notNullable();
      table.bigInteger("next_number").notNullable();
      // The events give the customer's view as of this checkpoint. Null until the first pass has ended.
      table.bigInteger("checkpoint");
      // Identifies what the customer may see, and its schema.
      table.text("view_id").notNullable();
      table.bigInteger("catalog_version").notNullable();
      // Progress of a pass that has not ended, as JSON.
      table.text("pass");
    })
    // The last event of each record.
    .createTable("cadastre_event", (table) => {
      table.text("customer").notNullable();
      table.bigInteger("number").notNullable();
      table.text("resource").notNullable();
      table.text("record_key").notNullable();
      // The key as it is written in an address, if that is another text.
      table.text("key_in_address");
      // Hash of what the customer saw of the record; null if it was gone.
      table.text("hash");
      table.primary(["customer", "number"]);
      table.unique(["customer", "record_key", "resource"]);
      table.index(["customer", "resource", "number"]);
    });
