import type { Scope } from "@cadastre/entitlement";
import { nextLink, openSkipToken, QueryError, type SkipTokenKey, sealSkipToken } from "@cadastre/odata";
import type { Bookmark } from "@cadastre/store";
import { Refused } from "../errors.ts";
import type { CollectionOptions } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** What a `$skiptoken` continues: pages of one set, for one caller, with the same options. */
export type Walk = {
  readonly entitySet: string;
  readonly scope: Scope;
  readonly options: CollectionOptions;
};

/** Digits of a checkpoint in a token: as many for every one, so that the token's length does not tell it. */
const checkpointDigits = 16;

/** The options that may differ between the pages of a walk: how far it has come. */
const moving = new Set(["$skip", "$skiptoken"]);

/** What a token is sealed for. The order and the spelling of the options do not matter. */
function bindingOf({ entitySet, scope, options }: Walk): string {
  const fixed = [...options.texts]
    .filter(([name]) => !moving.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([scope.customer, entitySet, fixed]);
}

/** Where a page starts, and how many records of the walk are left from there on. */
export type Position = {
  /** Undefined for the first page. */
  readonly from: Bookmark | undefined;
  /** Null where the walk goes on to the end. */
  readonly left: number | null;
};

/**
 * Where the page starts that `$skiptoken` asks for; undefined without one. `now` is in milliseconds.
 *
 * @throws {QueryError} `invalid_skip_token`, whatever is wrong with it.
 * @throws {Refused} `entitlement_changed` for the caller's own token of an older scope.
 */
export function startOfPage(walk: Walk, key: SkipTokenKey, now: number): Position | undefined {
  const { skipToken } = walk.options;
  if (skipToken === undefined) return undefined;
  const { after, scope } = openSkipToken(skipToken, bindingOf(walk), key, now / 1000);
  if (scope !== walk.scope.scopeSha256) throw new Refused("entitlement_changed", "$skiptoken");
  const [checkpoint, left, ...keyValues] = after;
  return {
    from: { checkpoint: Number(checkpoint), key: keyValues },
    left: typeof left === "number" ? left : null,
  };
}

/** The walk of the token is too old to go on. */
export const staleToken = (): QueryError => new QueryError("invalid_skip_token", null, {}, "$skiptoken");

export type NextPage = {
  readonly bookmark: Bookmark;
  readonly left: Position["left"];
  /** Absolute address of the collection. */
  readonly resource: string;
  /** The query string as it came in. */
  readonly query: string;
  /** End of the token's life, in seconds since 1970. */
  readonly expires: number;
};

/** What seals a token. */
export type Seal = Pick<OdataServices, "skipTokenKey" | "random">;

/** The `@odata.nextLink` of a page that is not the last. */
export function linkToNextPage(walk: Walk, page: NextPage, { skipTokenKey, random }: Seal): string {
  const { checkpoint, key: keyValues } = page.bookmark;
  const digits = String(checkpoint).padStart(checkpointDigits, "0");
  const after = [digits, page.left, ...keyValues];
  const token = { after, scope: walk.scope.scopeSha256, expires: page.expires };
  return nextLink(page.resource, page.query, sealSkipToken(token, bindingOf(walk), skipTokenKey, random));
}
