import Database, { type Statement } from "better-sqlite3";
import type { Knex } from "knex";

/** Runs a statement with the values of its placeholders, in order. */
export type LookUp<Row> = (values: readonly (string | number)[]) => Promise<readonly Row[]>;

/**
 * Statements that read a few rows, for requests that read them each time. knex makes the text of each once: to make it anew takes longer than
 * to run it.
 */
export type LookUps = {
  /** @param query statement with any values, which has as many placeholders as `values` has */
  readonly of: <Row>(query: Knex.QueryBuilder) => LookUp<Row>;
  readonly close: () => void;
};

/** Look-ups by the connections of knex. */
export const knexLookUps = (knex: Knex): LookUps => ({
  of: <Row>(query: Knex.QueryBuilder) => {
    const { sql } = query.toSQL();
    return async (values) => (await knex.raw<{ rows: readonly Row[] }>(sql, [...values])).rows;
  },
  close: () => {},
});

/**
 * Look-ups in a SQLite file by a connection of their own, in this thread: they read what was committed, and do not wait for the transactions
 * of other connections. The file is opened by the first one.
 */
export function fileLookUps(file: string): LookUps {
  let database: Database.Database | undefined;
  let isClosed = false;
  const prepare = (sql: string): Statement => {
    if (isClosed) throw new Error("the registry is closed");
    database ??= new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
    return database.prepare(sql);
  };
  return {
    of: <Row>(query: Knex.QueryBuilder) => {
      const { sql } = query.toSQL();
      let statement: Statement | undefined;
      return async (values) => {
        statement ??= prepare(sql);
        return statement.all(...values) as readonly Row[];
      };
    },
    close: () => {
      isClosed = true;
      database?.close();
    },
  };
}
