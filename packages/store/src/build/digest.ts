import { identifier, sql } from "@cadastre/odata";
import type { Session } from "../database/session.ts";
import { recordText, type TableSchema } from "../schema/table.ts";
import type { Build } from "./build.ts";
import type { BuildDatabase } from "./build-database.ts";

/** Modulus of the sum of hashes: 2^256. */
const modulus = 1n << 256n;

/** Computes the number of records and the fingerprint of the current state of a resource: see {@link Build}. */
export async function resourceDigest(
  session: Session,
  table: TableSchema,
  { datasetId, sha256 }: Pick<BuildDatabase, "datasetId" | "sha256">,
): Promise<Pick<Build, "records" | "sha256">> {
  const whole = sql`coalesce(${datasetId}, '') || ' ' || ${recordText}`;
  let records = 0;
  let sum = 0n;
  for await (const [hash] of session.stream(sql`select ${sha256(whole)} from ${identifier(table.name)}`)) {
    records++;
    sum += BigInt(`0x${hash as string}`);
  }
  return { records, sha256: (sum % modulus).toString(16).padStart(64, "0") };
}
