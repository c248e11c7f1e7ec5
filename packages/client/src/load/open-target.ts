import { ClientError } from "../errors.ts";
import { openDuckdb } from "./duckdb.ts";
import { openFolder } from "./folder.ts";
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
  sqlite: { open: openSqlite, title: "SQLite", options: ["prefix"] },
  duckdb: { open: openDuckdb, title: "DuckDB", options: ["schema", "prefix"] },
  postgres: {
    open: (rest, options) => openPostgres(databaseAddress(rest), options),
    title: "PostgreSQL",
    options: ["schema", "prefix"],
  },
} as const satisfies Record<string, Opener>;

/**
 * Opens a target: `folder:<path>`, `sqlite:<file>`, `duckdb:<file>`, `postgres:` or `postgres://<address>`. A path alone is a folder.
 *
 * @param options schema and prefix of the tables in a database, and whether another copy there may be ended
 * @throws {ClientError}
 */
export async function openTarget(text: string, options: TargetOptions = {}): Promise<LoadTarget> {
  const { scheme, rest } = readTarget(text, options);
  return openers[scheme].open(rest, options);
}

/** Parses a target. @throws {ClientError} if it is not a target, or does not take these options */
export function readTarget(
  text: string,
  place: TablePlace = {},
): { readonly scheme: keyof typeof openers; readonly rest: string } {
  const [, scheme = "folder", rest = ""] = /^(?:([a-z]{2,}):)?(.*)$/s.exec(text) ?? [];
  if (!isScheme(scheme) || (rest === "" && scheme !== "postgres")) throw new ClientError("target_invalid");
  requirePlace(place, openers[scheme].title, openers[scheme].options);
  return { scheme, rest };
}

const isScheme = (text: string): text is keyof typeof openers => Object.hasOwn(openers, text);

/** Returns the address of the database; undefined for that of the environment. Other users of the machine could read a password in it. */
export function databaseAddress(rest: string): string | undefined {
  if (rest === "") return undefined;
  const address = `postgres:${rest}`;
  if (!URL.canParse(address) || new URL(address).password !== "" || /[?&]password=/i.test(address))
    throw new ClientError("target_invalid");
  return address;
}
