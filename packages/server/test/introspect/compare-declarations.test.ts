import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import knex, { type Knex } from "knex";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fetchOdata } from "../../src/fetch/index.ts";
import { type DeclarationMismatch, unrestricted } from "../../src/index.ts";
import { afterCreate, knexSource } from "../../src/knex/index.ts";
import {
  bigInteger,
  collection,
  date,
  decimal,
  type EntitySetDeclaration,
  entitySet,
  geographyPoint,
  guid,
  instant,
  integer,
  sql,
  text,
} from "../../src/model/index.ts";
import { postgresSource } from "../../src/pg/index.ts";
import type { SourceMaker } from "../../src/source/sql-source.ts";
import { sqliteSource } from "../../src/sqlite/index.ts";
import { testPool } from "../support/test-pool.ts";

/** Starts a service and returns what it tells of its declarations, once it has compared them. */
async function told(source: SourceMaker, entitySets: readonly EntitySetDeclaration[]) {
  const found: DeclarationMismatch[] = [];
  const errors: unknown[] = [];
  let isDone = false;
  // A set of a table that is not there is the last to be compared, and tells that all others have been.
  const last = entitySet("Last", { table: "no such table", key: { Id: integer() }, properties: {} });
  fetchOdata("/odata", {
    namespace: "Office",
    entitySets: [...entitySets, last],
    source,
    restrict: unrestricted,
    onError: (error) => errors.push(error),
    onMismatch: (one) => {
      if (one.target === "Last") isDone = true;
      else found.push(one);
    },
  });
  await vi.waitFor(() => expect(isDone || errors.length > 0).toBe(true));
  expect(errors).toEqual([]);
  return found.map(
    ({ code, target, message }) => `${code} ${target} ${message.replace(`\`${target}\`: `, "")}`,
  );
}

const sqliteTables = `
  create table listing (id text primary key, town text not null, price integer, code integer, changed datetime not null, note text);
  create index listing_by_change on listing (changed, id);
  create table photo (listing text, place integer, url text, primary key (listing, place)) without rowid;
  create table event (id integer primary key, at text not null, room text, "long name" text generated always as (room || at));
  create index event_by_at on event (at desc);
  create view towns as select distinct town from listing;
  create view broken as select other from nowhere;`;

const postgresTables = `
  create domain town_name as varchar(80);
  create table listing (id text primary key, town town_name not null, price integer, status mood not null, changed timestamptz not null,
    sold timestamp, amount numeric(14, 2), shape jsonb, code char(3) not null, uid uuid, big bigint not null, days numeric(9));
  create index listing_by_change on listing (changed, id collate "C") include (price);
  create index listing_by_price on listing (price nulls first, id collate "C");
  create index listing_by_big on listing (big desc, id collate "C" desc);
  create table photo (listing text collate "C", place integer, url text, primary key (listing, place));
  create view towns as select distinct town from listing;`;

type Case = readonly [name: string, declaration: EntitySetDeclaration, told: readonly string[]];

const key = { Id: text().column("id") };
const orderBy = ["Changed"] as const;

const onBoth = (changed: ReturnType<typeof instant>): readonly Case[] => [
  [
    "what is as declared",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: {
        Town: text().column("town"),
        Price: integer().column("price").nullable(),
        Changed: changed.column("changed"),
      },
      orderBy,
    }),
    [],
  ],
  [
    "the order of a key of two columns",
    entitySet("Photo", {
      table: "photo",
      key: { Listing: text().column("listing"), Place: integer().column("place") },
      properties: { Url: text().column("url").nullable() },
    }),
    [],
  ],
  ["a view", entitySet("Town", { table: "towns", key: { Town: text().column("town") }, properties: {} }), []],
  [
    "SQL expressions, as column, order and table",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: { Short: text().column(sql`substr(missing, 1, 3)`) },
      orderBy: ["Short"],
    }),
    [],
  ],
  [
    "a table that is an SQL expression",
    entitySet("Listing", { table: sql`(select 1 as other) as x`, key, properties: {} }),
    [],
  ],
  [
    "a missing table",
    entitySet("Listing", { table: "listings", key, properties: {} }),
    [
      "missing_table Listing there is no table or view `listings`, did you mean `listing`? create it, or name another one as `table`",
    ],
  ],
  [
    "a missing column",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: {
        Town: text().column("twon"),
        Beds: integer().column("beds"),
        Changed: changed.column("changed"),
      },
      orderBy,
    }),
    [
      'missing_column Listing/Town `listing` has no column `twon`, did you mean `town`? name the column as `.column("…")`, or `alter table "listing" add column "twon" text`',
      'missing_column Listing/Beds `listing` has no column `beds`: name the column as `.column("…")`, or `alter table "listing" add column "beds" integer`',
    ],
  ],
  [
    "a missing column of a view",
    entitySet("Town", {
      table: "towns",
      key: { Town: text().column("town") },
      properties: { State: text() },
    }),
    [
      'missing_column Town/State `towns` has no column `State`: name the column as `.column("…")`, or add it to the view',
    ],
  ],
];

const sqliteCases: readonly Case[] = [
  ...onBoth(instant("seconds")),
  [
    "names in upper case, and the row id",
    entitySet("Event", {
      table: "EVENT",
      key: { Id: integer().column("ID") },
      properties: { Row: integer().column("rowid"), Name: text().column("long name").nullable() },
    }),
    [],
  ],
  [
    "an index that ends with the row id, which is the key, backwards",
    entitySet("Event", {
      table: "event",
      key: { Id: integer().column("id") },
      properties: { At: text().column("at") },
      orderBy: ["At"],
    }),
    [
      'no_index Event no index of `event` begins with the columns of its order, so that each page reads and sorts all rows: `create index "event_by_at_id" on "event" ("at", "id")`',
    ],
  ],
  ["a view that is not valid", entitySet("Broken", { table: "broken", key, properties: {} }), []],
  [
    "texts in a column of numbers, numbers in a column of text",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: {
        Code: text().column("code").nullable(),
        Note: integer().column("note").nullable(),
        Changed: instant("iso-text").column("changed"),
        Rates: collection(decimal(9, 2, "double")).column("price"),
      },
      orderBy,
    }),
    [
      "other_type Listing/Code the column `code` of `listing` is of the type `integer`, which Edm.String is not read from exactly: declare it as `integer()`, or let the column be `text`",
      "other_type Listing/Note the column `note` of `listing` is of the type `text`, which Edm.Int32 is not read from exactly: declare it as `text()`, or let the column be `integer`",
      "other_type Listing/Rates the column `price` of `listing` is of the type `integer`, which Collection(Edm.Decimal) is not read from exactly: declare it as `integer()`, or let the column be `text`",
    ],
  ],
  [
    "columns that may be null",
    entitySet("Event", {
      table: "event",
      key: { Room: text().column("room") },
      properties: { Name: text().column("long name"), Tags: collection(text()).column("room") },
    }),
    [
      "null_possible Event/Room the column `room` of `event` may be null, which the declaration excludes: a key is never null: declare the column `not null`",
      "null_possible Event/Name the column `long name` of `event` may be null, which the declaration excludes: add `.nullable()`, or declare the column `not null`",
      'no_index Event no index of `event` begins with the columns of its order, so that each page reads and sorts all rows: `create index "event_by_room" on "event" ("room")`',
    ],
  ],
];

const noIndex = (set: string, columns: string, name: string) =>
  `no_index ${set} no index of \`listing\` begins with the columns of its order, so that each page reads and sorts all rows: \`create index "listing_by_${name}" on "listing" (${columns})\``;

