import { join, type SqlFragment, sql, value } from "@cadastre/odata/run";
import type { DatabaseRow } from "../database.ts";
import { type DatabaseCatalog, foreignKeysOf, grouped, keyOfRows, splitType } from "./table-facts.ts";

/** The catalog of PostgreSQL. */
export const postgresCatalog: DatabaseCatalog = {
  names: async (run) => {
    const rows =
      await run(sql`select c.relname as name, c.relkind::text as kind, c.relispartition or exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e') as auxiliary from pg_class c
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and pg_table_is_visible(c.oid)
        and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) order by c.relname`);
    return rows.map(({ name, kind, auxiliary }) => ({
      name: String(name),
      kind: kind === "r" || kind === "p" ? "table" : "view",
      isAuxiliary: auxiliary === true,
    }));
  },
  facts: async (run, tables) => {
    if (tables.length === 0) return [];
    const [columns, links, indexes] = await Promise.all(
      [postgresColumns, postgresLinks, postgresIndexColumns].map(async (statement) =>
        grouped(
          await run(
            statement(
              join(
                tables.map(({ name }) => sql`${value(name)}::text`),
                ", ",
              ),
            ),
          ),
          "table",
        ),
      ),
    );
    const of = (groups: readonly (readonly DatabaseRow[])[] = [], name: string) =>
      groups.find(([row]) => row?.["table"] === name) ?? [];
    return tables.map(({ name, kind }) => {
      const own = of(columns, name);
      return {
        name,
        kind,
        columns: own.map(({ name: column, type, notnull, is_enum }) => ({
          name: String(column),
          ...splitType(String(type)),
          isEnum: is_enum === true,
          nullable: notnull !== true,
        })),
        key: keyOfRows(own),
        foreignKeys: foreignKeysOf(of(links, name)),
        indexes: grouped(of(indexes, name), "index").map((one) =>
          one.map(({ column, descending, nulls_first, by_code_point }) => ({
            column: typeof column === "string" ? column : undefined,
            descending: descending === true,
            nullsFirst: nulls_first === true,
            byCodePoint: by_code_point === true,
          })),
        ),
      };
    });
  },
};

const postgresColumns = (names: SqlFragment): SqlFragment => sql`
  select c.relname as "table", a.attname as name, a.attnotnull or t.typnotnull as "notnull", t.typtype = 'e' as is_enum,
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) else format_type(a.atttypid, a.atttypmod) end as type,
    coalesce(array_position(k.conkey, a.attnum), 0) as pk
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where pg_table_is_visible(c.oid) and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${names})
  order by c.relname, a.attnum`;

const postgresLinks = (names: SqlFragment): SqlFragment => sql`
  select k.oid::text as id, c.relname as "table", f.relname as "to_table", a.attname as "from", b.attname as "to"
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  cross join lateral unnest(k.conkey, k.confkey) as pair(own, other)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
  join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.other
  where k.contype = 'f' and pg_table_is_visible(c.oid) and c.relname in (${names}) order by c.relname, k.oid, pair.own`;

const postgresIndexColumns = (names: SqlFragment): SqlFragment => sql`
  select c.relname as "table", i.indexrelid::text as "index", a.attname as "column", o.option & 1 = 1 as descending,
    o.option & 2 = 2 as nulls_first, l.collname is not distinct from 'C' as by_code_point
  from pg_class c join pg_index i on i.indrelid = c.oid and i.indisvalid and i.indpred is null
  join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'btree'
  cross join lateral unnest(i.indkey::int2[], i.indoption::int2[], i.indcollation::oid[])
    with ordinality as o(attnum, option, coll, place)
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = o.attnum and o.attnum > 0
  left join pg_collation l on l.oid = o.coll
  where pg_table_is_visible(c.oid) and c.relname in (${names}) and o.place <= i.indnkeyatts
  order by c.relname, i.indexrelid, o.place`;
