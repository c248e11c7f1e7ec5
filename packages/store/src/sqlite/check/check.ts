import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type CheckedTable, tableOf } from "../../schema/table.ts";
import type { StoredResource } from "../../stored-resource.ts";
import { checkFile, type SqliteFault } from "./check-file.ts";

/**
 * Checks a whole database in one read transaction and returns its faults. Blocks the thread: see {@link startSqliteCheck}.
 *
 * @param resources resources whose R*Trees and trigram indexes are compared with their tables
 */
export const checkSqlite = (
  file: string,
  resources: readonly StoredResource[] = [],
): readonly SqliteFault[] => checkFile(file, resources.map(tableOf));

/** A database to check, and resources as those of {@link checkSqlite}. */
export type CheckedDatabase = { readonly file: string; readonly resources: readonly StoredResource[] };

/** A fault, and the file that it was found in. */
export type FoundFault = { readonly file: string; readonly fault: SqliteFault };

export type CheckOptions = {
  /** Maximum heap of the thread, in megabytes. */
  readonly heap: number;
  readonly onFault: (found: FoundFault) => void;
};

export type SqliteCheck = Pick<Worker, "ref" | "unref"> & {
  /** Resolves when all was checked, with true unless the check was stopped. Rejects if something could not be checked. */
  readonly ended: Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Databases for the thread, each with the tables whose indexes it compares. */
export type ThreadData = readonly { readonly file: string; readonly tables: readonly CheckedTable[] }[];

const program = new URL("./check-thread.js", import.meta.url);

/** Checks databases one after the other in a worker thread, which has low priority on Linux. */
export function startSqliteCheck(
  databases: readonly CheckedDatabase[],
  { heap, onFault }: CheckOptions,
): SqliteCheck {
  const workerData: ThreadData = databases.map(({ file, resources }) => ({
    file,
    tables: resources.map((resource) => namesOf(tableOf(resource))),
  }));
  const thread = new Worker(program, {
    workerData,
    name: "cadastre-check",
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
  thread.on("message", onFault);
  return {
    ended: once(thread, "exit").then(([code]) => code === 0),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    stop: async () => void (await thread.terminate()),
  };
}

/** Copies the names alone: a whole schema cannot be passed to a thread. */
const namesOf = ({ name, points, texts }: CheckedTable): CheckedTable => {
  const named = (indexes: CheckedTable["texts"]) =>
    indexes.map((index) => ({ name: index.name, column: { name: index.column.name } }));
  return { name, points: named(points), texts: named(texts) };
};
