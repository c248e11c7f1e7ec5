import type { SqlFragment } from "@cadastre/odata";

/** Values of a row, in database form. */
export type RowValues = readonly unknown[];

/** Runs statements on one connection. */
export type Session = {
  readonly rows: (statement: SqlFragment) => Promise<readonly RowValues[]>;
  /** Runs a statement once for each row of values in `all`; they replace the values in the statement. */
  readonly each: (statement: SqlFragment, all: readonly (readonly unknown[])[]) => Promise<void>;
  /** Streams the rows of a statement. Within the transaction, other tables may be written meanwhile. */
  readonly stream: (statement: SqlFragment) => AsyncIterable<RowValues>;
};

/** Runs `work` with a session on committed data. */
export type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;
