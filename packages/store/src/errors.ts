/** Meaning of an error for a client of an API. `operator`: only the operator or the host's program can act on it. */
export type StoreErrorKind = "rate_limited" | "unavailable" | "operator";

type ErrorEntry = {
  readonly kind: StoreErrorKind;
  /** Says what is wrong and what to do. */
  readonly message: string;
  /** Seconds after which the query may succeed. */
  readonly retryAfter?: number;
};

const operator = (message: string) => ({ kind: "operator", message }) as const;

/** All errors of the store, by their stable code. */
export const storeErrors = {
  /** The values of the record do not fit its entity type. */
  invalid_record: operator("the record cannot be stored"),
  /** A record of another dataset has the key. */
  key_of_another_dataset: operator(
    "a record of another dataset has the key: remove that record and publish the removal first",
  ),
  /** The tables are partitioned by dataset, and this dataset has no partition. */
  no_partition: operator("the dataset has no partition: add its system first"),
  not_partitioned: operator(
    "the tables are not partitioned by dataset: there is no partition to add or detach",
  ),
  /** The store was not opened with this resource. */
  unknown_resource: operator("the resource is not stored here"),
  query_timeout: {
    kind: "unavailable",
    message: "the query took too long: ask for less, or filter and sort by what is indexed",
  },
  query_canceled: { kind: "unavailable", message: "the caller has canceled the query" },
  /** Every reader is busy and the queue is full. */
  store_busy: { kind: "unavailable", message: "too many queries are waiting: try again in a moment" },
  /** The customer has reached its limit of running and waiting queries. */
  too_many_queries: {
    kind: "rate_limited",
    retryAfter: 1,
    message: "too many queries at once: wait for one of them",
  },
  /** The customer has used up its time budget for queries that scan without an index. */
  scan_limit_reached: {
    kind: "rate_limited",
    retryAfter: 10,
    message:
      "queries that no index serves have used up their time in this minute: filter and sort by what is indexed",
  },
  /** The versions that the bookmark refers to have been pruned. */
  bookmark_expired: operator(
    "the walk that the bookmark belongs to is too old: start again at its first page",
  ),
  /** The database server cannot be reached, is shutting down or starting, or is a standby where a primary is needed. */
  database_unavailable: {
    kind: "unavailable",
    retryAfter: 2,
    message: "the database cannot be reached: try again in a moment",
  },
  /** The database is a standby that has not replayed the commit which the read is to be as of. */
  replica_behind: {
    kind: "unavailable",
    message: "the database that was asked has not caught up yet: try again in a moment",
  },
  /** The batch starts before or after the source's current cursor. */
  cursor_passed: operator("the batch does not start where its source stands: go on from the source's cursor"),
  set_not_begun: operator(
    "the batch ends a full set of its source that was not begun: stage all of the set again",
  ),
  /** The filter of a restricted query reads a property that coverage is not counted by. */
  uncounted_scope: operator(
    "the records that are granted cannot be told by what they are counted by: count the records themselves",
  ),
  unknown_build: operator("the resource has no such build: see the list of its builds"),
  /** Versions that the build needs have been pruned. */
  build_expired: operator("the build is too old to be served again: publish what it held anew"),
  dataset_retired: operator(
    "the dataset is retired, and takes no records: reinstate it first, with the records it had or without",
  ),
  dataset_not_retired: operator("the dataset is not retired"),
  /** The versions of the retired records have been pruned or forgotten. */
  retirement_expired: operator(
    "the records that the dataset had are not kept any more: reinstate it without them, and stage them anew",
  ),
  /** Walks and deliveries may still read the records of the retired dataset. */
  retirement_recent: operator(
    "walks and deliveries that began before the retirement may still read its records: try again when a later state was pruned",
  ),
  /** Thrown when the store is opened. */
  wall_passable: operator(
    "the role of the wall may read a table itself: revoke that, or name a role without such rights",
  ),
  /** The database has a migration step, or a schema version, that this program does not know. */
  schema_newer: operator(
    "the database was written by a later version of this program: start that version, or put back the copy that was made before the upgrade",
  ),
  /** The database has an earlier schema, and was opened by a program that does not migrate. */
  schema_older: operator("the database is of an earlier version: migrate it first"),
  /** The database has no tables of a store, and the caller asked not to create them. */
  schema_absent: operator("the database is not one of this program, or was emptied: put back a copy of it"),
  /** A changed column cannot be filled from the stored records. */
  schema_unsupported: operator(
    "the database cannot be migrated in place: start the version that wrote it, or load the records into a new one",
  ),
  /** Another process has migrated the database since this process opened it. */
  schema_changed: operator("the database was migrated while it was open here: start this program again"),
  /** The row of a record does not match its checksum. */
  record_damaged: operator(
    "a stored record does not match its checksum: write the record again, or put back a copy of the database",
  ),
  registry_unavailable: { kind: "unavailable", message: "the registry cannot be read or written" },
  /** The registry has no entitlement for the customer. */
  unknown_customer: operator("no entitlement of the customer is installed: install it first"),
  unknown_key: operator("no API key has this id: see the list of keys"),
  /** The key is revoked or expired. */
  key_not_in_force: operator("the API key is revoked or expired: create a new one"),
  /** The customer has reached its limit of live keys. */
  too_many_keys: operator("the customer has two live API keys, which is the most: revoke one of them first"),
  /** A higher version of the customer's entitlement is already installed. */
  entitlement_older: operator(
    "a later version of the entitlement is installed: sign one with a higher `ver`",
  ),
  /** The same version of the customer's entitlement is installed with other contents. */
  entitlement_conflict: operator(
    "another entitlement of the same version is installed: sign this one with a higher `ver`",
  ),
  /** Resolving the Placekey this way would make the id resolve to itself. */
  identity_circle: operator("the Placekey is resolved to the id itself: release it first"),
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type StoreErrorCode = keyof typeof storeErrors;

/** An error of a store or registry: a record or change is refused, a query is stopped, or the registry cannot be read. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly kind: StoreErrorKind;
  /** The record, value or name at fault, for the log: it may quote data. */
  readonly details: string | undefined;

  constructor(code: StoreErrorCode, details?: string, options?: ErrorOptions) {
    const { kind, message } = storeErrors[code];
    super(details === undefined ? message : `${message}: ${details}`, options);
    this.code = code;
    this.kind = kind;
    this.details = details;
  }
}
