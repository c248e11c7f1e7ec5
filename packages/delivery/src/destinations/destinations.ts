import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { BucketAccess } from "../object-store/access.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import type { Destination, DestinationRegistry } from "./destination.ts";
import { openDestinationBucket } from "./destination-bucket.ts";
import {
  type DestinationKey,
  newExternalId,
  openDestinationSecret,
  sealDestinationSecret,
} from "./destination-secret.ts";
import {
  type DestinationKeys,
  type DestinationRequest,
  type PlaceTerms,
  validateDestination,
  validateKeys,
} from "./place.ts";
import { type DestinationFailure, type ProbeResult, probeDestination } from "./probe.ts";
import { publicationPolicy } from "./session-policy.ts";

export type DestinationOptions = {
  readonly registry: DestinationRegistry;
  /** Key that external ids and secret access keys are encrypted with. */
  readonly key: DestinationKey;
  /** Limit on a customer's destinations, without disabled ones. By default 32. */
  readonly most?: number | undefined;
  /** By default the platform `cadastre`, and no private stores. */
  readonly terms?: Partial<PlaceTerms> | undefined;
  /** Access to AWS, or to the server in place of it. */
  readonly access?: BucketAccess | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** By default the random bytes of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/** A destination with its external id, which is shown only once. A store other than AWS has none. */
export type IssuedDestination = {
  readonly destination: Destination;
  readonly externalId: string | undefined;
};

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
   * `invalid_endpoint`, `invalid_access_key`, `destination_exists`, `too_many_destinations`
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
   * Issues a new external id, to replace one that was lost; a store other than AWS gets the new keys of the customer. The destination
   * must then be verified again.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`, `invalid_access_key`
   */
  readonly rotate: (
    customer: string,
    id: string,
    keys?: Pick<DestinationRequest, keyof DestinationKeys>,
  ) => Promise<IssuedDestination>;
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
      /** Key below the prefix of an object that may be replaced; null or absent if there is none. */
      readonly pointer?: string | null | undefined;
      readonly signal?: AbortSignal | undefined;
      readonly isCommitted?: boolean | undefined;
    },
  ) => Promise<OpenDestination>;
  /** Records a failure that a publication met when it opened a destination. */
  readonly degrade: (destination: Destination, failure: DestinationFailure) => Promise<boolean>;
  /** Records whether a publication could replace a pointer. Returns true if that has changed. */
  readonly notePointer: (destination: Pick<Destination, "id">, isDenied: boolean) => Promise<boolean>;
};

const minute = 60_000;
/** Wait before the first verification of a reserved destination, and before the next one of a degraded destination, in milliseconds. */
const waits = { reserved: 10 * minute, degraded: 60 * minute } as const;
/** Lease of a verification, in milliseconds: after it another process may verify the destination. */
const verificationLease = 5 * minute;

/** Returns the operations on the destinations of a registry. It is independent of HTTP. */
export function createDestinations(options: DestinationOptions): Destinations {
  const { registry, key, most = 32, access = {}, clock = Date.now, random = randomBytes } = options;

  const find = async (customer: string, id: string): Promise<Destination> => {
    const found = isUuid(id) ? await registry.find(customer, id) : undefined;
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  };
  const terms: PlaceTerms = { platform: "cadastre", privateStores: [], ...options.terms };
  const means = { access, privateStores: terms.privateStores };
  const secretOf = async ({ customer, id }: Destination): Promise<string> => {
    const sealed = await registry.secret(customer, id);
    // The destination was rotated or disabled in the meantime.
    if (sealed === undefined) throw new DeliveryError("destination_not_active");
    return openDestinationSecret(sealed, id, key);
  };
  const recordResult = (
    destination: Destination,
    { failure, isPointerDenied }: ProbeResult,
  ): Promise<boolean> =>
    registry.note(destination, {
      at: clock(),
      failure: failure ?? null,
      again: failure === undefined ? undefined : clock() + waits.degraded,
      isPointerDenied,
    });
  const verify = async (destination: Destination): Promise<Destination> => {
    const { customer, id } = destination;
    const secret = await secretOf(destination);
    const sessionName = `verify-${id}`;
    await recordResult(
      destination,
      await probeDestination(destination, secret, { ...means, sessionName, random }),
    );
    return find(customer, id);
  };
  /** Returns the secret of a destination: the customer's own, or a new external id. */
  const issue = (id: string, keys: DestinationKeys | undefined) => {
    const externalId = keys === undefined ? newExternalId(random) : undefined;
    const secret = externalId ?? keys?.secretAccessKey ?? "";
    return { externalId, secret: sealDestinationSecret(secret, id, key, random) };
  };

  return {
    reserve: async (customer, request) => {
      const { place, keys } = validateDestination(request, terms);
      const id = uuidOf(clock(), random(uuidBytes));
      const { externalId, secret } = issue(id, keys);
      const created = clock();
      const due = created + waits.reserved;
      const reserving = registry.reserve({ ...place, id, customer, secret, created, due }, most);
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
    rotate: async (customer, id, given = {}) => {
      const keys = validateKeys(given, await find(customer, id));
      await registry.rotate(customer, id);
      const { externalId, secret } = issue(id, keys);
      const issued = { secret, due: clock() + waits.reserved, accessKeyId: keys?.accessKeyId };
      return { destination: await registry.reissue(customer, id, issued), externalId };
    },
    disable: async (customer, id) => {
      await find(customer, id);
      return registry.disable(customer, id);
    },
    open: async (customer, id, { delivery, folder, pointer = null, signal, isCommitted = false }) => {
      const destination = await find(customer, id);
      if (!isCommitted && destination.state !== "active")
        throw new DeliveryError("destination_not_active", destination.state);
      const secret = await secretOf(destination);
      const policy = publicationPolicy(destination, { folder, pointer });
      const bucket = await openDestinationBucket(destination, secret, {
        ...means,
        sessionName: delivery,
        policy,
        signal,
      });
      return { destination, bucket, root: `${destination.prefix}/${folder}/` };
    },
    degrade: (destination, failure) => recordResult(destination, { failure }),
    notePointer: ({ id }, isDenied) => registry.notePointer(id, isDenied, clock()),
  };
}
