import { datasetNames, ManifestError } from "@cadastre/manifest";
import { partsOf } from "../content/columns.ts";
import { isText } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { isErrorOfFile } from "../fetch/disk.ts";
import { changeRows, replaceRows, rowCountOf } from "./fill.ts";
import { linkOf, standingAmong } from "./ledger.ts";
import { copiesEndedBy, copyFault, requireFree, requireOwnTables } from "./ownership.ts";
import { purgeTables } from "./purge-tables.ts";
import type { SqlSession } from "./session.ts";
import {
  enter,
  entriesAbout,
  forget,
  lastEntryOf,
  markTables,
  prepareLedger,
  readTables,
  takeTables,
} from "./sql-ledger.ts";
import type { TargetOptions } from "./table-place.ts";
import type { LoadableDelivery, LoadTarget } from "./target.ts";
import { comment, typedTable } from "./typed-table.ts";

/** Tables that may be emptied and filled. The list is fixed, so that a server cannot name any other table of the database. */
const tables: ReadonlySet<string> = new Set(datasetNames);

/**
 * Returns a target that loads into a database with a table for each dataset. In one transaction a snapshot or a seed replaces the rows of
 * its tables, and a delta changes them.
 */
export function sqlTarget(session: SqlSession, { replaceCopy = false }: TargetOptions): LoadTarget {
  /** Subscriptions whose copies this target has found. */
  const found = new Set<string>();
  const standing = async ({ manifest, sha256 }: Pick<LoadableDelivery, "manifest" | "sha256">) => {
    requireKnown(manifest.datasets.map(({ name }) => name));
    const state = standingAmong({ manifest, sha256 }, await entriesAbout(session, manifest));
    if (state === "new") await requireOwnTables(session, manifest, { replaceCopy });
    return state;
  };
  /** Runs `work` in a transaction, excluding other loads. */
  const inTransaction = <T>(work: () => Promise<T>): Promise<T> =>
    asTargetError(session.title, async () => {
      await session.begin();
      try {
        await prepareLedger(session);
        const result = await work();
        await session.run("commit");
        return result;
      } catch (error) {
        // The first error is the one to report.
        await session.run("rollback").catch(() => {});
        throw error;
      }
    });
  return {
    staging: undefined,
    requireFree: (datasets) =>
      inTransaction(async () => {
        requireKnown(datasets);
        const wanted = datasets.map((name) => ({ name }));
        await requireFree(session, wanted, await readTables(session), { replaceCopy });
      }),
    standing: (delivery) => inTransaction(() => standing(delivery)),
    load: (delivery) =>
      inTransaction(async () => {
        const before = await standing(delivery);
        const rowsBefore = before === "new" ? await fill(session, delivery, { replaceCopy }) : 0;
        return { standing: before, rowsBefore };
      }),
    last: (subscription) =>
      inTransaction(async () => {
        const entry = await lastEntryOf(session, subscription);
        const last = entry && linkOf(entry);
        if (last === undefined && found.has(subscription)) throw new ClientError("copy_ended");
        if (last !== undefined) found.add(subscription);
        if (!replaceCopy || last === undefined) return last;
        if ((await copyFault(session, last.manifest)) === undefined) return last;
        await forget(session, subscription);
        found.delete(subscription);
        return undefined;
      }),
    requireIntact: ({ manifest }) =>
      inTransaction(async () => {
        const fault = await copyFault(session, manifest);
        if (fault !== undefined) throw fault;
      }),
    purge: (subscription) =>
      inTransaction(async () => {
        const purged = await purgeTables(session, subscription);
        found.delete(subscription);
        return purged;
      }),
    close: () => session.close(),
  };
}

/** @throws {ClientError} `dataset_not_loadable` for a dataset that no domain has */
export function requireKnown(datasets: readonly string[]): void {
  const foreign = datasets.find((name) => !tables.has(name));
  if (foreign !== undefined) throw new ClientError("dataset_not_loadable", { dataset: foreign });
}

/** Loads a delivery. Returns the number of rows that it has replaced. */
async function fill(
  session: SqlSession,
  delivery: LoadableDelivery,
  options: { readonly replaceCopy: boolean },
): Promise<number> {
  const { manifest, folder, datasets, schema } = delivery;
  await session.lock(await requireOwnTables(session, manifest, options));
  // Checked again, now that the tables are locked.
  const existing = await requireOwnTables(session, manifest, options);
  let rowsBefore = 0;
  if (manifest.kind !== "delta")
    for (const name of existing) rowsBefore += await rowCountOf(session, session.names.of(name));
  await enter(session, delivery);
  if (manifest.kind !== "delta") {
    const ended = await copiesEndedBy(session, manifest, options);
    await takeTables(session, manifest, existing, ended);
  }
  for (const dataset of manifest.datasets) {
    const { name } = dataset;
    const isReplaced = manifest.kind !== "delta" && session.replacesTables;
    const table = await typedTable(session, dataset, {
      columns: isText(manifest.profile.format) ? datasets.get(name) : undefined,
      schema: schema?.get(name),
      isReplaced,
    });
    const parts = partsOf(manifest, name, folder);
    if (manifest.kind !== "delta") {
      await replaceRows(session, table, parts, dataset);
      if (isReplaced || !existing.includes(name)) await comment(session, table);
    } else if (parts.length > 0) await changeRows(session, table, parts, dataset);
  }
  await markTables(session, manifest.datasets);
  return rowsBefore;
}

/** Reports an error of the database in its own words, which come from the user's system. */
export async function asTargetError<T>(title: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOfDatabase(error) ? targetFailure(title, error) : error;
  }
}

/** Returns the `target_failed` for an error of a database. @param title the target, as messages name it */
export function targetFailure(title: string, error: unknown): ClientError {
  const { message, code } = error as Error & { readonly code?: unknown };
  // Node.js gives no message if none of several addresses of a host can be reached.
  const [reason = ""] = (message || String(code)).split("\n");
  return new ClientError("target_failed", {
    target: title,
    reason,
    ...(typeof code === "string" ? { code } : {}),
  });
}

/** True for errors of the drivers: those of better-sqlite3 and pg have codes, those of DuckDB are plain `Error`s. */
const isOfDatabase = (error: unknown): error is Error =>
  error instanceof Error &&
  !(error instanceof ClientError || error instanceof ManifestError) &&
  !isErrorOfFile(error) &&
  ("code" in error || error.constructor === Error);
