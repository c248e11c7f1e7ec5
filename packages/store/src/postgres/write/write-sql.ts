import { datasetProperty } from "@cadastre/entitlement";
import { identifier, postgres, type SqlFragment, type StructuralProperty, sql } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import { beginning, recordColumns, type TableSchema, validity } from "../../schema/table.ts";
import { primaryKey, typeOf } from "../layout/columns.ts";

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

const ofDataset = identifier(datasetProperty.name);
/** The dataset of all records of a statement: a parameter, so that the server reads one partition only. */
const dataset = sql`${parameter}::text`;

/** Condition that a row of the table is the record of a given row. */
const isGiven = ({ key, shared }: TableSchema, row: SqlFragment): SqlFragment => {
  const isOfDataset = shared ? sql`is not distinct from` : sql`=`;
  return join(
    [
      ...names(key).map((column) => sql`${current}.${column} = ${row}.${column}`),
      sql`${current}.${ofDataset} ${isOfDataset} ${dataset}`,
    ],
    " and ",
  );
};

/**
 * Returns the statement that looks for a key that another dataset holds. Parameters: an array for each key column, then the dataset.
 */
export const foreignKeySql = (table: TableSchema): string =>
  keyOfAnotherSql(table, sql`select ${list(typed(table.key))} from ${unnest(table.key)}`);

/**
 * Returns the statement that looks for a key that a commit has written and another dataset holds. Parameters: the dataset and the
 * checkpoint of the commit, then the dataset.
 */
export const takenKeySql = (table: TableSchema): string =>
  keyOfAnotherSql(
    table,
    sql`select ${list(names(table.key))} from ${identifier(table.name)} where ${ofDataset} = ${dataset} and ${beginning} = (${parameter}::bigint + 0)`,
  );

function keyOfAnotherSql(table: TableSchema, keys: SqlFragment): string {
  const key = names(table.key);
  const statement = sql`with "given" as materialized (
  ${keys}
)
select ${list(ofTable(given, key))} from "given" join ${identifier(table.name)} as "current"
  on ${join(
    key.map((column) => sql`${current}.${column} = ${given}.${column}`),
    " and ",
  )} and ${current}.${ofDataset} is distinct from ${dataset}
limit 1`;
  return render(statement, postgres.placeholder).text;
}

/**
 * Returns the statement that writes versions of a dataset and closes those that they replace. Records that are equal to their current
 * version are not changed. Its result is the number of records written. Parameters: the checkpoint; an array for each column, then
 * arrays of texts, member indexes and checksums; the dataset; the checkpoint; the dataset; the checkpoint.
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
  select ${given}.* from "given" left join ${into} as "current" on ${isGiven(table, given)}
  where ${current}.${from} is null or ${join(differs, " or ")}
), "kept" as (
  insert into ${intoClosed} (${list(all)}, ${to})
  select ${list(ofTable(current, all))}, ${parameter}::bigint
  from ${into} as "current" join "changed" on ${isGiven(table, sql`"changed"`)}
  where ${current}.${from} <> ${parameter}::bigint
), "written" as (
  insert into ${into} (${list(all)}) select ${list(all)} from "changed"
  on conflict (${list(primaryKey(table).map(identifier))}) do update set ${list(replaced)}
)
select count(*) from "changed"`;
  return render(statement, postgres.placeholder).text;
}

/**
 * Returns the statement that removes records of a dataset and closes their versions. Its result is the number of records removed.
 * Parameters: an array for each key column, the dataset, then the checkpoint twice.
 */
export function removeSql(table: TableSchema): string {
  const all = [...names(table.columns), from, ...record];
  const statement = sql`with "given" as materialized (
  select ${list(typed(table.key))} from ${unnest(table.key)}
), "gone" as (
  delete from ${identifier(table.name)} as "current" using "given" where ${isGiven(table, given)}
  returning ${current}.*
), "kept" as (
  insert into ${identifier(table.closed)} (${list(all)}, ${to})
  select ${list(all)}, ${parameter}::bigint from "gone" where ${from} <> ${parameter}::bigint
)
select count(*) from "gone"`;
  return render(statement, postgres.placeholder).text;
}
