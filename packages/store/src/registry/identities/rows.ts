import type { Knex } from "knex";
import type { Int64Column } from "../int64-column.ts";
import type { Resolution } from "./identity.ts";

type ResolutionRow = Omit<Resolution, "resolved"> & { readonly resolved: Int64Column };
type CrosswalkRow = { readonly source: string; readonly listing: string; readonly placekey: string };
type RevisionRow = { readonly name: string; readonly revision: Int64Column };

/** Query builders for the tables. */
export const resolutionTable = (knex: Knex) => knex<ResolutionRow>("cadastre_resolution");
export const crosswalkTable = (knex: Knex) => knex<CrosswalkRow>("cadastre_crosswalk");
const revisionTable = (knex: Knex) => knex<RevisionRow>("cadastre_revision");

/** Key of the revision that counts changes of the resolutions. */
const name = "resolutions";

export async function selectResolutions(
  knex: Knex,
  values: Partial<Pick<Resolution, "id">>,
): Promise<readonly Resolution[]> {
  const rows: readonly ResolutionRow[] = await resolutionTable(knex).where(values).orderBy("id");
  return rows.map(({ id, placekey, resolved }) => ({ id, placekey, resolved: Number(resolved) }));
}

export async function selectRevision(knex: Knex): Promise<number> {
  const row: RevisionRow | undefined = await revisionTable(knex).where({ name }).first();
  return Number(row?.revision ?? 0);
}

/** Increments the revision. Its row lock delays other changes until the transaction has ended. */
export async function countChange(transaction: Knex.Transaction): Promise<void> {
  await revisionTable(transaction)
    .insert({ name, revision: 1 })
    .onConflict("name")
    .merge({ revision: transaction.raw("?? + 1", ["cadastre_revision.revision"]) });
}
