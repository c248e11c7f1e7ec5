import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import {
  beginning,
  beginningValue,
  ownerColumn,
  recordText,
  sourceProperty,
  type TableSchema,
  validity,
} from "../schema/table.ts";
import type { Build } from "./build.ts";
import type { BuildDatabase } from "./build-database.ts";

/** Records of a state that have the same dataset and source. */
export type DigestPart = {
  /** Null for records without a dataset. */
  readonly datasetId: string | null;
  /** Null for records that were committed without a source. */
  readonly source: string | null;
  readonly records: number;
  /** Number of the records whose followed record exists, see `StoredResource.follows`. All of them if the table follows nothing. */
  readonly owned: number;
  /** Sum of the SHA-256 hashes of dataset and text of each record, modulo 2^256. */
  readonly sum: bigint;
};

/**
 * Numbers and sums of hashes of the records of a state, by dataset and source. A record is added when its version begins and
 * subtracted when the version ends, so the digest of a new state is computed from the changed records alone.
 *
 * The sums show accidents: a lost, doubled or changed record. They are no proof against somebody who may choose records, because one can
 * look for other records with the same sum.
 */
export class StateDigest {
  /** By dataset, then by source. The sums may exceed 2^256. */
  readonly #parts = new Map<string | null, Map<string | null, Sums>>();

  constructor(parts: Iterable<DigestPart> = []) {
    for (const part of parts) this.add(part);
  }

  /** @param weight 1 to add the records, -1 to subtract them */
  add({ datasetId, source, records, owned, sum }: DigestPart, weight: 1 | -1 = 1): void {
    const part = this.#partOf(datasetId, source);
    part.records += weight * records;
    part.owned += weight * owned;
    part.sum += weight === 1 ? sum : -sum;
  }

  #partOf(datasetId: string | null, source: string | null): Sums {
    const ofDataset = this.#parts.get(datasetId) ?? new Map<string | null, Sums>();
    const part = ofDataset.get(source) ?? { records: 0, owned: 0, sum: 0n };
    if (part.records === 0) this.#parts.set(datasetId, ofDataset.set(source, part));
    return part;
  }

  /** Returns the parts that have records, or a sum although they have none. */
  parts(): readonly DigestPart[] {
    const all = [...this.#parts].flatMap(([datasetId, ofDataset]) =>
      [...ofDataset].map(([source, { records, owned, sum }]) => ({
        datasetId,
        source,
        records,
        owned,
        sum: BigInt.asUintN(256, sum),
      })),
    );
    return all.filter(({ records, sum }) => records !== 0 || sum !== 0n);
  }

  /** Returns the number of records and the hash of a build of the state. */
  total(): Pick<Build, "records" | "sha256"> {
    const parts = this.parts();
    const sum = parts.reduce((sum, part) => sum + part.sum, 0n);
    return { records: parts.reduce((sum, { records }) => sum + records, 0), sha256: sumText(sum) };
  }
}

type Sums = { -readonly [Name in "records" | "owned" | "sum"]: DigestPart[Name] };

/** Formats a sum, modulo 2^256, as 64 hexadecimal digits. */
export const sumText = (sum: bigint): string => BigInt.asUintN(256, sum).toString(16).padStart(64, "0");

/** Reads the hexadecimal digits of a sum or a hash. */
export const sumOf = (text: string): bigint => BigInt(`0x${text}`);

/** The SQL expressions that digests need. */
export type DigestSql = Pick<BuildDatabase, "datasetId" | "sha256">;

/** Expression for the hash of a record, see {@link DigestPart.sum}. */
export const recordHash = ({ datasetId, sha256 }: DigestSql): SqlFragment =>
  sha256(sql`coalesce(${datasetId}, '') || ' ' || ${recordText}`);

/** Returns the text that {@link recordHash} hashes. */
export const hashedText = (datasetId: string | null, text: string): string => `${datasetId ?? ""} ${text}`;

const [from, to] = [identifier(validity.from.name), identifier(validity.to.name)];
const bigint = (checkpoint: number) => sql`cast(${value(checkpoint)} as bigint)`;

/**
 * Advances a digest from the state at a checkpoint to the current one: adds the versions that began after the checkpoint, and subtracts
 * those that were current at the checkpoint and have ended since. From checkpoint 0 all current records are added.
 */
export async function addChangesSince(
  digest: StateDigest,
  checkpoint: number,
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  database: DigestSql,
): Promise<void> {
  const columns = columnsOf(table, tables, database);
  const since = bigint(checkpoint);
  // All records are read in the order of the table.
  const began = checkpoint === 0 ? sql`` : sql` where ${beginning} > ${beginningValue(checkpoint)}`;
  await addRows(digest, 1, session.stream(sql`select ${columns} from ${identifier(table.name)}${began}`));
  if (checkpoint === 0) return;
  const ended = sql`${to} > ${since} and ${from} <= ${since}`;
  await addRows(
    digest,
    -1,
    session.stream(sql`select ${columns} from ${identifier(table.closed)} where ${ended}`),
  );
}

/** Computes the digest of an earlier state from all of its versions, which must not have been pruned. */
export async function digestAsOf(
  checkpoint: number,
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  database: DigestSql,
): Promise<StateDigest> {
  const digest = new StateDigest();
  const columns = columnsOf(table, tables, database);
  const then = bigint(checkpoint);
  const current = sql`select ${columns} from ${identifier(table.name)} where ${from} <= ${then}`;
  const ended = sql`select ${columns} from ${identifier(table.closed)} where ${to} > ${then} and ${from} <= ${then}`;
  for (const statement of [current, ended]) await addRows(digest, 1, session.stream(statement));
  return digest;
}

function columnsOf(table: TableSchema, tables: readonly TableSchema[], database: DigestSql): SqlFragment {
  const owner = ownerColumn(table, tables);
  const owned = owner === undefined ? sql`1` : sql`case when ${identifier(owner)} is null then 0 else 1 end`;
  return sql`${database.datasetId}, ${identifier(sourceProperty.name)}, ${owned}, ${recordHash(database)}`;
}

async function addRows(
  digest: StateDigest,
  weight: 1 | -1,
  rows: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  for await (const [datasetId, source, owned, hash] of rows)
    digest.add(
      {
        datasetId: datasetId as string | null,
        source: source as string | null,
        records: 1,
        owned: Number(owned),
        sum: sumOf(hash as string),
      },
      weight,
    );
}
