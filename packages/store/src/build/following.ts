import { datasetProperty } from "@cadastre/entitlement";
import { identifier, join, type SqlFragment, sql, value } from "@cadastre/odata";
import { fillChecksums } from "../schema/fill.ts";
import { beginning, recordColumns, type TableSchema, validity } from "../schema/table.ts";
import type { Follows } from "../store.ts";
import type { Session } from "./session.ts";

/** Statements by which the records of a table follow those that they belong to. */
type Following = {
  readonly table: TableSchema;
  /** Number of records that will follow and that the commit has not written itself, by dataset. */
  readonly tally: SqlFragment;
  /** In the order of their running. */
  readonly write: readonly [close: SqlFragment, update: SqlFragment];
};

/** A commit within which records follow others. */
export type FollowingCommit = {
  readonly session: Session;
  /** In an order in which each follows earlier ones only. */
  readonly tables: readonly TableSchema[];
  /** Numbers of changes of the commit, by resource. */
  readonly changed: ReadonlyMap<string, number>;
  /** Id of the dataset of a row. */
  readonly dataset: SqlFragment;
  readonly checkpoint: bigint;
  /** Counts what a tally selects: numbers of records that are written, by dataset. */
  readonly count: (resource: string, tally: SqlFragment) => Promise<void>;
};

/** Updates the records that belong to others, see `StoredResource.follows`. */
export async function follow(commit: FollowingCommit): Promise<void> {
  const { session, dataset, checkpoint, count } = commit;
  const where = sql`${beginning} = cast(${value(checkpoint)} as bigint)`;
  for (const { table, tally, write } of followings(commit)) {
    await count(table.name, tally);
    for (const statement of write) await session.rows(statement);
    await fillChecksums(session, table, table.name, dataset, { where });
  }
}

function* followings({ tables, changed, dataset, checkpoint }: FollowingCommit): Generator<Following> {
  const touched = new Set(changed.keys());
  for (const table of tables) {
    const { follows } = table;
    const followed = tables.find(({ name }) => name === follows?.resource);
    if (follows === undefined || followed === undefined) continue;
    if (!touched.has(table.name) && !touched.has(followed.name)) continue;
    // What follows it in turn comes after it.
    touched.add(table.name);
    yield followingOf(table, follows, followed, dataset, checkpoint);
  }
}

function followingOf(
  table: TableSchema,
  { values, key }: Follows,
  followed: TableSchema,
  dataset: SqlFragment,
  checkpoint: bigint,
): Following {
  const [current, closed, owner] = [
    identifier(table.name),
    identifier(table.closed),
    identifier(followed.name),
  ];
  const [from, to] = [identifier(validity.from.name), identifier(validity.to.name)];
  const list = (columns: readonly SqlFragment[]) => join(columns, ", ");
  const held = table.columns.map(({ name }) => identifier(name));
  const record = Object.values(recordColumns).map((name) => identifier(name));
  const all = [...held, from, ...record];
  const now = sql`cast(${value(checkpoint)} as bigint)`;
  const [ownerKey, belongsTo] = [identifier(followed.key[0]?.name ?? ""), identifier(key)];
  const pairs = Object.entries(values).map(([own, column]) => {
    const read = column === datasetProperty.name ? dataset : identifier(column);
    const said = sql`(select ${read} from ${owner} where ${owner}.${ownerKey} = ${current}.${belongsTo})`;
    return { own: identifier(own), said };
  });
  const differs = pairs.map(({ own, said }) => sql`${current}.${own} is distinct from ${said}`);
  const changed = sql`select ${ownerKey} from ${owner} where ${from} = ${now}
    union all select ${ownerKey} from ${identifier(followed.closed)} where ${to} = ${now}`;
  const strays = sql`(${from} = ${now} or ${belongsTo} in (${changed})) and (${join(differs, " or ")})`;
  const set = [
    ...pairs.map(({ own, said }) => sql`${own} = ${said}`),
    sql`${from} = ${now}`,
    // Of another dataset, so it is computed anew.
    sql`${identifier(recordColumns.checksum)} = null`,
  ];
  return {
    table,
    tally: sql`select ${dataset}, count(*) from ${current} where ${from} <> ${now} and ${strays} group by 1`,
    write: [
      sql`insert into ${closed} (${list([...all, to])}) select ${list([...all, now])} from ${current}
  where ${from} <> ${now} and ${strays}`,
      sql`update ${current} set ${list(set)} where ${strays}`,
    ],
  };
}
