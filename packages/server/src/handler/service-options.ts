import type { SystemOptionName } from "@cadastre/odata";
import type { DeclarationMismatch } from "../introspect/compare-declarations.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import type { OdataVersion } from "../protocol/version.ts";
import type { Restriction } from "../source/restriction.ts";
import type { SourceMaker } from "../source/sql-source.ts";

/** Says that every caller sees every entity. */
export const unrestricted = "unrestricted";

/** Sizes that no request may exceed. */
export type ServiceLimits = {
  /** Records of a page where the request states no number. By default 100. */
  readonly pageSize?: number;
  /** Largest `$top`, and largest page that a client may prefer. By default 1,000. */
  readonly maxTop?: number;
  /** Largest `$skip`. By default 10,000. */
  readonly maxSkip?: number;
  /** Requests of a batch. By default 100. */
  readonly batchRequests?: number;
};

/** Restrictions by the names of the declared entity sets, each of which must be named. */
type RestrictionsOf<Sets extends readonly EntitySetDeclaration[]> = Readonly<
  Record<Sets[number]["name"], Restriction>
>;

/** Configuration of a service: its entity sets, their source, and who sees which entities. `Request` is the request of the host's framework. */
export type ServiceOptions<Request, Sets extends readonly EntitySetDeclaration[]> = {
  /** Namespace of the types, such as `Office`. */
  readonly namespace: string;
  /** Name of the entity container. By default `Container`. */
  readonly container?: string;
  readonly entitySets: Sets;
  /** Where the records are. */
  readonly source: SourceMaker;
  /**
   * Returns what the caller may see of each entity set: `filter(…)`, `everything` or `nothing`. Applies to entities, counts, related
   * entities in `$expand`, and paths in any option. Without it, say `unrestricted`.
   */
  readonly restrict:
    | typeof unrestricted
    | ((request: Request) => RestrictionsOf<Sets> | Promise<RestrictionsOf<Sets>>);
  /** Refuses a request by throwing an `HttpError`, before anything is read. */
  readonly authorize?: (request: Request) => void | Promise<void>;
  /** System options that are refused by name. */
  readonly switchedOff?: readonly SystemOptionName[];
  readonly limits?: ServiceLimits;
  /**
   * 32 bytes that encrypt skip tokens. Processes that answer for each other share them. By default random: after a restart a client starts
   * at the first page.
   */
  readonly skipTokenKey?: Uint8Array;
  /** Seconds for which a skip token is valid. By default an hour. */
  readonly tokenLife?: number;
  /** Version of the answers to clients that state none. By default 4.0, since some of them refuse metadata of a later one. */
  readonly version?: OdataVersion;
  /** URL of the service root for links, such as `https://api.example.com/odata`. By default as the client has addressed it. */
  readonly baseUrl?: string;
  /** Called with every error that is not the caller's fault. By default it is printed by `console.error`. */
  readonly onError?: (error: unknown) => void /**
   * Called at start with each difference between a declaration and the database, such as a missing column. By default its message is printed
   * by `console.warn`.
   */;
  readonly onMismatch?: (mismatch: DeclarationMismatch) => void;
};
