import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import { compareCodePoints } from "../code-points.ts";
import type { Session } from "../database/session.ts";
import {
  beginning,
  isSameRecord,
  ownerColumn,
  sourceProperty,
  type TableSchema,
  validity,
} from "../schema/table.ts";
import type { Commit } from "../store.ts";
import type { SetChange } from "./build.ts";
import type { StateDigest } from "./digest.ts";

const to = identifier(validity.to.name);
const source = identifier(sourceProperty.name);

/**
 * Counts the records that a commit has removed from a table and from those that follow it, by source. A record that follows a removed
 * one counts as removed: it stays in its table, but nobody can see it. Only the changed records are read; the others are counted by the
 * digest.
 *
 * @param tables in an order in which each follows earlier ones only
 * @param digestOf returns the digest of a table after the commit
 */
export async function setChanges(
  session: Session,
  resource: string,
  tables: readonly TableSchema[],
  commit: Commit,
  digestOf: (table: TableSchema) => Promise<StateDigest>,
): Promise<readonly SetChange[]> {
  const checkpoint = checkpointOf(commit);
  const affected = new Set([resource]);
  const changes: SetChange[] = [];
  for (const table of tables) {
    if (affected.has(table.follows?.resource ?? "")) affected.add(table.name);
    if (!affected.has(table.name)) continue;
    const { removed, began, ended } = statementsOf(table, ownerColumn(table, tables), value(checkpoint));
    const gone = await countsOf(session, removed);
    if (gone.size === 0 && table.name !== resource) continue;
    const before = new Map<string | null, number>();
    const count = (name: string | null, records: number) =>
      before.set(name, (before.get(name) ?? 0) + records);
    for (const part of (await digestOf(table)).parts()) count(part.source, part.owned);
    for (const [name, records] of await countsOf(session, began)) count(name, -records);
    for (const [name, records] of await countsOf(session, ended)) count(name, records);
    for (const [name, records] of [...before].sort(bySource))
      if (records > 0)
        changes.push({ resource: table.name, source: name, before: records, removed: gone.get(name) ?? 0 });
  }
  return changes;
}

/** Sorts records without a source last. */
const bySource = ([a]: readonly [string | null, number], [b]: readonly [string | null, number]): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareCodePoints(a, b);

/**
 * Returns the checkpoint of a commit's changes. A commit without changes has the checkpoint of the commit before; for it, a number
 * that no row has is returned.
 */
export const checkpointOf = ({ checkpoint, written, removed }: Commit): number =>
  written + removed > 0 ? checkpoint : checkpoint + 1;

/** Counts rows by source; null counts as a source. */
async function countsOf(
  session: Session,
  statement: SqlFragment,
): Promise<ReadonlyMap<string | null, number>> {
  const rows = await session.rows(statement);
  return new Map(rows.map(([name, count]) => [name as string | null, Number(count)]));
}

function statementsOf(table: TableSchema, owner: string | undefined, now: SqlFragment) {
  const [current, closed] = [identifier(table.name), identifier(table.closed)];
  const sameRecord = isSameRecord(table, current, closed);
  const isOwned = (one: SqlFragment) =>
    owner === undefined ? sql`1 = 1` : sql`${one}.${identifier(owner)} is not null`;
  const [isThere, wasThere] = [isOwned(current), isOwned(closed)];
  const counts = sql`select ${source}, count(*) from`;
  const from = identifier(validity.from.name);
  // A replaced record has a new current version. A current version from before the commit was not removed.
  return {
    removed: sql`${counts} ${closed} where ${to} = ${now} and ${wasThere}
  and not exists (select 1 from ${current} where ${sameRecord} and ${current}.${from} = ${now} and ${isThere})
  group by ${source}`,
    began: sql`${counts} ${current} where ${beginning} = ${now} and ${isThere} group by ${source}`,
    ended: sql`${counts} ${closed} where ${to} = ${now} and ${wasThere} group by ${source}`,
  };
}
