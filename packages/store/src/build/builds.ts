import { StoreError } from "../errors.ts";
import type { StoredTable } from "../schema/table.ts";
import type { Builds } from "./build.ts";
import type { BuildDatabase } from "./build-database.ts";
import { readBuilds } from "./history.ts";
import { publishBuild } from "./publish.ts";
import { forgetRetired, listRetired, reinstateDataset, retireDataset } from "./retire.ts";
import { withoutRetired } from "./retired-datasets.ts";
import { rollback } from "./rollback.ts";
import { readSourceKeys } from "./source-keys.ts";
import { readSources } from "./sources.ts";
import { discardStaged, stageBatch } from "./staging.ts";
import { verifyBuilds } from "./verify.ts";

/** Creates the `Builds` of a store. */
export function createBuilds(database: BuildDatabase): Builds {
  const { tables, read, write } = database;
  const find = (resource: string): StoredTable => {
    const stored = tables.get(resource);
    if (stored === undefined) throw new StoreError("unknown_resource", resource);
    return stored;
  };
  return {
    stage: async (resource, source, changes, options) => {
      const stored = find(resource);
      return database.stage(resource, source, async (session) =>
        stageBatch(session, stored, database, source, await withoutRetired(session, changes), options),
      );
    },
    cursor: async (resource, source) => {
      const sources = await read((session) => readSources(session, find(resource).table.name));
      return sources.find((one) => one.source === source)?.cursor ?? null;
    },
    keys: async (resource, source, after) => {
      const { table } = find(resource);
      return read((session) => readSourceKeys(session, table, source, after));
    },
    discard: async (resource, source) => {
      const { table } = find(resource);
      return write(({ session }) => discardStaged(session, table, source));
    },
    publish: async (resources, check, options) =>
      publishBuild(database, [...new Set(resources)].map(find), check, options),
    rollback: async (resource, build, review) => {
      const stored = find(resource);
      return write((open) => rollback(open, database, stored, build, review));
    },
    retire: (datasetId, review) => write((open) => retireDataset(open, database, datasetId, review)),
    reinstate: (datasetId, isEmpty = false) =>
      write((open) => reinstateDataset(open, database, datasetId, isEmpty)),
    forgetRetired: (datasetId) => write((open) => forgetRetired(open, database, datasetId)),
    retired: () => read((session) => listRetired(session, database)),
    verify: async (resource) => {
      const { table } = find(resource);
      const schemas = [...tables.values()].map((one) => one.table);
      return database.snapshot((session) => verifyBuilds(session, table, schemas, database));
    },
    list: async (resource) => read((session) => readBuilds(session, find(resource).table.name)),
    current: async (resource) => {
      const [serving] = await read((session) => readBuilds(session, find(resource).table.name, 1));
      return serving;
    },
  };
}
