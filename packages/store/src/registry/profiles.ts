import type { Knex } from "knex";
import { type Int64Column, int64ToNumber } from "./int64-column.ts";

/** Display rules of a dataset: how to present its listings, and what its MLS requires of those who do. */
export type MlsProfile = {
  /** UUID. */
  readonly datasetId: string;
  /** Name for display and attribution. */
  readonly displayName: string;
  /** Full name of the originating system. */
  readonly fullName: string;
  readonly disclaimer: string;
  readonly logoUrl: string;
  readonly rulesUrl: string;
  /** Maximum age of a copy, in hours, before it must be updated. */
  readonly updateHours: number;
  /** Time of approval in milliseconds since 1970; null for a draft, which customers do not see. */
  readonly approved: number | null;
};

/** The profiles of datasets. Every method throws {@link StoreError} `registry_unavailable`. */
export type ProfileRegistry = {
  /** Sets the profile of a dataset, replacing an earlier one. */
  readonly set: (profile: MlsProfile) => Promise<void>;
  readonly find: (datasetId: string) => Promise<MlsProfile | undefined>;
  /** All profiles, ordered by dataset id. */
  readonly list: () => Promise<readonly MlsProfile[]>;
};

type ProfileRow = {
  readonly dataset_id: string;
  readonly display_name: string;
  readonly full_name: string;
  readonly disclaimer: string;
  readonly logo_url: string;
  readonly rules_url: string;
  readonly update_hours: number;
  readonly approved: Int64Column | null;
};

const profileTable = (knex: Knex) => knex<ProfileRow>("cadastre_profile");

/** Creates the profile registry of a registry database. */
export function createProfileRegistry(knex: Knex): ProfileRegistry {
  const select = async (values: Partial<Pick<ProfileRow, "dataset_id">>): Promise<readonly MlsProfile[]> => {
    const rows: readonly ProfileRow[] = await profileTable(knex).where(values).orderBy("dataset_id");
    return rows.map(toProfile);
  };
  return {
    set: async (profile) => {
      await profileTable(knex).insert(toRow(profile)).onConflict("dataset_id").merge();
    },
    find: async (datasetId) => (await select({ dataset_id: datasetId }))[0],
    list: () => select({}),
  };
}

const toProfile = (row: ProfileRow): MlsProfile => ({
  datasetId: row.dataset_id,
  displayName: row.display_name,
  fullName: row.full_name,
  disclaimer: row.disclaimer,
  logoUrl: row.logo_url,
  rulesUrl: row.rules_url,
  updateHours: row.update_hours,
  approved: int64ToNumber(row.approved),
});

const toRow = (profile: MlsProfile): ProfileRow => ({
  dataset_id: profile.datasetId,
  display_name: profile.displayName,
  full_name: profile.fullName,
  disclaimer: profile.disclaimer,
  logo_url: profile.logoUrl,
  rules_url: profile.rulesUrl,
  update_hours: profile.updateHours,
  approved: profile.approved,
});
