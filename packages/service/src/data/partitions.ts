import { StoreError } from "@cadastre/store";
import type { DataFolder } from "./data-folder.ts";
import { partitionsOf } from "./postgres-databases.ts";

/** Makes or attaches the partitions of a dataset. Returns false if the tables are not divided by dataset. */
export async function addPartition({ postgres }: DataFolder, datasetId: string): Promise<boolean> {
  if (postgres === undefined) return false;
  const added = await ifDivided(() =>
    partitionsOf(postgres)
      .add(datasetId)
      .then(() => true),
  );
  return added ?? false;
}

/** Drops the partitions of a dataset, if the tables are divided by dataset. */
export async function dropPartition({ postgres }: DataFolder, datasetId: string): Promise<void> {
  if (postgres !== undefined) await ifDivided(() => partitionsOf(postgres).remove(datasetId));
}

/** @throws {DataError} if the tables are divided by dataset, and the user of the database does not own them */
export async function requirePartitionOwner({ postgres }: DataFolder): Promise<void> {
  if (postgres !== undefined) await partitionsOf(postgres).requireOwner();
}

/** Returns the state of a dataset's partitions; `none` if the tables are not divided by dataset. */
export async function partitionStateOf({ postgres }: DataFolder, datasetId: string): Promise<string> {
  if (postgres === undefined) return "none";
  return (await ifDivided(() => partitionsOf(postgres).state(datasetId))) ?? "none";
}

/** Returns undefined if the tables are not divided by dataset. */
async function ifDivided<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError && error.code === "not_partitioned") return undefined;
    throw error;
  }
}
