import type { Knex } from "knex";
import { StoreError } from "../errors.ts";

/** Changes a schema, in a database of this engine. */
type MigrationStep = (schema: Knex.SchemaBuilder, engine: "sqlite" | "postgres") => Knex.SchemaBuilder;

/** Schema migrations by name, in the order of execution. A released step must never change. */
export type MigrationSteps = Readonly<Record<string, MigrationStep>>;

/** Migrations of some tables of a database, and the table that lists those that have been applied. */
export type StepSequence = { readonly listedIn: string; readonly steps: MigrationSteps };

/**
 * Applies the missing steps.
 *
 * @param transaction a transaction that excludes other migrations of the database
 */
export async function applySteps(
  transaction: Knex.Transaction,
  { listedIn: tableName, steps }: StepSequence,
): Promise<void> {
  // The transaction excludes other migrations, so a lock that is held now was left by a process that died.
  await transaction.migrate.forceFreeMigrationsLock({ tableName });
  const migrationSource = sourceOf(steps);
  await transaction.migrate.latest({ migrationSource, tableName, disableTransactions: true });
}

/** Returns the steps as a migration source for knex. */
const sourceOf = (steps: MigrationSteps): Knex.MigrationSource<string> => ({
  getMigrations: async () => Object.keys(steps),
  getMigrationName: (name) => name,
  getMigration: async (name) => ({
    up: async (knex) => {
      const step = steps[name];
      if (step === undefined) throw new RangeError(`there is no migration ${name}`);
      const { dialect } = knex.client as { readonly dialect: string };
      await step(knex.schema, dialect === "sqlite3" ? "sqlite" : "postgres");
    },
    // There is no down migration: to undo a step, restore the copy of the database made before it.
    down: async () => {},
  }),
});

/**
 * True if all steps have been applied.
 *
 * @param subject what has the steps, for the message of the error
 * @throws {StoreError} `schema_newer` if a step has been applied that this version of the program does not have
 */
export function hasAllSteps(applied: ReadonlySet<string>, { steps }: StepSequence, subject: string): boolean {
  const unknown = [...applied].find((name) => !Object.hasOwn(steps, name));
  if (unknown !== undefined) throw new StoreError("schema_newer", `${subject} has the step ${unknown}`);
  return Object.keys(steps).every((name) => applied.has(name));
}
