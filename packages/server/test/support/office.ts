import type { Row } from "@cadastre/odata";
import { sql } from "@cadastre/odata";
import {
  bigInteger,
  boolean,
  collection,
  date,
  decimal,
  double,
  entitySet,
  enumeration,
  guid,
  instant,
  integer,
  many,
  one,
  text,
  timeOfDay,
} from "../../src/model/index.ts";

/** The entity sets of an office: two tables whose columns have names of their own. */
const Listing = entitySet("Listing", {
  table: "listing",
  key: { ListingKey: text(20).column("id") },
  properties: {
    City: text().column("town").nullable(),
    ListPrice: decimal(14, 2, "scaled-integer").column("asking_price").nullable(),
    Views: bigInteger().column("views"),
    Bedrooms: integer().column("beds").nullable(),
    Score: double().column("score").nullable(),
    IsNew: boolean().column("is_new"),
    CloseDate: date().column("closed_on").nullable(),
    OpensAt: timeOfDay().column("opens_at").nullable(),
    Status: enumeration("Office.Status", ["Active", "Pending", "Closed"]).column("status"),
    Appliances: collection(text()).column("appliances"),
    Rates: collection(decimal(30, 25, "double")).column("rates"),
    View: text().column(sql`details ->> 'view'`).nullable(),
    Uid: guid().column("uid").nullable(),
    AgentKey: integer().column("agent").nullable(),
    ModificationTimestamp: instant("iso-text").column("changed_at"),
  },
  navigation: {
    Photos: many("Photo", { ListingKey: "ListingKey" }),
    Agent: one("Agent", { AgentKey: "AgentKey" }),
  },
  orderBy: ["ModificationTimestamp"],
  searchable: ["City"],
});

const Photo = entitySet("Photo", {
  table: "photo",
  key: { ListingKey: text().column("listing"), Place: integer().column("place") },
  properties: { Caption: text().column("caption").nullable() },
});

const Agent = entitySet("Agent", {
  table: "agent",
  key: { AgentKey: integer().column("id") },
  properties: { Name: text().column("name") },
  navigation: { Listings: many("Listing", { AgentKey: "AgentKey" }) },
});

export const entitySets = [Listing, Photo, Agent] as const;

export const rows: Readonly<Record<string, readonly Row[]>> = {
  Listing: [
    {
      ListingKey: "L1",
      City: "Austin",
      ListPrice: 525000.5,
      Views: "9007199254740993",
      Bedrooms: 3,
      Score: 0.1,
      IsNew: true,
      CloseDate: "2026-02-01",
      OpensAt: "08:30:00.5",
      Status: "Active",
      Appliances: ["Oven", "Dishwasher"],
      Rates: ["1.1000000000000000000001", "2"],
      View: "Lake",
      Uid: "01234567-89ab-cdef-0123-456789abcdef",
      AgentKey: 1,
      ModificationTimestamp: "2026-03-01T08:30:00.000Z",
    },
    {
      ListingKey: "L'2",
      City: "O'Fallon",
      ListPrice: 1199000,
      Views: 2,
      Bedrooms: null,
      Score: null,
      IsNew: false,
      CloseDate: null,
      OpensAt: null,
      Status: "Closed",
      Appliances: [],
      Rates: [],
      View: null,
      Uid: null,
      AgentKey: 2,
      ModificationTimestamp: "2026-03-02T09:00:00.250Z",
    },
    {
      ListingKey: "L3",
      City: null,
      ListPrice: null,
      Views: 0,
      Bedrooms: 2,
      Score: -1.5e-7,
      IsNew: true,
      CloseDate: "2026-12-31",
      OpensAt: "23:59:59",
      Status: "Pending",
      Appliances: ["Oven"],
      Rates: ["-3"],
      View: "Lake",
      Uid: null,
      AgentKey: null,
      ModificationTimestamp: "2026-03-03T00:00:00.000Z",
    },
    {
      ListingKey: "L4",
      City: "Austin",
      ListPrice: 349900.99,
      Views: 7,
      Bedrooms: 4,
      Score: 1e21,
      IsNew: true,
      CloseDate: "2026-02-01",
      OpensAt: "00:00:00",
      Status: "Active",
      Appliances: [],
      Rates: ["0.5"],
      View: "Park",
      Uid: null,
      AgentKey: 1,
      ModificationTimestamp: "2026-03-03T00:00:00.000Z",
    },
  ],
  Photo: [
    { ListingKey: "L1", Place: 1, Caption: "Front" },
    { ListingKey: "L1", Place: 2, Caption: null },
    { ListingKey: "L4", Place: 1, Caption: "Lake ünder snow" },
  ],
  Agent: [
    { AgentKey: 1, Name: "Ann" },
    { AgentKey: 2, Name: "Bob" },
  ],
};

/** Statements that create the tables of PostgreSQL with these rows; of SQLite, with its types. */
export function statements(database: "postgres" | "sqlite"): readonly string[] {
  const isSqlite = database === "sqlite";
  const type = (postgres: string, sqlite: string) => (isSqlite ? sqlite : postgres);
  const literal = (value: unknown): string => {
    if (value === null) return "null";
    if (typeof value === "boolean") return isSqlite ? String(Number(value)) : String(value);
    return typeof value === "number" ? String(value) : `'${(value as string).replaceAll("'", "''")}'`;
  };
  const json = (value: unknown): string => literal(JSON.stringify(value));
  const numbers = (value: unknown): string => literal(`[${(value as readonly string[]).join()}]`);
  return [
    `create table agent (id integer primary key, name text not null)`,
    `create table photo (listing text, place integer, caption text, primary key (listing, place))`,
    `create table listing (id text primary key, town text, asking_price ${type("bigint", "integer")}, views ${type("bigint", "integer")} not null,
      beds integer, score ${type("float8", "real")}, is_new ${type("boolean", "integer")} not null, closed_on ${type("date", "text")},
      opens_at ${type("time", "text")}, status text not null, appliances ${type("jsonb", "text")}, rates ${type("jsonb", "text")},
      details ${type("jsonb", "text")}, uid ${type("uuid", "text")}, agent integer, changed_at text not null)`,
    `create index listing_by_change on listing (changed_at ${type('collate "C"', "")}, id ${type('collate "C"', "")})`,
    ...(isSqlite ? [] : ['create index photo_by_key on photo (listing collate "C", place)']),
    ...(rows["Agent"] ?? []).map(
      (row) => `insert into agent values (${literal(row["AgentKey"])}, ${literal(row["Name"])})`,
    ),
    ...(rows["Photo"] ?? []).map(
      (row) =>
        `insert into photo values (${[row["ListingKey"], row["Place"], row["Caption"]].map(literal).join()})`,
    ),
    ...(rows["Listing"] ?? []).map((row) => {
      const price = row["ListPrice"] as number | null;
      const values = [
        literal(row["ListingKey"]),
        literal(row["City"]),
        price === null ? "null" : String(Math.round(price * 100)),
        String(row["Views"]),
        ...["Bedrooms", "Score", "IsNew", "CloseDate", "OpensAt", "Status"].map((name) => literal(row[name])),
        json(row["Appliances"]),
        numbers(row["Rates"]),
        json(row["View"] === null ? {} : { view: row["View"] }),
        ...["Uid", "AgentKey", "ModificationTimestamp"].map((name) => literal(row[name])),
      ];
      return `insert into listing values (${values.join()})`;
    }),
  ];
}
