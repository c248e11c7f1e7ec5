/**
 * State of a standby. Only one that is `used` is read from:
 *
 * | state | meaning |
 * |---|---|
 * | `unreachable` | it cannot be reached, does not answer in time, or has not been asked yet |
 * | `promoted` | it is not a standby, or not any more |
 * | `schema` | it has another schema than the primary, or a store of another cluster |
 * | `diverged` | its last commit is not one of the primary's: it follows a server that was given up |
 * | `failing` | its reads fail for another reason |
 */
export type ReplicaState = "used" | "unreachable" | "promoted" | "schema" | "diverged" | "failing";

/** A standby that a store reads from. */
export type ReplicaStatus = {
  /** Its address without user and password. */
  readonly name: string;
  readonly state: ReplicaState;
  /** Number of commits by which it was last seen behind the primary; undefined if it has not been reached. */
  readonly lag: number | undefined;
};
