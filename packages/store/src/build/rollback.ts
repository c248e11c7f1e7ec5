import { refreshCoverage } from "../coverage/refresh.ts";
import { StoreError } from "../errors.ts";
import type { StoredTable, TableSchema } from "../schema/table.ts";
import { createUlid } from "../ulid.ts";
import type { Build, Review } from "./build.ts";
import type { BuildDatabase, OpenCommit } from "./build-database.ts";
import { storeCurrentDigest } from "./digest-table.ts";
import { addBuild, readBuilds } from "./history.ts";
import { readRetired } from "./retired-datasets.ts";
import { setChanges } from "./set-changes.ts";
import { readSources, writeSource } from "./sources.ts";
import { deleteStaged } from "./staging.ts";

/** See `Builds.rollback`. */
export async function rollback(
  { session, restore, updateFollowers: follow, finish }: OpenCommit,
  database: BuildDatabase,
  stored: StoredTable,
  id: string,
  review?: Review,
): Promise<Build> {
  const { table } = stored;
  const builds = await readBuilds(session, table.name);
  const earlier = builds.find((build) => build.id === id);
  if (earlier === undefined) throw new StoreError("unknown_build", id);
  await restore(table.name, earlier.checkpoint);
  await follow();
  const commit = await finish();
  const { checkpoint } = commit;
  const schemas = [...database.tables.values()].map((one) => one.table);
  const digestOf = (of: TableSchema) => storeCurrentDigest(session, of, schemas, database, checkpoint);
  const state = await digestOf(table);
  const retired = await readRetired(session);
  const ofRetired = state.parts().find(({ datasetId }) => datasetId !== null && retired.has(datasetId));
  if (ofRetired !== undefined) throw new StoreError("dataset_retired", ofRetired.datasetId ?? undefined);
  const digest = state.total();
  // The digest differs if versions of the earlier build have been pruned.
  if (digest.sha256 !== earlier.sha256) throw new StoreError("build_expired", id);
  review?.(await setChanges(session, table.name, schemas, commit, digestOf));
  for (const source of await readSources(session, table.name)) {
    const cursor = earlier.cursors[source.source] ?? null;
    await deleteStaged(session, table, source.source);
    await writeSource(session, table.name, { ...source, cursor, served: cursor, fullSet: null });
  }
  const published = Date.now();
  const previous = builds[0]?.id ?? null;
  const build = { ...earlier, ...digest, id: createUlid(published), checkpoint, previous, published };
  await addBuild(session, build);
  await refreshCoverage(session, stored, database.datasetId, build);
  return build;
}
