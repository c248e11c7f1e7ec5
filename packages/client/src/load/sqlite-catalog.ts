import type { Relation } from "./relation.ts";
import { markPrefix, type SqlSession } from "./session.ts";

/** Looks up a table, view or index by name, ignoring letter case as SQLite does. A table cannot have the name of an index, so indexes count. */
export async function sqliteRelation(run: SqlSession["run"], name: string): Promise<Relation | undefined> {
  const [found] = await run(
    `select coalesce(list.type, master.type) as kind
     from sqlite_master master left join pragma_table_list list on list.schema = 'main' and list.name = master.name
     where master.name = ? collate nocase and master.type <> 'trigger'`,
    [name],
  );
  if (found === undefined) return undefined;
  const columns = await run("select name, pk from pragma_table_info(?)", [name]);
  const dependents = await run(
    `select distinct other.name from sqlite_master other join pragma_foreign_key_list(other.name) reference
     where other.type = 'table' and reference."table" = ? collate nocase and other.name <> ? collate nocase
       and (reference.on_delete <> 'NO ACTION' or other.sql not like '%initially%deferred%')`,
    [name, name],
  );
  const marks = await run(
    `select name from sqlite_master where type = 'index' and tbl_name = ? collate nocase and name like ? || '%'`,
    [name, markPrefix],
  );
  return {
    marks: marks.map((mark) => String(mark["name"])),
    kind: String(found["kind"]),
    columns: columns.map((column) => String(column["name"])),
    primaryKey: columns.filter(({ pk }) => Number(pk) > 0).map((column) => String(column["name"])),
    dependents: dependents.map((other) => String(other["name"])),
  };
}
