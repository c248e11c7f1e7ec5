import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import { readState } from "../coverage/group-table.ts";
import { hasAllSteps } from "../database/migration-steps.ts";
import type { RowValues, Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import type { SchemaObject } from "../schema/object.ts";
import type { TableSchema } from "../schema/table.ts";
import { bookkeepingSteps } from "./bookkeeping-tables.ts";

/** Queries on the database's catalog. */
export type CatalogQueries = {
  /** Selects the names of tables and indexes. */
  readonly relations: SqlFragment;
  /** Selects the table and name of each column. */
  readonly columns: SqlFragment;
};

/** The schema found in a database. */
export type FoundSchema = {
  readonly relations: ReadonlySet<string>;
  /** Columns by table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** True if no migration step of the bookkeeping tables has been applied. */
  readonly isNew: boolean;
  /** True if all of these steps have been applied. */
  readonly hasAllSteps: boolean;
  /** Recorded definitions (`cadastre_schema`). Empty in a database of the first schema, which has no such table. */
  readonly objects: readonly SchemaObject[];
  /** Names of the members of each resource, in the order of their ordinals. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** `Counted` setting of each resource's coverage, as JSON. */
  readonly counted: ReadonlyMap<string, string>;
  /** Names of the resources that have builds, and of those that have a stored digest. */
  readonly built: ReadonlySet<string>;
  readonly digested: ReadonlySet<string>;
  readonly stamp: Stamp;
};

/** Version numbers of a database's schema. */
export type Stamp = {
  /** The highest {@link SchemaOptions.version} that the database was opened with. */
  readonly version: number;
  /** Number of migrations of the database so far. */
  readonly generation: number;
};

/** Selects resource and name of each member, in the order of ordinals: rows for {@link numberedMembersOf}. */
export const selectMembers: SqlFragment = sql`select "resource", "name" from "cadastre_member" order by "resource", "ordinal"`;

/** Returns the names of the members of each resource, in the order of their ordinals. */
export function numberedMembersOf(rows: readonly RowValues[]): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const [resource, name] of rows) {
    const known = members.get(resource as string) ?? [];
    known.push(name as string);
    members.set(resource as string, known);
  }
  return members;
}

const stampKey = "cadastre_schema";
const [note, schema] = [identifier("cadastre_note"), identifier("cadastre_schema")];

/**
 * Reads the schema of a database.
 *
 * @param version see `SchemaOptions.version`; 0 to accept any
 * @throws {StoreError} `schema_newer` if a later version of the program has written the database
 */
export async function findSchema(
  session: Session,
  catalog: CatalogQueries,
  tables: readonly TableSchema[],
  version: number,
): Promise<FoundSchema> {
  const relations = new Set((await session.rows(catalog.relations)).map(([name]) => name as string));
  const columns = new Map<string, Set<string>>();
  for (const [table, column] of await session.rows(catalog.columns)) {
    const known = columns.get(table as string) ?? new Set();
    columns.set(table as string, known.add(column as string));
  }
  const read = async (table: string, query: SqlFragment) => (relations.has(table) ? session.rows(query) : []);
  const { listedIn } = bookkeepingSteps;
  const steps = await read(listedIn, sql`select "name" from ${identifier(listedIn)}`);
  const applied = new Set(steps.map(([name]) => name as string));
  const hasAll = hasAllSteps(applied, bookkeepingSteps, "its schema");
  const stamp = relations.has("cadastre_note") ? await readStamp(session) : noStamp;
  if (version > 0 && stamp.version > version)
    throw new StoreError(
      "schema_newer",
      `its schema is version ${stamp.version}, that of this program ${version}`,
    );
  const objects = await read(
    "cadastre_schema",
    sql`select "resource", "kind", "name", "definition" from ${schema}`,
  );
  const members = numberedMembersOf(await read("cadastre_member", selectMembers));
  const counted = new Map<string, string>();
  if (relations.has("cadastre_coverage"))
    for (const { name } of tables) {
      const state = await readState(session, name);
      if (state !== undefined) counted.set(name, state.counted);
    }
  const resourcesIn = async (table: string) => {
    const rows = await read(table, sql`select distinct "resource" from ${identifier(table)}`);
    return new Set(rows.map(([resource]) => resource as string));
  };
  return {
    relations,
    columns,
    isNew: applied.size === 0,
    hasAllSteps: hasAll,
    objects: objects.map(
      ([resource, kind, name, definition]) => ({ resource, kind, name, definition }) as SchemaObject,
    ),
    members,
    counted,
    built: await resourcesIn("cadastre_build"),
    digested: await resourcesIn("cadastre_digest"),
    stamp,
  };
}

const noStamp: Stamp = { version: 0, generation: 0 };

/** Reads the stamp. The table of notes must exist. */
export async function readStamp(session: Session): Promise<Stamp> {
  const [row] = await session.rows(sql`select "text" from ${note} where "key" = ${value(stampKey)}`);
  return row === undefined ? noStamp : (JSON.parse(row[0] as string) as Stamp);
}

export async function writeStamp(session: Session, stamp: Stamp): Promise<void> {
  await session.rows(sql`insert into ${note} ("key", "text") values (${value(stampKey)}, ${value(JSON.stringify(stamp))})
  on conflict ("key") do update set "text" = excluded."text"`);
}

/** Replaces the recorded definitions of some resources. */
export async function writeObjects(
  session: Session,
  resources: readonly string[],
  objects: readonly SchemaObject[],
): Promise<void> {
  await session.each(
    sql`delete from ${schema} where "resource" = ${value(null)}`,
    resources.map((name) => [name]),
  );
  await session.each(
    sql`insert into ${schema} ("resource", "kind", "name", "definition")
  values (${value(null)}, ${value(null)}, ${value(null)}, ${value(null)})`,
    objects.map(({ resource, kind, name, definition }) => [resource, kind, name, definition]),
  );
}
