import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { addressOf, readTarget } from "../load/open-target.ts";
import { openPostgresSession } from "../load/postgres.ts";
import { quoted, type SqlSession } from "../load/session.ts";
import { openSqliteSession } from "../load/sqlite.ts";
import { onDisk, writeWhole } from "../pull/disk.ts";

/** A record with what tells it apart and orders it. */
export type ReplicaRecord = { readonly key: string; readonly modified: string; readonly json: string };

/** A copy of entity sets that can go on where it stopped. */
export type Replica = {
  /** `ModificationTimestamp` of the last record that was applied, or null. */
  readonly modified: (resource: string) => Promise<string | null>;
  /** Apply a page, all of it or none. */
  readonly apply: (resource: string, records: readonly ReplicaRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Open a replica in `folder:`, `sqlite:` or `postgres:`. */
export async function openReplica(target: string): Promise<Replica> {
  const { scheme, rest } = readTarget(target);
  if (scheme === "folder") return folderReplica(rest);
  if (scheme === "sqlite") return sqlReplica(await openSqliteSession(rest), "text");
  if (scheme === "postgres") return sqlReplica(await openPostgresSession(addressOf(rest)), "jsonb");
  throw new ClientError("format_not_loadable", {
    format: "a replica",
    targets: "a folder, SQLite or PostgreSQL",
  });
}

/** A table of keys and JSON for each resource, and one of how far each is. */
async function sqlReplica({ run, close }: SqlSession, json: "text" | "jsonb"): Promise<Replica> {
  await run(
    "create table if not exists cadastre_replicas (resource text primary key, modified text not null)",
  );
  return {
    modified: async (resource) => {
      const [row] = await run("select modified from cadastre_replicas where resource = ?", [resource]);
      return row === undefined ? null : String(row["modified"]);
    },
    apply: async (resource, records) => {
      const last = records.at(-1);
      if (last === undefined) return;
      const table = quoted(resource);
      await run("begin");
      try {
        await run(
          `create table if not exists ${table} (key text primary key, modified text not null, record ${json} not null)`,
        );
        for (const { key, modified, json: record } of records)
          await run(
            `insert into ${table} (key, modified, record) values (?, ?, ?)
             on conflict (key) do update set modified = excluded.modified, record = excluded.record`,
            [key, modified, record],
          );
        await run(
          `insert into cadastre_replicas (resource, modified) values (?, ?)
           on conflict (resource) do update set modified = excluded.modified`,
          [resource, last.modified],
        );
        await run("commit");
      } catch (error) {
        await run("rollback").catch(() => {});
        throw error;
      }
    },
    close,
  };
}

const state = z.object({ modified: z.string(), length: z.int().nonnegative() });

/** A file of JSON lines for each resource, in which a later line takes the place of an earlier one with its key. */
async function folderReplica(folder: string): Promise<Replica> {
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  const files = (resource: string) => ({
    lines: join(folder, `${resource}.jsonl`),
    state: join(folder, `${resource}.state.json`),
  });
  return {
    modified: async (resource) => (await readState(files(resource).state)).modified,
    apply: async (resource, records) => {
      const { lines, state: stateFile } = files(resource);
      const { length } = await readState(stateFile);
      const modified = records.at(-1)?.modified;
      if (modified === undefined) return;
      await onDisk(lines, async () => {
        const text = Buffer.from(records.map(({ json }) => `${json}\n`).join(""));
        const handle = await open(lines, "a");
        try {
          // What an interrupted page has left behind.
          await truncate(lines, length);
          await handle.appendFile(text);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await writeWhole(stateFile, JSON.stringify({ modified, length: length + text.length }));
      });
    },
    close: async () => {},
  };
}

async function readState(
  file: string,
): Promise<{ readonly modified: string | null; readonly length: number }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return { modified: null, length: 0 };
  try {
    return state.parse(JSON.parse(text));
  } catch {
    throw new ClientError("state_malformed", { file });
  }
}
