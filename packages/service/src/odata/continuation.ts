import type { Scope } from "@cadastre/entitlement";
import { nextLink, openSkipToken, QueryError, type SkipTokenKey, sealSkipToken } from "@cadastre/odata";
import type { Bookmark } from "@cadastre/store";
import { Refused } from "../errors.ts";
import type { CollectionOptions } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** A sequence of pages that a `$skiptoken` continues: of one set, for one caller, with the same options. */
export type Walk = {
  readonly entitySet: string;
  readonly scope: Scope;
  readonly options: CollectionOptions;
};

/** Number of digits of a checkpoint in a token. It is padded, so that the length of the token does not reveal it. */
const checkpointDigits = 16;

/** Options that differ between the pages of a walk, because they state its position. */
const moving = new Set(["$skip", "$skiptoken"]);

/** Returns the text that a token is bound to: customer, entity set and options. The order and spelling of the options do not matter. */
function bindingOf({ entitySet, scope, options }: Walk): string {
  const fixed = [...options.texts]
    .filter(([name]) => !moving.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([scope.customer, entitySet, fixed]);
}

/** Start of a page, and the number of records that are left from there. */
export type PageStart = {
  /** Undefined for the first page. */
  readonly from: Bookmark | undefined;
  /** Null if the walk has no limit. */
  readonly left: number | null;
};

/**
 * Returns the start of the page of a `$skiptoken`. Undefined without one. `now` is in milliseconds.
 *
 * @throws {QueryError} `invalid_skip_token` if the token is malformed, forged, expired or of another walk
 * @throws {Refused} `entitlement_changed` if the token was issued for another scope of the same customer
 */
export function startOfPage(walk: Walk, key: SkipTokenKey, now: number): PageStart | undefined {
  const { skipToken } = walk.options;
  if (skipToken === undefined) return undefined;
  const { after, scope } = openSkipToken(skipToken, bindingOf(walk), key, now / 1000);
  if (scope !== walk.scope.scopeSha256) throw new Refused("entitlement_changed", { target: "$skiptoken" });
  const [checkpoint, left, ...keyValues] = after;
  return {
    from: { checkpoint: Number(checkpoint), key: keyValues },
    left: typeof left === "number" ? left : null,
  };
}

/** Returns the error for a token whose checkpoint was pruned. */
export const staleToken = (): QueryError => new QueryError("invalid_skip_token", null, {}, "$skiptoken");

export type NextPage = {
  readonly bookmark: Bookmark;
  readonly left: PageStart["left"];
  /** Absolute URL of the collection. */
  readonly resource: string;
  /** Query string of the request, undecoded. */
  readonly query: string;
  /** Expiry of the token, in seconds since 1970. */
  readonly expires: number;
};

/** Key and random source for encrypting a token. */
export type Seal = Pick<OdataServices, "skipTokenKey" | "random">;

/** Returns the `@odata.nextLink` of a page that is not the last. */
export function linkToNextPage(walk: Walk, page: NextPage, { skipTokenKey, random }: Seal): string {
  const { checkpoint, key: keyValues } = page.bookmark;
  const digits = String(checkpoint).padStart(checkpointDigits, "0");
  const after = [digits, page.left, ...keyValues];
  const token = { after, scope: walk.scope.scopeSha256, expires: page.expires };
  return nextLink(page.resource, page.query, sealSkipToken(token, bindingOf(walk), skipTokenKey, random));
}
