import type { BucketAccess } from "../object-store/access.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import { openS3Bucket } from "../object-store/s3.ts";
import { checkedLookup } from "../outbound/pinned-address.ts";
import { isPublicAddress } from "../outbound/public-address.ts";
import type { DestinationPlace } from "./destination.ts";
import type { PlaceTerms } from "./place.ts";

/** Means by which the buckets of destinations are reached. */
export type BucketMeans = Pick<PlaceTerms, "privateStores"> & {
  /** Access to AWS, or to the server in place of it. */
  readonly access: BucketAccess;
};

/** Session in which a bucket is used. */
type BucketSession = BucketMeans & {
  /** Name of the session in the logs of the customer's account. */
  readonly sessionName: string;
  /** IAM policy that restricts the role further. The keys of a store other than AWS have the permissions that the customer gave them. */
  readonly policy: object;
  readonly signal?: AbortSignal | undefined;
};

/** Resolves to public addresses only, because customers name the hosts. */
const publicLookup = checkedLookup(isPublicAddress);

/**
 * Opens the bucket of a destination: under its role at AWS, with the customer's keys at another store.
 *
 * @param secret external id of the role, or the secret access key
 * @throws {DeliveryError} `role_denied`, `bucket_unavailable`, `aws_sdk_missing`
 */
export async function openDestinationBucket(
  place: DestinationPlace,
  secret: string,
  { access, privateStores, sessionName, policy, signal }: BucketSession,
): Promise<ObjectStore> {
  if (place.server !== null) {
    const { endpoint, pathStyle, accessKeyId } = place.server;
    const isPrivate = privateStores.includes(endpoint);
    const own: BucketAccess = {
      retryPolicy: access.retryPolicy,
      now: access.now,
      keys: { accessKeyId, secretAccessKey: secret },
      endpoints: { s3: endpoint },
      pathStyle,
      lookup: isPrivate ? undefined : publicLookup,
    };
    return openS3Bucket(place, { access: own, signal });
  }
  const { roleArn, region } = place;
  const request = { roleArn, region, externalId: secret, sessionName, policy };
  return openS3Bucket(place, { access, session: await assumeRole(request, access), signal });
}
