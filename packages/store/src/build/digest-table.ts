import { identifier, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import type { TableSchema } from "../schema/table.ts";
import { addChangesSince, type DigestPart, type DigestSql, StateDigest, sumOf, sumText } from "./digest.ts";
import { never } from "./history.ts";

const [states, parts] = [identifier("cadastre_digest"), identifier("cadastre_digest_part")];

/** Reads the checkpoint at which the digest of a resource was stored last; undefined if it never was. */
export async function readDigestCheckpoint(session: Session, resource: string): Promise<number | undefined> {
  const [row] = await session.rows(
    sql`select "checkpoint" from ${states} where "resource" = ${value(resource)}`,
  );
  return row && Number(row[0]);
}

const columns = sql`"part", "records", "owned", "sum"`;

/** Reads the parts that were valid when the digest was stored last. */
const readParts = async (session: Session, resource: string): Promise<readonly DigestPart[]> =>
  (
    await session.rows(
      sql`select ${columns} from ${parts} where "resource" = ${value(resource)} and "until" = ${never}`,
    )
  ).map(partOf);

/** Reads the parts that were valid at a checkpoint. Empty if no digest had been stored then. */
export async function readPartsAt(
  session: Session,
  resource: string,
  checkpoint: number,
): Promise<readonly DigestPart[]> {
  const then = sql`cast(${value(checkpoint)} as bigint)`;
  const rows = await session.rows(
    sql`select ${columns} from ${parts}
  where "resource" = ${value(resource)} and "until" > ${then} and "checkpoint" <= ${then}`,
  );
  return rows.map(partOf);
}

function partOf([part, records, owned, sum]: RowValues): DigestPart {
  const [datasetId, source] = JSON.parse(part as string) as [string | null, string | null];
  return { datasetId, source, records: Number(records), owned: Number(owned), sum: sumOf(sum as string) };
}

const keyOf = ({ datasetId, source }: DigestPart): string => JSON.stringify([datasetId, source]);

/** Computes the digest of the current state from the stored one and the records changed since. */
export async function currentDigest(
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  database: DigestSql,
): Promise<StateDigest> {
  const since = (await readDigestCheckpoint(session, table.name)) ?? 0;
  const digest = new StateDigest(await readParts(session, table.name));
  await addChangesSince(digest, since, session, table, tables, database);
  return digest;
}

/** Computes the digest of the current state, see {@link currentDigest}, and stores it. */
export async function storeCurrentDigest(
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  database: DigestSql,
  checkpoint: number,
): Promise<StateDigest> {
  const digest = await currentDigest(session, table, tables, database);
  await writeDigest(session, table.name, digest, checkpoint);
  return digest;
}

/** Stores the digest of the state at a checkpoint. Only parts that differ from the stored ones are written. */
export async function writeDigest(
  session: Session,
  resource: string,
  digest: StateDigest,
  checkpoint: number,
): Promise<void> {
  const before = new Map((await readParts(session, resource)).map((part) => [keyOf(part), part]));
  const ended: string[] = [];
  const begun: DigestPart[] = [];
  for (const part of digest.parts()) {
    const known = before.get(keyOf(part));
    before.delete(keyOf(part));
    if (known !== undefined && isSame(known, part)) continue;
    if (known !== undefined) ended.push(keyOf(part));
    begun.push(part);
  }
  ended.push(...before.keys());
  await session.each(
    endPart,
    ended.map((key) => [checkpoint, resource, key]),
  );
  await session.each(
    beginPart,
    begun.map((part) => [resource, keyOf(part), checkpoint, part.records, part.owned, sumText(part.sum)]),
  );
  await session.rows(
    sql`insert into ${states} ("resource", "checkpoint")
  values (${value(resource)}, cast(${value(checkpoint)} as bigint))
  on conflict ("resource") do update set "checkpoint" = excluded."checkpoint"`,
  );
}

const isSame = (a: DigestPart, b: DigestPart): boolean =>
  a.records === b.records && a.owned === b.owned && a.sum === b.sum;

const endPart = sql`update ${parts} set "until" = ${value(null)}
  where "resource" = ${value(null)} and "part" = ${value(null)} and "until" = ${never}`;

const beginPart = sql`insert into ${parts} ("resource", "part", "checkpoint", "until", "records", "owned", "sum")
  values (${value(null)}, ${value(null)}, ${value(null)}, ${never}, ${value(null)}, ${value(null)}, ${value(null)})`;

/** Deletes the stored digest of a resource. */
export async function deleteDigest(session: Session, resource: string): Promise<void> {
  for (const table of [parts, states])
    await session.rows(sql`delete from ${table} where "resource" = ${value(resource)}`);
}
