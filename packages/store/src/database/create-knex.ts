import knex, { type Knex } from "knex";

/** Logger for knex that discards everything, because errors are thrown. */
const silent: Knex.Logger = {
  warn: () => {},
  error: () => {},
  deprecate: () => {},
  debug: () => {},
};

/** The client of a knex instance, as far as its connection pool goes. */
type PoolClient = {
  readonly pool: { readonly destroyed: boolean } | undefined;
  acquireConnection: () => Promise<unknown>;
};

/**
 * Creates a knex instance that does not log. Once it is being closed it refuses connections: its pool alone would have whoever asks for one wait
 * for as long as if all were in use, and the process with him.
 */
export function createKnex(config: Knex.Config): Knex {
  const instance = knex({ ...config, log: silent });
  const client = instance.client as PoolClient;
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = () =>
    client.pool?.destroyed === true ? Promise.reject(new Error("the database is closed")) : acquire();
  return instance;
}
