import { mkdir, open, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing, writeAtomically } from "../fetch/disk.ts";
import { requireFolder } from "../load/folder.ts";
import { databaseAddress, readTarget } from "../load/open-target.ts";
import { openPostgresSession } from "../load/postgres.ts";
import type { SqlSession } from "../load/session.ts";
import { asTargetError } from "../load/sql-target.ts";
import { openSqliteSession } from "../load/sqlite.ts";
import type { TablePlace } from "../load/table-place.ts";

/** A record as JSON, with its key and its `ModificationTimestamp`. */
export type ReplicaRecord = { readonly key: string; readonly modified: string; readonly json: string };

/** A copy of entity sets that can be continued after an interruption. */
export type Replica = {
  /** Returns the `ModificationTimestamp` of the last applied record; null if there is none. */
  readonly modified: (resource: string) => Promise<string | null>;
  /** Applies a page in one transaction. */
  readonly apply: (resource: string, records: readonly ReplicaRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens a replica in `folder:`, `sqlite:` or `postgres:`. */
export async function openReplica(target: string, place: TablePlace = {}): Promise<Replica> {
  const { scheme, rest } = readTarget(target, place);
  if (scheme === "folder") return folderReplica(rest);
  if (scheme === "sqlite") return sqlReplica(await openSqliteSession(rest, place), "text");
  if (scheme === "postgres")
    return sqlReplica(await openPostgresSession(databaseAddress(rest), place, ledger), "jsonb");
  throw new ClientError("format_not_loadable", {
    format: "a replica",
    targets: "a folder, SQLite or PostgreSQL",
  });
}

/** Table with the last timestamp of each resource. If it does not list a resource, a table of that name belongs to someone else. */
const ledger = "cadastre_replicas";

/** Returns a replica with one table of keys and JSON for each resource, and the ledger. */
async function sqlReplica(session: SqlSession, json: "text" | "jsonb"): Promise<Replica> {
  const { run, names, close } = session;
  const modified: Replica["modified"] = async (resource) => {
    if ((await session.relation(ledger)) === undefined) return null;
    const [row] = await run(`select modified from ${names.of(ledger)} where resource = ?`, [resource]);
    return row === undefined ? null : String(row["modified"]);
  };
  const own = <T>(work: () => Promise<T>): Promise<T> => asTargetError(session.title, work);
  return {
    modified: (resource) =>
      own(async () => {
        await requireOwnTables(session, resource);
        return modified(resource);
      }),
    apply: (resource, records) => own(() => apply(resource, records)),
    close,
  };

  async function apply(resource: string, records: readonly ReplicaRecord[]): Promise<void> {
    const last = records.at(-1);
    if (last === undefined) return;
    const table = names.of(resource);
    await session.begin();
    try {
      await requireOwnTables(session, resource);
      if ((await session.relation(ledger)) === undefined)
        await run(`create table ${names.of(ledger)} (resource text primary key, modified text not null)`);
      if ((await session.relation(resource)) === undefined)
        await run(
          `create table ${table} (key text primary key, modified text not null, record ${json} not null)`,
        );
      for (const { key, modified: at, json: record } of records)
        await run(
          `insert into ${table} (key, modified, record) values (?, ?, ?)
             on conflict (key) do update set modified = excluded.modified, record = excluded.record`,
          [key, at, record],
        );
      await run(
        `insert into ${names.of(ledger)} (resource, modified) values (?, ?)
           on conflict (resource) do update set modified = excluded.modified`,
        [resource, last.modified],
      );
      await run("commit");
    } catch (error) {
      await run("rollback").catch(() => {});
      throw error;
    }
  }
}

/** @throws {ClientError} `table_occupied` if the table of the resource, or the ledger, was not created by this program */
async function requireOwnTables(session: SqlSession, resource: string): Promise<void> {
  const { names, run, placeOptions: options } = session;
  const occupied = (name: string, kind: string) =>
    new ClientError("table_occupied", { table: names.shown(name), kind, options });
  const progress = await session.relation(ledger);
  if (progress !== undefined && progress.columns.toSorted().join() !== "modified,resource")
    throw occupied(ledger, progress.kind);
  const relation = await session.relation(resource);
  if (relation === undefined) return;
  // This program creates a table and its entry in the ledger in one transaction.
  const known =
    progress === undefined
      ? []
      : await run(`select 1 as n from ${names.of(ledger)} where resource = ?`, [resource]);
  if (known.length === 0 || relation.columns.toSorted().join() !== "key,modified,record")
    throw occupied(resource, relation.kind);
}

const state = z.object({ modified: z.string().nullable(), length: z.int().nonnegative() });

/** Returns a replica with one file of JSON lines for each resource. A later line replaces an earlier one with the same key. */
async function folderReplica(folder: string): Promise<Replica> {
  await requireFolder(folder);
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  const files = (resource: string) => ({
    lines: join(folder, `${resource}.jsonl`),
    state: join(folder, `${resource}.state.json`),
  });
  return {
    modified: async (resource) => (await readState(files(resource).state, files(resource).lines)).modified,
    apply: async (resource, records) => {
      const { lines, state: stateFile } = files(resource);
      const { length } = await readState(stateFile, lines);
      const modified = records.at(-1)?.modified;
      if (modified === undefined) return;
      await onDisk(lines, async () => {
        // Written before the first lines, so that the next run recognises the lines of an interrupted run as its own.
        if (length === 0) await writeAtomically(stateFile, JSON.stringify({ modified: null, length }));
        const text = Buffer.from(records.map(({ json }) => `${json}\n`).join(""));
        const handle = await open(lines, "a");
        try {
          // Removes the lines of a page that was interrupted.
          await truncate(lines, length);
          await handle.appendFile(text);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await writeAtomically(stateFile, JSON.stringify({ modified, length: length + text.length }));
      });
    },
    close: async () => {},
  };
}

/**
 * @throws {ClientError} `file_occupied` if there are lines without a state file, which must be someone else's; `state_malformed` if the
 * file of lines is shorter than the state file says
 */
async function readState(
  file: string,
  lines: string,
): Promise<{ readonly modified: string | null; readonly length: number }> {
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text === undefined) {
    const facts = await onDisk(lines, () => stat(lines).catch(unlessMissing));
    if (facts !== undefined && facts.size > 0) throw new ClientError("file_occupied", { file: lines });
    return { modified: null, length: 0 };
  }
  const known = parseState(text);
  if (known === undefined) throw new ClientError("state_malformed", { file });
  // Lost lines would never be fetched again, since only newer records are.
  if (known.length > ((await onDisk(lines, () => stat(lines).catch(unlessMissing)))?.size ?? 0))
    throw new ClientError("state_malformed", { file });
  return known;
}

function parseState(text: string): z.output<typeof state> | undefined {
  try {
    return state.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
