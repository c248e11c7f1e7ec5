import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { type LedgerEntry, streamOf } from "./ledger.ts";
import type { SqlSession } from "./session.ts";
import type { LoadableDelivery } from "./target.ts";

/** Tables of the ledger: what was loaded, and the stream whose rows each table holds. */
export const ledgerTables = { loads: "cadastre_loads", tables: "cadastre_tables" } as const;

/** Columns of the ledger's tables. They are the same in every version. */
const layouts: Readonly<
  Record<keyof typeof ledgerTables, readonly (readonly [name: string, type: string])[]>
> = {
  loads: [
    ["stream", "text not null"],
    ["generation", "bigint not null"],
    ["sequence", "bigint not null"],
    ["manifest_sha256", "text not null"],
    ["manifest", "text not null"],
    ["loaded_at", "text not null"],
  ],
  tables: [
    ["name", "text not null"],
    ["stream", "text not null"],
  ],
};

const primaryKeys = { loads: "stream, generation, sequence", tables: "name" } as const;

/** Creates the ledger if it does not exist. @throws {ClientError} `table_occupied` if something else has one of its names */
export async function prepareLedger({ run, names, relation, placeOptions }: SqlSession): Promise<void> {
  for (const table of ["loads", "tables"] as const) {
    const layout = layouts[table];
    const found = await relation(ledgerTables[table]);
    if (found === undefined) {
      const columns = layout.map(([name, type]) => `${name} ${type}`).join(", ");
      await run(
        `create table ${names.of(ledgerTables[table])} (${columns}, primary key (${primaryKeys[table]}))`,
      );
      continue;
    }
    const isOwn = found.kind === "table" && isSame(found.columns, new Set(layout.map(([name]) => name)));
    if (isOwn) continue;
    const kind = found.kind === "table" ? "table with other columns" : found.kind;
    throw new ClientError("table_occupied", {
      table: names.prefix + ledgerTables[table],
      kind,
      options: placeOptions,
    });
  }
}

const isSame = (columns: readonly string[], wanted: ReadonlySet<string>): boolean =>
  columns.length === wanted.size && columns.every((column) => wanted.has(column));

/** What was loaded of a stream. */
export async function entriesOf({ run, names }: SqlSession, stream: string): Promise<readonly LedgerEntry[]> {
  const rows = await run(
    `select generation, sequence, manifest_sha256, manifest from ${names.of(ledgerTables.loads)} where stream = ?`,
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
  { run, names }: SqlSession,
  { manifest, bytes, sha256 }: LoadableDelivery,
): Promise<void> {
  await run(`insert into ${names.of(ledgerTables.loads)} values (?, ?, ?, ?, ?, ?)`, [
    streamOf(manifest),
    manifest.generation,
    manifest.sequence,
    sha256,
    new TextDecoder().decode(bytes),
    new Date().toISOString(),
  ]);
}

/** The stream whose rows each table holds, by the names of the tables. */
export async function streamsOfTables({ run, names }: SqlSession): Promise<ReadonlyMap<string, string>> {
  const rows = await run(`select name, stream from ${names.of(ledgerTables.tables)}`);
  return new Map(rows.map(({ name, stream }) => [String(name), String(stream)]));
}

/**
 * Records that the tables of a snapshot's or a seed's datasets belong to its stream, and empties tables of datasets that it no longer
 * has.
 *
 * @param existing tables that exist and may be written
 */
export async function takeTables(
  session: SqlSession,
  manifest: Manifest,
  existing: readonly string[],
): Promise<void> {
  const { run, names } = session;
  const datasets = new Set(manifest.datasets.map(({ name }) => name));
  for (const name of datasets)
    await run(
      `insert into ${names.of(ledgerTables.tables)} values (?, ?) on conflict (name) do update set stream = excluded.stream`,
      [name, streamOf(manifest)],
    );
  for (const name of existing) if (!datasets.has(name)) await run(`delete from ${names.of(name)}`);
}
