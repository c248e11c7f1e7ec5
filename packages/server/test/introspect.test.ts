import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import knex, { type Knex } from "knex";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchOdata } from "../src/fetch/index.ts";
import { unrestricted } from "../src/index.ts";
import { afterCreate, introspect, knexSource, prepareKnex } from "../src/knex/index.ts";
import { entitySets as ofPostgres } from "./golden/postgres-declarations.ts";
import { entitySets as ofSqlite } from "./golden/sqlite-declarations.ts";

/** Statements that create the tables of an office, in either database. */
const tables = (instants: string, when: string) => [
  `create table office (id integer primary key, "office name" varchar(80) not null, opened date)`,
  `create table listing (key varchar(20) primary key, office integer references office (id), price numeric(14, 2), area real,
    sold boolean, views bigint not null, changed ${instants} not null)`,
  `create table photo (listing varchar(20) references listing (key), place integer, url text, primary key (listing, place))`,
  `create table log (line text)`,
  `insert into office values (1, 'Main', '2020-02-29')`,
  `insert into listing values ('L1', 1, 1.5, 2.25, true, 9007199254740993, ${when})`,
  `insert into photo values ('L1', 1, 'https://photos.example/1.jpg')`,
];

const sqliteKnex = knex({
  client: "better-sqlite3",
  connection: { filename: ":memory:" },
  useNullAsDefault: true,
  pool: { afterCreate, min: 1, max: 1 },
});
let server: PostgresServer | undefined;
let postgresKnex: Knex | undefined;

beforeAll(async () => {
  for (const statement of tables("datetime", "1772354400")) await sqliteKnex.raw(statement);
  if (!hasPostgres) return;
  server = await startPostgres();
  postgresKnex = knex({ client: "pg", connection: server.url, pool: { afterCreate } });
  await prepareKnex(postgresKnex);
  for (const statement of tables("timestamptz", "'2026-03-01T08:40:00Z'")) await postgresKnex.raw(statement);
}, 60_000);
afterAll(async () => {
  await sqliteKnex.destroy();
  await postgresKnex?.destroy();
  await server?.stop();
});

describe("declarations of the tables of a database", () => {
  test("of SQLite are printed", async () => {
    await expect(await introspect(sqliteKnex)).toMatchFileSnapshot("golden/sqlite-declarations.ts");
  });
  test.runIf(hasPostgres)("of PostgreSQL are printed", async () => {
    await expect(await introspect(postgresKnex as Knex)).toMatchFileSnapshot(
      "golden/postgres-declarations.ts",
    );
  });

  const answer = async (db: Knex, entitySets: typeof ofSqlite | typeof ofPostgres) => {
    const options = { namespace: "Office", source: knexSource(db), restrict: unrestricted } as const;
    const handler = fetchOdata("/odata", { ...options, entitySets: [...entitySets] });
    const query = "listing?$expand=office_2,photo($select=url)&$filter=office_2/opened lt 2021-01-01";
    return (await (await handler(new Request(`https://office.example/odata/${query}`))).json()) as {
      value: unknown;
    };
  };

  test("are served as they are", async () => {
    const expected = [
      expect.objectContaining({
        key: "L1",
        price: 1.5,
        changed: "2026-03-01T08:40:00.000Z",
        photo: [{ url: "https://photos.example/1.jpg" }],
        office_2: { id: 1, office_name: "Main", opened: "2020-02-29" },
      }),
    ];
    expect((await answer(sqliteKnex, ofSqlite)).value).toEqual(expected);
    if (postgresKnex !== undefined) expect((await answer(postgresKnex, ofPostgres)).value).toEqual(expected);
  });
});
