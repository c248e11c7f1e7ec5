import Database from "better-sqlite3";
import type Big from "big.js";
import type pg from "pg";
import type { BoundNode } from "../../src/bound/tree.ts";
import {
  bindExpression,
  codecOf,
  compilePage,
  constant,
  evaluate,
  type PrimitiveType,
  parseFilter,
  sqlite,
  tableMapping,
  type ValueType,
} from "../../src/index.ts";
import { render, type SqlFragment, sql, value } from "../../src/sql/fragment.ts";
import { fromSqlite } from "../../src/sqlite/forms.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { listing } from "../support/listing.ts";

/** An expression that names no property. */
const bound = (text: string): BoundNode => bindExpression(parseFilter(text), listing);

const itemOf = (type: string): PrimitiveType => type.replace(/^Collection\((.*)\)$/, "$1") as PrimitiveType;

/** A value in memory form as JSON. */
export function jsonOf(memory: unknown, type: BoundNode["type"]): unknown {
  if (memory === null || typeof type !== "string" || type === "Null") return null;
  const codec = codecOf(itemOf(type));
  if (!type.startsWith("Collection(")) return codec.toJson(memory);
  return (memory as readonly unknown[]).map((item) => (item === null ? null : codec.toJson(item)));
}

/** The value in memory, as JSON. */
export function inMemory(text: string): unknown {
  const node = bound(text);
  return jsonOf(evaluate(node, {}), node.type);
}

/** The PostgreSQL of an expression of calls and constants. */
function postgresOf(node: BoundNode): SqlFragment {
  if (node.kind === "Constant") return postgresConstant(node.value, String(node.type));
  if (node.kind === "Cast" && node.operand.kind === "Constant") {
    return postgresConstant(evaluate(node, {}), String(node.type));
  }
  if (node.kind !== "Call") throw new TypeError(node.kind);
  const { entry } = node;
  const args = node.args.map((arg, i) =>
    arg.kind === "Constant" && arg.value === null
      ? postgresConstant(null, entry.params[i] ?? "")
      : postgresOf(arg),
  );
  return sql`(${entry.postgres(args)})`;
}

const database = new Database(":memory:");
registerFunctions(database);
database.exec(`create table "one" (x); insert into "one" values (1)`);

/** The value in SQLite, compiled as a query compiles it, as JSON. */
export function inSqlite(text: string): unknown {
  const expression = bound(text);
  const property = { name: "v", type: "Edm.Boolean", collection: false, nullable: true } as const;
  const { text: statement, values } = compilePage(
    {
      entitySet: listing,
      filter: constant(true),
      orderBy: [],
      select: [{ property, expression }],
      top: 1,
      skip: 0,
      after: null,
    },
    sqlite,
    tableMapping("one"),
  );
  const stored = database
    .prepare(statement)
    .pluck()
    .safeIntegers()
    .get(...values);
  return jsonOf(fromSqlite(stored, expression.type as ValueType), expression.type);
}

const casts: Readonly<Record<string, SqlFragment>> = {
  "Edm.String": sql`text`,
  "Edm.Boolean": sql`boolean`,
  "Edm.Int32": sql`bigint`,
  "Edm.Int64": sql`bigint`,
  "Edm.Decimal": sql`numeric`,
  "Edm.Double": sql`float8`,
  "Edm.Date": sql`date`,
  "Edm.DateTimeOffset": sql`timestamptz`,
  "Edm.TimeOfDay": sql`time`,
  "Edm.Duration": sql`numeric`,
  "Edm.Guid": sql`uuid`,
};

const specialNumbers = new Map<unknown, string>([
  ["INF", "Infinity"],
  ["-INF", "-Infinity"],
]);

function postgresConstant(memory: unknown, type: string): SqlFragment {
  const cast = casts[type] ?? sql`jsonb`;
  if (memory === null) return sql`null::${cast}`;
  if (typeof memory === "bigint" && type !== "Edm.TimeOfDay") return sql`${value(String(memory))}::${cast}`;
  const json = type === "Edm.Decimal" ? (memory as Big).toFixed() : jsonOf(memory, type as PrimitiveType);
  const text = specialNumbers.get(json) ?? (casts[type] === undefined ? JSON.stringify(json) : String(json));
  return sql`${value(text)}::${cast}`;
}

/** The value in PostgreSQL as JSON. */
export async function inPostgres(text: string, pool: pg.Pool): Promise<unknown> {
  const node = bound(text);
  const fragment = postgresOf(node);
  // As text: it keeps every digit of a number and every zone.
  const { text: statement, values } = render(sql`select (${fragment})::text as v`, (i) => `$${i}::text`);
  const { rows } = await pool.query<{ v: string | null }>(statement, [...values]);
  const result = rows[0]?.v ?? null;
  if (result === null || typeof node.type !== "string") return null;
  if (node.type.startsWith("Collection(")) return JSON.parse(result) as unknown;
  if (node.type === "Edm.Boolean") return result === "true";
  if (/Int|Decimal|Double/.test(node.type)) return numberOf(result);
  if (node.type === "Edm.DateTimeOffset")
    return jsonOf(codecOf(node.type).parse(`${result.replace(" ", "T")}:00`), node.type);
  return result;
}

function numberOf(text: string): unknown {
  const special = [...specialNumbers].find(([, spelled]) => spelled === text);
  return special?.[0] ?? (text === "NaN" ? text : Number(text));
}
