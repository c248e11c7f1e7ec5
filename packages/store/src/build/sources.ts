import { identifier, sql, value } from "@cadastre/odata";
import type { Session } from "./session.ts";

/** How far a full set of a source has come: it is published when it is whole. */
export type FullSet = "open" | "whole" | null;

/** Where a source of a resource stands. */
export type SourceState = {
  readonly source: string;
  readonly cursor: string | null;
  /** Its cursor in the serving build. */
  readonly served: string | null;
  readonly fullSet: FullSet;
  /** Number of the last batch: batches of all sources of a resource are counted together. */
  readonly batch: number;
};

const table = identifier("cadastre_source");

/** The sources of a resource, by name. */
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
