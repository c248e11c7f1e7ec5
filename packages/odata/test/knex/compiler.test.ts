import type Database from "better-sqlite3";
import knex, { type Knex } from "knex";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bindQuery,
  type EntitySet,
  parseFilter,
  parseOrderBy,
  parseSelect,
  postgres,
  type QueryParts,
  type StructuralProperty,
  sql,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { knexCompiler } from "../../src/knex/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { hasPostgres, startPostgres } from "../../src/testing/postgres.ts";

type Opened = {
  readonly db: Knex;
  readonly dialect: Dialect;
  /** Runs a statement past knex. */
  readonly execute: (text: string) => Promise<unknown>;
  /** The rows in what `knex.raw` gives. */
  readonly rowsOf: (answer: unknown) => unknown;
  readonly close: () => Promise<void>;
};

async function openSqlite(): Promise<Opened> {
  let database: Database.Database;
  const afterCreate = (created: Database.Database, done: () => void) => {
    database = created;
    registerFunctions(created);
    done();
  };
  const db = knex({
    client: "better-sqlite3",
    connection: { filename: ":memory:" },
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate },
  });
  await db.raw("select 1");
  return {
    db,
    dialect: sqlite,
    execute: async (text) => database.exec(text),
    rowsOf: (answer) => answer,
    close: () => db.destroy(),
  };
}

async function openPostgres(): Promise<Opened> {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of postgresHelpers()) await pool.query(statement);
  const db = knex({ client: "pg", connection: server.url, pool: { min: 1, max: 1 } });
  for (const statement of postgresSettings) await db.raw(statement);
  return {
    db,
    dialect: postgres,
    execute: (text) => pool.query(text),
    rowsOf: (answer) => (answer as { rows: unknown }).rows,
    close: async () => {
      await Promise.all([db.destroy(), pool.end()]);
      await server.stop();
    },
  };
}

if (!hasPostgres) console.warn("PostgreSQL is left out: no server is installed");
const databases = [
  ["SQLite", openSqlite],
  ["PostgreSQL", openPostgres],
] as const;

const property = (name: string, type: StructuralProperty["type"]): [string, StructuralProperty] => [
  name,
  { name, type, collection: false, nullable: true },
];
const properties = new Map([property("Id", "Edm.Int32"), property("Town", "Edm.String")]);
const homes: EntitySet = { name: "Homes", type: { name: "Home", key: ["Id"], properties } };
const bound = (filter: string, parts: Partial<QueryParts> = {}) =>
  bindQuery({ filter: parseFilter(filter), select: parseSelect("Id"), top: 9, ...parts }, homes);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const towns = ["York", "why? $1 :v1 \\? ?? ::text", null, "York"];

describe.each(databases.slice(0, hasPostgres ? 2 : 1))("through a knex of %s", (_name, open) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  /** A table whose name, and whose column of towns, are given. */
  async function compilerOver(table: string, column: string) {
    const rows = towns.map((town, i) => `(${i + 1}, ${town === null ? "null" : `'${town}'`})`);
    await opened.execute(`create table ${quoted(table)} ("Id" integer, ${quoted(column)} text)`);
    await opened.execute(`insert into ${quoted(table)} values ${rows.join()}`);
    return knexCompiler(opened.dialect, tableMapping(table, { Town: column }), { order: true });
  }

  test.each([
    ["odd?name", "what?"],
    ["??", "$1"],
    ["$1", ":v1"],
    [":v1", "a::v1:"],
    ["a:v1:b::text", "back\\slash"],
    ["back\\:v1\\:", "it's"],
    ['quo"te?', "\\"],
  ])("a column `%s` of a table `%s` is found", async (column, table) => {
    const compiler = await compilerOver(table, column);
    const { db, rowsOf } = opened;
    const found = async (filter: string) => {
      const answer: unknown = await compiler.page(db, bound(filter));
      return (rowsOf(answer) as { Id: number }[]).map(({ Id }) => Id);
    };
    expect(await found("Town eq 'York'")).toEqual([1, 4]);
    expect(await found("Town eq 'why? $1 :v1 \\? ?? ::text'")).toEqual([2]);
    expect(await found("contains(Town,'?') and not (Town eq 'York') or Id eq 3")).toEqual([2, 3]);
    expect(await found("true")).toEqual([1, 2, 3, 4]);
    const counted: unknown = await compiler.count(db, bound("Town ne 'York'"));
    expect((rowsOf(counted) as { count: unknown }[]).map(({ count }) => Number(count))).toEqual([2]);
  });

  test("a walk goes on where the page before ended", async () => {
    const compiler = await compilerOver("walk?", "town?");
    const { db, rowsOf } = opened;
    const seen: unknown[] = [];
    let after: readonly unknown[] | null = null;
    do {
      const query = bound("true", { orderBy: parseOrderBy("Town desc"), top: 1, after });
      const answer: unknown = await compiler.page(db, query);
      const [row] = rowsOf(answer) as Record<string, unknown>[];
      seen.push(row?.["Id"]);
      after = row === undefined ? null : query.orderBy.map((_, i) => row[`order${i}`]);
    } while (after !== null);
    expect(seen).toEqual([2, 1, 4, 3, undefined]);
  });

  test("a statement is a part of a larger one, and of a transaction", async () => {
    const compiler = await compilerOver("part", "town?");
    const page = compiler.page(opened.db, bound("Town eq 'York'"));
    expect(await opened.db.from(page.wrap("(", ") as page")).where("Id", ">", 1).select("Id")).toEqual([
      { Id: 4 },
    ]);
    const within = await opened.db.transaction(async (trx) => {
      await trx("part").where("Id", 1).delete();
      return opened.rowsOf(await compiler.page(trx, bound("Town eq 'York'")));
    });
    expect(within).toMatchObject([{ Id: 4 }]);
  });
});

describe("what the mapping writes itself", () => {
  const column = (fragment: ReturnType<typeof sql>) => ({
    from: sql`home`,
    column: () => ({ sql: fragment }),
  });
  const host = { raw: (text: string, bindings: Readonly<Record<string, unknown>>) => ({ text, bindings }) };
  const query = bound("Id eq 7");

  test("keeps its operators", () => {
    const compiler = knexCompiler(postgres, column(sql`(tags ? 'x')::int`));
    expect(compiler.count(host, query)).toEqual({
      text: `select count(*) as "count" from home where (tags \\? 'x')::int = ?::bigint`,
      bindings: [7n],
    });
  });

  test("is refused where knex would change it", () => {
    const fragment = sql`regexp_count(name, '\\?')`;
    expect(() => knexCompiler(postgres, column(fragment)).count(host, query)).toThrow(
      "a backslash before a question mark",
    );
    expect(() => knexCompiler(sqlite, column(fragment)).count(host, query)).not.toThrow();
  });
});
