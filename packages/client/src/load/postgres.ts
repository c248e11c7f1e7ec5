import type { ColumnKind } from "../content/columns.ts";
import { readPart } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import {
  driver,
  fitColumns,
  listOf,
  quoted,
  requireText,
  type SqlSession,
  type Table,
  type Takes,
} from "./session.ts";
import { sqlTarget } from "./sql-target.ts";
import type { Target } from "./target.ts";

/** Numbers keep every digit that they were sent with. */
const types = {
  text: "text",
  integer: "numeric",
  number: "numeric",
  boolean: "boolean",
  json: "jsonb",
} as const satisfies Record<ColumnKind, string>;

/** What a column that is there already can take. PostgreSQL reads a member of JSON as whatever the column is. */
const takes: Takes = {
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
};

/** Number of the lock that loads take turns by: `cad` in ASCII. */
const loadLock = 0x63_61_64;

/** Characters of JSON in one statement, about. */
const batchLength = 1 << 20;

/**
 * A PostgreSQL database, by its address or the variables that `psql` reads (`PGHOST`, `PGPASSWORD` and the like).
 */
export const openPostgres = async (url: string | undefined): Promise<Target> =>
  sqlTarget(await openPostgresSession(url));

export async function openPostgresSession(url: string | undefined): Promise<SqlSession> {
  const { default: pg } = await driver("pg", () => import("pg"));
  const client = new pg.Client(url === undefined ? {} : { connectionString: url });
  // A connection that breaks is told by the statement that needs it.
  client.on("error", () => {});
  await client.connect().catch((error: Error) => {
    throw new ClientError("target_failed", { reason: error.message });
  });
  const run: SqlSession["run"] = async (statement, values = []) => {
    let k = 0;
    const text = statement.replaceAll("?", () => `$${++k}`);
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  };
  const fit = (table: Table) =>
    fitColumns(run, table, { types, takes, typesOf: (name) => typesOf(run, name) });
  const insertLines = async (
    { name, columns }: Table,
    typeOf: ReadonlyMap<string, string>,
    lines: readonly string[],
  ) => {
    const list = listOf(columns.keys());
    const fields = Array.from(columns, ([column]) => `${quoted(column)} ${typeOf.get(column)}`).join(", ");
    await run(
      `insert into ${quoted(name)} (${list}) select ${list} from json_to_recordset(?::json) as r(${fields})`,
      [`[${lines.join(",")}]`],
    );
  };
  return {
    run,
    begin: async () => {
      await run("begin");
      await run("select pg_advisory_xact_lock(?)", [loadLock]);
    },
    empty: async (table) => {
      await fit(table);
      await run(`delete from ${quoted(table.name)}`);
    },
    fit,
    insert: async (table, part) => {
      requireText(part);
      const typeOf = await typesOf(run, table.name);
      let batch: string[] = [];
      let length = 0;
      for await (const lines of readPart(part)) {
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
    close: () => client.end(),
  };
}

/** The types of a table's columns. */
async function typesOf(run: SqlSession["run"], table: string): Promise<ReadonlyMap<string, string>> {
  const found = await run(
    "select attname as name, format_type(atttypid, null) as type from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped",
    [quoted(table)],
  );
  return new Map(found.map((column) => [String(column["name"]), String(column["type"])]));
}
