/** What may go wrong in a store, with the sentence that says what to do. */
const messages = {
  /** The values of the record do not fit its entity type. */
  invalid_record: "the record cannot be stored",
  /** The resource is none of those that the store was opened with. */
  unknown_resource: "the resource is not stored here",
  query_timeout: "the query was stopped at its deadline: ask for less, or by a field that is indexed",
  query_canceled: "the query was given up by its caller",
  /** Every reader is at work and enough queries wait. */
  store_busy: "too many queries are waiting: try again in a moment",
  /** The customer has as many queries that run and wait as it may have. */
  too_many_queries: "the customer has too many queries at once: wait for one of them",
  /** The customer's scans have taken as long as they may. */
  scan_limit_reached:
    "the customer's queries without an index have used up their time: filter and sort by what is indexed, or wait a minute",
  /** The versions that the bookmark reads are no longer kept. */
  bookmark_expired: "the walk that the bookmark belongs to is too old: start again at its first page",
  /** The source has been staged further than to where the batch starts, or not as far. */
  cursor_passed: "the batch does not start where its source stands: go on from the source's cursor",
  set_not_begun: "the batch ends a full set of its source that was not begun: stage all of the set again",
  /** The filter of a restricted query reads what the resource is not counted by. */
  uncounted_scope:
    "the records that are granted cannot be told by what they are counted by: count the records themselves",
  unknown_build: "the resource has no such build: see the list of its builds",
  /** Versions that the build needs are no longer kept. */
  build_expired: "the build is too old to be served again: publish what it held anew",
  /** Found when the store is opened. */
  wall_passable:
    "the role of the wall may read a table itself: revoke that, or name a role without such rights",
  /** The database has migration steps, or a version, that this program does not know. */
  schema_newer:
    "the database was written by a later version of this program: start that version, or put back the copy that was made before the upgrade",
  /** The database is of an earlier schema, and was opened by a program that does not migrate. */
  schema_older: "the database is of an earlier version: migrate it first",
  /** The database has none of the tables of a store, and must not be made one. */
  schema_absent: "the database is not one of this program, or was emptied: put back a copy of it",
  /** A changed column cannot be filled from the stored records. */
  schema_unsupported:
    "the database cannot be migrated in place: start the version that wrote it, or load the records into a new one",
  /** Another process has migrated the database since it was opened here. */
  schema_changed: "the database was migrated while it was open here: start this program again",
  /** The row of a record does not match its checksum. */
  record_damaged:
    "a stored record does not match its checksum: write the record again, or put back a copy of the database",
  registry_unavailable: "the registry cannot be read or written",
  /** The registry has no entitlement of the customer. */
  unknown_customer: "no entitlement of the customer is installed: install it first",
  unknown_key: "no API key has this id: see the list of keys",
  /** The key is revoked or expired. */
  key_not_in_force: "the API key is revoked or expired: create a new one",
  /** The customer has as many live keys as it may have. */
  too_many_keys: "the customer has two live API keys, which is the most: revoke one of them first",
  /** A higher version of the customer's entitlement has been installed before. */
  entitlement_older: "a later version of the entitlement is installed: sign one with a higher `ver`",
  /** The same version of the customer's entitlement has been installed before, and says something else. */
  entitlement_conflict:
    "another entitlement of the same version is installed: sign this one with a higher `ver`",
  /** The id would answer as itself. */
  identity_circle: "the Placekey is resolved to the id itself: release it first",
} as const;

export type StoreErrorCode = keyof typeof messages;

/** A store refuses a record or gives up a query; a registry refuses a change or cannot be read. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly detail: string | undefined;

  /** @param detail what is at fault, for the log: it may quote data */
  constructor(code: StoreErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? messages[code] : `${messages[code]}: ${detail}`, options);
    this.code = code;
    this.detail = detail;
  }
}
