import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { type LedgerEntry, streamOf } from "./ledger.ts";
import type { SqlSession } from "./session.ts";
import type { LoadableDelivery } from "./target.ts";

/** Tables of the ledger: what was loaded, and the stream whose rows each table holds. */
export const ledgerTables = { loads: "cadastre_loads", tables: "cadastre_tables" } as const;

/** Columns of the ledger's tables. Ledgers of earlier versions lack `mark`. */
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
    ["mark", "text"],
  ],
};

/** Columns that earlier versions did not have. They are added. */
const added: ReadonlySet<string> = new Set(["mark"]);

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
    const missing = layout.filter(([name]) => !found.columns.includes(name));
    const known = layout.filter((column) => !missing.includes(column)).map(([name]) => name);
    const isOwn =
      found.kind === "table" &&
      isSame(found.columns, new Set(known)) &&
      missing.every(([name]) => added.has(name));
    if (isOwn) {
      for (const [name, type] of missing)
        await run(`alter table ${names.of(ledgerTables[table])} add column ${name} ${type}`);
      continue;
    }
    const kind = found.kind === "table" ? "table with other columns" : found.kind;
    throw new ClientError("table_occupied", {
      table: names.shown(ledgerTables[table]),
      kind,
      options: placeOptions,
    });
  }
}

const isSame = (columns: readonly string[], wanted: ReadonlySet<string>): boolean =>
  columns.length === wanted.size && columns.every((column) => wanted.has(column));

/** Returns the ledger entry of the last delivery of a stream. Reads that one alone: a stream may have many thousands. */
export const lastEntryOf = async (session: SqlSession, stream: string): Promise<LedgerEntry | undefined> =>
  (await selectEntries(session, "order by generation desc, sequence desc limit 1", [stream]))[0];

/** Returns the ledger entries that decide about a delivery: that of its own place, and the last one of its stream. */
export async function entriesAbout(session: SqlSession, manifest: Manifest): Promise<readonly LedgerEntry[]> {
  const stream = streamOf(manifest);
  const { generation, sequence } = manifest;
  const same = await selectEntries(session, "and generation = ? and sequence = ?", [
    stream,
    generation,
    sequence,
  ]);
  const last = await lastEntryOf(session, stream);
  return last === undefined ? same : [...same, last];
}

/** @param rest end of the statement, after the condition on the stream */
async function selectEntries(
  { run, names }: SqlSession,
  rest: string,
  values: Parameters<SqlSession["run"]>[1],
): Promise<readonly LedgerEntry[]> {
  const rows = await run(
    `select generation, sequence, manifest_sha256, manifest, loaded_at from ${names.of(ledgerTables.loads)} where stream = ? ${rest}`,
    values,
  );
  return rows.map((row) => ({
    generation: Number(row["generation"]),
    sequence: Number(row["sequence"]),
    sha256: String(row["manifest_sha256"]),
    manifest: String(row["manifest"]),
    loadedAt: String(row["loaded_at"]),
  }));
}

/** Removes the entries of a stream. */
export async function forget({ run, names }: SqlSession, stream: string): Promise<void> {
  await run(`delete from ${names.of(ledgerTables.loads)} where stream = ?`, [stream]);
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

/** A table that the ledger lists. */
export type LedgerTable = {
  /** The stream whose rows the table holds. */
  readonly stream: string;
  /** Marks of the table. Null if it could not be marked, or was loaded last by a version that did not. */
  readonly marks: readonly string[] | null;
};

/** The tables that the ledger lists, by name. */
export type LedgerTables = ReadonlyMap<string, LedgerTable>;

export async function readTables({ run, names }: SqlSession): Promise<LedgerTables> {
  // Ledgers of earlier versions lack `mark` until they are loaded again.
  const rows = await run(`select * from ${names.of(ledgerTables.tables)}`);
  return new Map(
    rows.map(({ name, stream, mark }) => [
      String(name),
      { stream: String(stream), marks: typeof mark === "string" ? mark.split(" ") : null },
    ]),
  );
}

/** Marks tables that were loaded, unless they have all marks that the ledger has for them. */
export async function markTables(
  session: SqlSession,
  tables: readonly { readonly name: string; readonly keyField: string }[],
): Promise<void> {
  const { run, names } = session;
  const known = await readTables(session);
  for (const table of tables) {
    const marks = known.get(table.name)?.marks;
    const relation = await session.relation(table.name);
    if (relation === undefined || marks?.every((mark) => relation.marks.includes(mark))) continue;
    const given = (await session.mark(table)) ?? null;
    await run(`update ${names.of(ledgerTables.tables)} set mark = ? where name = ?`, [given, table.name]);
  }
}

/**
 * Records that the tables of a snapshot's or a seed's datasets belong to its stream, and empties tables of datasets that it no longer
 * has.
 *
 * @param existing tables that exist and may be written
 * @param ended streams whose copies end, because the load takes some of their tables
 */
export async function takeTables(
  session: SqlSession,
  manifest: Manifest,
  existing: readonly string[],
  ended: Iterable<string>,
): Promise<void> {
  const { run, names } = session;
  for (const stream of ended) {
    await run(`update ${names.of(ledgerTables.tables)} set stream = ? where stream = ?`, [
      streamOf(manifest),
      stream,
    ]);
    await forget(session, stream);
  }
  const datasets = new Set(manifest.datasets.map(({ name }) => name));
  for (const name of datasets)
    await run(
      `insert into ${names.of(ledgerTables.tables)} (name, stream) values (?, ?) on conflict (name) do update set stream = excluded.stream`,
      [name, streamOf(manifest)],
    );
  for (const name of existing) if (!datasets.has(name)) await run(`delete from ${names.of(name)}`);
}
