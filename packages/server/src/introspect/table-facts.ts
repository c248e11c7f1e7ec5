/** A column as a database describes it. */
export type ColumnFacts = {
  readonly name: string;
  /** Declared type in lower case, without its arguments: `varchar` of `VARCHAR(20)`. */
  readonly type: string;
  /** Arguments of the declared type: `[14, 2]` of `numeric(14,2)`. */
  readonly facets: readonly number[];
  readonly nullable: boolean;
  /** A value of the column, if it has one. Only read where the declared type does not tell how values are stored. */
  readonly example?: unknown;
};

/** Columns of a table that equal the key of another one. */
type ForeignKey = {
  readonly table: string;
  /** Own column → column of the other table. */
  readonly on: Readonly<Record<string, string>>;
};

/** A table as a database describes it. */
export type TableFacts = {
  readonly name: string;
  readonly columns: readonly ColumnFacts[];
  /** Names of the columns of the primary key, in order. Empty if it has none. */
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
};

/** Runs a statement and returns its rows. */
export type RunQuery = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Splits a declared type: `VARCHAR(20)` → `varchar`, `[20]`. */
function splitType(declared: string): Pick<ColumnFacts, "type" | "facets"> {
  const { type = "", facets = "" } =
    /^(?<type>[^(]*)(?:\((?<facets>[\d, ]*)\))?/.exec(declared.trim().toLowerCase())?.groups ?? {};
  return { type: type.trim(), facets: facets === "" ? [] : facets.split(",").map(Number) };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Declared types of SQLite that do not tell how values are stored. */
const isInstant = (type: string): boolean => /^(?:datetime|timestamp)/.test(type);

/** Returns the tables of a SQLite database. */
export async function sqliteTables(run: RunQuery): Promise<readonly TableFacts[]> {
  const tables = await run(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name",
  );
  const found: TableFacts[] = [];
  for (const { name } of tables) {
    const table = String(name);
    const described = await run(
      `select name, type, "notnull", pk from pragma_table_info(${literal(table)}) order by cid`,
    );
    const columns: ColumnFacts[] = [];
    for (const { name: column, type, notnull, pk } of described) {
      const split = splitType(String(type));
      const one = quoted(String(column));
      const [row] = isInstant(split.type)
        ? await run(`select ${one} as example from ${quoted(table)} where ${one} is not null limit 1`)
        : [];
      const example = row === undefined ? {} : { example: row["example"] };
      columns.push({
        name: String(column),
        ...split,
        nullable: Number(notnull) === 0 && Number(pk) === 0,
        ...example,
      });
    }
    const key = described
      .filter(({ pk }) => Number(pk) > 0)
      .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
      .map(({ name: column }) => String(column));
    const links = await run(
      `select id, "table", "from", "to" from pragma_foreign_key_list(${literal(table)}) order by id, seq`,
    );
    found.push({ name: table, columns, key, foreignKeys: grouped(links, "id") });
  }
  return found;
}

/** Returns the tables of the current schema of a PostgreSQL database. */
export async function postgresTables(run: RunQuery): Promise<readonly TableFacts[]> {
  const columns =
    await run(`select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notnull",
      coalesce(array_position(k.conkey, a.attnum), 0) as pk
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') order by c.relname, a.attnum`);
  const links =
    await run(`select k.oid::text as id, c.relname as own, f.relname as "table", a.attname as "from", b.attname as "to"
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    cross join lateral unnest(k.conkey, k.confkey) as pair(own, other)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
    join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.other
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace order by k.oid, pair.own`);
  const names = [...new Set(columns.map(({ table }) => String(table)))];
  return names.map((name) => {
    const own = columns.filter(({ table }) => table === name);
    return {
      name,
      columns: own.map(({ name: column, type, notnull }) => ({
        name: String(column),
        ...splitType(String(type)),
        nullable: notnull !== true,
      })),
      key: own
        .filter(({ pk }) => Number(pk) > 0)
        .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
        .map(({ name: column }) => String(column)),
      foreignKeys: grouped(
        links.filter((link) => link["own"] === name),
        "id",
      ),
    };
  });
}

function grouped(links: readonly Readonly<Record<string, unknown>>[], by: string): readonly ForeignKey[] {
  const keys = new Map<string, { table: string; on: Record<string, string> }>();
  for (const link of links) {
    const id = String(link[by]);
    const known = keys.get(id) ?? { table: String(link["table"]), on: {} };
    keys.set(id, known);
    known.on[String(link["from"])] = String(link["to"] ?? link["from"]);
  }
  return [...keys.values()];
}
