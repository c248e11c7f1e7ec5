import type { PostgresConnectionOptions } from "../database/postgres-connections.ts";
import type { StatementKind } from "../database/postgres-transactions.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import type { QueryLimits } from "../read/customer-share.ts";
import type { CostClass } from "../read/scheduler.ts";
import type { StoredResource } from "../stored-resource.ts";
import type { Partitioning } from "./layout/partitions.ts";
import type { Wall } from "./wall/build.ts";

export type PostgresStoreOptions = SchemaOptions & {
  /** Connection for `pg`: a URL, or an object. */
  readonly connection: PostgresConnectionOptions["connection"];
  /**
   * Connections to standbys of the database, to read from. Nothing is written to them. A read goes to one that has what it needs, else to
   * `connection`, which must then lead to the primary: a connection to a standby is refused, even if the list is empty. By default
   * `connection` may lead to a standby.
   */
  readonly replicas?: readonly PostgresConnectionOptions["connection"][] | undefined;
  readonly resources: readonly StoredResource[];
  /** Schema of the store's tables. It is created if it does not exist. By default `cadastre`. */
  readonly schema?: string | undefined;
  /**
   * Maximum number of reading connections to each server, for look-ups and scans together. By default 8. The store opens up to 4 others to
   * the primary, and another one to each standby.
   */
  readonly connections?: number | undefined;
  /**
   * Number of the reading connections that are for scans alone; the others are for look-ups and pages alone. By default a quarter, at least
   * one. A single connection is for both.
   */
  readonly scanConnections?: number | undefined;
  /**
   * `unnamed` to send the text of a statement with each query, for a pooler in transaction mode that does not follow named statements, such as
   * PgBouncer before version 1.21. By default `named`: a connection prepares each statement once. A pooler is recognized in either case: behind it,
   * nothing is set for a session.
   */
  readonly statements?: StatementKind | undefined;
  /** Length of the queue for look-ups, and of that for scans, from which a customer with a query in it is refused. By default 256. */
  readonly queue?: number | undefined;
  readonly limits?: QueryLimits | undefined;
  /** Timeout of a query, including its time in the queue, in milliseconds. By default 10,000. */
  readonly timeout?: number | undefined;
  /**
   * Partitions of the tables by dataset. If given, tables without partitions get them: those of a new database when they are created, others by a
   * migration, which copies their rows. By default tables stay as they are.
   */
  readonly partitions?: Partitioning | undefined;
  /** A second restriction of rows, by a role and views of the database. By default there is none. */
  readonly wall?: Wall | undefined;
};

/** Connections other than reading ones: one or two commit; others migrate, and read and write notes and builds. */
export const otherConnections = 4;

/**
 * Returns the number of reading connections for each class of queries.
 *
 * @throws {RangeError} if a class has none
 */
export function readingConnections({
  connections = 8,
  scanConnections = Math.max(1, Math.floor(connections / 4)),
}: Pick<PostgresStoreOptions, "connections" | "scanConnections">): Readonly<Record<CostClass, number>> {
  if (connections === 1 && scanConnections === 1) return { page: 1, scan: 1 };
  if (!(scanConnections >= 1 && scanConnections < connections))
    throw new RangeError(
      `of ${connections} reading connections, between 1 and ${connections - 1} can be for scans, not ${scanConnections}`,
    );
  return { page: connections - scanConnections, scan: scanConnections };
}
