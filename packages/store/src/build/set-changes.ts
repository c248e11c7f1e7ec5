import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { sourceProperty, type TableSchema, validity } from "../schema/table.ts";
import type { Commit } from "../store.ts";
import type { SetChange } from "./build.ts";

const [from, to] = [identifier(validity.from.name), identifier(validity.to.name)];
const source = identifier(sourceProperty.name);

/**
 * Counts the records that a commit has removed from a table and from those that follow it, by source. A record that follows a removed
 * one counts as removed: it stays in its table, but nobody can see it.
 *
 * @param tables in an order in which each follows earlier ones only
 */
export async function setChanges(
  session: Session,
  resource: string,
  tables: readonly TableSchema[],
  commit: Commit,
): Promise<readonly SetChange[]> {
  const checkpoint = checkpointOf(commit);
  const affected = new Set([resource]);
  const changes: SetChange[] = [];
  for (const table of tables) {
    if (affected.has(table.follows?.resource ?? "")) affected.add(table.name);
    if (!affected.has(table.name)) continue;
    const { removed, before } = statementsOf(table, ownerColumn(table, tables), value(checkpoint));
    const gone = await countsOf(session, removed);
    if (gone.size === 0 && table.name !== resource) continue;
    const all = await countsOf(session, before);
    for (const [name, count] of all)
      changes.push({ resource: table.name, source: name, before: count, removed: gone.get(name) ?? 0 });
  }
  return changes;
}

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
  const sameKey = join(
    table.key.map(({ name }) => sql`${current}.${identifier(name)} = ${closed}.${identifier(name)}`),
    " and ",
  );
  const isOwned = (one: SqlFragment) =>
    owner === undefined ? sql`1 = 1` : sql`${one}.${identifier(owner)} is not null`;
  const [isThere, wasThere] = [isOwned(current), isOwned(closed)];
  const counts = sql`select ${source}, count(*) from`;
  // A replaced record has a new current version. A current version from before the commit was not removed.
  return {
    removed: sql`${counts} ${closed} where ${to} = ${now} and ${wasThere}
  and not exists (select 1 from ${current} where ${sameKey} and ${current}.${from} = ${now} and ${isThere})
  group by ${source} order by ${source} is null, ${source}`,
    before: sql`${counts} (
    select ${source} from ${current} where ${from} <> ${now} and ${isThere}
    union all select ${source} from ${closed} where ${to} = ${now} and ${wasThere}
  ) as "before" group by ${source} order by ${source} is null, ${source}`,
  };
}

/**
 * Returns the column with the dataset of the record that a row follows, directly or in several steps. Its value is null if that record
 * does not exist. Undefined for a table whose rows follow nothing.
 */
function ownerColumn({ follows }: TableSchema, tables: readonly TableSchema[]): string | undefined {
  if (follows === undefined) return undefined;
  const followed = tables.find(({ name }) => name === follows.resource);
  const kept = (followed && ownerColumn(followed, tables)) ?? datasetProperty.name;
  return Object.entries(follows.values).find(([, column]) => column === kept)?.[0];
}
