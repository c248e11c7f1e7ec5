import { render, sqlite } from "@cadastre/odata/run";
import Database from "better-sqlite3";
import type { RowValues } from "../../database/session.ts";
import { StoreError } from "../../errors.ts";
import { numberedMembersOf, selectMembers } from "../../migration/found.ts";
import { type Member, numberMembers } from "../../record/members.ts";
import { type TableSchema, tableOf } from "../../schema/table.ts";
import type { StoredRecord } from "../../store.ts";
import type { StoredResource } from "../../stored-resource.ts";
import { type EncodedChange, versionOf } from "../../write/version.ts";
import { storedEncoding } from "../layout/columns.ts";

/**
 * Returns a function that encodes records for a file, so that a thread can do that for another one which commits them. The file must have been
 * opened with the same resources.
 *
 * @throws {StoreError} the function does: `invalid_record`, `unknown_resource`
 */
export function openSqliteEncoder(
  file: string,
  resources: readonly StoredResource[],
): (stored: StoredRecord) => EncodedChange {
  const tables = new Map<
    string,
    { readonly table: TableSchema; readonly members: ReadonlyMap<string, Member> }
  >();
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const { text } = render(selectMembers, sqlite.placeholder);
    const numbered = numberedMembersOf(database.prepare(text).raw().all() as RowValues[]);
    for (const resource of resources) {
      const { name, type } = resource.entitySet;
      const { members } = numberMembers(type, numbered.get(name) ?? []);
      tables.set(name, { table: tableOf(resource), members });
    }
  } finally {
    database.close();
  }
  return (stored) => {
    const { resource, datasetId } = stored;
    const found = tables.get(resource);
    if (found === undefined) throw new StoreError("unknown_resource", resource);
    return { resource, datasetId, version: versionOf(stored, found.table, found.members, storedEncoding) };
  };
}
