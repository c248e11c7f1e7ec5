import { identifier, join, type SqlFragment, sql, value } from "@cadastre/odata/run";
import type { DatabaseRow, RunQuery } from "../database.ts";
import {
  type ColumnFacts,
  type DatabaseCatalog,
  foreignKeysOf,
  grouped,
  type IndexColumn,
  keyOfRows,
  splitType,
  type TableFacts,
  type TableName,
} from "./table-facts.ts";

/** The catalog of SQLite. */
export const sqliteCatalog: DatabaseCatalog = {
  names: async (run) => {
    const rows = await run(sql`select name, type, schema from pragma_table_list
      where type in ('table', 'view', 'virtual') and name not like 'sqlite!_%' escape '!'
      order by name, schema <> 'temp', schema <> 'main'`);
    const names = rows.map(
      ({ name, type }): TableName => ({
        name: String(name),
        kind: type === "table" ? "table" : "view",
        isAuxiliary: false,
      }),
    );
    return names.filter(({ name }, i) => names[i - 1]?.name !== name);
  },
  facts: async (run, tables, readsExamples) => {
    const found: TableFacts[] = [];
    for (const table of tables) found.push(await sqliteFacts(run, table, readsExamples));
    return found;
  },
};

async function sqliteFacts(
  run: RunQuery,
  { name, kind }: TableName,
  readsExamples: boolean,
): Promise<TableFacts> {
  const described = await run(
    sql`select name, type, "notnull", pk from pragma_table_xinfo(${value(name)}) where hidden <> 1 order by cid`,
  ).catch((error: unknown) => {
    // A view of what is no longer there.
    if (kind === "view") return [];
    throw error;
  });
  const columns = described.map(({ name: column, type, notnull, pk }) => ({
    name: String(column),
    ...splitType(String(type)),
    nullable: Number(notnull) === 0 && Number(pk) === 0,
  }));
  const key = keyOfRows(described);
  if (kind === "view") return { name, kind, columns, key, foreignKeys: [], indexes: [] };
  const links = await run(sqliteLinks(name));
  return {
    name,
    kind,
    columns: readsExamples ? await withExamples(run, name, columns) : columns,
    key,
    foreignKeys: foreignKeysOf(links),
    indexes: await sqliteIndexes(run, name),
  };
}

/** Number of rows whose values are read as examples, and of characters of each text. */
const exampleRows = 1000;
const exampleLength = 40;

async function withExamples(
  run: RunQuery,
  table: string,
  columns: readonly ColumnFacts[],
): Promise<readonly ColumnFacts[]> {
  const read = columns.map(({ name }, i) => {
    const own = identifier(name);
    return sql`case typeof(${own}) when 'text' then substr(${own}, 1, ${value(exampleLength)}) when 'blob' then x'' else ${own} end as ${identifier(`c${i}`)}`;
  });
  const rows = await run(
    sql`select ${join(read, ", ")} from ${identifier(table)} limit ${value(exampleRows)}`,
  );
  return columns.map((column, i) => ({
    ...column,
    examples: rows.flatMap((row) => (row[`c${i}`] === null ? [] : [row[`c${i}`]])),
  }));
}

/** The names that a foreign key refers to, as they are written where they are declared. Without columns it refers to the key. */
const sqliteLinks = (table: string): SqlFragment => sql`
  select f.id, t.name as "table", f."from", x.name as "to" from pragma_foreign_key_list(${value(table)}) f
  join pragma_table_list t on t.name = f."table" collate nocase and t.schema = 'main'
  join pragma_table_xinfo(t.name) x on iif(f."to" is null, x.pk = f.seq + 1, x.name = f."to" collate nocase)
  order by f.id, f.seq`;

/** Reads the indexes of a table. Each ends with the columns that identify a row in it: the row id, or the key. */
async function sqliteIndexes(run: RunQuery, table: string): Promise<TableFacts["indexes"]> {
  const rows =
    await run(sql`select l.name as "index", x.cid, x.name as "column", x."desc" from pragma_index_list(${value(table)}) l
    join pragma_index_xinfo(l.name) x where l.partial = 0 order by l.seq, x.seqno`);
  const [rowId] =
    await run(sql`select max(iif(pk = 1 and lower(type) = 'integer', name, null)) as name, sum(pk > 0) as columns
    from pragma_table_xinfo(${value(table)})`);
  const name = Number(rowId?.["columns"]) === 1 ? rowId?.["name"] : null;
  const indexColumn = ({ cid, column, desc }: DatabaseRow): IndexColumn => ({
    column: (Number(cid) === -1 ? name : column)?.toString(),
    descending: Number(desc) === 1,
    nullsFirst: Number(desc) !== 1,
    byCodePoint: true,
  });
  const own = typeof name === "string" ? [[indexColumn({ cid: 0, column: name, desc: 0 })]] : [];
  return [...own, ...grouped(rows, "index").map((one) => one.map(indexColumn))];
}
