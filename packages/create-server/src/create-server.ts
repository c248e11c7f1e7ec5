import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { CreateServerError } from "./errors.ts";
import { type InspectedDatabase, inspectDatabase } from "./inspect-database.ts";
import { serverFiles } from "./server-files.ts";
import type { ServerPlan } from "./server-plan.ts";

/** A server that has been created. */
export type CreatedServer = Pick<InspectedDatabase, "dialect" | "entitySets" | "omitted"> & {
  /** Names of the files that were written. */
  readonly files: readonly string[];
};

/**
 * Creates a server over the tables of an existing database: a folder with a program, declarations and a package file. The database is only
 * read. Nothing is written if an error is thrown before the folder is made.
 *
 * @throws {CreateServerError} if the folder is not empty, or no table of the database can be served
 */
export async function createServer(plan: ServerPlan): Promise<CreatedServer> {
  requireEmpty(plan.folder);
  const inspected = await inspectDatabase(plan.database);
  const files = serverFiles(plan, inspected, serverVersion());
  mkdirSync(plan.folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(plan.folder, name), text, { flag: "wx" });
  const { dialect, entitySets, omitted } = inspected;
  return { dialect, entitySets, omitted, files: [...files.keys()] };
}

/** @throws {CreateServerError} if there is a file, or a folder with files */
function requireEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || (found.isDirectory() && readdirSync(folder).length === 0)) return;
  throw new CreateServerError(
    found.isDirectory()
      ? `the folder \`${folder}\` is not empty: name another one, or move its files away`
      : `\`${folder}\` is a file: name a folder`,
  );
}

function serverVersion(): string {
  const file = createRequire(import.meta.url).resolve("@cadastre/server/package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
