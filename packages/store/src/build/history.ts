import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import type { Build, Json } from "./build.ts";

const table = identifier("cadastre_build");

/** Returns at most `most` builds of a resource, starting with the one being served. */
export async function readBuilds(
  session: Session,
  resource: string,
  most = Number.MAX_SAFE_INTEGER,
): Promise<readonly Build[]> {
  const rows = await session.rows(
    sql`select "id", "resource", "checkpoint", "previous", "records", "sha256", "cursors", "evidence", "published"
  from ${table} where "resource" = ${value(resource)} order by "ordinal" desc limit ${value(most)}`,
  );
  return rows.map(buildOf);
}

const buildOf = ([
  id,
  resource,
  checkpoint,
  previous,
  records,
  sha256,
  cursors,
  evidence,
  published,
]: RowValues): Build => ({
  id: id as string,
  resource: resource as string,
  checkpoint: Number(checkpoint),
  previous: previous as string | null,
  records: Number(records),
  sha256: sha256 as string,
  cursors: JSON.parse(cursors as string) as Build["cursors"],
  evidence: JSON.parse(evidence as string) as Json,
  published: Number(published),
});

export async function addBuild(session: Session, build: Build): Promise<void> {
  const { id, resource, checkpoint, previous, records, sha256, cursors, evidence, published } = build;
  const texts = [JSON.stringify(cursors), JSON.stringify(evidence)] as const;
  await session.rows(
    sql`insert into ${table}
  ("id", "resource", "ordinal", "checkpoint", "previous", "records", "sha256", "cursors", "evidence", "published")
  select ${value(id)}, ${value(resource)}, coalesce(max("ordinal"), 0) + 1, cast(${value(checkpoint)} as bigint),
    ${value(previous)}, cast(${value(records)} as bigint), ${value(sha256)}, ${value(texts[0])}, ${value(texts[1])},
    cast(${value(published)} as bigint)
  from ${table} where "resource" = ${value(resource)}`,
  );
}

/**
 * Selects the checkpoint of the earliest of the last `builds` builds of a resource, or that of its stored digest if it is earlier; the
 * largest bigint if it has neither.
 */
export const earliestNeeded = (resource: string, builds: number): SqlFragment =>
  sql`(select coalesce(min("checkpoint"), ${never}) from (
    select "checkpoint" from (
      select "checkpoint" from ${table} where "resource" = ${value(resource)} order by "ordinal" desc limit ${value(builds)}
    ) as "last"
    union all select "checkpoint" from "cadastre_digest" where "resource" = ${value(resource)}
  ) as "kept")`;

/** The largest bigint. */
export const never = sql`9223372036854775807`;
