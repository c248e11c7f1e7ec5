import { type DialectName, identifier, join, type SqlFragment, sql, value } from "@cadastre/odata/run";
import type { DatabaseRow, RunQuery } from "../database.ts";

/** A column as a database describes it. */
export type ColumnFacts = {
  readonly name: string;
  /** Declared type in lower case, without its arguments: `varchar` of `VARCHAR(20)`; of a domain, the type under it. */
  readonly type: string;
  /** Arguments of the declared type: `[14, 2]` of `numeric(14,2)`. */
  readonly facets: readonly number[];
  /** True for a type of PostgreSQL that is a list of words. */
  readonly isEnum?: boolean;
  readonly nullable: boolean;
  /**
   * The first values of the column that are not null, the first characters of texts. Undefined if they were not read: columns of PostgreSQL
   * hold what their type says.
   */
  readonly examples?: readonly unknown[];
};

/** Columns of a table that equal the key of another one. */
type ForeignKey = {
  readonly table: string;
  /** Own column → column of the other table. */
  readonly on: Readonly<Record<string, string>>;
};

/** A column of an index, and how it is sorted. */
export type IndexColumn = {
  /** Undefined for an expression. */
  readonly column: string | undefined;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  /** True if text is sorted by code point, as queries sort it. In SQLite always true: that of the column applies. */
  readonly byCodePoint: boolean;
};

/** A table or view as a database describes it. */
export type TableFacts = {
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: readonly ColumnFacts[];
  /** Names of the columns of the primary key, in order. Empty if it has none. */
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Indexes of all rows that hold an order, that of the primary key among them. */
  readonly indexes: readonly (readonly IndexColumn[])[];
};

/** Views have no keys and indexes of their own, and do not tell which columns may be null. */
type TableKind = "table" | "view";

/** Name of a table or view, as queries find it. */
type TableName = {
  readonly name: string;
  readonly kind: TableKind;
  /** True for a partition of another table, and for what an extension of the database has made. */
  readonly isAuxiliary: boolean;
};

/** The catalog of a database. */
type Catalog = {
  /** Returns the tables and views that a query finds by their name alone. */
  readonly names: (run: RunQuery) => Promise<readonly TableName[]>;
  /**
   * Returns the facts of some of them, in the order given. A view that is not valid has no columns.
   *
   * @param readsExamples true to read values of columns that may hold other ones than their type says
   */
  readonly facts: (
    run: RunQuery,
    tables: readonly TableName[],
    readsExamples: boolean,
  ) => Promise<readonly TableFacts[]>;
};

/** Splits a declared type: `VARCHAR(20)` → `varchar`, `[20]`; `time(3) with time zone` → `time with time zone`, `[3]`. */
function splitType(declared: string): Pick<ColumnFacts, "type" | "facets"> {
  const [, facets] = /\(([\d, ]*)\)/.exec(declared) ?? [];
  const type = declared
    .toLowerCase()
    .replace(/\([^)]*\)/, "")
    .trim();
  return { type, facets: facets === undefined || facets === "" ? [] : facets.split(",").map(Number) };
}

