import { type CompiledSql, postgres, type SqlFragment, sql } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import type pg from "pg";
import { inOnePiece, send, unnamed, type Wire } from "./postgres-wire.ts";

/** Parameters of the server, such as `search_path`, and their values. */
export type Settings = Readonly<Record<string, string>>;

/** Kind of the statements that queries are sent as, see `PostgresStoreOptions.statements`. */
export type StatementKind = "named" | "unnamed";

/** State of a connection of a pool. */
export type TransactionState = {
  readonly statements: StatementKind;
  /** Statements that each transaction begins with, besides `begin`. */
  readonly opening: readonly CompiledSql[];
  /** True if no transaction is open, so that the next statement begins one. */
  readonly isIdle: () => boolean;
};

/** Returns the calls that set parameters. */
const setParameters = (settings: Settings, isLocal: SqlFragment): SqlFragment => {
  const calls = Object.entries(settings).map(
    ([name, setting]) => sql`set_config(${value(name)}::text, ${value(setting)}::text, ${isLocal})`,
  );
  return sql`select ${join(calls, ", ")}`;
};

const compile = (statement: SqlFragment): CompiledSql => render(statement, postgres.placeholder);

/** Returns the statement that sets parameters until the end of the transaction. */
const setForTransaction = (settings: Settings): CompiledSql => compile(setParameters(settings, sql`true`));

/**
 * Returns the statement that sets parameters of the session, and returns a row, if the session belongs to the connection. A pooler makes up the
 * process id that it gives to a client, because each transaction may have another session.
 */
const setForOwnSession = (settings: Settings, processId: number): CompiledSql =>
  compile(sql`${setParameters(settings, sql`false`)} where pg_backend_pid() = ${value(processId)}::integer`);

const states = new WeakMap<object, TransactionState>();

/** Returns the state of a connection; undefined unless {@link setUpTransactions} was called. */
export const transactionStateOf = (client: object): TransactionState | undefined => states.get(client);

const isBegin = (text: string): boolean => /^begin\b/i.test(text);

/** Returns the statements with those that open their transaction: they come first, or after `begin`. */
export function withOpening<Statement extends CompiledSql>(
  statements: readonly Statement[],
  state: TransactionState | undefined,
): readonly (Statement | CompiledSql)[] {
  if (state === undefined || state.opening.length === 0 || !state.isIdle()) return statements;
  const [first, ...rest] = statements;
  return first !== undefined && isBegin(first.text)
    ? [first, ...state.opening, ...rest]
    : [...state.opening, ...statements];
}

type Statement = { readonly text: string; readonly values?: readonly unknown[] };
type Done = (error: unknown, result: unknown) => void;

/**
 * Sets parameters for all transactions of a new connection. If it has a session of its own, they are set once. Otherwise, or if statements are
 * `unnamed`, nothing is set for a session: each transaction sets them for itself, those of knex by replacing `query` of the client, those of round
 * trips by {@link withOpening}.
 *
 * @internal
 */
export async function setUpTransactions(
  client: pg.Client,
  settings: Settings,
  statements: StatementKind,
): Promise<void> {
  let status = "I";
  // Before the client's own listener, which sends the next query.
  client.connection.prependListener("readyForQuery", (message: { readonly status: string }) => {
    status = message.status;
  });
  const isIdle = () => status === "I";
  const { processID } = client as pg.Client & { readonly processID: number };
  if (statements === "named") {
    const { text, values } = setForOwnSession(settings, processID);
    const { rowCount } = await client.query(text, [...values]);
    if (rowCount === 1) {
      states.set(client, { statements, opening: [], isIdle });
      return;
    }
  }
  const state: TransactionState = { statements, opening: [setForTransaction(settings)], isIdle };
  states.set(client, state);
  // Imported here, because a registry in SQLite does not need it.
  const { default: driver } = await import("pg");
  const query = client.query.bind(client) as (config: unknown, done?: Done) => unknown;
  const queryWithSettings = (config: Statement | pg.Submittable, done?: Done): unknown => {
    if ("submit" in config || !state.isIdle()) return query(config, done);
    const [first, last] = withOpening([{ text: config.text, values: config.values ?? [] }], state);
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
