import { type CompiledSql, type Dialect, render, type SqlFragment } from "@cadastre/odata/run";

/** A row as the database driver returns it. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs statements in a database. */
export type Database = {
  readonly dialect: Dialect;
  /** Runs a statement, synchronously or not. It may be cancelled when the signal aborts. */
  readonly run: (
    statement: CompiledSql,
    signal: AbortSignal,
  ) => readonly DatabaseRow[] | Promise<readonly DatabaseRow[]>;
};

/** Runs a statement that no request waits for, such as one on the catalog of the database, and returns its rows. */
export type RunQuery = (statement: SqlFragment) => Promise<readonly DatabaseRow[]>;

/** Returns the function that runs such statements in a database. */
export const queryOf =
  ({ dialect, run }: Database): RunQuery =>
  async (statement) =>
    run(render(statement, dialect.placeholder), new AbortController().signal);
