import { datasetProperty } from "@cadastre/entitlement";
import { identifier, sql } from "@cadastre/odata";
import { recordColumns } from "../schema/table.ts";
import type { Build } from "./build.ts";
import type { BuiltTable, Ground, Session } from "./session.ts";

/** The modulus of the sum: 2^256. */
const modulus = 1n << 256n;

/** What tells the present state of a resource from another: see {@link Build}. */
export async function digestOf(
  session: Session,
  { table, mapping }: BuiltTable,
  sha256: Ground["sha256"],
): Promise<Pick<Build, "records" | "sha256">> {
  const dataset = mapping.current.column(datasetProperty).sql;
  const whole = sql`coalesce(${dataset}, '') || ' ' || cast(${identifier(recordColumns.text)} as text)`;
  let records = 0;
  let sum = 0n;
  for await (const [hash] of session.stream(sql`select ${sha256(whole)} from ${identifier(table.name)}`)) {
    records++;
    sum += BigInt(`0x${hash as string}`);
  }
  return { records, sha256: (sum % modulus).toString(16).padStart(64, "0") };
}
