import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { BucketAccess } from "../object-store/access.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import { openS3Bucket } from "../object-store/s3.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import type { Destination, DestinationRegistry } from "./destination.ts";
import { type ExternalIdKey, newExternalId, openExternalId, sealExternalId } from "./external-id.ts";
import { type DestinationRequest, validateDestination } from "./place.ts";
import { type DestinationFailure, probeDestination } from "./probe.ts";
import { publicationPolicy } from "./session-policy.ts";

export type DestinationOptions = {
  readonly registry: DestinationRegistry;
  /** Key that external ids are encrypted with. */
  readonly key: ExternalIdKey;
  /** Limit on a customer's destinations, without disabled ones. By default 32. */
  readonly most?: number | undefined;
  /** Segment before `/file-delivery/` in the path of customers' roles. By default `cadastre`. */
  readonly platform?: string | undefined;
  readonly access?: BucketAccess | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** By default the random bytes of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/** A destination with its external id, which is shown only once. */
export type IssuedDestination = { readonly destination: Destination; readonly externalId: string };

/** A destination opened for a publication, which writes under keys that begin with `root`. */
export type OpenDestination = {
  readonly destination: Destination;
  readonly bucket: ObjectStore;
  /** The prefix of the destination and the folder of the publication, with a trailing slash. */
  readonly root: string;
};

/**
 * The buckets that customers' deliveries are written to. Another customer's destination is reported as `not_found`, like one that does
 * not exist. Every method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`.
 */
export type Destinations = {
  /**
   * @throws {DeliveryError} `invalid_bucket`, `invalid_region`, `invalid_prefix`, `invalid_role_arn`, `invalid_kms_key_arn`,
   * `destination_exists`, `too_many_destinations`
   */
  readonly reserve: (customer: string, request: DestinationRequest) => Promise<IssuedDestination>;
  /** Lists a customer's destinations, the oldest first. */
  readonly list: (customer: string) => Promise<readonly Destination[]>;
  /** @throws {DeliveryError} `not_found` */
  readonly find: (customer: string, id: string) => Promise<Destination>;
  /**
   * Verifies a destination and records the result. Returns it as active, or as degraded with the failure.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`, `bucket_unavailable`, `external_id_unreadable`
   */
  readonly verify: (customer: string, id: string) => Promise<Destination>;
  /** Makes a verification due, for the next call of `verifyNext`. @throws {DeliveryError} `not_found`, `destination_state` */
  readonly requestVerification: (customer: string, id: string) => Promise<Destination>;
  /**
   * Verifies the destination whose verification has been due longest; returns undefined if none is due. A reserved destination is due
   * ten minutes after its reservation, a degraded one again after an hour. A verification that could not finish is repeated after five
   * minutes.
   *
   * @throws {DeliveryError} `bucket_unavailable`, `external_id_unreadable`
   */
  readonly verifyNext: () => Promise<Destination | undefined>;
  /**
   * Issues a new external id, to replace one that was lost. The destination must then be verified again.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`
   */
  readonly rotate: (customer: string, id: string) => Promise<IssuedDestination>;
  /** Disables a destination permanently. @throws {DeliveryError} `not_found` */
  readonly disable: (customer: string, id: string) => Promise<Destination>;
  /**
   * Opens a destination for a publication into a folder, with a session that permits only that. A committed publication may also write
   * to a destination that is not active, as long as it has an external id. The caller closes the bucket.
   *
   * @throws {DeliveryError} `not_found`, `destination_not_active`, `role_denied`, `bucket_unavailable`, `external_id_unreadable`
   */
  readonly open: (
    customer: string,
    id: string,
    publication: {
      readonly delivery: string;
      readonly folder: string;
      readonly signal?: AbortSignal | undefined;
      readonly isCommitted?: boolean | undefined;
    },
  ) => Promise<OpenDestination>;
  /** Records a failure that a publication met when it opened a destination. */
  readonly degrade: (destination: Destination, failure: DestinationFailure) => Promise<boolean>;
};

const minute = 60_000;
/** Wait before the first verification of a reserved destination, and before the next one of a degraded destination, in milliseconds. */
const waits = { reserved: 10 * minute, degraded: 60 * minute } as const;
/** Lease of a verification, in milliseconds: after it another process may verify the destination. */
const verificationLease = 5 * minute;

/** Returns the operations on the destinations of a registry. It is independent of HTTP. */
export function createDestinations(options: DestinationOptions): Destinations {
  const {
    registry,
    key,
    most = 32,
    platform = "cadastre",
    access = {},
    clock = Date.now,
    random = randomBytes,
  } = options;

  const find = async (customer: string, id: string): Promise<Destination> => {
    const found = isUuid(id) ? await registry.find(customer, id) : undefined;
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  };
  const externalIdOf = async ({ customer, id }: Destination): Promise<string> => {
    const sealed = await registry.externalId(customer, id);
    // The destination was rotated or disabled in the meantime.
    if (sealed === undefined) throw new DeliveryError("destination_not_active");
    return openExternalId(sealed, id, key);
  };
  const recordResult = (
    destination: Destination,
    failure: DestinationFailure | undefined,
  ): Promise<boolean> =>
    registry.note(destination, {
      at: clock(),
      failure: failure ?? null,
      again: failure === undefined ? undefined : clock() + waits.degraded,
    });
  const verify = async (destination: Destination): Promise<Destination> => {
    const { customer, id } = destination;
    const externalId = await externalIdOf(destination);
    const sessionName = `verify-${id}`;
    await recordResult(
      destination,
      await probeDestination(destination, externalId, { access, sessionName, random }),
    );
    return find(customer, id);
  };
  const issue = (id: string) => {
    const externalId = newExternalId(random);
    return { externalId, sealed: sealExternalId(externalId, id, key, random) };
  };

  return {
    reserve: async (customer, request) => {
      const place = validateDestination(request, platform);
      const id = uuidOf(clock(), random(uuidBytes));
      const { externalId, sealed } = issue(id);
      const created = clock();
      const due = created + waits.reserved;
      const reserving = registry.reserve({ ...place, id, customer, externalId: sealed, created, due }, most);
      return { destination: await reserving, externalId };
    },
    list: (customer) => registry.list(customer),
    find,
    verify: async (customer, id) => verify(await registry.beginVerification(customer, id)),
    requestVerification: async (customer, id) => {
      await find(customer, id);
      return registry.requestVerification(customer, id, clock());
    },
    verifyNext: async () => {
      const destination = await registry.claimVerification(clock(), verificationLease);
      return destination && verify(destination);
    },
    rotate: async (customer, id) => {
      await find(customer, id);
      await registry.rotate(customer, id);
      const { externalId, sealed } = issue(id);
      const issued = { externalId: sealed, due: clock() + waits.reserved };
      return { destination: await registry.reissue(customer, id, issued), externalId };
    },
    disable: async (customer, id) => {
      await find(customer, id);
      return registry.disable(customer, id);
    },
    open: async (customer, id, { delivery, folder, signal, isCommitted = false }) => {
      const destination = await find(customer, id);
      if (!isCommitted && destination.state !== "active")
        throw new DeliveryError("destination_not_active", destination.state);
      const externalId = await externalIdOf(destination);
      const { roleArn, region, prefix } = destination;
      const policy = publicationPolicy(destination, folder);
      const session = await assumeRole(
        { roleArn, region, externalId, sessionName: delivery, policy },
        access,
      );
      const bucket = await openS3Bucket(destination, { access, session, signal });
      return { destination, bucket, root: `${prefix}/${folder}/` };
    },
    degrade: recordResult,
  };
}
