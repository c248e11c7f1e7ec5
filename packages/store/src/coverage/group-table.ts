import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { type CoverageGroup, type GroupKey, groupId } from "./group.ts";
import type { Population } from "./population.ts";

const [state, groups] = [identifier("cadastre_coverage"), identifier("cadastre_coverage_atom")];

/** Number of groups read and written at once. */
const groupSize = 500;

/** The checkpoint at which the groups of a resource were counted, and the `Counted` setting that defined them, as JSON. */
export type CoverageState = { readonly checkpoint: number; readonly counted: string };

export async function readState(session: Session, resource: string): Promise<CoverageState | undefined> {
  const [row] = await session.rows(
    sql`select "checkpoint", "counted" from ${state} where "resource" = ${value(resource)}`,
  );
  return row && { checkpoint: Number(row[0]), counted: row[1] as string };
}

export async function writeState(
  session: Session,
  resource: string,
  { checkpoint, counted }: CoverageState,
): Promise<void> {
  await session.rows(
    sql`insert into ${state} ("resource", "checkpoint", "counted")
  values (${value(resource)}, cast(${value(checkpoint)} as bigint), ${value(counted)})
  on conflict ("resource") do update set "checkpoint" = excluded."checkpoint", "counted" = excluded."counted"`,
  );
}

/** Returns the groups of a resource and their checkpoint, in one snapshot. */
export async function readGroups(
  session: Session,
  resource: string,
): Promise<{ readonly checkpoint: number; readonly groups: readonly CoverageGroup[] } | undefined> {
  const rows = await session.rows(
    sql`select ${state}."checkpoint", ${columnsOf(groups)} from ${state}
  left join ${groups} on ${groups}."resource" = ${state}."resource"
  where ${state}."resource" = ${value(resource)} order by ${groups}."id"`,
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const found = rows.filter(([, key]) => key !== null).map(([, ...row]) => readGroup(row));
  return { checkpoint: Number(first[0]), groups: found };
}

const columnsOf = (table: SqlFragment): SqlFragment =>
  sql`${table}."key", ${table}."records", ${table}."populated"`;

const readGroup = ([key, records, populated]: readonly unknown[]): CoverageGroup => ({
  key: JSON.parse(key as string) as GroupKey,
  records: Number(records),
  populated: populated as string,
});

/** Returns the number of records in all groups of a resource. */
export async function countedRecords(session: Session, resource: string): Promise<number> {
  const [row] = await session.rows(
    sql`select coalesce(sum("records"), 0) from ${groups} where "resource" = ${value(resource)}`,
  );
  return Number(row?.[0]);
}

export async function deleteGroups(session: Session, resource: string): Promise<void> {
  await session.rows(sql`delete from ${groups} where "resource" = ${value(resource)}`);
}

/** Adds counts to the stored groups. Groups left without records are deleted. */
export async function addToGroups(
  session: Session,
  resource: string,
  counted: ReadonlyMap<string, Population>,
): Promise<void> {
  const keys = [...counted.keys()].map((text) => JSON.parse(text) as GroupKey);
  for (let start = 0; start < keys.length; start += groupSize) {
    const group = keys.slice(start, start + groupSize).map((key) => ({ key, id: groupId(key) }));
    const ids = join(
      group.map(({ id }) => value(id)),
      ", ",
    );
    const where = sql`where "resource" = ${value(resource)} and "id" in (${ids})`;
    const present = await session.rows(sql`select ${columnsOf(groups)} from ${groups} ${where}`);
    for (const group of present.map(readGroup))
      counted.get(JSON.stringify(group.key))?.add(group.records, group.populated);
    const rows = group.map(({ key, id }) => {
      const population = counted.get(JSON.stringify(key));
      return [resource, id, JSON.stringify(key), population?.records ?? 0, population?.text() ?? ""];
    });
    await session.each(
      put,
      rows.filter(([, , , records]) => records !== 0),
    );
    await session.each(
      remove,
      rows.filter(([, , , records]) => records === 0).map(([, id]) => [resource, id]),
    );
  }
}

// Groups that are there are updated in place, because a row that is deleted and inserted again leaves work to vacuum.
const put = sql`insert into ${groups} ("resource", "id", "key", "records", "populated")
  values (${value(null)}, ${value(null)}, ${value(null)}, ${value(null)}, ${value(null)})
  on conflict ("resource", "id") do update set "records" = excluded."records", "populated" = excluded."populated"`;

const remove = sql`delete from ${groups} where "resource" = ${value(null)} and "id" = ${value(null)}`;
