import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { beginning, beginningValue, recordColumns, type TableSchema, validity } from "../schema/table.ts";
import type { Follows } from "../stored-resource.ts";

/** Statements that copy values into the records of a table from the records that they follow. */
type Following = {
  readonly table: TableSchema;
  /** Selects, by dataset, the number of records that the commit has not written itself and that this update changes. */
  readonly tally: SqlFragment;
  /** Statements in the order of execution. */
  readonly write: readonly [close: SqlFragment, update: SqlFragment];
};

/** A commit, as far as updating following records needs it. */
export type FollowingCommit = {
  readonly session: Session;
  /** Ordered so that each table comes after the table that it follows. */
  readonly tables: readonly TableSchema[];
  /** Number of changes in the commit, by resource. */
  readonly changed: ReadonlyMap<string, number>;
  /** Expression for the dataset id of a row. */
  readonly dataset: SqlFragment;
  readonly checkpoint: bigint;
  /** Runs a `Following.tally` and adds its numbers of written records, by dataset, to those of the commit. */
  readonly count: (resource: string, tally: SqlFragment) => Promise<unknown>;
};

/** Updates the hidden columns of records that follow others, see `StoredResource.follows`. */
export async function updateFollowers(commit: FollowingCommit): Promise<void> {
  const { session, count } = commit;
  for (const { table, tally, write } of followings(commit)) {
    await count(table.name, tally);
    for (const statement of write) await session.rows(statement);
  }
}

function* followings({ tables, changed, dataset, checkpoint }: FollowingCommit): Generator<Following> {
  const touched = new Set(changed.keys());
  for (const table of tables) {
    const { follows } = table;
    const followed = tables.find(({ name }) => name === follows?.resource);
    if (follows === undefined || followed === undefined) continue;
    if (!touched.has(table.name) && !touched.has(followed.name)) continue;
    // A table that follows this one comes later in the loop and is updated too.
    touched.add(table.name);
    yield followingOf(table, follows, followed, dataset, checkpoint);
  }
}

function followingOf(
  table: TableSchema,
  follows: Follows,
  followed: TableSchema,
  dataset: SqlFragment,
  checkpoint: bigint,
): Following {
  const { values, key: reference } = follows;
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
  const ofDataset = identifier(datasetProperty.name);
  const [ownerKey, belongsTo] = [identifier(followed.key[0]?.name ?? ""), identifier(reference)];
  const pairs = Object.entries(values).map(([own, column]) => {
    const read = column === datasetProperty.name ? dataset : identifier(column);
    const said = sql`(select ${read} from ${owner} where ${owner}.${ownerKey} = ${current}.${belongsTo}
    and ${owner}.${ofDataset} = ${current}.${ofDataset})`;
    return { own: identifier(own), said };
  });
  const differs = pairs.map(({ own, said }) => sql`${current}.${own} is distinct from ${said}`);
  const changed = sql`select ${ownerKey}, ${ofDataset} from ${owner} where ${beginning} = ${beginningValue(checkpoint)}
    union all select ${ownerKey}, ${ofDataset} from ${identifier(followed.closed)} where ${to} = ${now}`;
  const key = list([...table.key, datasetProperty].map(({ name }) => identifier(name)));
  // Each part is found by an index of its own; with "or" between the conditions the whole table would be read.
  const candidates = sql`select ${key} from ${current} where ${beginning} = ${beginningValue(checkpoint)}
    union all select ${key} from ${current} where (${belongsTo}, ${ofDataset}) in (${changed})`;
  const strays = sql`(${key}) in (${candidates}) and (${join(differs, " or ")})`;
  const set = [...pairs.map(({ own, said }) => sql`${own} = ${said}`), sql`${from} = ${now}`];
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
