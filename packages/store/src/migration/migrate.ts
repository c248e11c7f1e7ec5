import type { StructuralProperty } from "@cadastre/odata";
import type { Knex } from "knex";
import { digestAsOf } from "../build/digest.ts";
import { deleteDigest, writeDigest } from "../build/digest-table.ts";
import { readBuilds } from "../build/history.ts";
import { refreshCoverage } from "../coverage/refresh.ts";
import { applySteps } from "../database/migration-steps.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import type { Session, WithSession } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { type Member, numberMembers } from "../record/members.ts";
import { indexObjects, type SchemaDialect, type SchemaObject, schemaObjects } from "../schema/object.ts";
import { recordColumns, type TableSchema, tableOf } from "../schema/table.ts";
import type { StoredResource } from "../stored-resource.ts";
import { fillChecksums } from "../write/fill-checksums.ts";
import { bookkeepingSteps } from "./bookkeeping-tables.ts";
import { changeKeys } from "./change-keys.ts";
import { createTables } from "./create-tables.ts";
import { fillColumns } from "./fill.ts";
import {
  type CatalogQueries,
  type FoundSchema,
  findSchema,
  type Stamp,
  writeObjects,
  writeStamp,
} from "./found.ts";
import { type ColumnPlan, isFollowing, type Plan, planOf } from "./plan.ts";
import type { SchemaTransaction } from "./schema-transaction.ts";

/** A database to migrate, and the resources that it must have tables for. */
export type SchemaTarget = {
  readonly resources: readonly StoredResource[];
  readonly dialect: SchemaDialect;
  readonly catalog: CatalogQueries;
  readonly options: SchemaOptions;
  /** Returns true if the functions in the database are of another version. */
  readonly lacksFunctions?: (session: Session) => Promise<boolean>;
  /** Returns true if the database cannot have trigram indexes. */
  readonly lacksTextSearch?: (session: Session) => Promise<boolean>;
  readonly read: WithSession;
  readonly transaction: <T>(work: (transaction: SchemaTransaction) => Promise<T>) => Promise<T>;
};

/** The result of a migration. */
export type MigratedSchema = {
  /** The resources, without trigram indexes if the database cannot have them. */
  readonly resources: readonly StoredResource[];
  /** Members of each resource, by name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
  readonly generation: number;
};

type State = {
  readonly found: FoundSchema;
  readonly plan: Plan;
  readonly isCurrent: boolean;
  /** See {@link MigratedSchema.resources}. */
  readonly resources: readonly StoredResource[];
};

/**
 * Migrates a database to the schema of its resources, in one transaction. A current database is only read.
 *
 * @throws {StoreError} `schema_newer`, `schema_older`, `schema_unsupported`, `schema_absent`
 */
export async function migrateListings(target: SchemaTarget): Promise<MigratedSchema> {
  const state = await target.read((session) => stateOf(session, target));
  if (state.isCurrent) return migrated(state);
  const { migration = {}, existing = false } = target.options;
  if (existing && state.plan.isNew) throw new StoreError("schema_absent");
  if (migration === "refuse" && !state.plan.isNew) throw new StoreError("schema_older");
  return target.transaction(async (transaction) => {
    // Another process may have migrated the database in the meantime.
    const now = await stateOf(transaction.session, target);
    if (now.isCurrent) return migrated(now);
    const say = now.plan.isNew || migration === "refuse" ? () => {} : (migration.onProgress ?? (() => {}));
    if (migration !== "refuse" && !now.plan.isNew) await migration.before?.();
    await applySteps(transaction.knex, bookkeepingSteps);
    // Replacing functions drops the indexes that call them, so the plan is computed after that.
    await transaction.installFunctions?.();
    if (hasTexts(target))
      await transaction.installTextSearch?.(
        migration === "refuse" ? () => {} : (migration.onProgress ?? (() => {})),
      );
    const state = await withTables(await stateOf(transaction.session, target), transaction, target, say);
    await apply(state, transaction, target, say);
    return migrated(await stateOf(transaction.session, target));
  });
}

