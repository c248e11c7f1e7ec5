import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { BucketAccess } from "../object-store/access.ts";
import type { NewObject, ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import { openS3Bucket } from "../object-store/s3.ts";
import type { DestinationPlace } from "./destination.ts";
import { newExternalId } from "./external-id.ts";
import { probeName, verificationPolicy } from "./session-policy.ts";

/** Failures that a verification can find. */
export const destinationFailures = [
  "external_id_not_enforced",
  "role_denied",
  "bucket_denied",
  "region_mismatch",
  "probe_denied",
  "kms_denied",
  "kms_mismatch",
  "probe_cleanup_failed",
] as const satisfies readonly DeliveryErrorCode[];

export type DestinationFailure = (typeof destinationFailures)[number];

export type ProbeOptions = {
  readonly access: BucketAccess;
  readonly sessionName: string;
  readonly random: (bytes: number) => Uint8Array;
};

const probeBytes = 64;

/**
 * Verifies a destination: its role can be assumed with its external id, and neither without one nor with another; its bucket is in the
 * named region; an object can be written below its prefix, looked at and removed. Returns the first failure, or undefined if there is none.
 *
 * @throws {DeliveryError} `bucket_unavailable` if the verification could not finish
 */
export async function probeDestination(
  place: DestinationPlace,
  externalId: string,
  options: ProbeOptions,
): Promise<DestinationFailure | undefined> {
  try {
    for (const wrong of [undefined, newExternalId(options.random)])
      if (await isAssumed(place, wrong, options)) return "external_id_not_enforced";
    const session = await assumeRole(requestOf(place, externalId, options), options.access);
    const bucket = await openS3Bucket(place, { access: options.access, session });
    try {
      return await probeBucket(bucket, place, options);
    } finally {
      bucket.close();
    }
  } catch (error) {
    const failure = destinationFailures.find((code) => error instanceof DeliveryError && error.code === code);
    if (failure === undefined) throw error;
    return failure;
  }
}

const requestOf = (
  place: DestinationPlace,
  externalId: string | undefined,
  { sessionName }: ProbeOptions,
) => ({
  roleArn: place.roleArn,
  region: place.region,
  externalId,
  sessionName,
  policy: verificationPolicy(place),
});

async function isAssumed(
  place: DestinationPlace,
  externalId: string | undefined,
  options: ProbeOptions,
): Promise<boolean> {
  try {
    await assumeRole(requestOf(place, externalId, options), options.access);
    return true;
  } catch (error) {
    if (error instanceof DeliveryError && error.code === "role_denied") return false;
    throw error;
  }
}

async function probeBucket(
  bucket: ObjectStore,
  { region, prefix, kmsKeyArn }: DestinationPlace,
  { random }: ProbeOptions,
): Promise<DestinationFailure | undefined> {
  if ((await bucket.region()) !== region) return "region_mismatch";
  const key = `${prefix}/${probeName}${Buffer.from(random(16)).toString("hex")}`;
  const probe = probeOf(Buffer.from(random(probeBytes)));
  if ((await orFailure(bucket.put(key, probe), "probe_denied")) === "exists") return "probe_denied";
  const found = await bucket.head(key);
  const removing = orFailure(bucket.remove(key), "probe_cleanup_failed");
  if (found?.byteLength !== probe.byteLength || found.sha256 !== probe.sha256) {
    await removing.catch(() => {});
    return "probe_denied";
  }
  await removing;
  if (kmsKeyArn !== null && found.kmsKeyArn !== kmsKeyArn) return "kms_mismatch";
  // Without the permission to list, S3 answers `HEAD` alike for absent and forbidden objects: only a list shows that it is gone.
  const isThere = (await bucket.head(key)) !== undefined || (await isListed(bucket, key));
  return isThere ? "probe_cleanup_failed" : undefined;
}

const probeOf = (bytes: Buffer): NewObject => ({
  byteLength: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  mediaType: "application/octet-stream",
  open: () => Readable.from([bytes]),
});

async function isListed(bucket: ObjectStore, key: string): Promise<boolean> {
  const listed = bucket.list(key)[Symbol.asyncIterator]();
  return !(await orFailure(listed.next(), "probe_cleanup_failed")).done;
}

/** Translates `bucket_denied` to the failure that it means for this step. */
const orFailure = <T>(work: Promise<T>, code: DestinationFailure): Promise<T> =>
  work.catch((error: unknown) => {
    const isDenied = error instanceof DeliveryError && error.code === "bucket_denied";
    throw isDenied ? new DeliveryError(code, undefined, { cause: error }) : error;
  });
