import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { type LedgerEntry, streamOf } from "./ledger.ts";
import { quoted, type SqlSession } from "./session.ts";
import type { LoadableDelivery } from "./target.ts";

/** Tells what was loaded, and whose rows each table holds, in the database that it was loaded into. */
const tables = [
  `create table if not exists cadastre_loads (
  stream text not null,
  generation bigint not null,
  sequence bigint not null,
  manifest_sha256 text not null,
  manifest text not null,
  loaded_at text not null,
  primary key (stream, generation, sequence)
)`,
  "create table if not exists cadastre_tables (name text primary key, stream text not null)",
];

export async function prepareLedger({ run }: SqlSession): Promise<void> {
  for (const table of tables) await run(table);
}

/** What was loaded of a stream. */
export async function entriesOf({ run }: SqlSession, stream: string): Promise<readonly LedgerEntry[]> {
  const rows = await run(
    "select generation, sequence, manifest_sha256, manifest from cadastre_loads where stream = ?",
    [stream],
  );
  return rows.map((row) => ({
    generation: Number(row["generation"]),
    sequence: Number(row["sequence"]),
    sha256: String(row["manifest_sha256"]),
    manifest: String(row["manifest"]),
  }));
}

export async function enter(
  { run }: SqlSession,
  { manifest, bytes, sha256 }: LoadableDelivery,
): Promise<void> {
  await run("insert into cadastre_loads values (?, ?, ?, ?, ?, ?)", [
    streamOf(manifest),
    manifest.generation,
    manifest.sequence,
    sha256,
    new TextDecoder().decode(bytes),
    new Date().toISOString(),
  ]);
}

/** The tables that hold what a stream has delivered. */
async function tablesOf({ run }: SqlSession, stream: string): Promise<ReadonlySet<string>> {
  const rows = await run("select name from cadastre_tables where stream = ?", [stream]);
  return new Set(rows.map(({ name }) => String(name)));
}

/** @throws {ClientError} if a table of a delta's datasets was filled by another stream since. */
export async function requireTables(session: SqlSession, manifest: Manifest): Promise<void> {
  const held = await tablesOf(session, streamOf(manifest));
  const foreign = manifest.datasets.find(({ name }) => !held.has(name));
  if (foreign !== undefined) throw new ClientError("table_foreign", { table: foreign.name });
}

/** Note that the tables of a snapshot's or a seed's datasets are its own, and empty those that it has no more. */
export async function takeTables(session: SqlSession, manifest: Manifest): Promise<void> {
  const { run } = session;
  const stream = streamOf(manifest);
  const rest = new Set(await tablesOf(session, stream));
  for (const { name } of manifest.datasets) {
    rest.delete(name);
    await run(
      "insert into cadastre_tables values (?, ?) on conflict (name) do update set stream = excluded.stream",
      [name, stream],
    );
  }
  for (const name of rest) await run(`delete from ${quoted(name)}`);
}
