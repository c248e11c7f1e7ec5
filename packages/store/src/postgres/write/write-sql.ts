import { identifier, postgres, type SqlFragment, type StructuralProperty, sql } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import { recordColumns, type TableSchema, validity } from "../../schema/table.ts";
import { postgresDatasetId, typeOf } from "../layout/columns.ts";

const parameter = value(null);
const names = (properties: readonly { readonly name: string }[]) =>
  properties.map(({ name }) => identifier(name));
const ofTable = (table: SqlFragment, columns: readonly SqlFragment[]) =>
  columns.map((column) => sql`${table}.${column}`);
const list = (fragments: readonly SqlFragment[]) => join(fragments, ", ");

/** Returns rows of parameters: an array of texts for each property and each of `more`. */
function unnest(properties: readonly StructuralProperty[], more: readonly SqlFragment[] = []): SqlFragment {
  const arrays = [...properties.map(() => sql`${parameter}::text[]`), ...more];
  return sql`unnest(${list(arrays)}) as "row"(${list(arrays.map((_, i) => identifier(`c${i}`)))})`;
}

const typed = (properties: readonly StructuralProperty[]): readonly SqlFragment[] =>
  properties.map(
    (property, i) => sql`${identifier(`c${i}`)}::${typeOf(property)} as ${identifier(property.name)}`,
  );

const [current, given] = [sql`"current"`, sql`"given"`];
const { from, to } = { from: identifier(validity.from.name), to: identifier(validity.to.name) };
const text = identifier(recordColumns.text);
const record = Object.values(recordColumns).map((name) => identifier(name));

const sameKey = ({ key }: TableSchema, left: SqlFragment, right: SqlFragment): SqlFragment =>
  join(
    names(key).map((column) => sql`${left}.${column} = ${right}.${column}`),
    " and ",
  );

/**
 * Returns the statement that writes versions and closes those that they replace. Records that are equal to their current version
 * are not changed. Its result is the number of records written, by dataset. Parameters: the checkpoint; an array for each column,
 * then arrays of texts, member indexes and checksums; then the checkpoint twice.
 *
 * @param besides columns whose values are not in the record's text
 */
export function putSql(table: TableSchema, besides: readonly StructuralProperty[]): string {
  const [into, intoClosed] = [identifier(table.name), identifier(table.closed)];
  const n = table.columns.length;
  const all = [...names(table.columns), from, ...record];
  const [index, checksum] = [identifier(recordColumns.members), identifier(recordColumns.checksum)];
  const differs = [
    sql`${current}.${text}::text <> ${given}.${text}::text`,
    // A row that differs in any part, such as a damaged one, is written again.
    ...[index, checksum, ...names(besides)].map(
      (column) => sql`${current}.${column} is distinct from ${given}.${column}`,
    ),
  ];
  const replaced = all.map((column) => sql`${column} = excluded.${column}`);
  const texts = sql`${parameter}::text[]`;
  const rows = unnest(table.columns, [texts, texts, texts]);
  const statement = sql`with "given" as materialized (
  select ${list(typed(table.columns))}, ${parameter}::bigint as ${from},
    ${identifier(`c${n}`)}::json as ${text}, ${identifier(`c${n + 1}`)} as ${index}, ${identifier(`c${n + 2}`)}::bigint as ${checksum}
  from ${rows}
), "changed" as materialized (
  select ${given}.* from "given" left join ${into} as "current" on ${sameKey(table, current, given)}
  where ${current}.${from} is null or ${join(differs, " or ")}
), "kept" as (
  insert into ${intoClosed} (${list(all)}, ${to})
  select ${list(ofTable(current, all))}, ${parameter}::bigint
  from ${into} as "current" join "changed" on ${sameKey(table, current, sql`"changed"`)}
  where ${current}.${from} <> ${parameter}::bigint
), "written" as (
  insert into ${into} (${list(all)}) select ${list(all)} from "changed"
  on conflict (${list(names(table.key))}) do update set ${list(replaced)}
)
select ${postgresDatasetId}, count(*) from "changed" group by ${postgresDatasetId}`;
  return render(statement, postgres.placeholder).text;
}

/**
 * Returns the statement that removes records and closes their versions. Its result is the number of records removed, by dataset.
 * Parameters: an array for each key column, then the checkpoint twice.
 */
export function removeSql(table: TableSchema): string {
  const all = [...names(table.columns), from, ...record];
  const statement = sql`with "given" as materialized (
  select ${list(typed(table.key))} from ${unnest(table.key)}
), "gone" as (
  delete from ${identifier(table.name)} as "current" using "given" where ${sameKey(table, current, given)}
  returning ${current}.*
), "kept" as (
  insert into ${identifier(table.closed)} (${list(all)}, ${to})
  select ${list(all)}, ${parameter}::bigint from "gone" where ${from} <> ${parameter}::bigint
)
select ${postgresDatasetId}, count(*) from "gone" group by ${postgresDatasetId}`;
  return render(statement, postgres.placeholder).text;
}
