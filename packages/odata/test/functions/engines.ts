import Database from "better-sqlite3";
import type pg from "pg";
import type { BoundNode } from "../../src/bound/tree.ts";
import {
  type BoundQuery,
  bindExpression,
  compilePage,
  evaluate,
  type PrimitiveType,
  parseFilter,
  postgres,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { codecOf, type ValueType } from "../../src/run/index.ts";
import { sql } from "../../src/sql/fragment.ts";
import { fromSqlite } from "../../src/sqlite/forms.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { constant } from "../../src/tree/index.ts";
import { listing } from "../support/listing.ts";

/** Binds an expression without properties. */
const bound = (text: string): BoundNode => bindExpression(parseFilter(text), listing);

const itemOf = (type: string): PrimitiveType => type.replace(/^Collection\((.*)\)$/, "$1") as PrimitiveType;

/** Converts a value in memory form to JSON. */
export function jsonOf(memory: unknown, type: BoundNode["type"]): unknown {
  if (memory === null || typeof type !== "string" || type === "Null") return null;
  const codec = codecOf(itemOf(type));
  if (!type.startsWith("Collection(")) return codec.toJson(memory);
  return (memory as readonly unknown[]).map((item) => (item === null ? null : codec.toJson(item)));
}

/** Returns the value of an expression, evaluated in memory, as JSON. */
export function inMemory(text: string): unknown {
  const node = bound(text);
  return jsonOf(evaluate(node, {}), node.type);
}

/** Returns a query for one row with the value of an expression, `v`. */
function queryOf(expression: BoundNode): BoundQuery {
  const property = { name: "v", type: "Edm.Boolean", collection: false, nullable: true } as const;
  const select = [{ property, expression }];
  // Pretends that the entity has the property, so that the value is returned in its computed form.
  const type = { ...listing.type, properties: new Map([["v", property]]) };
  const entitySet = { name: "One", type };
  return { entitySet, filter: constant(true), orderBy: [], select, top: 1, skip: 0, after: null };
}

const database = new Database(":memory:");
registerFunctions(database);
database.exec(`create table "one" (x); insert into "one" values (1)`);

/** Returns the value of an expression, compiled and run in SQLite, as JSON. */
export function inSqlite(text: string): unknown {
  const expression = bound(text);
  const { text: statement, values } = compilePage(queryOf(expression), sqlite, tableMapping("one"));
  const stored = database
    .prepare(statement)
    .pluck()
    .safeIntegers()
    .get(...values);
  return jsonOf(fromSqlite(stored, expression.type as ValueType), expression.type);
}

const oneRow = { ...tableMapping("one"), from: sql`(select 1) as "one"` };

/** Returns the value of an expression, compiled and run in PostgreSQL, as JSON. */
export async function inPostgres(text: string, pool: pg.Pool): Promise<unknown> {
  const expression = bound(text);
  const { text: statement, values } = compilePage(queryOf(expression), postgres, oneRow);
  // As text, which preserves all digits of a number.
  const { rows } = await pool.query<{ v: string | null }>(`select v::text from (${statement}) as given`, [
    ...values,
  ]);
  const result = rows[0]?.v ?? null;
  const { type } = expression;
  if (result === null || typeof type !== "string") return null;
  if (type.startsWith("Collection(")) return JSON.parse(result) as unknown;
  if (type === "Edm.Boolean") return result === "true";
  if (type === "Edm.DateTimeOffset") return jsonOf({ picoseconds: BigInt(wholeOf(result)), offset: 0 }, type);
  if (type === "Edm.TimeOfDay" || type === "Edm.Duration") return jsonOf(BigInt(wholeOf(result)), type);
  return /Byte|Int|Decimal|Single|Double/.test(type) ? numberOf(result) : result;
}

/** Removes the zeros that a numeric may have after the point. */
const wholeOf = (text: string): string => text.replace(/\.0*$/, "");

const specialNumbers = new Map<unknown, string>([
  ["INF", "Infinity"],
  ["-INF", "-Infinity"],
]);

function numberOf(text: string): unknown {
  const special = [...specialNumbers].find(([, spelled]) => spelled === text);
  return special?.[0] ?? (text === "NaN" ? text : Number(text));
}