async function stateOf(session: Session, target: SchemaTarget): Promise<State> {
  const { catalog, dialect, options, lacksFunctions, lacksTextSearch } = target;
  const { version = 0 } = options;
  const lacksTexts = hasTexts(target) && ((await lacksTextSearch?.(session)) ?? false);
  const resources = lacksTexts ? target.resources.map((one) => ({ ...one, texts: [] })) : target.resources;
  const found = await findSchema(session, catalog, resources.map(tableOf), version);
  const plan = planOf(found, resources, dialect);
  const isRaised = found.stamp.version < version;
  const isCurrent = plan.isEmpty && !isRaised && !((await lacksFunctions?.(session)) ?? false);
  return { found, plan, isCurrent, resources };
}

const hasTexts = ({ resources }: SchemaTarget): boolean =>
  resources.some(({ texts = [] }) => texts.length > 0);

const migrated = ({ found, resources }: State): MigratedSchema => ({
  resources,
  members: new Map(
    resources.map(({ entitySet: { name, type } }) => [
      name,
      numberMembers(type, found.members.get(name) ?? []).members,
    ]),
  ),
  generation: found.stamp.generation,
});

/** Creates missing tables, changes keys and makes partitions. Returns the state afterwards, because partitioned tables lose their indexes. */
async function withTables(
  state: State,
  transaction: SchemaTransaction,
  target: SchemaTarget,
  say: Say,
): Promise<State> {
  const { found, plan } = state;
  for (const table of plan.tables)
    await createTables(transaction.knex, table, target.dialect, found.relations);
  for (const table of plan.rekeyed) {
    say(`${table.name}: building primary keys`);
    await changeKeys(table, transaction, target.dialect);
  }
  const isPartitioned = (await transaction.partition?.()) ?? false;
  if (isPartitioned) say("dividing the tables into partitions");
  if (!isPartitioned) return state;
  const { plan: now } = await stateOf(transaction.session, target);
  return { ...state, plan: { ...plan, dropped: [], made: now.made } };
}

async function apply(
  { found, plan, resources }: State,
  transaction: SchemaTransaction,
  { dialect, options }: SchemaTarget,
  say: Say,
): Promise<void> {
  const { knex, session } = transaction;
  const tables = resources.map(tableOf);
  for (const object of plan.dropped) {
    say(`${object.resource}: removing index ${object.name}`);
    if (object.kind === "points") await transaction.dropPoints(object.name);
    else if (object.kind === "texts") await transaction.dropTexts(object.name);
    else await knex.raw("drop index if exists ??", [object.name]);
  }
  for (const columns of plan.columns)
    await makeColumns(columns, transaction, { found, tables, dialect, say });
  for (const table of plan.unchecked) await makeChecksums(table, transaction, dialect, say);
  for (const object of plan.made) {
    say(`${object.resource}: building index ${object.name}`);
    await makeIndex(object, tables, transaction, dialect);
  }
  const members = await numberAll(knex, resources, found);
  for (const table of plan.counted) {
    say(`${table.name}: counting values again`);
    const [serving] = await readBuilds(session, table.name, 1);
    const stored = { table, members: members.get(table.name) ?? new Map<string, Member>() };
    if (serving !== undefined) await refreshCoverage(session, stored, dialect.datasetId, serving);
  }
  // The digest counts the records whose followed record exists, by a column that is made anew.
  const recounted = plan.columns.filter(({ table, made }) => made.some((one) => isFollowing(table, one)));
  for (const table of new Set([...plan.undigested, ...recounted.map((one) => one.table)])) {
    say(`${table.name}: summing the hashes of records`);
    await makeDigest(session, table, tables, dialect);
  }
  await writeObjects(
    session,
    tables.map(({ name }) => name),
    tables.flatMap((table) => schemaObjects(table, dialect)),
  );
  await writeStamp(session, nextStamp(found.stamp, options.version ?? 0));
  say("finishing");
}

