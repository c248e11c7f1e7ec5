import type { Database } from "better-sqlite3";
import {
  addToSum,
  columnsOf,
  hasCurrentVersion,
  sumOfRows,
  triggersIn,
  triggersOf,
  updateVersion,
} from "./checksums.ts";
import { quoted } from "./quoted.ts";

/** Rows that a commit adds to the sum of a table, or takes from it. They may lie in another table with the same columns. */
export type CountedRows = {
  /** Table whose sum changes. */
  readonly name: string;
  readonly sign: 1n | -1n;
  readonly lieIn: string;
  /** SQL condition with one parameter. */
  readonly condition: string;
};

/**
 * Drops the triggers of tables within the current transaction. A statement that fires a trigger saves each page that it changes, and makes
 * FTS5 write the terms that it has collected, which takes longer than the insertion of a row. Returns a function that adds the rows written
 * since to the sums and creates the triggers again; undefined if the tables have no triggers.
 *
 * @param counted all rows that are written until then, and their parameter. Rows that meet a condition already are not counted again.
 */
export function suspendChecksums(
  database: Database,
  counted: readonly CountedRows[],
  parameter: bigint,
): (() => void) | undefined {
  const columns = new Map(counted.map(({ name }) => [name, columnsOf(database, name)]));
  const triggers = [...columns].flatMap(([name, ofTable]) => triggersOf({ name, columns: ofTable }));
  const present = triggersIn(database);
  if (triggers.some(([name, sql]) => present.get(name) !== sql)) return undefined;
  const isCurrent = hasCurrentVersion(database);
  const sums = (): ReadonlyMap<string, bigint> => {
    const found = new Map<string, bigint>();
    for (const { name, sign, lieIn, condition } of counted) {
      const rows = { name: lieIn, columns: columns.get(name) ?? [] };
      const sum = sumOfRows(database, rows, condition, parameter);
      found.set(name, (found.get(name) ?? 0n) + sign * sum);
    }
    return found;
  };
  const before = sums();
  for (const [name] of triggers) database.exec(`drop trigger ${quoted(name)}`);
  return () => {
    for (const [name, sum] of sums()) addToSum(database, name, sum - (before.get(name) ?? 0n));
    for (const [, sql] of triggers) database.exec(sql);
    if (isCurrent) updateVersion(database);
  };
}
