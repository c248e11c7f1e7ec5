import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { connect, type LoadState, openTarget, pull, type TargetOptions } from "@cadastre/client";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type DeliveryOptions, jwks, type Row, type TestDelivery } from "./deliveries.ts";
import { emptyFolder } from "./folders.ts";
import { apiKey, type TestServer } from "./server.ts";

/** An empty target: its text, and ways to query and change the database as its owner does. */
export type Emptied = {
  readonly target: string;
  readonly all: (sql: string) => Promise<readonly Row[]>;
  readonly exec: (sql: string) => Promise<void>;
  /** Dumps the database and restores it to another one. */
  readonly restored: () => Promise<Pick<Emptied, "target" | "all">>;
};

export type Engine = {
  readonly name: string;
  readonly isAbsent: boolean;
  readonly formats: readonly NonNullable<DeliveryOptions["format"]>[];
  readonly begin: () => Promise<Emptied>;
};

let postgres: PostgresServer | undefined;
let pool: pg.Pool | undefined;

/** Starts PostgreSQL for the tests of a file, if it is installed. */
export function withPostgres(): () => pg.Pool | undefined {
  beforeAll(async () => {
    if (!hasPostgres) return;
    postgres = await startPostgres();
    pool = postgres.connect();
  });
  afterAll(async () => {
    await pool?.end();
    await postgres?.stop();
  });
  return () => pool;
}

function sqliteAt(file: string): Emptied {
  const using = async <T>(work: (database: Database.Database) => T): Promise<T> => {
    const database = new Database(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    target: `sqlite:${file}`,
    all: (sql) => using((database) => database.prepare<[], Row>(sql).all()),
    exec: (sql) => using((database) => void database.exec(sql)),
    // Like `.dump` of the SQLite shell.
    restored: () =>
      using((database) => {
        const copy = join(emptyFolder(), "restored.sqlite");
        database.exec(`attach '${copy}' as restored`);
        const objects = database
          .prepare<[], Row>("select * from sqlite_master where sql is not null order by type desc")
          .all();
        for (const { type, name, sql } of objects) {
          database.exec(
            String(sql).replace(/^create (?:table|index) "?/i, (words) =>
              words.replace(/ ("?)$/, " restored.$1"),
            ),
          );
          if (type === "table")
            database.exec(`insert into restored."${String(name)}" select * from main."${String(name)}"`);
        }
        return sqliteAt(copy);
      }),
  };
}

export const sqlite: Engine = {
  name: "SQLite",
  isAbsent: false,
  formats: ["jsonl", "csv"],
  begin: async () => sqliteAt(join(emptyFolder(), "listings.sqlite")),
};

export const postgresql: Engine = {
  name: "PostgreSQL",
  isAbsent: !hasPostgres,
  formats: ["jsonl", "csv"],
  begin: async () => {
    await pool?.query(emptied);
    const place = {
      target: postgres?.url ?? "",
      all: async (sql: string) => (await pool?.query<Row>(sql))?.rows ?? [],
      exec: async (sql: string) => void (await pool?.query(sql)),
    };
    return {
      ...place,
      restored: async () => {
        const dump = spawnSync("pg_dump", ["--schema=public", place.target], { encoding: "utf8" });
        await pool?.query("drop schema public cascade");
        const { status, stderr } = spawnSync("psql", ["-v", "ON_ERROR_STOP=1", place.target], {
          input: dump.stdout,
          encoding: "utf8",
        });
        if (dump.status !== 0 || status !== 0) throw new Error(dump.stderr + stderr);
        return place;
      },
    };
  },
};

const emptied = "drop schema if exists other cascade; drop schema public cascade; create schema public";

export const duckdb: Engine = {
  name: "DuckDB",
  isAbsent: false,
  formats: ["jsonl", "csv", "parquet"],
  begin: async () => duckdbAt(join(emptyFolder(), "listings.duckdb")),
};

function duckdbAt(file: string): Emptied {
  const all = async (sql: string) => {
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    connection.closeSync();
    instance.closeSync();
    return rows;
  };
  return {
    target: `duckdb:${file}`,
    all,
    exec: async (sql) => {
      for (const statement of sql.split(";")) if (statement.trim() !== "") await all(statement);
    },
    restored: async () => {
      const [dump, copy] = [join(emptyFolder(), "dump"), duckdbAt(join(emptyFolder(), "restored.duckdb"))];
      await all(`export database '${dump}'`);
      await copy.exec(`import database '${dump}'`);
      return copy;
    },
  };
}

export const engines = [sqlite, postgresql, duckdb] as const;

/** Pulls a delivery from a server into a target. */
export async function load(
  server: TestServer,
  text: string,
  delivery: TestDelivery,
  options: TargetOptions = {},
): Promise<LoadState> {
  server.deliveries.set(delivery.manifest.deliveryId, delivery);
  const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 } });
  const target = await openTarget(text, options);
  const pullOptions = {
    target,
    staging: join(emptyFolder(), "staging"),
    trust: jwks,
    reference: null,
  } as const;
  try {
    return (await pull(connection, delivery.manifest.deliveryId, pullOptions)).standing;
  } finally {
    await target.close();
  }
}

/** Enters a delivery in the ledger as the one that filled `listing`, as earlier versions did without regard to the subscription's copy. */
export async function overwrite({ exec }: Pick<Emptied, "exec">, one: TestDelivery): Promise<void> {
  const { deliveryId } = one.manifest;
  const text = new TextDecoder().decode(one.bytes).replaceAll("'", "''");
  await exec(`insert into cadastre_loads values ('${deliveryId}', 1, 0, '${one.sha256}', '${text}', '2026-11-22T05:00:00.000Z');
    update cadastre_tables set stream = '${deliveryId}' where name = 'listing'`);
}

/** Converts a value that a database returns to the type of the value that was sent. */
export const sent = (value: unknown, like: unknown): unknown => {
  if (value === null) return undefined;
  if (typeof like === "number") return Number(value);
  if (typeof like === "boolean") return typeof value === "string" ? value === "true" : Boolean(value);
  if (typeof like === "object" && typeof value === "string") return JSON.parse(value);
  return value;
};
