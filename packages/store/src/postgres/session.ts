import type { CompiledSql } from "@cadastre/odata";
import type { Knex } from "knex";
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
