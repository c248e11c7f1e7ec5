import { type Int64Column, int64ToNumber, type Knex } from "@cadastre/store/registry";
import type { BucketReach, Destination, DestinationState } from "../destination.ts";

type DestinationRow = {
  readonly id: string;
  readonly customer: string;
  readonly bucket: string;
  readonly region: string;
  readonly prefix: string;
  /** Empty for a store other than AWS. */
  readonly role_arn: string;
  readonly kms_key_arn: string | null;
  /** Encrypted external id, or secret access key of a store other than AWS. */
  readonly external_id: string | null;
  readonly endpoint: string | null;
  readonly path_style: boolean | 0 | 1 | null;
  readonly access_key_id: string | null;
  readonly created: Int64Column;
  readonly state: DestinationState;
  readonly failure: string | null;
  readonly verified: Int64Column | null;
  readonly round: number;
  readonly pointer_denied: Int64Column | null;
  readonly due: Int64Column | null;
};

/** Query builders for the tables. */
export const destinationTable = (knex: Knex) => knex<DestinationRow>("cadastre_destination");
export const bucketTable = (knex: Knex) => knex<{ readonly name: string }>("cadastre_destination_bucket");

export const toDestination = (row: DestinationRow): Destination => ({
  id: row.id,
  customer: row.customer,
  bucket: row.bucket,
  region: row.region,
  prefix: row.prefix,
  ...reachOf(row),
  created: Number(row.created),
  state: row.state,
  failure: row.failure,
  verified: int64ToNumber(row.verified),
  pointerDenied: int64ToNumber(row.pointer_denied),
  round: row.round,
});

const reachOf = ({
  role_arn: roleArn,
  kms_key_arn: kmsKeyArn,
  endpoint,
  ...row
}: DestinationRow): BucketReach =>
  endpoint === null
    ? { roleArn, kmsKeyArn, server: null }
    : {
        roleArn: null,
        kmsKeyArn: null,
        server: { endpoint, pathStyle: Boolean(row.path_style), accessKeyId: row.access_key_id ?? "" },
      };

/** Returns the destinations that match all given values, oldest first. */
export async function selectDestinations(
  knex: Knex,
  values: Partial<Pick<DestinationRow, "id" | "customer" | "bucket" | "endpoint">>,
): Promise<readonly Destination[]> {
  const rows: readonly DestinationRow[] = await destinationTable(knex)
    .where(values)
    .orderBy(["created", "id"]);
  return rows.map(toDestination);
}
