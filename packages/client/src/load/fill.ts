import type { ManifestDataset } from "@cadastre/manifest";
import type { PartFile } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { listOf, quoteIdentifier, type SqlSession, type Table } from "./session.ts";

/** Tables that hold the rows and removals of a delta until they are applied, in the same transaction. */
export const staged = { rows: "cadastre_rows", removals: "cadastre_removals" } as const;

/** Replaces the rows of a table by those of the parts. */
export async function replaceRows(
  session: SqlSession,
  table: Table,
  parts: readonly PartFile[],
  { name, rowCount }: ManifestDataset,
): Promise<void> {
  await session.empty(table);
  for (const part of parts) await session.insert(table, part);
  await requireCount(session, table.name, rowCount, name);
}

/** Applies a delta: replaces rows by key, and deletes the removed ones. */
export async function changeRows(
  session: SqlSession,
  table: Table,
  parts: readonly PartFile[],
  { name, rowCount, removalCount }: ManifestDataset,
): Promise<void> {
  const { run, names } = session;
  const [own, key] = [names.of(table.name), quoteIdentifier(table.keyField)];
  // Columns are added before rows are deleted: if a table is altered in between, DuckDB refuses to insert the key of a deleted row.
  const columns = await session.fit(table, parts);
  const keyOnly = new Map([...table.columns].filter(([column]) => column === table.keyField));
  const kinds = [
    { content: "rows", columns, table: { ...table, name: staged.rows }, count: rowCount },
    {
      content: "removals",
      columns: [table.keyField],
      table: { ...table, name: staged.removals, columns: keyOnly },
      count: removalCount,
    },
  ] as const;
  for (const kind of kinds) {
    const beside = names.of(kind.table.name);
    await run(`create table ${beside} as select ${listOf(kind.columns)} from ${own} where false`);
    await run(
      `create unique index ${quoteIdentifier(`${names.prefix}${kind.table.name}_key`)} on ${beside} (${key})`,
    );
    for (const part of parts) if (part.part.content === kind.content) await session.insert(kind.table, part);
    await requireCount(session, kind.table.name, kind.count, name);
  }
  const [rows, removals] = [names.of(staged.rows), names.of(staged.removals)];
  const changed = `select ${key} from ${rows}`;
  const removed = `select ${key} from ${removals}`;
  if ((await rowCountOf(session, `${removals} where ${key} in (${changed})`)) > 0)
    throw new ClientError("removal_contradicted", { dataset: name });
  if ((await rowCountOf(session, `${own} where ${key} in (${removed})`)) !== removalCount)
    throw new ClientError("copy_differs", { table: names.shown(table.name) });
  for (const keys of [removed, changed]) await run(`delete from ${own} where ${key} in (${keys})`);
  const list = listOf(columns);
  await run(`insert into ${own} (${list}) select ${list} from ${rows}`);
  for (const beside of [rows, removals]) await run(`drop table ${beside}`);
}

/** Counts the rows of a table. @param from the table as SQL, with a condition perhaps */
export async function rowCountOf({ run }: SqlSession, from: string): Promise<number> {
  const [count] = await run(`select count(*) as n from ${from}`);
  return Number(count?.["n"]);
}

async function requireCount(
  session: SqlSession,
  table: string,
  wanted: number,
  dataset: string,
): Promise<void> {
  const rows = await rowCountOf(session, session.names.of(table));
  if (rows !== wanted)
    throw new ClientError("part_count_differs", { part: `of ${dataset}`, rows: String(rows) });
}
