import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { StoredResource } from "@cadastre/store";
import { checkSqlite, type SqliteFault } from "@cadastre/store/sqlite";
import { storedResources } from "../catalog.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Finding, FindingCode } from "./findings.ts";

const codes = {
  damaged: "database_damaged",
  altered: "database_altered",
  dangling: "database_inconsistent",
  misplaced: "database_inconsistent",
} as const satisfies Record<SqliteFault["code"], FindingCode>;

/** The files of both databases. */
export type DatabaseFiles = Pick<DataFolder, "database" | "registry">;

/** Reads every row of both databases. */
export function* checkDatabases(folder: DatabaseFiles): Generator<Finding> {
  yield* checkDatabase(folder.database, storedResources);
  yield* checkDatabase(folder.registry, []);
}

function* checkDatabase(file: string, resources: readonly StoredResource[]): Generator<Finding> {
  const subject = basename(file);
  if (!existsSync(file)) yield { code: "database_missing", subject, detail: "it does not exist" };
  else
    for (const { code, detail } of checkSqlite(file, resources)) yield { code: codes[code], subject, detail };
}
