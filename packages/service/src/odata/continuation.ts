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

/**
 * Where the page starts that `$skiptoken` asks for; undefined for the first page. `now` is in milliseconds.
 *
 * @throws {QueryError} `invalid_skip_token`, whatever is wrong with it.
 * @throws {Refused} `entitlement_changed` for the caller's own token of an older scope.
 */
export function startOfPage(walk: Walk, key: SkipTokenKey, now: number): Bookmark | undefined {
  const { skipToken } = walk.options;
  if (skipToken === undefined) return undefined;
  const { after, scope } = openSkipToken(skipToken, bindingOf(walk), key, now / 1000);
  if (scope !== walk.scope.scopeSha256) throw new Refused("entitlement_changed", "$skiptoken");
  const [checkpoint, ...keyValues] = after;
  return { checkpoint: Number(checkpoint), key: keyValues };
}

/** The walk of the token is too old to go on. */
export const staleToken = (): QueryError => new QueryError("invalid_skip_token", null, {}, "$skiptoken");

export type NextPage = {
  readonly bookmark: Bookmark;
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
  const after = [String(checkpoint).padStart(checkpointDigits, "0"), ...keyValues];
  const token = { after, scope: walk.scope.scopeSha256, expires: page.expires };
  return nextLink(page.resource, page.query, sealSkipToken(token, bindingOf(walk), skipTokenKey, random));
}