const postgresCases: readonly Case[] = [
  ...onBoth(instant()),
  [
    "an order with nulls, and one backwards",
    entitySet("ByPrice", {
      table: "listing",
      key,
      properties: { Price: integer().column("price").nullable() },
      orderBy: ["Price"],
    }),
    [],
  ],
  [
    "an index in descending order",
    entitySet("ByBig", {
      table: "listing",
      key,
      properties: { Big: bigInteger().column("big") },
      orderBy: ["Big"],
    }),
    [],
  ],
  [
    "an index in another collation, or with nulls elsewhere",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: { Amount: decimal().column("amount").nullable() },
      orderBy: ["Amount"],
    }),
    [noIndex("Listing", '"amount" nulls first, "id" collate "C"', "amount_id")],
  ],
  [
    "a key of text in the collation of the database",
    entitySet("Listing", { table: "listing", key, properties: {} }),
    [noIndex("Listing", '"id" collate "C"', "id")],
  ],
  [
    "other types",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: {
        Changed: instant("seconds").column("changed"),
        Sold: instant().column("sold").nullable(),
        Status: text().column("status"),
        Uid: text().column("uid").nullable(),
        Big: integer().column("big"),
        Place: geographyPoint().column("shape").nullable(),
        Price: date().column("price").nullable(),
        Days: decimal(9, 0, "scaled-integer").column("days").nullable(),
        Id2: guid().column("uid").nullable(),
      },
      orderBy,
    }),
    [
      "other_type Listing/Changed the column `changed` of `listing` is of the type `timestamp with time zone`, which Edm.DateTimeOffset as `seconds` is not read from exactly: declare it as `instant()`, or let the column be `bigint`",
      "other_type Listing/Sold the column `sold` of `listing` is of the type `timestamp without time zone`, which Edm.DateTimeOffset is not read from exactly: read it by an expression, such as .column(sql`\"sold\" at time zone 'UTC'`), or let the column be `timestamp with time zone`",
      'other_type Listing/Status the column `status` of `listing` is of the type `mood`, which Edm.String is not read from exactly: read it by an expression, such as .column(sql`"status"::text`), or let the column be `text`',
      "other_type Listing/Uid the column `uid` of `listing` is of the type `uuid`, which Edm.String is not read from exactly: declare it as `guid()`, or let the column be `text`",
      "other_type Listing/Big the column `big` of `listing` is of the type `bigint`, which Edm.Int32 is not read from exactly: declare it as `bigInteger()`, or let the column be `integer`",
      "other_type Listing/Price the column `price` of `listing` is of the type `integer`, which Edm.Date is not read from exactly: declare it as `integer()`, or let the column be `date`",
    ],
  ],
  [
    "longer values, and columns that may be null",
    entitySet("Listing", {
      table: "listing",
      key,
      properties: {
        Town: text(20).column("town"),
        Amount: decimal(10, 2).column("amount").nullable(),
        Rest: decimal(20, 1).column("amount"),
        Changed: instant().column("changed"),
      },
      orderBy,
    }),
    [
      "longer_values Listing/Town the column `town` of `listing` may hold longer values than clients are told: declare it as `text(80)`",
      "longer_values Listing/Amount the column `amount` of `listing` may hold longer values than clients are told: declare it as `decimal(14, 2)`",
      "longer_values Listing/Rest the column `amount` of `listing` may hold longer values than clients are told: declare it as `decimal(14, 2)`",
      'null_possible Listing/Rest the column `amount` of `listing` may be null, which the declaration excludes: add `.nullable()`, or `alter table "listing" alter column "amount" set not null`',
    ],
  ],
];

