import type { ColumnKind } from "../content/columns.ts";
import { ClientError } from "../errors.ts";
import { postgresTypes } from "./column-types.ts";
import { postgresRelation, postgresSchema } from "./postgres-catalog.ts";
import { recordLines } from "./record-lines.ts";
import {
  type AcceptedKinds,
  driver,
  fitColumns,
  listOf,
  newMark,
  quoteIdentifier,
  type SqlSession,
  type Table,
  tableNames,
} from "./session.ts";
import { ledgerTables } from "./sql-ledger.ts";
import { sqlTarget, targetFailure } from "./sql-target.ts";
import type { TablePlace, TargetOptions } from "./table-place.ts";
import type { LoadTarget } from "./target.ts";

/** Column types. `numeric` keeps every digit of a number. */
const types = {
  text: "text",
  integer: "numeric",
  number: "numeric",
  boolean: "boolean",
  json: "jsonb",
} as const satisfies Record<ColumnKind, string>;

/** Kinds of values that an existing column can take, by its type. PostgreSQL converts a JSON member to the type of the column. */
const takes: AcceptedKinds = {
  text: ["text"],
  "character varying": ["text"],
  numeric: ["integer", "number"],
  "double precision": ["integer", "number"],
  bigint: ["integer"],
  integer: ["integer"],
  boolean: ["boolean"],
  jsonb: ["text", "integer", "number", "boolean", "json"],
  json: ["text", "integer", "number", "boolean", "json"],
  "timestamp with time zone": ["text"],
  date: ["text"],
  "time without time zone": ["text"],
};

/** Number of the advisory lock that serializes loads: `cad` in ASCII. */
const loadLock = 0x63_61_64;

/** Approximate number of characters of JSON in one statement. */
const batchLength = 1 << 20;

/**
 * Opens a PostgreSQL database as a target, by its address or the environment variables that `psql` reads (`PGHOST`, `PGPASSWORD` and the
 * like).
 */
export const openPostgres = async (url: string | undefined, options: TargetOptions): Promise<LoadTarget> =>
  sqlTarget(await openPostgresSession(url, options, ledgerTables.loads), options);

/** @param ledger table that the search path is searched for if no schema is named */
export async function openPostgresSession(
  url: string | undefined,
  { prefix = "", schema: named }: TablePlace,
  ledger: string,
): Promise<SqlSession> {
  const { default: pg } = await driver("pg", () => import("pg"));
  const client = new pg.Client(url === undefined ? {} : { connectionString: url });
  // If the connection breaks, the next statement reports it.
  client.on("error", () => {});
  const title = url ?? "postgres:";
  await client.connect().catch((error: unknown) => {
    throw targetFailure(title, error);
  });
  const run: SqlSession["run"] = async (statement, values = []) => {
    let k = 0;
    const text = statement.replaceAll(/"[^"]*"|\?/g, (found) => (found === "?" ? `$${++k}` : found));
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  };
  const schema = await schemaOf(title, client, () =>
    postgresSchema(run, named, quoteIdentifier(prefix + ledger)),
  );
  const names = tableNames(prefix, `${client.escapeIdentifier(schema)}.`, named);
  const columnsOf = (table: string) => typesOf(run, names.of(table));
  const fit = (table: Table) => fitColumns(run, table, { names, types, takes, typesOf: columnsOf });
  const insertLines = async (
    { name, columns }: Table,
    typeOf: ReadonlyMap<string, string>,
    lines: readonly string[],
  ) => {
    const list = listOf(columns.keys());
    const fields = Array.from(columns, ([column]) => `${quoteIdentifier(column)} ${typeOf.get(column)}`).join(
      ", ",
    );
    await run(
      `insert into ${names.of(name)} (${list}) select ${list} from json_to_recordset(?::json) as r(${fields})`,
      [`[${lines.join(",")}]`],
    );
  };
  return {
    title,
    names,
    replacesTables: false,
    placeOptions: "`--schema` or `--prefix`",
    run,
    begin: async () => {
      await run("begin");
      await run("select pg_advisory_xact_lock(?)", [loadLock]);
    },
    relation: (name) => postgresRelation(run, schema, prefix + name),
    // A partial index without rows costs nothing, and a comment on the table may be the user's.
    mark: async ({ name, keyField }) => {
      const [own] = await run(
        "select pg_has_role(relowner, 'usage') as may from pg_class where oid = to_regclass(?)",
        [names.of(name)],
      );
      if (own?.["may"] !== true) return undefined;
      const mark = newMark();
      await run(
        `create index ${quoteIdentifier(mark)} on ${names.of(name)} (${quoteIdentifier(keyField)}) where false`,
      );
      return mark;
    },
    lock: async (tables) => {
      const list = tables.map(names.of).join(", ");
      if (list !== "") await run(`lock table ${list} in share row exclusive mode`);
    },
    empty: async (table) => {
      await fit(table);
      await run(`delete from ${names.of(table.name)}`);
    },
    fit,
    // Ends with new, empty files; a deletion would leave the rows in the old ones.
    erase: async (table) => void (await run(`truncate ${names.of(table)}`)),
    insert: async (table, part) => {
      const typeOf = await columnsOf(table.name);
      let batch: string[] = [];
      let length = 0;
      for await (const lines of recordLines(table, part)) {
        for (const line of lines) {
          batch.push(line);
          length += line.length;
          if (length < batchLength) continue;
          await insertLines(table, typeOf, batch);
          batch = [];
          length = 0;
        }
      }
      if (batch.length > 0) await insertLines(table, typeOf, batch);
    },
    typesOf: columnsOf,
    sqlTypes: postgresTypes,
    hasComments: true,
    close: () => client.end(),
  };
}

/** Finds the schema. Closes the connection if there is none. */
async function schemaOf(
  title: string,
  client: { readonly end: () => Promise<void> },
  find: () => Promise<string | undefined>,
): Promise<string> {
  try {
    const schema = await find();
    if (schema !== undefined) return schema;
  } catch (error) {
    await client.end();
    throw targetFailure(title, error);
  }
  await client.end();
  throw new ClientError("target_failed", {
    target: title,
    reason: "the search path has no schema: name one with `--schema`",
  });
}

/** Types of a table's columns, by name. Empty if there is no such table. @param table its name as SQL */
async function typesOf(run: SqlSession["run"], table: string): Promise<ReadonlyMap<string, string>> {
  const found = await run(
    "select attname as name, format_type(atttypid, null) as type from pg_attribute where attrelid = to_regclass(?) and attnum > 0 and not attisdropped",
    [table],
  );
  return new Map(found.map((column) => [String(column["name"]), String(column["type"])]));
}
