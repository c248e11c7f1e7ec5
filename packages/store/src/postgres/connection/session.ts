import type { Socket } from "node:net";
import { type CompiledSql, identifier, postgres, type SqlFragment, sql } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";
import type { Knex } from "knex";
import { transactionStateOf } from "../../database/postgres-transactions.ts";
import type { Session } from "../../database/session.ts";
import type { ServerAddress } from "./cancel.ts";
import { type Query, RoundTrip, type TextRow } from "./round-trip.ts";
import { Statements } from "./statements.ts";

/** The part of a `pg` client that runs statements. */
type Connection = { readonly query: (roundTrip: RoundTrip) => unknown };

/** The part of a `pg` client that a store needs. */
export type Client = Connection & ServerAddress & { readonly connection: { readonly stream: Socket } };

/** Connection pool inside knex. */
type Pool = {
  readonly acquireConnection: () => Promise<Client>;
  readonly releaseConnection: (client: Client) => Promise<void>;
};

/** Returns the pool of `knex`. If `knex` is a transaction, the pool has only its connection. */
export const poolOf = (knex: Knex): Pool => knex.client as Pool;

const statementsOf = new WeakMap<Connection, Statements>();

/** Runs statements on a connection in one round trip. They run in one transaction, unless a transaction is open already. */
export function runTogether(client: Connection, queries: readonly Query[]): Promise<void> {
  const state = transactionStateOf(client);
  const statements = statementsOf.get(client) ?? new Statements(state?.statements ?? "named");
  statementsOf.set(client, statements);
  const roundTrip = new RoundTrip(queries, statements, state);
  client.query(roundTrip);
  return roundTrip.done;
}

/** Returns the first row of a statement. */
export async function firstRow(client: Connection, statement: CompiledSql): Promise<TextRow | undefined> {
  let first: TextRow | undefined;
  const onRow = (fields: TextRow) => {
    first ??= fields;
  };
  await runTogether(client, [{ ...statement, onRow }]);
  return first;
}

async function allRows(client: Connection, statement: SqlFragment): Promise<readonly TextRow[]> {
  const rows: TextRow[] = [];
  const onRow = (fields: TextRow) => void rows.push(fields);
  await runTogether(client, [{ ...compile(statement), onRow }]);
  return rows;
}

const compile = (statement: SqlFragment): CompiledSql => render(statement, postgres.placeholder);

/** Number of rows that a stream fetches at once. */
const fetched = 500;
const fetch = sql`500`;

/** Creates a session on a connection. To stream, the connection must be in a transaction. */
export function postgresSession(client: Connection): Session {
  let cursors = 0;
  return {
    rows: (statement) => allRows(client, statement),
    each: async (statement, all) => {
      const { text } = compile(statement);
      if (all.length > 0)
        await runTogether(
          client,
          all.map((values) => ({ text, values })),
        );
    },
    async *stream(statement) {
      const cursor = identifier(`cadastre_${++cursors}`);
      await allRows(client, sql`declare ${cursor} no scroll cursor for ${statement}`);
      for (;;) {
        const rows = await allRows(client, sql`fetch ${fetch} from ${cursor}`);
        yield* rows;
        if (rows.length < fetched) break;
      }
      await allRows(client, sql`close ${cursor}`);
    },
  };
}

/**
 * Runs `work` on a connection of the pool.
 *
 * @param timeout milliseconds after which the connection is given up: its server may have gone without a word. By default never
 */
export async function onConnection<T>(
  knex: Knex,
  work: (session: Session) => Promise<T>,
  timeout?: number,
): Promise<T> {
  const pool = poolOf(knex);
  const client = await pool.acquireConnection();
  const late =
    timeout === undefined ? undefined : setTimeout(() => client.connection.stream.destroy(), timeout);
  try {
    return await work(postgresSession(client));
  } finally {
    clearTimeout(late);
    await pool.releaseConnection(client);
  }
}
