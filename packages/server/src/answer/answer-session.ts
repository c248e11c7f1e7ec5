import type { BoundExpand, BoundQuery, EntityModel, EntitySet, SystemOptionName } from "@cadastre/odata";
import type { AppliedForm, AppliedQuery } from "@cadastre/odata/apply";
import type { SkipTokenKey } from "@cadastre/odata/paging";
import type { RecordForm } from "@cadastre/odata/run";

/** Contents of a page besides the records of its query. */
export type PageRead = {
  /** Start of the page: `next` of the page before it. Undefined for the first page. */
  readonly from?: readonly unknown[] | undefined;
  /** True to also count the records of all pages. */
  readonly count: boolean;
  /** True to write members without a value as null. */
  readonly nulls: boolean;
  /** Format of the records; undefined for plain JSON. */
  readonly form: RecordForm | undefined;
  /** Related entities to add to each record. */
  readonly expand: readonly BoundExpand[];
  /** Texts of the host's own options, by name. */
  readonly own: ReadonlyMap<string, string>;
  /** True to tell the state that the page shows, for a delta link. */
  readonly tracked?: boolean | undefined;
  readonly signal: AbortSignal;
};

/** Contents of a page of the result of `$apply`. */
export type AppliedRead = PageRead & {
  /** Format of the records, unless they are entities. */
  readonly applied: AppliedForm;
};

/** A page of records. */
export type RecordPage = {
  /** JSON text of the records in UTF-8, without white space, separated by commas. */
  readonly records: Uint8Array;
  /** Number of records. */
  readonly length: number;
  /** Position after the last record, as values of a skip token; null if no record follows. Not empty. */
  readonly next: readonly unknown[] | null;
  /**
   * The state of the records that the walk shows, as text that only the source understands, of the same length for every state. Only if it
   * was asked for.
   */
  readonly state?: string | undefined;
  /** Number of records of all pages, if it was asked for. */
  readonly count?: number | undefined;
  /** Called once when `records` are not read any more. */
  readonly release?: (() => void) | undefined;
};

/**
 * Runs bound queries over the records of a host. It also restricts them to what the caller may see. Its errors are answered as those of the
 * host, except for a `QueryError` and a `ProtocolError`.
 */
export type RecordSource = {
  readonly page: (query: BoundQuery, read: PageRead) => Promise<RecordPage>;
  /** Returns the number of records that the query finds, on all pages. */
  readonly count: (query: BoundQuery, read: Pick<PageRead, "own" | "signal">) => Promise<number>;
  /** Returns the first record as JSON text in UTF-8, without white space. Undefined if there is none. */
  readonly one: (
    query: BoundQuery,
    read: Pick<PageRead, "nulls" | "expand" | "signal">,
  ) => Promise<Uint8Array | undefined>;
  /** Without it, there are no delta links. */
  readonly changes?: ChangeSource;
  /** Without it, `$apply` is refused. */
  readonly applied?: AppliedSource;
};

/** Contents of a page of changes. */
export type ChangesRead = {
  /** The state that the changes follow. */
  readonly since: string;
  /** The state that they lead to: that of the page before. Undefined for the present one. */
  readonly until: string | undefined;
  /** Start of the page: `next` of the page before it. Undefined for the first page. */
  readonly from: string | undefined;
  /** True to also count the changes of all pages. */
  readonly count: boolean;
  /** Format of the records; undefined for plain JSON. */
  readonly form: RecordForm | undefined;
  /** Related entities to add to each record. A record has changed if they have. */
  readonly expand: readonly BoundExpand[];
  readonly signal: AbortSignal;
};

/** A record that is not in the result of a query any more. */
export type RemovedFromResult = {
  /** JSON texts of the values of the key, in order. */
  readonly key: readonly string[];
  /** `changed` if the caller still sees the record, though not in this result. */
  readonly reason: "changed" | "deleted";
};

/** A page of changes. No record is twice among the pages of the same states. */
export type ChangesPage = {
  /** JSON text in UTF-8 of the records that are new in the result or have other selected values, separated by commas. */
  readonly records: Uint8Array;
  readonly removed: readonly RemovedFromResult[];
  /** The state that the changes lead to. */
  readonly state: string;
  /** Position after the last change; null if none follows. */
  readonly next: string | null;
  readonly count?: number | undefined;
  readonly release?: (() => void) | undefined;
};

/** Tells what has changed in the result of a query, under the same restrictions as other queries. */
export type ChangeSource = {
  /** Seconds for which the changes since a state can be told, from the time on at which it is the present one. */
  readonly life: number;
  /** False for a set, or related entities, whose changes cannot be told: the preference to track them is ignored. */
  readonly tracks: (entitySet: EntitySet, expand: readonly BoundExpand[]) => boolean;
  /** Undefined if the changes since then cannot be told any more. */
  readonly page: (query: BoundQuery, read: ChangesRead) => Promise<ChangesPage | undefined>;
};

/** Runs `$apply`, under the same restrictions as other queries. */
export type AppliedSource = {
  readonly page: (applied: AppliedQuery, read: AppliedRead) => Promise<RecordPage>;
  /** Returns the number of records of the result, on all pages. */
  readonly count: (applied: AppliedQuery, read: Pick<PageRead, "own" | "signal">) => Promise<number>;
};

/** A query option of the host beside those of OData, for collections and their counts. */
export type OwnOption = {
  /** Checks its text. @throws {QueryError} if it is not valid for the entity set */
  readonly check: (text: string, entitySet: EntitySet) => void;
};

/** Settings of a service that do not depend on the caller. */
export type AnswerSettings = {
  /** Records of a page where the request states no number. */
  readonly pageSize: number;
  /** Records of a page where the request states `$top`, and prefers no page size. */
  readonly pageSizeWithTop: number;
  /** Largest `$top`, and largest page that a client may prefer. */
  readonly maxTop: number;
  /** Largest `$top`, and largest page, with `$expand`. */
  readonly maxTopExpanded: number;
  readonly maxSkip: number;
  /** True if `$top` is the number of records of all pages together, as OData has it; false if it is the size of each page. */
  readonly topIsTotal: boolean;
  /** System options that are refused. */
  readonly switchedOff: ReadonlySet<SystemOptionName>;
  /** Options of the host, by name. */
  readonly ownOptions: ReadonlyMap<string, OwnOption>;
  /** Encrypts skip tokens. Nodes that continue each other's pages share it. */
  readonly skipTokenKey: SkipTokenKey;
  /** Seconds for which a skip token is valid. */
  readonly tokenLife: number;
  /** Returns this number of random bytes, for the nonces of tokens, which must never repeat. */
  readonly random: (bytes: number) => Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** How queries over an entity set are read where the request leaves it open. */
export type QueryDefaults = {
  /** Names of the properties that records are sorted by, ascending, before their key. */
  readonly orderBy: readonly string[];
  /** Names of the properties that `$search` searches. */
  readonly searchable: readonly string[];
};

/** The caller of a request: what may be seen, and how it is read. */
export type AnswerSession = {
  /** The entity sets and properties that the caller may see. Answers are cached by this object. */
  readonly model: EntityModel;
  readonly source: RecordSource;
  readonly settings: AnswerSettings;
  readonly queryDefaults: (entitySet: EntitySet) => QueryDefaults;
  /** Who continues a walk from page to page: a skip token is valid for the same customer only. */
  readonly customer: string;
  /** Hash of what the caller may see. A skip token of another one is refused with `scopeChanged`. */
  readonly scope: string;
  /** Returns the error for a skip token that was given under another scope. */
  readonly scopeChanged: () => Error;
};
