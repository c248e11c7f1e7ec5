import type { MigrationSteps, StepSequence } from "../database/migration-steps.ts";

const steps: MigrationSteps = {
  "001_commits": (schema) =>
    schema
      .createTable("cadastre_commit", (table) => {
        table.bigInteger("checkpoint").primary();
        // Milliseconds since 1970.
        table.bigInteger("committed_at").notNullable().index();
      })
      .createTable("cadastre_commit_dataset", (table) => {
        table.bigInteger("checkpoint").notNullable();
        table.text("resource").notNullable();
        table.text("dataset_id").notNullable();
        table.bigInteger("written").notNullable();
        table.bigInteger("removed").notNullable();
        table.primary(["dataset_id", "resource", "checkpoint"]);
      }),
  "002_members": (schema) =>
    schema.createTable("cadastre_member", (table) => {
      table.text("resource").notNullable();
      table.integer("ordinal").notNullable();
      table.text("name").notNullable();
      table.primary(["resource", "ordinal"]);
      table.unique(["resource", "name"]);
    }),
  "003_notes": (schema) =>
    schema.createTable("cadastre_note", (table) => {
      table.text("key").primary();
      table.text("text").notNullable();
    }),
  "004_builds": (schema) =>
    schema
      .createTable("cadastre_source", (table) => {
        table.text("resource").notNullable();
        table.text("source").notNullable();
        table.text("cursor");
        table.text("served");
        table.text("full_set");
        table.bigInteger("batch").notNullable();
        table.primary(["resource", "source"]);
      })
      .createTable("cadastre_build", (table) => {
        table.text("id").primary();
        table.text("resource").notNullable();
        table.bigInteger("ordinal").notNullable();
        table.bigInteger("checkpoint").notNullable();
        table.text("previous");
        table.bigInteger("records").notNullable();
        table.text("sha256").notNullable();
        table.text("cursors").notNullable();
        table.text("evidence").notNullable();
        // Milliseconds since 1970.
        table.bigInteger("published").notNullable();
        table.unique(["resource", "ordinal"]);
      }),
  "005_coverage": (schema) =>
    schema
      .createTable("cadastre_coverage", (table) => {
        table.text("resource").primary();
        table.bigInteger("checkpoint").notNullable();
        table.text("counted").notNullable();
      })
      .createTable("cadastre_coverage_atom", (table) => {
        table.text("resource").notNullable();
        table.text("id").notNullable();
        table.text("key").notNullable();
        table.bigInteger("records").notNullable();
        table.text("populated").notNullable();
        table.primary(["resource", "id"]);
      }),
  "006_schema": (schema) =>
    schema.createTable("cadastre_schema", (table) => {
      table.text("resource").notNullable();
      table.text("kind").notNullable();
      table.text("name").notNullable();
      table.text("definition").notNullable();
      table.primary(["resource", "kind", "name"]);
    }),
  "007_digests": (schema) =>
    schema
      .createTable("cadastre_digest", (table) => {
        table.text("resource").primary();
        // Checkpoint of the state that the valid parts describe.
        table.bigInteger("checkpoint").notNullable();
      })
      .createTable("cadastre_digest_part", (table) => {
        table.text("resource").notNullable();
        // JSON of dataset and source.
        table.text("part").notNullable();
        // Valid from `checkpoint` to before `until`, which is the largest bigint in parts that are still valid.
        table.bigInteger("checkpoint").notNullable();
        table.bigInteger("until").notNullable();
        table.bigInteger("records").notNullable();
        table.bigInteger("owned").notNullable();
        table.text("sum").notNullable();
        table.primary(["resource", "until", "part"]);
      }),
};

/** Migrations of the store's bookkeeping tables. */
export const bookkeepingSteps: StepSequence = { listedIn: "cadastre_migration", steps };
