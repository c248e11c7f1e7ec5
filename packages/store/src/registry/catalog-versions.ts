import type { Knex } from "knex";
import type { Int64Column } from "./int64-column.ts";

/** A version of the operator's catalog of systems and fields. The registry does not read the definition. */
export type CatalogVersion = {
  /** Counts from 1. */
  readonly version: number;
  /** Definition as JSON text. */
  readonly definition: string;
  /** Milliseconds since 1970. */
  readonly created: number;
};

/** Versions of the catalog. None is ever changed or deleted. Every method throws {@link StoreError} `registry_unavailable`. */
export type CatalogVersions = {
  /** Returns the version in force; undefined if none was ever added. */
  readonly current: () => Promise<CatalogVersion | undefined>;
  /** Returns the number of the version in force; 0 if none was ever added. */
  readonly currentVersion: () => Promise<number>;
  /** Adds the version after `before`. Returns false if another process has added it meanwhile. */
  readonly add: (definition: string, before: number, created: number) => Promise<boolean>;
  /** Returns all versions, the one in force first. */
  readonly list: () => Promise<readonly CatalogVersion[]>;
};

type CatalogRow = {
  readonly version: Int64Column;
  readonly definition: string;
  readonly created: Int64Column;
};

/** Name of the table of catalog versions. */
export const catalogTable = "cadastre_catalog";

export const toCatalogVersion = ({ version, definition, created }: CatalogRow): CatalogVersion => ({
  version: Number(version),
  definition,
  created: Number(created),
});

export function createCatalogVersions(knex: Knex): CatalogVersions {
  const rows = () => knex<CatalogRow>(catalogTable).orderBy("version", "desc");
  return {
    current: async () => {
      const row = await rows().first();
      return row && toCatalogVersion(row);
    },
    currentVersion: async () => Number((await rows().first("version"))?.version ?? 0),
    add: async (definition, before, created) => {
      const added = await knex<CatalogRow>(catalogTable)
        .insert({ version: before + 1, definition, created })
        .onConflict("version")
        .ignore()
        .returning("version");
      return added.length === 1;
    },
    list: async () => (await rows()).map(toCatalogVersion),
  };
}
