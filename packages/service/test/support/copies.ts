import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, exportOnce, openTarget, pull } from "@cadastre/client";
import { type Domain, domainTable } from "@cadastre/manifest";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { expect } from "vitest";

/** Databases of one kind that a customer has loaded copies into. */
export type Copies = {
  /** Returns the load target of a copy, and creates it on first use. */
  readonly target: (copy: string) => Promise<string>;
  readonly rows: (copy: string, table: string) => Promise<readonly object[]>;
  readonly close: () => Promise<void>;
};

export const hasCopies = { sqlite: true, duckdb: true, postgres: hasPostgres } as const;

export const openCopies = {
  sqlite: async () =>
    copiesInFiles("sqlite", async (file, query) => {
      const database = new Database(file, { readonly: true });
      try {
        return database.prepare<[], object>(query).all();
      } finally {
        database.close();
      }
    }),
  duckdb: async () =>
    copiesInFiles("duckdb", async (file, query) => {
      const instance = await DuckDBInstance.create(file);
      const database = await instance.connect();
      try {
        return (await database.runAndReadAll(query)).getRowObjectsJson();
      } finally {
        database.closeSync();
        instance.closeSync();
      }
    }),
  postgres: async () => copiesInPostgres(await startPostgres()),
} as const satisfies Record<keyof typeof hasCopies, () => Promise<Copies>>;

/** Keeps each copy in its own file. */
function copiesInFiles(
  kind: "sqlite" | "duckdb",
  ask: (file: string, query: string) => Promise<readonly object[]>,
): Copies {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-copies-"));
  const fileOf = (copy: string) => join(folder, `${copy}.${kind}`);
  return {
    target: async (copy) => `${kind}:${fileOf(copy)}`,
    rows: (copy, table) => ask(fileOf(copy), `select * from ${table}`),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** Keeps each copy in its own schema of one database. */
function copiesInPostgres({ url, connect, stop }: PostgresServer): Copies {
  const pool = connect();
  return {
    target: async (copy) => {
      await pool.query(`create schema if not exists "${copy}"`);
      return `${url}?options=${encodeURIComponent(`-c search_path=${copy}`)}`;
    },
    rows: async (copy, table) => (await pool.query<object>(`select * from "${copy}".${table}`)).rows,
    close: async () => {
      await pool.end();
      await stop();
    },
  };
}

/** A copy of a domain, in the format of a profile. */
type DomainCopy = { readonly copy: string; readonly domain: Domain; readonly profileId: string };

/** Loads a snapshot of the current state as a separate copy. */
async function loadView(
  connection: Connection,
  copies: Copies,
  { copy, domain, profileId }: DomainCopy,
): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), "cadastre-view-"));
  const target = await openTarget(await copies.target(copy));
  try {
    const pending = await exportOnce(connection, { domain, profileId }, { staging });
    await pull(connection, pending.id, { target, staging, trust: "published", reference: null });
    await pending.done();
  } finally {
    await target.close();
    rmSync(staging, { recursive: true });
  }
}

let views = 0;

/** Checks that a copy equals what the service returns now, in every table. */
export async function requireView(
  connection: Connection,
  copies: Copies,
  { copy, domain, profileId }: DomainCopy,
): Promise<void> {
  const view = `view_${++views}`;
  await loadView(connection, copies, { copy: view, domain, profileId });
  for (const { name: table } of domainTable[domain].datasets)
    expect(byText(await copies.rows(copy, table))).toEqual(byText(await copies.rows(view, table)));
}

/** Returns rows as texts without nulls, independent of the order of columns and rows. */
const byText = (rows: readonly object[]): readonly string[] =>
  rows
    .map((row) => {
      const members = Object.entries(row).filter(([, value]) => value !== null);
      return JSON.stringify(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    })
    .toSorted();
