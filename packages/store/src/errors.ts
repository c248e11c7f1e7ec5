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
  /** The versions that the bookmark reads are no longer kept. */
  bookmark_expired: "the walk that the bookmark belongs to is too old: start again at its first page",
  /** Found when the store is opened. */
  wall_passable:
    "the role of the wall may read a table itself: revoke that, or name a role without such rights",
} as const;

export type StoreErrorCode = keyof typeof messages;

/** A store refuses a record or gives up a query. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  /** @param detail what is at fault, for the log: it may quote data */
  constructor(code: StoreErrorCode, detail?: string) {
    super(detail === undefined ? messages[code] : `${messages[code]}: ${detail}`);
    this.code = code;
  }
}
