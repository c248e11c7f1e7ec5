import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { ClientError } from "../errors.ts";
import { databaseStaging } from "../fetch/staging.ts";
import { openDuckdb } from "./duckdb.ts";
import { openFolder } from "./folder.ts";
import { openLake } from "./lake.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import { requirePlace, type TablePlace, type TargetOptions } from "./table-place.ts";
import type { LoadTarget } from "./target.ts";

type Opener = {
  readonly open: (rest: string, options: TargetOptions) => Promise<LoadTarget>;
  readonly title: string;
  /** Options for schema and prefix that this kind of target accepts. */
  readonly options: readonly (keyof TablePlace)[];
};

/** Kinds of targets by their scheme. */
const openers = {
  folder: { open: openFolder, title: "a folder", options: [] },
  parquet: { open: openLake, title: "a Parquet dataset", options: [] },
  sqlite: { open: openSqlite, title: "SQLite", options: ["prefix"] },
  duckdb: { open: openDuckdb, title: "DuckDB", options: ["schema", "prefix"] },
  postgres: {
    open: (rest, options) => openPostgres(databaseAddress(rest), options),
    title: "PostgreSQL",
    options: ["schema", "prefix"],
  },
} as const satisfies Record<string, Opener>;

/**
 * Opens a target: `folder:<path>`, `parquet:<folder>`, `sqlite:<file>`, `duckdb:<file>`, `postgres:` or `postgres://<address>`. A path alone is a folder.
 *
 * @param options schema and prefix of the tables in a database, and whether another copy there may be ended
 * @throws {ClientError}
 */
export async function openTarget(text: string, options: TargetOptions = {}): Promise<LoadTarget> {
  const { scheme, rest } = readTarget(text, options);
  const target = await openers[scheme].open(rest, options);
  const identity = createHash("sha256").update(targetIdentity(text, options)).digest("hex").slice(0, 16);
  // Each database, schema and prefix has its own folder, so that runs into them do not disturb each other.
  return { ...target, staging: target.staging ?? join(databaseStaging, `${scheme}-${identity}`) };
}

/** Variables that name a database of PostgreSQL which the target's text does not name. */
const databaseVariables = ["PGHOST", "PGPORT", "PGDATABASE", "PGUSER"] as const;

/** Returns a text that identifies a target with its schema and prefix, in whatever working directory its path was given. */
export function targetIdentity(text: string, place: TablePlace = {}): string {
  const { scheme, rest } = readTarget(text, place);
  const database =
    scheme === "postgres" ? [rest, ...databaseVariables.map((name) => process.env[name])] : [resolve(rest)];
  return JSON.stringify([scheme, ...database, place.schema, place.prefix]);
}

/** Parses a target. @throws {ClientError} if it is not a target, or does not take these options */
export function readTarget(
  text: string,
  place: TablePlace = {},
): { readonly scheme: keyof typeof openers; readonly rest: string } {
  // A single letter is a drive of Windows.
  const [, scheme, rest = ""] = /^(?:([a-z][a-z\d+.-]+):)?(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) requireFolderName(rest);
  else if (!isScheme(scheme)) throw invalidTarget(schemeAdvice(scheme));
  if (rest === "" && scheme !== "postgres")
    throw invalidTarget(scheme === undefined ? "it is empty" : `nothing follows \`${scheme}:\``);
  const known = scheme ?? "folder";
  requirePlace(place, openers[known].title, openers[known].options);
  return { scheme: known, rest };
}

const invalidTarget = (reason: string): ClientError => new ClientError("target_invalid", { reason });

/** Databases by the endings of their files. */
const fileEndings = { sqlite: /\.(?:sqlite3?|db3?)$/i, duckdb: /\.(?:duckdb|ddb)$/i } as const;

/** @throws {ClientError} `target_invalid` if a path alone is more likely meant to be the file of a database */
function requireFolderName(path: string): void {
  for (const [scheme, ending] of Object.entries(fileEndings))
    if (ending.test(path))
      throw invalidTarget(`write \`${scheme}:${path}\` for a database, or \`folder:${path}\``);
}

function schemeAdvice(scheme: string): string {
  const meant = scheme.toLowerCase() === "postgresql" ? "postgres" : scheme.toLowerCase();
  return isScheme(meant)
    ? `write \`${meant}:\` in the place of \`${scheme}:\``
    : `\`${scheme}:\` is none of them`;
}

const isScheme = (text: string): text is keyof typeof openers => Object.hasOwn(openers, text);

/** Returns the address of the database; undefined for that of the environment. Other users of the machine could read a password in it. */
export function databaseAddress(rest: string): string | undefined {
  if (rest === "") return undefined;
  const address = `postgres:${rest}`;
  if (!URL.canParse(address)) throw invalidTarget("it is not an address");
  if (new URL(address).password !== "" || /[?&]password=/i.test(address))
    throw invalidTarget(
      "give the password in the variable PGPASSWORD or the file ~/.pgpass, where other users of the machine cannot read it",
    );
  return address;
}
