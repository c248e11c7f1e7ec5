import { existsSync } from "node:fs";
import { introspectPostgres } from "@cadastre/server/pg";
import { introspectSqlite } from "@cadastre/server/sqlite";
import { CreateServerError } from "./errors.ts";

/** An existing database that a server is to read. */
export type InspectedDatabase = {
  readonly dialect: "sqlite" | "postgres";
  /** Text of the module that declares its tables. */
  readonly declarations: string;
  /** Names of the entity sets, in the order in which they are declared. */
  readonly entitySets: readonly string[];
  /** Sentences on what is left out, and why. */
  readonly omitted: readonly string[];
};

/** True for the URL of a PostgreSQL database. */
const isPostgresUrl = (database: string): boolean => /^postgres(?:ql)?:\/\//i.test(database);

/** Returns a URL without its password and its query, which may hold one. */
export function withoutPassword(url: string): string {
  try {
    const shown = new URL(url);
    shown.password = "";
    shown.search = "";
    return shown.href;
  } catch {
    throw new CreateServerError(
      "the URL of the database is not valid: write `postgres://user:password@host:5432/name`, with special characters of the password percent-encoded",
    );
  }
}

/**
 * Reads the tables of a database. It changes nothing in it.
 *
 * @throws {CreateServerError} if the database cannot be read, or no table can be served
 */
export async function inspectDatabase(database: string): Promise<InspectedDatabase> {
  const dialect = isPostgresUrl(database) ? "postgres" : "sqlite";
  const declarations = await (dialect === "postgres" ? inspectPostgres : inspectSqlite)(database);
  const omitted = Array.from(declarations.matchAll(/\/\/ (Left out: .*)/g), ([, sentence = ""]) => sentence);
  const entitySets = Array.from(
    declarations.matchAll(/^export const \S+ = entitySet\("([^"]+)"/gm),
    ([, name = ""]) => name,
  );
  if (entitySets.length > 0) return { dialect, declarations, entitySets, omitted };
  const reasons = omitted.length === 0 ? ["It has no tables."] : omitted;
  throw new CreateServerError(
    `no table of the database can be served: a table needs a primary key\n${reasons.join("\n")}`,
  );
}

async function inspectSqlite(file: string): Promise<string> {
  if (!existsSync(file))
    throw new CreateServerError(
      `there is no file \`${file}\`: give the path of a SQLite file, or a postgres:// URL`,
    );
  try {
    const database = await openSqlite(file);
    try {
      return await introspectSqlite(database);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new CreateServerError(
      `\`${file}\` cannot be read as a SQLite database: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** The part of an open database that is used, of `node:sqlite` or better-sqlite3. */
type OpenDatabase = Parameters<typeof introspectSqlite>[0] & { readonly close: () => unknown };

/** The part of `node:sqlite` that is used. Source: Node.js 22.13. */
type NodeSqlite = {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(text: string): {
      setReadBigInts(isOn: boolean): void;
      all(...values: readonly unknown[]): unknown[];
    };
    close(): void;
  };
};

/**
 * Opens a SQLite file. npm runs no install script of what `npm create` downloads, without which better-sqlite3 does not work: it is for Node.js
 * 20, which has no SQLite and whose npm runs them.
 */
async function openSqlite(file: string): Promise<OpenDatabase> {
  const nodeSqlite = process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;
  if (nodeSqlite === undefined) {
    const { default: Database } = await import("better-sqlite3");
    return new Database(file, { readonly: true, fileMustExist: true });
  }
  const database = new nodeSqlite.DatabaseSync(file, { readOnly: true });
  return {
    prepare: (text) => {
      const statement = database.prepare(text);
      // An integer beyond 2^53 would be an error.
      statement.setReadBigInts(true);
      return { all: (...values) => statement.all(...values) };
    },
    close: () => database.close(),
  };
}

async function inspectPostgres(url: string): Promise<string> {
  const shown = withoutPassword(url);
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 10_000 });
  // An idle connection that breaks is of no interest any more.
  pool.on("error", () => {});
  try {
    return await introspectPostgres(pool);
  } catch (cause) {
    const { message, code = "" } = cause as Error & { readonly code?: string };
    throw new CreateServerError(`\`${shown}\` cannot be read: ${message || code}`, { cause });
  } finally {
    await pool.end();
  }
}
