import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type { Session } from "../../database/session.ts";
import { statementText } from "../../database/statement-text.ts";
import { shortened, type TableSchema, validity } from "../../schema/table.ts";
import { primaryKey } from "./columns.ts";

/**
 * Partitions of the tables of records. `list`: one for each dataset, up to about 50, made with the tables for those that are named and later
 * by `addPartitions`. `hash`: 32 that the datasets share, however many there are.
 */
export type Partitioning =
  | { readonly by: "list"; readonly datasets: readonly string[] }
  | { readonly by: "hash" };

/** Number of partitions by hash. */
const modulus = 32;

const dataset = identifier(datasetProperty.name);
const ownSchema = sql`to_regnamespace(quote_ident(current_schema()))`;

/** Tables of records that have partitions: those of current and of closed versions, unless records may have no dataset. */
export const partitionedTables = (tables: readonly TableSchema[]): readonly string[] =>
  tables.filter(({ shared }) => !shared).flatMap(({ name, closed }) => [name, closed]);

/** Returns the name of a dataset's partition of a table. An id with other characters than those of a UUID is hashed. */
export function partitionName(table: string, datasetId: string): string {
  const isPlain = /^[\w-]+$/.test(datasetId);
  const part = isPlain ? datasetId : createHash("sha256").update(datasetId).digest("hex").slice(0, 36);
  return shortened(`${table}_of_${part}`);
}

/** Returns the kind of partitions of a table; undefined if it has none. */
export async function readPartitioning(
  session: Session,
  table: string,
): Promise<Partitioning["by"] | undefined> {
  const [row] = await session.rows(
    sql`select partstrat from pg_partitioned_table join pg_class on pg_class.oid = partrelid
  where relnamespace = ${ownSchema} and relname = ${value(table)}`,
  );
  return row && (row[0] === "l" ? "list" : "hash");
}

/** Returns the datasets that have partitions of a table. */
export async function datasetsWithPartitions(session: Session, table: string): Promise<readonly string[]> {
  // The bound is written as `FOR VALUES IN ('dataset')`.
  const bound = sql`substring(pg_get_expr(relpartbound, oid) from ${value("'(.*)'")})`;
  const rows = await session.rows(
    sql`select replace(${bound}, ${value("''")}, ${value("'")}) from pg_class
  where relispartition and relkind = 'r' and pg_partition_root(oid) = to_regclass(quote_ident(${value(table)}))`,
  );
  return rows.map(([found]) => found as string);
}

/** Returns the names of the tables that hold the rows of a table: its partitions, or itself. */
export async function tablesWithRows(session: Session, table: string): Promise<readonly string[]> {
  const rows = await session.rows(
    sql`select relname from pg_class where relnamespace = ${ownSchema} and relkind = 'r'
  and (relname = ${value(table)} or relispartition
    and pg_partition_root(oid) = (select oid from pg_class where relnamespace = ${ownSchema} and relname = ${value(table)}))`,
  );
  return rows.map(([name]) => name as string);
}

/** Runs a statement of the data definition language with a dataset in it: such statements have no parameters. */
async function runWithLiteral(
  knex: Knex,
  before: SqlFragment,
  datasetId: string,
  after: SqlFragment,
): Promise<void> {
  const { rows } = await knex.raw<{ rows: readonly { literal: string }[] }>(
    "select quote_literal(?) as literal",
    [datasetId],
  );
  const literal = rows[0]?.literal.replaceAll("?", "\\?") ?? "";
  await knex.raw(`${statementText(before)}${literal}${statementText(after)}`);
}

/**
 * Gives tables partitions. Their rows are copied; their indexes, but for those of keys and endings, must be created again. Locks the tables until
 * the transaction ends.
 */
export async function partitionTables(
  knex: Knex.Transaction,
  session: Session,
  tables: readonly TableSchema[],
  partitioning: Partitioning,
): Promise<void> {
  const held = new Set(partitioning.by === "list" ? partitioning.datasets : []);
  const names = partitionedTables(tables);
  for (const name of names)
    for (const [found] of await session.rows(sql`select distinct ${dataset} from ${identifier(name)}`))
      held.add(found as string);
  for (const table of tables) {
    if (table.shared) continue;
    const key = primaryKey(table);
    await partitionTable(knex, table.name, key, partitioning.by, held);
    await partitionTable(knex, table.closed, [...key, validity.to.name], partitioning.by, held);
    await knex.raw("create index ?? on ?? (??)", [table.endings, table.closed, validity.to.name]);
  }
}

async function partitionTable(
  knex: Knex.Transaction,
  name: string,
  key: readonly string[],
  by: Partitioning["by"],
  datasets: ReadonlySet<string>,
): Promise<void> {
  const before = `${name}_before`;
  await knex.raw("alter table ?? rename to ??", [name, before]);
  await knex.raw(`create table ?? (like ?? including defaults) partition by ${by} (??)`, [
    name,
    before,
    datasetProperty.name,
  ]);
  const parent = identifier(name);
  if (by === "list")
    for (const datasetId of datasets) {
      const partition = identifier(partitionName(name, datasetId));
      await runWithLiteral(
        knex,
        sql`create table ${partition} partition of ${parent} for values in (`,
        datasetId,
        sql`)`,
      );
    }
  else
    for (let i = 0; i < modulus; i++)
      await knex.raw(`create table ?? partition of ?? for values with (modulus ${modulus}, remainder ${i})`, [
        `${name}_${String(i).padStart(2, "0")}`,
        name,
      ]);
  await knex.raw("insert into ?? select * from ??", [name, before]);
  await copyGrants(knex, before, name);
  await knex.raw("drop table ??", [before]);
  const columns = join(key.map(identifier), ", ");
  await knex.raw(
    statementText(
      sql`alter table ${parent} add constraint ${identifier(`${name}_key`)} primary key (${columns})`,
    ),
  );
}

/** Gives the roles that may use a table the same rights to another one. */
async function copyGrants(knex: Knex, from: string, to: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: readonly { grant: string }[] }>(
    `select format('grant %s on %I to %s', privilege_type, ?::text,
      case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end) as "grant"
    from pg_class, aclexplode(relacl) where oid = to_regclass(quote_ident(?))`,
    [to, from],
  );
  for (const { grant } of rows) await knex.raw(grant.replaceAll("?", "\\?"));
}

/** Makes and attaches the partitions of a dataset, or attaches those that were detached. Readers and writers of other datasets go on. */
export async function attachPartition(
  knex: Knex.Transaction,
  name: string,
  datasetId: string,
): Promise<void> {
  const partition = partitionName(name, datasetId);
  const [parent, own] = [identifier(name), identifier(partition)];
  if (!(await knex.schema.hasTable(partition))) {
    await knex.raw("create table ?? (like ?? including defaults)", [partition, name]);
    // With the check, attaching does not read the rows.
    const check = sql`alter table ${own} add constraint "cadastre_dataset" check (${dataset} = `;
    await runWithLiteral(knex, check, datasetId, sql`)`);
  }
  await runWithLiteral(
    knex,
    sql`alter table ${parent} attach partition ${own} for values in (`,
    datasetId,
    sql`)`,
  );
}
