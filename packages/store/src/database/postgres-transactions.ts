import { type CompiledSql, postgres, sql } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import type pg from "pg";
import { inOnePiece, send, unnamed, type Wire } from "./postgres-wire.ts";

/** Parameters of the server, such as `search_path`, and their values. */
export type Settings = Readonly<Record<string, string>>;

/** Kind of the statements that queries are sent as, see `PostgresStoreOptions.statements`. */
export type StatementKind = "named" | "unnamed";

/** State of a connection whose transactions each begin with their settings. */
export type TransactionState = {
  /**
   * Sets parameters until the end of the transaction. Nothing is set for the session: behind a pooler in transaction mode, each transaction
   * may have another session, which others use too.
   */
  readonly settings: CompiledSql;
  readonly statements: StatementKind;
  /** True if no transaction is open, so that the next statement begins one. */
  readonly isIdle: () => boolean;
};

/** Returns the statement that sets parameters until the end of the transaction. */
const setParameters = (settings: Settings): CompiledSql => {
  const calls = Object.entries(settings).map(
    ([name, setting]) => sql`set_config(${value(name)}::text, ${value(setting)}::text, true)`,
  );
  return render(sql`select ${join(calls, ", ")}`, postgres.placeholder);
};

const states = new WeakMap<object, TransactionState>();

/** Returns the state of a connection; undefined unless {@link setUpTransactions} was called. */
export const transactionStateOf = (client: object): TransactionState | undefined => states.get(client);

const isBegin = (text: string): boolean => /^begin\b/i.test(text);

/** Returns the statements with those that open their transaction: the settings come first, or after `begin`. */
export function withSettings<Statement extends CompiledSql>(
  statements: readonly Statement[],
  state: TransactionState | undefined,
): readonly (Statement | CompiledSql)[] {
  if (state?.isIdle() !== true) return statements;
  const [first, ...rest] = statements;
  return first !== undefined && isBegin(first.text)
    ? [first, state.settings, ...rest]
    : [state.settings, ...statements];
}

type Statement = { readonly text: string; readonly values?: readonly unknown[] };
type Done = (error: unknown, result: unknown) => void;

/**
 * Makes each transaction of a new connection begin with settings: those of knex by replacing `query` of the client, those of round trips by
 * {@link withSettings}.
 */
export async function setUpTransactions(
  client: pg.Client,
  settings: Settings,
  statements: StatementKind,
): Promise<void> {
  // Imported here, because a registry in SQLite does not need it.
  const { default: driver } = await import("pg");
  let status = "I";
  // Before the client's own listener, which sends the next query.
  client.connection.prependListener("readyForQuery", (message: { readonly status: string }) => {
    status = message.status;
  });
  const state = { settings: setParameters(settings), statements, isIdle: () => status === "I" };
  states.set(client, state);
  const query = client.query.bind(client) as (config: unknown, done?: Done) => unknown;
  const queryWithSettings = (config: Statement | pg.Submittable, done?: Done): unknown => {
    if ("submit" in config || !state.isIdle()) return query(config, done);
    const [first, last] = withSettings([{ text: config.text, values: config.values ?? [] }], state);
    if (first === undefined || last === undefined) return query(config, done);
    const own = new driver.Query(
      { text: last.text, values: [...last.values], queryMode: "extended" } as pg.QueryConfig,
      done,
    );
    return query(new QueryAfter(first, own as unknown as PgQuery));
  };
  Object.assign(client, { query: queryWithSettings });
}

/** The part of a query of `pg` that the client calls. */
type PgQuery = Record<
  | "handleRowDescription"
  | "handleDataRow"
  | "handleCommandComplete"
  | "handleEmptyQuery"
  | "handleError"
  | "handleReadyForQuery",
  (message: unknown, connection?: unknown) => void
> & { readonly submit: (wire: Wire) => Error | null };

/** A query of `pg` in one message with a statement before it, so that both are in one transaction. */
class QueryAfter {
  readonly #first: CompiledSql;
  readonly #query: PgQuery;
  #isFirst = true;

  constructor(first: CompiledSql, query: PgQuery) {
    this.#first = first;
    this.#query = query;
  }

  submit(wire: Wire): Error | null {
    return inOnePiece(wire, () => {
      send(wire, this.#first, unnamed);
      return this.#query.submit(wire);
    });
  }

  handleRowDescription(message: unknown): void {
    this.#query.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    if (!this.#isFirst) this.#query.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: unknown): void {
    if (!this.#isFirst) this.#query.handleCommandComplete(message, connection);
    this.#isFirst = false;
  }

  handleEmptyQuery(connection: unknown): void {
    this.#query.handleEmptyQuery(connection);
  }

  handleError(error: unknown, connection: unknown): void {
    this.#query.handleError(error, connection);
  }

  handleReadyForQuery(connection: unknown): void {
    this.#query.handleReadyForQuery(connection);
  }
}
