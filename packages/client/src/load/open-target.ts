import { ClientError } from "../errors.ts";
import { openDuckdb } from "./duckdb.ts";
import { openFolder } from "./folder.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Target } from "./target.ts";

/** Kinds of target by the scheme that names them. */
const openers = {
  folder: openFolder,
  sqlite: openSqlite,
  duckdb: openDuckdb,
  postgres: (rest) => openPostgres(addressOf(rest)),
} as const satisfies Record<string, (rest: string) => Promise<Target>>;

/**
 * Open `folder:<path>`, `sqlite:<file>`, `duckdb:<file>`, `postgres:` or `postgres://<address>`; a path alone is a folder.
 *
 * @throws {ClientError}
 */
export async function openTarget(text: string): Promise<Target> {
  const { scheme, rest } = readTarget(text);
  return openers[scheme](rest);
}

/** What a target is, and where. */
export function readTarget(text: string): { readonly scheme: keyof typeof openers; readonly rest: string } {
  const [, scheme = "folder", rest = ""] = /^(?:([a-z]{2,}):)?(.*)$/s.exec(text) ?? [];
  if (!isScheme(scheme) || (rest === "" && scheme !== "postgres")) throw new ClientError("target_invalid");
  return { scheme, rest };
}

const isScheme = (text: string): text is keyof typeof openers => Object.hasOwn(openers, text);

/** Of the database; undefined: that of the environment. A password in it could be read by other users of the machine. */
export function addressOf(rest: string): string | undefined {
  if (rest === "") return undefined;
  const address = `postgres:${rest}`;
  if (!URL.canParse(address) || new URL(address).password !== "" || /[?&]password=/i.test(address))
    throw new ClientError("target_invalid");
  return address;
}
