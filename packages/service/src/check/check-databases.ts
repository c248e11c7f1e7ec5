import { existsSync } from "node:fs";
import { basename } from "node:path";
import { dictionaryCatalog } from "@cadastre/reso";
import {
  type CheckedDatabase,
  checkSqlite,
  type FoundFault,
  type SqliteCheck,
  type SqliteFault,
  startSqliteCheck,
} from "@cadastre/store/sqlite";
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
  for (const { file, resources } of databasesOf(folder))
    if (existsSync(file)) yield* checkSqlite(file, resources).map((fault) => findingOf({ file, fault }));
    else yield missing(file);
}

/** Does the same in a thread of its own. */
export function startDatabaseCheck(
  folder: DatabaseFiles,
  heap: number,
  onFinding: (finding: Finding) => void,
): SqliteCheck {
  const databases = databasesOf(folder);
  const found = databases.filter(({ file }) => existsSync(file));
  for (const database of databases) if (!found.includes(database)) onFinding(missing(database.file));
  return startSqliteCheck(found, { heap, onFault: (fault) => onFinding(findingOf(fault)) });
}

const databasesOf = ({ database, registry }: DatabaseFiles): readonly CheckedDatabase[] => [
  { file: database, resources: storedResources(dictionaryCatalog) },
  { file: registry, resources: [] },
];

const missing = (file: string): Finding => ({
  code: "database_missing",
  subject: basename(file),
  detail: "it does not exist",
});

const findingOf = ({ file, fault: { code, detail } }: FoundFault): Finding => ({
  code: codes[code],
  subject: basename(file),
  detail,
});
