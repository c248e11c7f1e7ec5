import type { Knex } from "knex";
import { type MigrationSteps, migrationSourceOf } from "../../schema/migrations.ts";

/** The tables of a registry. Times are in milliseconds since 1970. */
const steps: MigrationSteps = {
  "001_access": (schema) =>
    schema
      .createTable("cadastre_customer", (table) => {
        table.text("name").primary();
        table.bigInteger("version").notNullable();
        table.text("entitlement").notNullable();
        table.bigInteger("installed").notNullable();
      })
      .createTable("cadastre_api_key", (table) => {
        table.text("id").primary();
        table.text("customer").notNullable().references("name").inTable("cadastre_customer").index();
        table.text("prefix").notNullable();
        table.text("digest").notNullable().unique();
        table.integer("pepper").notNullable();
        table.bigInteger("created").notNullable();
        table.bigInteger("expires");
        table.bigInteger("revoked");
        table.bigInteger("last_used");
      }),
  "002_identities": (schema) =>
    schema
      .createTable("cadastre_resolution", (table) => {
        table.text("id").primary();
        table.text("placekey").notNullable();
        table.bigInteger("resolved").notNullable();
      })
      .createTable("cadastre_crosswalk", (table) => {
        table.text("source").notNullable();
        table.text("listing").notNullable();
        table.text("placekey").notNullable();
        table.primary(["source", "listing"]);
      })
      .createTable("cadastre_revision", (table) => {
        table.text("name").primary();
        table.bigInteger("revision").notNullable();
      }),
  "003_profiles": (schema) =>
    schema.createTable("cadastre_profile", (table) => {
      table.text("dataset_id").primary();
      table.text("display_name").notNullable();
      table.text("full_name").notNullable();
      table.text("disclaimer").notNullable();
      table.text("logo_url").notNullable();
      table.text("rules_url").notNullable();
      table.integer("update_hours").notNullable();
      table.bigInteger("approved");
    }),
};

const tableName = "cadastre_registry_migration";

/** Whether every step has been taken. Only reads. */
export async function isMigrated(knex: Knex): Promise<boolean> {
  if (!(await knex.schema.hasTable(tableName))) return false;
  const taken = new Set<string>(await knex(tableName).pluck("name"));
  return Object.keys(steps).every((name) => taken.has(name));
}

/** Take the steps that are missing. No other process may do so until the transaction has ended. */
export const migrate = (transaction: Knex.Transaction): Promise<void> =>
  transaction.migrate
    .latest({ migrationSource: migrationSourceOf(steps), tableName, disableTransactions: true })
    .then(() => {});
