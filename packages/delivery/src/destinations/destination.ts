/**
 * Allowed state changes of a destination. A destination that passes another verification stays `active`; one that is `rotating`
 * has no secret until it is given a new one.
 */
export const destinationTransitions = {
  reserved: ["verifying", "rotating", "disabled"],
  verifying: ["verifying", "active", "degraded", "rotating", "disabled"],
  active: ["active", "degraded", "rotating", "disabled"],
  degraded: ["verifying", "rotating", "disabled"],
  rotating: ["rotating", "reserved", "disabled"],
  disabled: [],
} as const satisfies Record<string, readonly string[]>;

export type DestinationState = keyof typeof destinationTransitions;

/** Returns the states from which a destination may change to `state`. */
export const destinationStatesBefore = (state: DestinationState): readonly DestinationState[] =>
  (Object.keys(destinationTransitions) as readonly DestinationState[]).filter((before) =>
    (destinationTransitions[before] as readonly DestinationState[]).includes(state),
  );

/** Prefix of a customer's bucket that deliveries are written to. */
type BucketPrefix = {
  readonly bucket: string;
  readonly region: string;
  /** Without leading and trailing slash. */
  readonly prefix: string;
};

/** A bucket at AWS is reached by a role. */
type AwsReach = {
  /** Role that is assumed. */
  readonly roleArn: string;
  /** KMS key that objects must be encrypted with; null for the default of the bucket. */
  readonly kmsKeyArn: string | null;
  readonly server: null;
};

/** A store of another provider has neither roles nor keys of KMS. */
type StoreReach = {
  readonly roleArn: null;
  readonly kmsKeyArn: null;
  readonly server: DestinationServer;
};

/** The way in which a bucket is reached. */
export type BucketReach = AwsReach | StoreReach;

export type DestinationPlace = BucketPrefix & BucketReach;

/** A store with an S3 API that is not AWS. The customer's own keys sign the requests. */
export type DestinationServer = {
  /** Origin, such as `https://s3.example.com`. */
  readonly endpoint: string;
  /** True if addresses have the bucket in their path, not in their host. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
};

type ReservedPlace = DestinationPlace & {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  /** Milliseconds since 1970. */
  readonly created: number;
};

export type NewDestination = ReservedPlace & {
  /** External id, or secret access key of another store, as it is stored; the caller encrypts it. */
  readonly secret: string;
  /** Time of the first verification, in milliseconds since 1970. If undefined, it must be requested. */
  readonly due?: number | undefined;
};

export type Destination = ReservedPlace & {
  readonly state: DestinationState;
  /** Reason why the last verification or publication failed; null if it succeeded. */
  readonly failure: string | null;
  /** Time of the last successful verification, in milliseconds since 1970. */
  readonly verified: number | null;
  /**
   * Time at which the bucket was first found to deny that pointers are replaced, in milliseconds since 1970; null if it allows it. Deliveries
   * are complete all the same.
   */
  readonly pointerDenied: number | null;
  /** Increases with each verification, rotation and disabling. Results of an earlier round are ignored. */
  readonly round: number;
};

/** Result of a verification or publication. Times are in milliseconds since 1970. */
type DestinationFinding = {
  readonly at: number;
  /** Reason for failing; null if nothing is wrong. */
  readonly failure: string | null;
  /** Time of the next verification. If undefined, it must be requested. */
  readonly again?: number | undefined;
  /** True if the bucket denies that pointers are replaced. If undefined, it was not tried. */
  readonly isPointerDenied?: boolean | undefined;
};

/**
 * The destinations of customers. A destination of another customer is treated like one that does not exist. Every method throws
 * {@link StoreError} `registry_unavailable`, and those that name a destination `not_found` and `destination_state`.
 */
export type DestinationRegistry = {
  /**
   * Reserves a bucket and prefix for a customer. Its objects belong to one destination only: no other destination that is not
   * disabled, of any customer, may have the same prefix, one below it or one above it.
   *
   * @param most maximum number of destinations of the customer that are not disabled, including this one; by default unlimited
   * @throws {DeliveryError} `destination_exists`, `too_many_destinations`, `unknown_customer`
   */
  readonly reserve: (destination: NewDestination, most?: number) => Promise<Destination>;
  readonly find: (customer: string, id: string) => Promise<Destination | undefined>;
  /** Returns the destinations of a customer, oldest first. */
  readonly list: (customer: string) => Promise<readonly Destination[]>;
  /** Returns the secret as it is stored; undefined if there is none. */
  readonly secret: (customer: string, id: string) => Promise<string | undefined>;
  /** Starts a round of verification. An active destination stays active meanwhile. */
  readonly beginVerification: (customer: string, id: string) => Promise<Destination>;
  /**
   * Queues a verification, for a worker that calls `claimVerification`. Otherwise like {@link
   * DestinationRegistry.beginVerification}.
   */
  readonly requestVerification: (customer: string, id: string, at: number) => Promise<Destination>;
  /**
   * Starts a round of the destination whose verification is due the longest. If no result is noted, the destination is due again
   * after `lease` milliseconds.
   */
  readonly claimVerification: (at: number, lease: number) => Promise<Destination | undefined>;
  /**
   * Stores the result of a verification or publication. Returns false if the destination is in a later round or not in use.
   */
  readonly note: (
    destination: Pick<Destination, "id" | "round">,
    finding: DestinationFinding,
  ) => Promise<boolean>;
  /**
   * Stores whether the bucket of a destination in use denies that pointers are replaced. Returns true if that has changed.
   *
   * @param at milliseconds since 1970
   */
  readonly notePointer: (id: string, isDenied: boolean, at: number) => Promise<boolean>;
  /** Deletes the secret, so that nothing more can be written to the destination. */
  readonly rotate: (customer: string, id: string) => Promise<Destination>;
  /** Sets the new secret of a destination that is rotating, and the key id of another store. */
  readonly reissue: (
    customer: string,
    id: string,
    issued: Pick<NewDestination, "secret" | "due"> & { readonly accessKeyId?: string | undefined },
  ) => Promise<Destination>;
  /** Disables a destination permanently and frees its bucket and prefix. A disabled destination stays disabled. */
  readonly disable: (customer: string, id: string) => Promise<Destination>;
};
