import type { Knex } from "knex";
import { numberOf, type Whole } from "../whole.ts";
import type { ApiKeyRecord } from "./key.ts";

/** A row of the table of keys. */
type KeyRow = {
  readonly id: string;
  readonly customer: string;
  readonly prefix: string;
  readonly digest: string;
  readonly pepper: number;
  readonly created: Whole;
  readonly expires: Whole | null;
  readonly revoked: Whole | null;
  readonly last_used: Whole | null;
};

/** The table of keys, to build a statement on. */
export const keyTable = (knex: Knex) => knex<KeyRow>("cadastre_api_key");

const toRecord = ({ last_used, created, expires, revoked, ...row }: KeyRow): ApiKeyRecord => ({
  ...row,
  created: Number(created),
  expires: numberOf(expires),
  revoked: numberOf(revoked),
  lastUsed: numberOf(last_used),
});

/** The keys with all of the values, the oldest of each customer first. */
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