/** Stores the digest of the serving build, whose versions are all kept. */
async function makeDigest(
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  dialect: SchemaDialect,
): Promise<void> {
  const [serving] = await readBuilds(session, table.name, 1);
  if (serving === undefined) return;
  await deleteDigest(session, table.name);
  const digest = await digestAsOf(serving.checkpoint, session, table, tables, dialect);
  await writeDigest(session, table.name, digest, serving.checkpoint);
}

const nextStamp = (stamp: Stamp, version: number): Stamp => ({
  version: Math.max(stamp.version, version),
  generation: stamp.generation + 1,
});

type Making = {
  readonly found: FoundSchema;
  readonly tables: readonly TableSchema[];
  readonly dialect: SchemaDialect;
  readonly say: Say;
};

async function makeColumns(
  plan: ColumnPlan,
  { knex, session, beforeColumns }: SchemaTransaction,
  { found, tables, dialect, say }: Making,
): Promise<void> {
  const { table, made, compared } = plan;
  const there = (name: string, column: StructuralProperty) =>
    found.columns.get(name)?.has(column.name) === true;
  for (const name of [table.name, table.closed]) {
    if (made.length > 0) await beforeColumns?.(name);
    for (const column of made) {
      if (there(name, column)) await knex.raw("alter table ?? drop column ??", [name, column.name]);
      // The type is a constant of this package, so it is safe to put in the SQL text.
      await knex.raw(`alter table ?? add column ?? ${dialect.declaredType(column)}`, [name, column.name]);
    }
  }
  const verb =
    made.length > 0
      ? `filling ${made.map(({ name }) => name).join(", ")}`
      : `comparing ${compared.length} columns with the records`;
  say(`${table.name}: ${verb}`);
  await fillColumns(session, plan, tables, dialect, rowReport(table, say));
}

async function makeChecksums(
  table: TableSchema,
  { knex, session, beforeColumns }: SchemaTransaction,
  { datasetId }: SchemaDialect,
  say: Say,
): Promise<void> {
  say(`${table.name}: computing checksums`);
  const onRows = rowReport(table, say);
  for (const name of [table.name, table.closed]) {
    await beforeColumns?.(name);
    await knex.raw(`alter table ?? add column ?? bigint`, [name, recordColumns.checksum]);
    await fillChecksums(session, table, name, datasetId, { onRows });
  }
}

type Say = (step: string) => void;

/** Returns a callback that counts rows and reports progress every {@link reportEvery} rows. */
function rowReport({ name }: TableSchema, say: Say): (rows: number) => void {
  let rows = 0;
  let told = 0;
  return (count) => {
    rows += count;
    if (rows - told < reportEvery) return;
    told = rows;
    say(`${name}: ${rows.toLocaleString("en-US")} versions done`);
  };
}

/** Number of rows between two progress reports. */
const reportEvery = 50_000;

async function makeIndex(
  { kind, resource, name }: SchemaObject,
  tables: readonly TableSchema[],
  transaction: SchemaTransaction,
  dialect: SchemaDialect,
): Promise<void> {
  const table = tables.find((one) => one.name === resource);
  const point = table?.points.find((one) => one.name === name);
  const text = table?.texts.find((one) => one.name === name);
  const index = table && indexObjects(table, dialect).find((one) => one.name === name);
  if (kind === "points" && table !== undefined && point !== undefined)
    await transaction.createPoints(table, point);
  else if (kind === "texts" && table !== undefined && text !== undefined)
    await transaction.createTexts(table, text);
  else if (index !== undefined) await transaction.knex.raw(index.create);
}

/** Assigns ordinals to new members. */
async function numberAll(
  knex: Knex,
  resources: readonly StoredResource[],
  found: FoundSchema,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> {
  const numbered = new Map<string, ReadonlyMap<string, Member>>();
  for (const { entitySet } of resources) {
    const resource = entitySet.name;
    const known = found.members.get(resource) ?? [];
    const { members, added } = numberMembers(entitySet.type, known);
    const rows = added.map((name, i) => ({ resource, ordinal: known.length + i, name }));
    await knex.batchInsert("cadastre_member", rows, 200);
    numbered.set(resource, members);
  }
  return numbered;
}
