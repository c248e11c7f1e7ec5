import type { Knex } from "knex";
import { type Int64Column, int64ToNumber } from "../int64-column.ts";
import type { ApiKeyRecord } from "./key.ts";

type KeyRow = {
  readonly id: string;
  readonly customer: string;
  readonly prefix: string;
  readonly digest: string;
  readonly pepper: number;
  readonly created: Int64Column;
  readonly expires: Int64Column | null;
  readonly revoked: Int64Column | null;
  readonly last_used: Int64Column | null;
};

/** Query builder for the table of keys. */
export const keyTable = (knex: Knex) => knex<KeyRow>("cadastre_api_key");

const toRecord = ({ last_used, created, expires, revoked, ...row }: KeyRow): ApiKeyRecord => ({
  ...row,
  created: Number(created),
  expires: int64ToNumber(expires),
  revoked: int64ToNumber(revoked),
  lastUsed: int64ToNumber(last_used),
});

/** Returns the keys that match all given values, ordered by customer and age, oldest first. */
export async function selectKeys(
  knex: Knex,
  values: Partial<Pick<KeyRow, "id" | "customer">>,
): Promise<readonly ApiKeyRecord[]> {
  const rows: readonly KeyRow[] = await keyTable(knex).where(values).orderBy(["customer", "id"]);
  return rows.map(toRecord);
}

export async function selectByDigest(
  knex: Knex,
  digests: readonly string[],
): Promise<ApiKeyRecord | undefined> {
  const rows: readonly KeyRow[] = await keyTable(knex).whereIn("digest", digests);
  return rows.map(toRecord)[0];
}

export async function insertKey(knex: Knex, { lastUsed, ...key }: ApiKeyRecord): Promise<void> {
  await keyTable(knex).insert({ ...key, last_used: lastUsed });
}
