import { functionTable } from "../functions/index.ts";
import { userFunctionName } from "../functions/user-function.ts";
import { fromSqlite, toSqlite } from "./forms.ts";

/** The part of a better-sqlite3 database that is needed here. */
export type FunctionHost = {
  readonly function: (
    name: string,
    options: { readonly deterministic: boolean; readonly safeIntegers: boolean; readonly varargs: boolean },
    body: (...args: unknown[]) => unknown,
  ) => unknown;
};

/**
 * Register what compiled queries call: every function of the table that SQLite's own SQL does not have. To be
 * called once for each connection, before its first query.
 */
export function registerFunctions(database: FunctionHost): void {
  for (const entry of [...functionTable.values()].flat()) {
    if (entry.sqlite !== undefined) continue;
    const { params, returns, evaluate } = entry;
    database.function(
      userFunctionName(entry),
      { deterministic: true, safeIntegers: true, varargs: true },
      (...args) => {
        const values = args.map((arg, i) => fromSqlite(arg, params[i] ?? "Edm.String"));
        const result = values.includes(null) ? null : evaluate(values);
        return result === null ? null : toSqlite(result, returns);
      },
    );
  }
}
