import Database from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import { type Member, numberMembers } from "../../record/members.ts";
import { type TableSchema, tableOf } from "../../schema/table.ts";
import type { StoredRecord } from "../../store.ts";
import type { StoredResource } from "../../stored-resource.ts";
import { type EncodedChange, versionOf } from "../../write/version.ts";
import { storedEncoding } from "../layout/columns.ts";

const selectMembers = `select "name" from "cadastre_member" where "resource" = ? order by "ordinal"`;

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
    const names = database.prepare(selectMembers).pluck();
    for (const resource of resources) {
      const { name, type } = resource.entitySet;
      const { members } = numberMembers(type, names.all(name) as string[]);
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
