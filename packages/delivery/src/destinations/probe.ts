import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { NewObject, ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import type { DestinationPlace } from "./destination.ts";
import { type BucketMeans, openDestinationBucket } from "./destination-bucket.ts";
import { newExternalId } from "./destination-secret.ts";
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
  "overwrites_objects",
] as const satisfies readonly DeliveryErrorCode[];

export type DestinationFailure = (typeof destinationFailures)[number];

export type ProbeOptions = BucketMeans & {
  readonly sessionName: string;
  readonly random: (bytes: number) => Uint8Array;
};

/** Result of a verification. */
export type ProbeResult = {
  /** The first failure; undefined if there is none. */
  readonly failure: DestinationFailure | undefined;
  /** True if an object may not be replaced, as pointers are. Undefined if it was not tried. */
  readonly isPointerDenied?: boolean | undefined;
};

const probeBytes = 64;

/**
 * Verifies a destination: its role can be assumed with its external id, and neither without one nor with another; its bucket is in the
 * named region; an object can be written below its prefix, not overwritten by a request that does not want that, looked at, replaced by one
 * that does, and removed. A store other than AWS has no role, and need not tell a region. That an object may not be replaced is no failure:
 * only pointers are.
 *
 * @param secret external id, or secret access key of a store other than AWS
 * @throws {DeliveryError} `bucket_unavailable` if the verification could not finish
 */
export async function probeDestination(
  place: DestinationPlace,
  secret: string,
  options: ProbeOptions,
): Promise<ProbeResult> {
  try {
    if (place.roleArn !== null)
      for (const wrong of [undefined, newExternalId(options.random)])
        if (await isAssumed(place, place.roleArn, wrong, options))
          return { failure: "external_id_not_enforced" };
    const policy = verificationPolicy(place);
    const bucket = await openDestinationBucket(place, secret, { ...options, policy });
    try {
      return await probeBucket(bucket, place, options);
    } finally {
      bucket.close();
    }
  } catch (error) {
    const failure = destinationFailures.find((code) => error instanceof DeliveryError && error.code === code);
    if (failure === undefined) throw error;
    return { failure };
  }
}

async function isAssumed(
  place: DestinationPlace,
  roleArn: string,
  externalId: string | undefined,
  { access, sessionName }: ProbeOptions,
): Promise<boolean> {
  const { region } = place;
  try {
    await assumeRole({ roleArn, region, externalId, sessionName, policy: verificationPolicy(place) }, access);
    return true;
  } catch (error) {
    if (error instanceof DeliveryError && error.code === "role_denied") return false;
    throw error;
  }
}

async function probeBucket(
  bucket: ObjectStore,
  { region, prefix, kmsKeyArn, server }: DestinationPlace,
  { random }: ProbeOptions,
): Promise<ProbeResult> {
  if (server === null && (await bucket.region()) !== region) return { failure: "region_mismatch" };
  const newProbe = () => probeOf(Buffer.from(random(probeBytes)));
  const key = `${prefix}/${probeName}${Buffer.from(random(16)).toString("hex")}`;
  const probe = newProbe();
  if ((await orFailure(bucket.put(key, probe), "probe_denied")) === "exists")
    return { failure: "probe_denied" };
  const isOverwritten =
    server !== null && (await orFailure(bucket.put(key, newProbe()), "probe_denied")) !== "exists";
  const found = await bucket.head(key);
  const isSame = found?.byteLength === probe.byteLength && found.sha256 === probe.sha256;
  const isPointerDenied =
    isSame && !isOverwritten ? await isReplaceDenied(bucket, key, newProbe()) : undefined;
  const removing = orFailure(bucket.remove(key), "probe_cleanup_failed");
  if (isOverwritten || !isSame) {
    await removing.catch(() => {});
    return { failure: isOverwritten ? "overwrites_objects" : "probe_denied" };
  }
  await removing;
  if (kmsKeyArn !== null && found.kmsKeyArn !== kmsKeyArn) return { failure: "kms_mismatch" };
  // Without the permission to list, S3 answers `HEAD` alike for absent and forbidden objects: only a list shows that it is gone.
  const isThere = (await bucket.head(key)) !== undefined || (await isListed(bucket, key));
  return { failure: isThere ? "probe_cleanup_failed" : undefined, isPointerDenied };
}

const isReplaceDenied = (bucket: ObjectStore, key: string, object: NewObject): Promise<boolean> =>
  bucket.replace(key, object).then(
    () => false,
    (error: unknown) => {
      if (error instanceof DeliveryError && error.code === "bucket_denied") return true;
      throw error;
    },
  );

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
