import { hasPostgres, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";

import { expect, test } from "vitest";
import { introspectPostgres } from "../../src/pg/index.ts";
import { introspectSqlite } from "../../src/sqlite/index.ts";
import { testPool } from "../support/test-pool.ts";

/** Returns the declaration that is printed of a column with values in SQLite, or the comment in its place. */
async function declared(type: string, ...values: readonly string[]): Promise<string> {
  const database = new Database(":memory:");
  database.exec(`create table t (id integer primary key, c ${type})`);
  for (const value of values) database.exec(`insert into t (c) values (${value})`);
  const module = await introspectSqlite(database);
  return /^ {2}properties: \{\n {4}(?:c: |\/\/ Left out: `t\.c` )(.*)$/m.exec(module)?.[1] ?? module;
}

const unread = (type: string, form: string, declaration: string) =>
  `is of the type \`${type}\`, and has values of the form \`${form}\`, which \`${declaration}\` does not read.`;
const ways = 'are not all stored in one way that `instant("…")` names.';

test.each([
  ["integer", ["1", "null", "-2147483647"], "integer().nullable(),"],
  ["integer", ["1", "1772354400000"], "bigInteger().nullable(),"],
  ["smallint", ["40000"], "bigInteger().nullable(),"],
  ["integer", ["1", "'Abc 12'"], unread("integer", "Aaa 00", "integer()")],
  ["integer", ["1.5"], unread("integer", "0.0", "integer()")],
  ["text", ["'a'", "x'00'"], unread("text", "binary", "text()")],
  ["", ["1"], unread("", "0", "text()")],
  ["boolean", ["0", "1"], "boolean().nullable(),"],
  ["boolean", ["'true'"], unread("boolean", "aaaa", "boolean()")],
  ["boolean", ["2"], unread("boolean", "0", "boolean()")],
  ["date", ["'2026-03-01'"], "date().nullable(),"],
  ["date", ["'2026-03-01 08:30:00'"], unread("date", "0000-00-00 00:00:00", "date()")],
  ["time", ["'08:30:00.5'", "'08:30:00'"], "timeOfDay().nullable(),"],
  ["time", ["'08:30'"], unread("time", "00:00", "timeOfDay()")],
  ["uuid", ["'01234567-89ab-cdef-0123-456789abcdef'"], "guid().nullable(),"],
  [
    "uuid",
    ["'01234567-89AB-CDEF-0123-456789ABCDEF'"],
    unread("uuid", "00000000-00AA-AAAA-0000-000000AAAAAA", "guid()"),
  ],
  ["numeric(14, 2)", ["1", "1.25"], 'decimal(14, 2, "double").nullable(),'],
  ["real", ["'x'"], unread("real", "a", "double()")],
  ["datetime", ["1772354400", "0"], 'instant("seconds").nullable(),'],
  ["timestamp", ["0", "1772354400000"], 'instant("milliseconds").nullable(),'],
  ["datetime", ["'2026-03-01T08:30:00.000Z'"], 'instant("iso-text").nullable(),'],
  ["datetime", ["'2026-03-01T08:30:00Z'"], 'instant("iso-text-seconds").nullable(),'],
  [
    "datetime",
    ["'2026-03-01 08:30:00'"],
    'is of the type `datetime`, and its values, of the form `0000-00-00 00:00:00`, do not tell their time zone: if it is UTC, declare it as `instant("iso-text-seconds").column(sql`strftime(\'%Y-%m-%dT%H:%M:%SZ\', "c")`)`.',
  ],
  [
    "datetime",
    ["1772354400", "'2026-03-01T08:30:00Z'"],
    `is of the type \`datetime\`, and its values, such as those of the form \`0000000000\`, ${ways}`,
  ],
  [
    "datetime",
    [],
    'is of the type `datetime`, and has no values that tell how instants are stored: declare it as `instant("…")`.',
  ],
  ["json", [], "is of the type `json`, which does not say how its values are to be read."],
])("a column of type %j with %j is declared as %s", async (type, values, expected) => {
  expect(await declared(type, ...values)).toBe(expected);
});

test.runIf(hasPostgres)("types, partitions and names of PostgreSQL", async () => {
  const server = await startPostgres();
  const pool = testPool({ connectionString: server.url });
  await pool.query(`create type mood as enum ('so so', 'good');
    create domain short as varchar(5);
    create table t (id int primary key, "the \\ \`\${mood} ""x""" mood not null, moods mood, at timestamp(3), gone timestamptz(3), s short, n numeric(9),
      tags text[], code char(2), ci json) partition by range (id);
    create table t_1 partition of t for values from (0) to (10)`);
  expect(await introspectPostgres(pool)).toContain(`
import { decimal, entitySet, instant, integer, sql, text } from "@cadastre/server/model";

export const t = entitySet("t", {
  table: "t",
  key: {
    id: integer(),
  },
  properties: {
    the______mood___x_: text().column(sql\`"the \\\\ \\\`\\\${mood} ""x"""::text\`),
    moods: text().column(sql\`"moods"::text\`).nullable(),
    // Left out: \`t.at\` is of the type \`timestamp without time zone\`: if its values are in UTC, declare it as \`instant().column(sql\`"at" at time zone 'UTC'\`)\`.
    gone: instant().nullable(),
    s: text(5).nullable(),
    n: decimal(9, 0).nullable(),
    // Left out: \`t.tags\` is of the type \`text[]\`, which does not say how its values are to be read.
    code: text(2).nullable(),
    // Left out: \`t.ci\` is of the type \`json\`, which does not say how its values are to be read.
  },
});

export const entitySets = [t] as const;
`);
  await pool.end();
  await server.stop();
});
