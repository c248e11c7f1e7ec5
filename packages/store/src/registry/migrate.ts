import type { Knex } from "knex";
import { applySteps, hasAllSteps } from "../database/migration-steps.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import { StoreError } from "../errors.ts";
import { called } from "./guarded.ts";
import { registrySteps } from "./registry-tables.ts";

/**
 * Runs the missing migrations of a registry, in one transaction. A current registry is only read.
 *
 * @param exclude prevents others from migrating the registry until the transaction has ended
 * @throws {StoreError} `schema_newer`; `schema_older` if a migration is needed but `migration` is `refuse`; `schema_absent` if the
 * registry must exist and does not
 */
export async function migrateRegistry(
  knex: Knex,
  exclude: (transaction: Knex.Transaction) => Promise<unknown>,
  { migration = {}, existing = false }: Pick<SchemaOptions, "migration" | "existing">,
): Promise<void> {
  const state = await stateOf(knex);
  if (state === "current") return;
  if (existing && state === "new") throw new StoreError("schema_absent", "the registry");
  await knex.transaction(async (transaction) => {
    await exclude(transaction);
    if ((await stateOf(transaction)) === "older") {
      if (migration === "refuse") throw new StoreError("schema_older", "the registry");
      await called(async () => {
        await migration.before?.();
        migration.onProgress?.("registry: changing its tables");
      });
    }
    await applySteps(transaction, registrySteps);
  });
}

async function stateOf(knex: Knex): Promise<"new" | "older" | "current"> {
  const { listedIn } = registrySteps;
  if (!(await knex.schema.hasTable(listedIn))) return "new";
  const applied = new Set<string>(await knex(listedIn).pluck("name"));
  return hasAllSteps(applied, registrySteps, "the registry") ? "current" : "older";
}
