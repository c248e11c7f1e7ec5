import { identifier, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import type { Build } from "./build.ts";

/**
 * State of a full set of a source: "open" while batches are still expected, "whole" once it is complete and can be published.
 */
export type FullSet = "open" | "whole" | null;

/** Progress of a source of a resource. */
export type SourceState = {
  readonly source: string;
  readonly cursor: string | null;
  /** Cursor in the build being served. */
  readonly served: string | null;
  readonly fullSet: FullSet;
  /** Number of the source's last batch. All sources of a resource share one sequence of batch numbers. */
  readonly batch: number;
};

const table = identifier("cadastre_source");

/** Returns the sources of a resource, ordered by name. */
export async function readSources(session: Session, resource: string): Promise<readonly SourceState[]> {
  const rows = await session.rows(
    sql`select "source", "cursor", "served", "full_set", "batch" from ${table}
  where "resource" = ${value(resource)} order by "source"`,
  );
  return rows.map(([source, cursor, served, fullSet, batch]) => ({
    source: source as string,
    cursor: cursor as string | null,
    served: served as string | null,
    fullSet: fullSet as FullSet,
    batch: Number(batch),
  }));
}

export async function writeSource(session: Session, resource: string, state: SourceState): Promise<void> {
  const { source, cursor, served, fullSet, batch } = state;
  await session.rows(
    sql`insert into ${table} ("resource", "source", "cursor", "served", "full_set", "batch")
  values (${value(resource)}, ${value(source)}, ${value(cursor)}, ${value(served)}, ${value(fullSet)}, ${value(batch)})
  on conflict ("resource", "source") do update set "cursor" = excluded."cursor", "served" = excluded."served",
    "full_set" = excluded."full_set", "batch" = excluded."batch"`,
  );
}

/** Returns the cursors of the state that is served, by source name. */
export const servedCursors = (sources: readonly SourceState[]): Build["cursors"] =>
  Object.fromEntries(sources.flatMap(({ source, served }) => (served === null ? [] : [[source, served]])));