const sqliteCatalog: Catalog = {
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

const postgresCatalog: Catalog = {
  names: async (run) => {
    const rows =
      await run(sql`select c.relname as name, c.relkind::text as kind, c.relispartition or exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e') as auxiliary from pg_class c
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and pg_table_is_visible(c.oid)
        and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) order by c.relname`);
    return rows.map(({ name, kind, auxiliary }) => ({
      name: String(name),
      kind: kind === "r" || kind === "p" ? "table" : "view",
      isAuxiliary: auxiliary === true,
    }));
  },
  facts: async (run, tables) => {
    if (tables.length === 0) return [];
    const [columns, links, indexes] = await Promise.all(
      [postgresColumns, postgresLinks, postgresIndexColumns].map(async (statement) =>
        grouped(
          await run(
            statement(
              join(
                tables.map(({ name }) => sql`${value(name)}::text`),
                ", ",
              ),
            ),
          ),
          "table",
        ),
      ),
    );
    const of = (groups: readonly (readonly DatabaseRow[])[] = [], name: string) =>
      groups.find(([row]) => row?.["table"] === name) ?? [];
    return tables.map(({ name, kind }) => {
      const own = of(columns, name);
      return {
        name,
        kind,
        columns: own.map(({ name: column, type, notnull, is_enum }) => ({
          name: String(column),
          ...splitType(String(type)),
          isEnum: is_enum === true,
          nullable: notnull !== true,
        })),
        key: keyOfRows(own),
        foreignKeys: foreignKeysOf(of(links, name)),
        indexes: grouped(of(indexes, name), "index").map((one) =>
          one.map(({ column, descending, nulls_first, by_code_point }) => ({
            column: typeof column === "string" ? column : undefined,
            descending: descending === true,
            nullsFirst: nulls_first === true,
            byCodePoint: by_code_point === true,
          })),
        ),
      };
    });
  },
};

const postgresColumns = (names: SqlFragment): SqlFragment => sql`
  select c.relname as "table", a.attname as name, a.attnotnull or t.typnotnull as "notnull", t.typtype = 'e' as is_enum,
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) else format_type(a.atttypid, a.atttypmod) end as type,
    coalesce(array_position(k.conkey, a.attnum), 0) as pk
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where pg_table_is_visible(c.oid) and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${names})
  order by c.relname, a.attnum`;

const postgresLinks = (names: SqlFragment): SqlFragment => sql`
  select k.oid::text as id, c.relname as "table", f.relname as "to_table", a.attname as "from", b.attname as "to"
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  cross join lateral unnest(k.conkey, k.confkey) as pair(own, other)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
  join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.other
  where k.contype = 'f' and pg_table_is_visible(c.oid) and c.relname in (${names}) order by c.relname, k.oid, pair.own`;

const postgresIndexColumns = (names: SqlFragment): SqlFragment => sql`
  select c.relname as "table", i.indexrelid::text as "index", a.attname as "column", o.option & 1 = 1 as descending,
    o.option & 2 = 2 as nulls_first, l.collname is not distinct from 'C' as by_code_point
  from pg_class c join pg_index i on i.indrelid = c.oid and i.indisvalid and i.indpred is null
  join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'btree'
  cross join lateral unnest(i.indkey::int2[], i.indoption::int2[], i.indcollation::oid[])
    with ordinality as o(attnum, option, coll, place)
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = o.attnum and o.attnum > 0
  left join pg_collation l on l.oid = o.coll
  where pg_table_is_visible(c.oid) and c.relname in (${names}) and o.place <= i.indnkeyatts
  order by c.relname, i.indexrelid, o.place`;

/** The catalogs of the databases. */
export const catalogs: Readonly<Record<DialectName, Catalog>> = {
  sqlite: sqliteCatalog,
  postgres: postgresCatalog,
};

/** Names of the columns of the primary key, by their position in it. */
const keyOfRows = (columns: readonly DatabaseRow[]): readonly string[] =>
  columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
    .map(({ name }) => String(name));

/** Returns neighbouring rows with the same value of a column as a group. */
function grouped(rows: readonly DatabaseRow[], by: string): readonly (readonly DatabaseRow[])[] {
  const groups = new Map<unknown, DatabaseRow[]>();
  for (const row of rows) {
    const group = groups.get(row[by]) ?? [];
    groups.set(row[by], group);
    group.push(row);
  }
  return [...groups.values()];
}

const foreignKeysOf = (links: readonly DatabaseRow[]): readonly ForeignKey[] =>
  grouped(links, "id").map((pairs) => ({
    table: String(pairs[0]?.["to_table"] ?? pairs[0]?.["table"]),
    on: Object.fromEntries(pairs.map(({ from, to }) => [String(from), String(to)])),
  }));
