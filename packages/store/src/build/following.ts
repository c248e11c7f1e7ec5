import { datasetProperty } from "@cadastre/entitlement";
import { identifier, join, type SqlFragment, sql, value } from "@cadastre/odata";
import { recordColumns, type TableSchema, validity } from "../schema/table.ts";
import type { Follows } from "../store.ts";

/** Statements by which the records of a table follow those that they belong to. */
export type Following = {
  readonly resource: string;
  /** Number of records that will follow and that the commit has not written itself, by dataset. */
  readonly tally: SqlFragment;
  /** In the order of their running. */
  readonly write: readonly [close: SqlFragment, update: SqlFragment];
};

/**
 * What is to follow within a commit: of tables in an order in which each follows earlier ones only.
 *
 * @param changed numbers of changes of the commit, by resource
 * @param dataset the dataset of a row
 */
export function* followings(
  tables: readonly TableSchema[],
  changed: ReadonlyMap<string, number>,
  dataset: SqlFragment,
  checkpoint: bigint,
): Generator<Following> {
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
  const set = [...pairs.map(({ own, said }) => sql`${own} = ${said}`), sql`${from} = ${now}`];
  return {
    resource: table.name,
    tally: sql`select ${dataset}, count(*) from ${current} where ${from} <> ${now} and ${strays} group by 1`,
    write: [
      sql`insert into ${closed} (${list([...all, to])}) select ${list([...all, now])} from ${current}
  where ${from} <> ${now} and ${strays}`,
      sql`update ${current} set ${list(set)} where ${strays}`,
    ],
  };
}
