import { randomBytes } from "node:crypto";
import type { Destination, DestinationRegistry } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import type { BucketAccess } from "../object-store/access.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { assumeRole } from "../object-store/role-session.ts";
import { openBucket } from "../object-store/s3.ts";
import { asked } from "../served.ts";
import { uuidBytes, uuidOf } from "../uuid.ts";
import { type ExternalIdKey, newExternalId, openExternalId, sealExternalId } from "./external-id.ts";
import { type DestinationRequest, placeOf } from "./place.ts";
import { type DestinationFailure, probeDestination } from "./probe.ts";
import { publicationPolicy } from "./session-policy.ts";

export type DestinationOptions = {
  readonly registry: DestinationRegistry;
  /** What external ids are kept under. */
  readonly key: ExternalIdKey;
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
   * `destination_exists`
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
  /**
   * Give it a new external id, in the place of one that is lost. It has to be verified again.
   *
   * @throws {DeliveryError} `not_found`, `destination_state`
   */
  readonly rotate: (customer: string, id: string) => Promise<IssuedDestination>;
  /** Give it up for good. @throws {DeliveryError} `not_found` */
  readonly disable: (customer: string, id: string) => Promise<Destination>;
  /**
   * Open it for a publication into a folder, with a session that may do no more than that. The bucket is the caller's to close.
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
    },
  ) => Promise<OpenDestination>;
  /** Note what a publication has found wrong with a destination as it was opened. */
  readonly degrade: (destination: Destination, failure: DestinationFailure) => Promise<boolean>;
};

/** The destinations of a registry. Speaks no HTTP. */
export function createDestinations(options: DestinationOptions): Destinations {
  const {
    registry,
    key,
    platform = "cadastre",
    access = {},
    clock = Date.now,
    random = randomBytes,
  } = options;

  const find = async (customer: string, id: string): Promise<Destination> => {
    const found = await registry.find(customer, id);
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  };
  const externalIdOf = async ({ customer, id }: Destination): Promise<string> => {
    const sealed = await registry.externalId(customer, id);
    // It was rotated or disabled since.
    if (sealed === undefined) throw new DeliveryError("destination_not_active");
    return openExternalId(sealed, id, key);
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
      const reserving = registry.reserve({ ...place, id, customer, externalId: sealed, created: clock() });
      return { destination: await asked(reserving), externalId };
    },
    list: (customer) => registry.list(customer),
    find,
    verify: async (customer, id) => {
      const destination = await asked(registry.beginVerification(customer, id));
      const externalId = await externalIdOf(destination);
      const failure = await probeDestination(destination, externalId, {
        access,
        sessionName: `verify-${id}`,
        random,
      });
      await registry.note(destination, { at: clock(), failure: failure ?? null });
      return find(customer, id);
    },
    rotate: async (customer, id) => {
      await asked(registry.rotate(customer, id));
      const { externalId, sealed } = issue(id);
      return { destination: await asked(registry.reissue(customer, id, sealed)), externalId };
    },
    disable: (customer, id) => asked(registry.disable(customer, id)),
    open: async (customer, id, { delivery, folder, signal }) => {
      const destination = await find(customer, id);
      if (destination.state !== "active")
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
    degrade: (destination, failure) => registry.note(destination, { at: clock(), failure }),
  };
}
