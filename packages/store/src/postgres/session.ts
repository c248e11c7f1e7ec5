import { type CompiledSql, identifier, postgres, render, type SqlFragment, sql } from "@cadastre/odata";
import type { Knex } from "knex";
import type { Session } from "../build/session.ts";
import { type Fields, type Query, RoundTrip } from "./round-trip.ts";
import { Statements } from "./statements.ts";

/** The part of a `pg` client that runs statements. */
type Connection = { readonly query: (roundTrip: RoundTrip) => unknown };

/** The part of a `pg` client that a store needs. */
export type Client = Connection & {
  /** Number of the server's process. */
  readonly processID: number;
};

/** The pool of connections that knex keeps. */
type Pool = {
  readonly acquireConnection: () => Promise<Client>;
  readonly releaseConnection: (client: Client) => Promise<void>;
};

/** Its only connection, if `knex` is a transaction. */
export const poolOf = (knex: Knex): Pool => knex.client as Pool;

const statementsOf = new WeakMap<Connection, Statements>();

/** Run statements on a connection, in one round trip and, unless one is open, in one transaction. */
export function runTogether(client: Connection, queries: readonly Query[]): Promise<void> {
  const statements = statementsOf.get(client) ?? new Statements();
  statementsOf.set(client, statements);
  const roundTrip = new RoundTrip(queries, statements);
  client.query(roundTrip);
  return roundTrip.done;
}

/** The first row of a statement. */
export async function firstRow(client: Connection, statement: CompiledSql): Promise<Fields | undefined> {
  let first: Fields | undefined;
  const onRow = (fields: Fields) => {
    first ??= fields;
  };
  await runTogether(client, [{ ...statement, onRow }]);
  return first;
}

/** All rows of a statement. */
async function allRows(client: Connection, statement: SqlFragment): Promise<readonly Fields[]> {
  const rows: Fields[] = [];
  const onRow = (fields: Fields) => void rows.push(fields);
  await runTogether(client, [{ ...compile(statement), onRow }]);
  return rows;
}

const compile = (statement: SqlFragment): CompiledSql => render(statement, postgres.placeholder);

/** Rows that a stream asks for at once. */
const fetched = 500;
const fetch = sql`500`;

/** A session on a connection; one that streams is in a transaction. */
export function sessionOf(client: Connection): Session {
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

/** Do `work` on a connection of the pool. */
export async function onConnection<T>(knex: Knex, work: (session: Session) => Promise<T>): Promise<T> {
  const pool = poolOf(knex);
  const client = await pool.acquireConnection();
  try {
    return await work(sessionOf(client));
  } finally {
    await pool.releaseConnection(client);
  }
}
