/** Runs a statement on one connection, and returns its rows. */
export type PostgresQuery = <Row extends object>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** In milliseconds. */
const connectionTimeout = 10_000;

/**
 * Connects to a database, which need not have the store's tables, and calls `work` with a function that runs statements, each in a
 * transaction of its own unless `work` begins one.
 *
 * @throws the errors of `pg`
 */
export async function withPostgresConnection<T>(
  url: string,
  work: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  // A service on SQLite does without the driver.
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectionTimeout });
  try {
    await client.connect();
    return await work(async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query<Row>(text, [...values]);
      return rows;
    });
  } finally {
    await client.end();
  }
}
