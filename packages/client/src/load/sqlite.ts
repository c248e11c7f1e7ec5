import { setTimeout } from "node:timers/promises";
import type { ColumnKind } from "../content/columns.ts";
import { isLongDecimal, sqliteTypes } from "./column-types.ts";
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
import { sqlTarget, targetFailure } from "./sql-target.ts";
import { sqliteRelation } from "./sqlite-catalog.ts";
import type { TablePlace, TargetOptions } from "./table-place.ts";
import type { LoadTarget } from "./target.ts";

/** Busy timeout of one attempt, and longest wait for the database, in milliseconds: another load may take long. */
const tick = 100;
const longestWait = 15 * 60_000;

/** Column types. SQLite stores a value unchanged in a column without a type. */
const types = {
  text: "text",
  integer: "integer",
  number: "real",
  boolean: "integer",
  json: "",
} as const satisfies Record<ColumnKind, string>;

/** Kinds of values that an existing column can take. With any other type, SQLite would convert texts to numbers or numbers to texts. */
const takes: AcceptedKinds = {
  text: ["text"],
  integer: ["integer", "number", "boolean"],
  real: ["integer", "number"],
  "": ["text", "integer", "number", "boolean", "json"],
  decimal: ["integer", "number"],
  boolean: ["boolean"],
};

/** Digits of a number that JavaScript may not represent exactly. SQLite itself reads a line that has them. */
const longNumber = /\d{16}/;
/** The same where decimals of more than 15 digits are kept exactly. */
const longDecimal = /[\d.]{16}/;

/** Opens an SQLite file as a target. Lists and objects are stored as JSON text, booleans as 0 and 1. */
export const openSqlite = async (file: string, options: TargetOptions): Promise<LoadTarget> =>
  sqlTarget(await openSqliteSession(file, options), options);

export async function openSqliteSession(file: string, { prefix }: TablePlace): Promise<SqlSession> {
  const names = tableNames(prefix);
  const { default: Database } = await driver("better-sqlite3", () => import("better-sqlite3"));
  const title = `sqlite:${file}`;
  const database = openDatabase(title, () => {
    const opened = new Database(file, { timeout: tick });
    // The journal mode is a property of the file: it is only set for a new one, never changed in a user's database.
    if (opened.prepare("select 1 from sqlite_master").get() === undefined)
      opened.pragma("journal_mode = wal");
    return opened;
  });
  const run: SqlSession["run"] = async (statement, values = []) => {
    const prepared = database.prepare<unknown[], Record<string, unknown>>(statement);
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  };
  const typesOf = async (table: string) => {
    const found = await run("select name, lower(type) as type from pragma_table_info(?)", [
      names.prefix + table,
    ]);
    return new Map(found.map((column) => [String(column["name"]), String(column["type"])]));
  };
  const fit = (table: Table) => fitColumns(run, table, { names, types, takes, typesOf });
  return {
    title,
    names,
    replacesTables: false,
    placeOptions: "`--prefix`",
    run,
    begin: () => untilFree(() => void database.exec("begin immediate")),
    relation: (name) => sqliteRelation(run, names.prefix + name),
    // A partial index without rows costs nothing. A comment would have to be in the statement that creates the table.
    mark: async ({ name, keyField }) => {
      const mark = newMark();
      await run(
        `create index ${quoteIdentifier(mark)} on ${names.of(name)} (${quoteIdentifier(keyField)}) where 0`,
      );
      return mark;
    },
    // A transaction locks the whole database.
    lock: async () => {},
    empty: async (table) => {
      await fit(table);
      await run(`delete from ${names.of(table.name)}`);
    },
    fit,
    insert: async (table, part) => {
      const columns = [...table.columns.keys()];
      const into = `insert into ${names.of(table.name)} (${listOf(columns)}) values`;
      const insertParsed = database.prepare(`${into} (${columns.map(() => "?").join(", ")})`);
      // Exact for all numbers, but seven times slower with hundreds of columns.
      const { schema } = table;
      const long = new Set(schema?.filter(isLongDecimal).map(({ name }) => name));
      const insertByJsonExtract = database.prepare<[{ line: string }]>(
        `${into} (${columns.map((column) => extracted(column, long.has(column))).join(", ")})`,
      );
      const isLong = long.size > 0 ? longDecimal : longNumber;
      for await (const lines of recordLines(table, part))
        for (const line of lines)
          if (isLong.test(line)) insertByJsonExtract.run({ line });
          else insertParsed.run(parsedValues(line, columns));
    },
    erase: async (table) => {
      // Overwrites the deleted rows with zeros.
      await run("pragma secure_delete = on");
      await run(`delete from ${names.of(table)}`);
    },
    typesOf,
    sqlTypes: sqliteTypes,
    hasComments: false,
    close: async () => void database.close(),
  };
}

/**
 * Returns the SQL of a member of the line.
 *
 * @param isDecimal true for a decimal that is a number of at most 15 digits, or else the text of its digits
 */
function extracted(column: string, isDecimal: boolean): string {
  const path = `'$.${quoteIdentifier(column)}'`;
  const value = `json_extract(@line, ${path})`;
  if (!isDecimal) return value;
  const digits = `length(replace(replace(@line -> ${path}, '.', ''), '-', ''))`;
  return `case when ${digits} > 15 then @line -> ${path} else cast(${value} as numeric) end`;
}

/** Parses a line without long numbers. Returns the members as `json_extract` would. */
function parsedValues(line: string, columns: readonly string[]): (string | number | bigint | null)[] {
  const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return columns.map((column) => {
    const value = record[column] ?? null;
    // better-sqlite3 binds a `number` as a double, so an integer is passed as a `bigint`.
    if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof value === "boolean") return Number(value);
    return value === null || typeof value === "string" ? value : JSON.stringify(value);
  });
}

function openDatabase<Database>(title: string, open: () => Database): Database {
  try {
    return open();
  } catch (error) {
    throw targetFailure(title, error);
  }
}

/** Retries while SQLite reports SQLITE_BUSY, for at most `longestWait` ms, without blocking the event loop for long. */
async function untilFree(work: () => void): Promise<void> {
  for (const began = performance.now(); ; ) {
    try {
      work();
      return;
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
      if (!busy || performance.now() - began > longestWait) throw error;
      await setTimeout(tick);
    }
  }
}