describe("SQLite", () => {
  const database = new Database(":memory:");
  database.exec(sqliteTables);
  const sqliteKnex = knex({
    client: "better-sqlite3",
    connection: { filename: ":memory:" },
    useNullAsDefault: true,
    pool: { afterCreate, min: 1, max: 1 },
  });
  beforeAll(async () => {
    for (const statement of sqliteTables.split(";"))
      if (statement.trim() !== "") await sqliteKnex.raw(statement);
  });
  afterAll(() => sqliteKnex.destroy());

  test.each(sqliteCases)("tells of %s", async (_, declaration, expected) => {
    expect(await told(sqliteSource(database), [declaration])).toEqual(expected);
    expect(await told(knexSource(sqliteKnex), [declaration])).toEqual(expected);
  });
});

describe.runIf(hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let postgresKnex: Knex;
  beforeAll(async () => {
    server = await startPostgres();
    pool = testPool({ connectionString: server.url });
    await pool.query(`create type mood as enum ('good', 'bad'); ${postgresTables}`);
    postgresKnex = knex({ client: "pg", connection: server.url, pool: { afterCreate } });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await postgresKnex.destroy();
    await server.stop();
  });

  test.each(postgresCases)("tells of %s", async (_, declaration, expected) => {
    expect(await told(postgresSource(pool), [declaration])).toEqual(expected);
    expect(await told(knexSource(postgresKnex), [declaration])).toEqual(expected);
  });

  test("the index that is told of serves the order", async () => {
    const [mismatch = ""] = await told(postgresSource(pool), [
      entitySet("Listing", {
        table: "listing",
        key,
        properties: { Town: text().column("town").nullable() },
        orderBy: ["Town"],
      }),
    ]);
    const [, statement = ""] = /`(create index .*)`$/.exec(mismatch) ?? [];
    const order = `"town" collate "C" asc nulls first, "id" collate "C" asc`;
    const client = await pool.connect();
    await client.query("set enable_seqscan = off");
    const plan = async () => {
      const { rows } = await client.query(`explain select id from listing order by ${order} limit 10`);
      return JSON.stringify(rows);
    };
    expect(await plan()).toContain("Sort");
    await client.query(statement);
    expect(await plan()).not.toContain("Sort");
    client.release(true);
    await pool.query('drop index "listing_by_town_id"');
  });
});

test("a database that cannot be asked is an error of the server", async () => {
  const onError = vi.fn();
  const source = postgresSource({
    query: () => Promise.reject(new Error("no connection")),
    connect: () => Promise.reject(new Error("no connection")),
  });
  const declaration = entitySet("Listing", { key, properties: {} });
  fetchOdata("/odata", {
    namespace: "Office",
    entitySets: [declaration],
    source,
    restrict: unrestricted,
    onError,
  });
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
});

test("mismatches are printed where nobody is told of them, and once for all services over a source", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const source = sqliteSource(new Database(":memory:"));
  const declaration = entitySet("Listing", { key, properties: {} });
  const options = { namespace: "Office", entitySets: [declaration], source, restrict: unrestricted } as const;
  fetchOdata("/odata", options);
  fetchOdata("/odata", options);
  await vi.waitFor(() => expect(warn).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(warn.mock.calls).toEqual([
    ["`Listing`: there is no table or view `Listing`: create it, or name another one as `table`"],
  ]);
  warn.mockRestore();
});
