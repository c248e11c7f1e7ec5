import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import {
  createConnectionPool,
  type PostgresConnectionOptions,
  readSettings,
} from "../database/postgres-connections.ts";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { bookkeepingSteps } from "../migration/bookkeeping-tables.ts";
import { startsWithDataset } from "../read/access.ts";
import { type CostClass, QueryScheduler } from "../read/scheduler.ts";
import { onConnection } from "./connection/session.ts";
import { migratePostgres } from "./migrate.ts";
import type { PostgresTable } from "./read/readable-table.ts";
import { PostgresReaders } from "./read/reader-pool.ts";
import { ReadingPlace } from "./read/reading-place.ts";
import { type Head, ReadReplica, type ReplicaChecks } from "./read/replica.ts";
import type { PostgresStoreOptions } from "./store-options.ts";
import { wallSchema, wallSettings } from "./wall/build.ts";

/** Options of a store with their defaults. */
export type ReaderOptions = PostgresStoreOptions & {
  readonly schema: string;
  readonly timeout: number;
  readonly sizes: Readonly<Record<CostClass, number>>;
};

type Connection = PostgresConnectionOptions["connection"];

/** The primary's connections other than reading ones, its tables, and the number of its migrations. */
export type Opened = {
  readonly knex: Knex;
  readonly stored: ReadonlyMap<string, PostgresTable>;
  readonly generation: number;
};

/** The readers of a store, and the scheduler that they share. */
export type Reading = {
  readonly scheduler: QueryScheduler;
  readonly readers: PostgresReaders;
  readonly replicas: readonly ReadReplica[];
};

/** Opens the readers of a store. Standbys that cannot be used now are checked again later. */
export async function openReaders(options: ReaderOptions, opened: Opened): Promise<Reading> {
  const { connection, connections = 8, timeout, sizes, queue = 256, replicas: addresses = [] } = options;
  const scheduler = new QueryScheduler({
    readers: connections,
    most: sizes,
    queue,
    usage: options.limits?.usage,
  });
  const primary = placeOf(connection, options, opened);
  const replicas = addresses.map(
    (address): ReadReplica =>
      new ReadReplica({
        name: nameOf(address),
        place: placeOf(address, options, opened),
        checks: checksOf(address, options, opened),
        sizes,
        // Often enough for several checks within the time of a query.
        interval: Math.min(250, Math.max(20, timeout / 20)),
        onChange: () => readers.resize(),
      }),
  );
  const readers = new PostgresReaders({ primary, replicas, connections, sizes, scheduler, timeout });
  await Promise.all(replicas.map((replica) => replica.start()));
  return { scheduler, readers, replicas };
}

/** Returns the server at an address, with the pools for reading from it. */
function placeOf(connection: Connection, options: ReaderOptions, { stored }: Opened): ReadingPlace {
  const { connections, schema, timeout, sizes, statements, wall } = options;
  const isPrimary = connection === options.connection && options.replicas !== undefined;
  const byDataset = [...stored.values()].some(({ table }) => table.indexes.some(startsWithDataset));
  const schemas = wall === undefined ? [schema] : [wallSchema(schema), schema];
  const settings = {
    ...readSettings(timeout, byDataset),
    ...(wall === undefined ? {} : wallSettings(wall)),
  };
  // The pool's own bound comes after the deadline, which says so better.
  const poolOf = (size: number) =>
    createConnectionPool(
      { connection, schemas },
      {
        connections: size,
        wait: timeout + 1000,
        settings,
        statements,
        server: isPrimary ? "primary" : "any",
      },
    );
  const page = poolOf(sizes.page);
  return new ReadingPlace({ page, scan: connections === 1 ? page : poolOf(sizes.scan) }, timeout);
}

/** Time limit of a check of the schema, in milliseconds. */
const schemaLimit = 5000;

/** Returns the checks of a standby, on a connection of their own, which never waits for reads. */
function checksOf(connection: Connection, options: ReaderOptions, { knex, generation }: Opened) {
  const { schema, timeout, resources, statements } = options;
  const limit = Math.min(1000, Math.max(100, timeout / 4));
  const control = createConnectionPool(
    { connection, schemas: [schema] },
    { connections: 1, wait: limit, settings: readSettings(schemaLimit, false), statements },
  );
  const checks: ReplicaChecks = {
    head: () =>
      onConnection(
        control,
        async (session) => {
          const [row] = await session.rows(selectHead);
          const [checkpoint, committedAt, isStandby] = row ?? [];
          return {
            checkpoint: Number(checkpoint),
            committedAt: committedAt as string | null,
            isStandby: isStandby === "t",
          };
        },
        limit,
      ),
    requireSame: async () => {
      // Nothing is migrated: a schema that is not current is refused.
      const found = await migratePostgres(control, schema, resources, {
        ...options,
        existing: true,
        migration: "refuse",
      });
      if (found.generation !== generation) throw new StoreError("schema_changed");
      const there = await onConnection(control, createdAt, limit);
      const here = await onConnection(knex, createdAt, limit).catch(() => there);
      if (here !== there) throw new StoreError("schema_absent", "another store");
    },
    atPrimary: (checkpoint) =>
      onConnection(knex, (session) => headAt(session, checkpoint), limit).catch(() => undefined),
    close: () => control.destroy(),
  };
  return checks;
}

const commits = identifier("cadastre_commit");

const selectHead: SqlFragment = sql`select "head", (select "committed_at" from ${commits} where "checkpoint" = "head"), pg_is_in_recovery()
  from (select coalesce(max("checkpoint"), 0) as "head" from ${commits}) as "last"`;

async function headAt(session: Session, asked: number): Promise<Head> {
  const time = sql`(select "committed_at" from ${commits} where "checkpoint" = ${value(asked)}::bigint)`;
  const [row] = await session.rows(sql`select coalesce(max("checkpoint"), 0), ${time} from ${commits}`);
  const [checkpoint, committedAt] = row ?? [];
  return { checkpoint: Number(checkpoint), committedAt: committedAt as string | null };
}

/** Returns the time at which the store was created, to the millisecond: a primary and its standbys have it in common. */
async function createdAt(session: Session): Promise<unknown> {
  const [row] = await session.rows(
    sql`select min("migration_time") from ${identifier(bookkeepingSteps.listedIn)}`,
  );
  return row?.[0];
}

/** Returns the address of a server without user, password and options. */
function nameOf(connection: Connection): string {
  if (typeof connection === "string") {
    const { host, pathname } = new URL(connection);
    return `${host}${pathname}`;
  }
  const { host = "localhost", port = 5432, database = "" } = connection;
  return `${host}:${port}/${database}`;
}
