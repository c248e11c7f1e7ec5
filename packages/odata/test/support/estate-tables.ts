import type { Path } from "../../src/compile/index.ts";
import {
  complexValue,
  itemTable,
  jsonColumn,
  type Mapping,
  type Row,
  relation,
  tableMapping,
} from "../../src/index.ts";
import type { Estate } from "./estate.ts";

const address = (present?: string): Path =>
  complexValue({ City: "AddressCity", Number: "AddressNumber" }, present, {
    Agent: relation(() => agents, { AddressAgent: "Key" }),
  });

const tags = (table: string) => itemTable(`${table}Tag`, "Name", { Key: "Parent" }, "Key");

const agents: Mapping = tableMapping("Agent", {}, { Office: relation(() => offices, { OfficeKey: "Key" }) });

const offices: Mapping = tableMapping(
  "Office",
  {},
  {
    Broker: relation(() => agents, { BrokerKey: "Key" }),
    Agents: relation(() => agents, { Key: "OfficeKey" }),
    Houses: relation(() => housesMapping, { Key: "OfficeKey" }),
    Tags: tags("Office"),
  },
);

const rooms: Mapping = tableMapping(
  "Room",
  {},
  { House: relation(() => housesMapping, { Parent: "Key" }), Tags: tags("Room"), Address: address() },
);

/**
 * Maps houses to a table, and their related rows to other tables. Tags of agents are JSON; the other collections
 * are tables.
 */
export const housesMapping: Mapping = tableMapping(
  "House",
  {},
  {
    Office: relation(() => offices, { OfficeKey: "Key" }),
    Parent: relation(() => housesMapping, { ParentKey: "Key" }),
    Children: relation(() => housesMapping, { Key: "ParentKey" }),
    // The second pair of columns is redundant.
    Rooms: relation(() => rooms, { Key: "Parent", Kind: "Kind" }),
    Address: address("AddressKind"),
    Tags: tags("House"),
    Sizes: itemTable("HouseSize", "Area", { Key: "Parent" }),
    // The column names are also used by `json_each`.
    Detail: jsonColumn("Json", "Detail"),
    Parts: jsonColumn("Path"),
  },
);

type ColumnType = "text" | "bigint" | "numeric(10, 2)" | "date" | "json";

const entityColumns = { Key: "bigint", Name: "text" } as const;
const addressColumns = { AddressCity: "text", AddressNumber: "bigint", AddressAgent: "bigint" } as const;

const tables: Readonly<Record<string, Readonly<Record<string, ColumnType>>>> = {
  House: {
    ...entityColumns,
    Area: "bigint",
    Fee: "numeric(10, 2)",
    Built: "date",
    OfficeKey: "bigint",
    ParentKey: "bigint",
    Kind: "text",
    AddressKind: "text",
    ...addressColumns,
    Json: "json",
    Path: "json",
  },
  Office: { ...entityColumns, Fee: "numeric(10, 2)", BrokerKey: "bigint" },
  Agent: { ...entityColumns, Age: "bigint", OfficeKey: "bigint", Tags: "json" },
  Room: { ...entityColumns, Area: "bigint", Parent: "bigint", Kind: "text", ...addressColumns },
  HouseTag: { Key: "bigint", Name: "text", Parent: "bigint" },
  OfficeTag: { Key: "bigint", Name: "text", Parent: "bigint" },
  RoomTag: { Key: "bigint", Name: "text", Parent: "bigint" },
  HouseSize: { Area: "bigint", Parent: "bigint" },
};

/** Returns statements that create the empty tables, with the indexes that paths need. */
export const createTables = (json: string): readonly string[] => [
  ...Object.entries(tables).map(([table, columns]) => {
    const typed = Object.entries(columns).map(
      ([name, type]) =>
        `"${name}" ${type === "json" ? json : type}${name === "Key" && table.length < 7 ? " primary key" : ""}`,
    );
    return `create table "${table}" (${typed.join(", ")})`;
  }),
  ...["House.OfficeKey", "House.ParentKey", "Room.Parent", "HouseTag.Parent", "Agent.OfficeKey"].map(
    (path) => {
      const [table, column] = path.split(".");
      return `create index "${table}By${column}" on "${table}" ("${column}")`;
    },
  ),
];

/** Returns the rows of each table, with every column. */
export function contents(estate: Estate): Readonly<Record<string, readonly Row[]>> {
  const itemsOf = (type: keyof Estate, name: string, column: string) =>
    estate[type].flatMap((row) =>
      // In reverse, because the order of items is that of their keys.
      ((row[name] ?? []) as readonly unknown[]).toReversed().map((item, i, { length }) => ({
        Key: length - i,
        [column]: item,
        Parent: row["Key"],
      })),
    );
  const all: Readonly<Record<string, readonly Row[]>> = {
    ...estate,
    House: estate.House.map((row) => ({
      ...row,
      Json: { Detail: row["Detail"] ?? null },
      Path: row["Parts"] ?? [],
    })),
    HouseTag: itemsOf("House", "Tags", "Name"),
    OfficeTag: itemsOf("Office", "Tags", "Name"),
    RoomTag: itemsOf("Room", "Tags", "Name"),
    HouseSize: itemsOf("House", "Sizes", "Area").toReversed(),
  };
  return Object.fromEntries(
    Object.entries(all).map(([table, rows]) => {
      const columns = Object.keys(tables[table] ?? {});
      return [table, rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])))];
    }),
  );
}

export const tableNames: readonly string[] = Object.keys(tables);
