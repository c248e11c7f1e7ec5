/**
 * Where a destination may go from each state. What was verified again and holds stays active; `rotating` has no external id,
 * until it is given a new one.
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

/** States from which a destination may go to another one. */
export const destinationStatesBefore = (state: DestinationState): readonly DestinationState[] =>
  (Object.keys(destinationTransitions) as readonly DestinationState[]).filter((before) =>
    (destinationTransitions[before] as readonly DestinationState[]).includes(state),
  );

/** A prefix of a bucket that a customer has its deliveries written to. */
export type DestinationPlace = {
  readonly bucket: string;
  readonly region: string;
  /** Without a slash at its ends. */
  readonly prefix: string;
  readonly roleArn: string;
  /** Key that the bucket's objects must be encrypted with; null: the bucket decides. */
  readonly kmsKeyArn: string | null;
};

export type NewDestination = DestinationPlace & {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  /** As it is to be kept: sealed by whoever gives it. */
  readonly externalId: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** When it is to be looked at for the first time; by default when somebody asks for it. */
  readonly due?: number | undefined;
};

export type Destination = Omit<NewDestination, "externalId" | "due"> & {
  readonly state: DestinationState;
  /** What its last verification or publication failed of. */
  readonly failure: string | null;
  /** When it was last found to be as it must be, in milliseconds since 1970. */
  readonly verified: number | null;
  /** Rises with each verification, rotation and end: what was found out in an earlier round says nothing of this one. */
  readonly round: number;
};

/** What was found out about a destination. Times are in milliseconds since 1970. */
type DestinationFinding = {
  readonly at: number;
  /** What is wrong with it; null: nothing. */
  readonly failure: string | null;
  /** When it is to be looked at again; by default when somebody asks for it. */
  readonly again?: number | undefined;
};

/**
 * The destinations of customers. One of another customer is as absent as one that does not exist; every method throws
 * {@link StoreError} `registry_unavailable`, and those that name a destination `not_found` and
 * `destination_state`.
 */
export type DestinationRegistry = {
  /**
   * Keep a place for a customer. What lies in a place is of one destination: no other one that is not disabled may have its
   * prefix, one below it or one above it, whosever it is.
   *
   * @param most destinations that are not disabled which the customer may have with this one; by default any number
   * @throws {DeliveryError} `destination_exists`, `too_many_destinations`, `unknown_customer`
   */
  readonly reserve: (destination: NewDestination, most?: number) => Promise<Destination>;
  readonly find: (customer: string, id: string) => Promise<Destination | undefined>;
  /** Those of a customer, the oldest first. */
  readonly list: (customer: string) => Promise<readonly Destination[]>;
  /** The external id, as it was given; undefined: it has none. */
  readonly externalId: (customer: string, id: string) => Promise<string | undefined>;
  /** Begin a round of verification. One that is active stays so meanwhile. */
  readonly beginVerification: (customer: string, id: string) => Promise<Destination>;
  /** Have one looked at by whoever claims it, as {@link DestinationRegistry.beginVerification} does. */
  readonly requestVerification: (customer: string, id: string, at: number) => Promise<Destination>;
  /**
   * Begin a round of the one that has waited longest to be looked at. If nothing is noted of it, it waits again after some
   * milliseconds.
   */
  readonly claimVerification: (at: number, lease: number) => Promise<Destination | undefined>;
  /** Note what a verification or a publication has found; false: the destination is in another round, or not in use. */
  readonly note: (
    destination: Pick<Destination, "id" | "round">,
    finding: DestinationFinding,
  ) => Promise<boolean>;
  /** Throw its external id away: nothing is written to it any more. */
  readonly rotate: (customer: string, id: string) => Promise<Destination>;
  /** Give one that is rotating its new external id. */
  readonly reissue: (
    customer: string,
    id: string,
    issued: Pick<NewDestination, "externalId" | "due">,
  ) => Promise<Destination>;
  /** Give it up for good. Its place is free, and one that is disabled stays as it is. */
  readonly disable: (customer: string, id: string) => Promise<Destination>;
};
