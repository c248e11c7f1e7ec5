import Database from "better-sqlite3";
import { foldCase, wordsOf } from "../../src/functions/index.ts";
import {
  type BoundQuery,
  compilePage,
  type EntitySet,
  fts5Index,
  type Mapping,
  postgres,
  type Row,
  sql,
  sqlite,
  tableMapping,
  wordsIndex,
} from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { startPostgres } from "../../src/testing/postgres.ts";

const text = (name: string, nullable: boolean) =>
  ({ name, type: "Edm.String", collection: false, nullable }) as const;

/** Homes with two searchable texts, of which `Remarks` may be null. */
export const homes: EntitySet = {
  name: "Homes",
  type: {
    name: "Home",
    key: ["Key"],
    properties: new Map(
      [text("Key", false), text("Title", false), text("Remarks", true), text("Source", true)].map((one) => [
        one.name,
        one,
      ]),
    ),
  },
};

export const searchable = ["Title", "Remarks"] as const;

const texts: readonly (readonly [title: string, remarks: string | null, source: string | null])[] = [
  ["Sea view", "Blue house with a view of the sea.", "a"],
  ["sea", "VIEW", "a"],
  ["SEA-VIEW!", null, "b"],
  ["View sea", "", null],
  ["O'Fallon", "o fallon; a pool, a pool, a pool house", "a"],
  ["STRASSE", "Straße STRAẞE", "b"],
  ["ΟΔΌΣ", "οδός Σίσυφος", "a"],
  ["e\u0301cole", "école ÉCOLE", "b"],
  ["😀sea😀", "sea\u200bview 10½ Ⅷ", "a"],
  ["", null, "b"],
  ["Kelvin K kelvin", "ſea", "a"],
  ["𐐀𐐨", "हिन्दी नगर 東京都", "b"],
  ['"sea" AND (view) NOT *:^', "{sea} 'view' \\ %_ sea* -view", "a"],
  ["x".repeat(300), `${"y".repeat(254)}😀 ${"é".repeat(300)}`, "b"],
  ["a".repeat(10), `${"pool ".repeat(400)}sea`, "a"],
  ["\u{10ffff}", "\u{10ffff}sea\ud7ff", "b"],
  ["near and or not", "NEAR(sea view)", null],
];

/** The rows, in key order. */
export const rows: readonly Row[] = texts.map(([Title, Remarks, Source], i) => ({
  Key: String.fromCharCode(97 + i),
  Title,
  Remarks,
  Source,
}));

const folded: Mapping["folded"] = ({ name }) => (name === "Title" ? { sql: sql`"TitleFolded"` } : undefined);

const table = tableMapping("home");

/** Mappings without and with indexes for text. */
export const mappings = {
  sqlite: {
    plain: table,
    indexed: {
      ...table,
      folded,
      search: fts5Index("home words", sql`"home".rowid`, { Title: "the title", Remarks: 'the "remarks"' }),
    },
  },
  postgres: {
    plain: table,
    indexed: { ...table, folded, search: wordsIndex(sql`"words"`, searchable) },
  },
} as const satisfies Record<string, Record<string, Mapping>>;

type Kind = keyof (typeof mappings)["sqlite"];

/** A database with the rows. Returns the keys of a query's rows, and its query plan. */
export type Homes = {
  readonly keys: (query: BoundQuery, kind: Kind) => Promise<readonly unknown[]>;
  readonly plan: (query: BoundQuery, kind: Kind) => Promise<string>;
  readonly close: () => Promise<void>;
};

export function openSqliteHomes(): Homes {
  const database = new Database(":memory:");
  registerFunctions(database);
  database.exec(`
    create table "home" ("Key" text primary key, "Title" text, "Remarks" text, "Source" text, "TitleFolded" text);
    create index "folded title" on "home" ("TitleFolded");
    create index "title" on "home" ("Title");
    create index "folded remarks" on "home" ("odata_foldcase_string"("Remarks"));
    create virtual table "home words" using fts5("the title", "the ""remarks""", tokenize='ascii', content='');
  `);
  const insert = database.prepare(`insert into "home" values (?, ?, ?, ?, ?)`);
  const index = database.prepare(
    `insert into "home words" (rowid, "the title", "the ""remarks""") values (?, ?, ?)`,
  );
  for (const { Key, Title, Remarks, Source } of rows as readonly Record<string, string | null>[]) {
    const { lastInsertRowid } = insert.run(Key, Title, Remarks, Source, foldCase(Title ?? ""));
    index.run(lastInsertRowid, wordsOf(Title ?? ""), wordsOf(Remarks ?? ""));
  }
  const compile = (query: BoundQuery, kind: Kind) => compilePage(query, sqlite, mappings.sqlite[kind]);
  return {
    keys: async (query, kind) => {
      const { text: statement, values } = compile(query, kind);
      return (database.prepare(statement).all(...values) as Row[]).map(({ Key }) => Key);
    },
    plan: async (query, kind) => {
      const { text: statement, values } = compile(query, kind);
      const steps = database.prepare(`explain query plan ${statement}`).all(...values) as {
        detail: string;
      }[];
      return steps.map(({ detail }) => detail).join("\n");
    },
    close: async () => void database.close(),
  };
}

export async function openPostgresHomes(): Promise<Homes> {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [
    ...postgresSettings,
    ...postgresHelpers(),
    `create table "home" ("Key" text primary key, "Title" text collate "C" not null, "Remarks" text, "Source" text,
      "TitleFolded" text collate "C",
      "words" text[] generated always as (cadastre_search_words("Title", "Remarks")) stored)`,
    `create index "folded title" on "home" ("TitleFolded")`,
    `create index "title" on "home" ("Title")`,
    `create index "folded remarks" on "home" (cadastre_foldcase("Remarks" collate "C"))`,
    `create index "home words" on "home" using gin ("words")`,
    // Otherwise the server would scan so small a table instead of using an index.
    "set enable_seqscan to off",
    "set jit to off",
  ])
    await pool.query(statement);
  for (const { Key, Title, Remarks, Source } of rows as readonly Record<string, string | null>[]) {
    await pool.query(`insert into "home" values ($1, $2, $3, $4, $5)`, [
      Key,
      Title,
      Remarks,
      Source,
      foldCase(Title ?? ""),
    ]);
  }
  const compile = (query: BoundQuery, kind: Kind) => compilePage(query, postgres, mappings.postgres[kind]);
  return {
    keys: async (query, kind) => {
      const { text: statement, values } = compile(query, kind);
      return (await pool.query<Row>(statement, [...values])).rows.map(({ Key }) => Key);
    },
    plan: async (query, kind) => {
      const { text: statement, values } = compile(query, kind);
      const { rows: steps } = await pool.query<{ "QUERY PLAN": string }>(`explain ${statement}`, [...values]);
      return steps.map((step) => step["QUERY PLAN"]).join("\n");
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}
