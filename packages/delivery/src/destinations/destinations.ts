import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { BucketAccess } from "../object-store/access.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import { openBucket } from "../object-store/s3.ts";
import { asDeliveryError } from "../registry-errors.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import type { Destination, DestinationRegistry } from "./destination.ts";
import { type ExternalIdKey, newExternalId, openExternalId, sealExternalId } from "./external-id.ts";
import { type DestinationRequest, placeOf } from "./place.ts";
import { type DestinationFailure, probeDestination } from "./probe.ts";
import { publicationPolicy } from "./session-policy.ts";

export type DestinationOptions = {
  readonly registry: DestinationRegistry;
  /** What external ids are kept under. */
  readonly key: ExternalIdKey;
  /** Destinations of a customer at most that are not disabled. By default 32. */
  readonly most?: number | undefined;
  /** What comes before `/file-delivery/` in the path of customers' roles. By default `cadastre`. */
  readonly platform?: string | undefined;
  readonly access?: BucketAccess | undefined;
  /** Milliseconds since 1970. By default the time of this machine. */
  readonly clock?: (() => number) | undefined;
  /** By default those of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/** A destination with its external id, which is never told again. */
export type IssuedDestination = { readonly destination: Destination; readonly externalId: string };

/** Where a publication writes, under keys that begin with `root`. */
export type OpenDestination = {
  readonly destination: Destination;
  readonly bucket: ObjectStore;
  /** The prefix and the folder, with a slash at the end. */
  readonly root: string;
};

/**
 * Where customers have deliveries written to. A destination of another customer is `not_found`, as one that does not exist.
 * Every method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`.
 */
export type Destinations = {
  /**
   * @throws {DeliveryError} `invalid_bucket`, `invalid_region`, `invalid_prefix`, `invalid_role_arn`, `invalid_kms_key_arn`,
   * `destination_exists`, `too_many_destinations`
   */
  readonly reserve: (customer: string, request: DestinationRequest) => Promise<IssuedDestination>;
  /** The oldest first. */
  readonly list: (customer: string) => Promise<readonly Destination[]>;
  /** @throws {DeliveryError} `not_found` */
  readonly find: (customer: string, id: string) => Promise<Destination>;
  /**
   * Find out whether it is as it must be, and note it: the destination comes back active, or degraded with what is wrong.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`, `bucket_unavailable`, `external_id_unreadable`
   */
  readonly verify: (customer: string, id: string) => Promise<Destination>;
  /** Have somebody who calls `verifyNext` find it out. @throws {DeliveryError} `not_found`, `destination_state` */
  readonly requestVerification: (customer: string, id: string) => Promise<Destination>;
  /**
   * Verify the destination that has waited longest for it; undefined if none waits. One that is not as it must be is looked at again
   * after an hour, and one that is reserved by itself after ten minutes. What cannot be found out is tried again after five.
   *
   * @throws {DeliveryError} `bucket_unavailable`, `external_id_unreadable`
   */
  readonly verifyNext: () => Promise<Destination | undefined>;
  /**
   * Give it a new external id, in the place of one that is lost. It has to be verified again.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`
   */
  readonly rotate: (customer: string, id: string) => Promise<IssuedDestination>;
  /** Give it up for good. @throws {DeliveryError} `not_found` */
  readonly disable: (customer: string, id: string) => Promise<Destination>;
  /**
   * Open it for a publication into a folder, with a session that may do no more than that. A publication that is committed may
   * write to one that is not active, as long as it has an external id. The bucket is the caller's to close.
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
  /** Note what a publication has found wrong with a destination as it was opened. */
  readonly degrade: (destination: Destination, failure: DestinationFailure) => Promise<boolean>;
};

const minute = 60_000;
/** When a destination that is reserved is looked at first, and one that is degraded again, in milliseconds. */
const waits = { reserved: 10 * minute, degraded: 60 * minute } as const;
/** How long a verification has, in milliseconds, before somebody else makes another one. */
const verificationLease = 5 * minute;

/** The destinations of a registry. Speaks no HTTP. */
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
    // It was rotated or disabled since.
    if (sealed === undefined) throw new DeliveryError("destination_not_active");
    return openExternalId(sealed, id, key);
  };
  const note = (destination: Destination, failure: DestinationFailure | undefined): Promise<boolean> =>
    registry.note(destination, {
      at: clock(),
      failure: failure ?? null,
      again: failure === undefined ? undefined : clock() + waits.degraded,
    });
  const verify = async (destination: Destination): Promise<Destination> => {
    const { customer, id } = destination;
    const externalId = await externalIdOf(destination);
    const sessionName = `verify-${id}`;
    await note(destination, await probeDestination(destination, externalId, { access, sessionName, random }));
    return find(customer, id);
  };
  const issue = (id: string) => {
    const externalId = newExternalId(random);
    return { externalId, sealed: sealExternalId(externalId, id, key, random) };
  };

  return {
    reserve: async (customer, request) => {
      const place = placeOf(request, platform);
      const id = uuidOf(clock(), random(uuidBytes));
      const { externalId, sealed } = issue(id);
      const created = clock();
      const due = created + waits.reserved;
      const reserving = registry.reserve({ ...place, id, customer, externalId: sealed, created, due }, most);
      return { destination: await asDeliveryError(reserving), externalId };
    },
    list: (customer) => registry.list(customer),
    find,
    verify: async (customer, id) => verify(await asDeliveryError(registry.beginVerification(customer, id))),
    requestVerification: async (customer, id) => {
      await find(customer, id);
      return asDeliveryError(registry.requestVerification(customer, id, clock()));
    },
    verifyNext: async () => {
      const destination = await registry.claimVerification(clock(), verificationLease);
      return destination && verify(destination);
    },
    rotate: async (customer, id) => {
      await find(customer, id);
      await asDeliveryError(registry.rotate(customer, id));
      const { externalId, sealed } = issue(id);
      const issued = { externalId: sealed, due: clock() + waits.reserved };
      return { destination: await asDeliveryError(registry.reissue(customer, id, issued)), externalId };
    },
    disable: async (customer, id) => {
      await find(customer, id);
      return asDeliveryError(registry.disable(customer, id));
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
      const bucket = await openBucket(destination, { access, session, signal });
      return { destination, bucket, root: `${prefix}/${folder}/` };
    },
    degrade: note,
  };
}
