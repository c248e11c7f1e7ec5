import { type Channel, requireChannel } from "@cadastre/entitlement";
import { isInForce } from "@cadastre/store/registry";
import type { Request, RequestHandler } from "express";
import { Refused } from "../errors.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import type { Step } from "../http/routes.ts";
import type { Freshness } from "../ttl-cache.ts";
import type { KeyDirectory } from "./key-directory.ts";
import type { Rates } from "./rates.ts";
import type { AccountScope, Scopes } from "./scopes.ts";

/** Returns the key in `x-api-key` or in its alternative `Authorization: Bearer`. Empty if the request has neither. */
function apiKeyOf(req: Request): string {
  const bearer = /^Bearer +(\S+)$/i.exec(req.get("authorization") ?? "")?.[1];
  return req.get("x-api-key") ?? bearer ?? "";
}

export type Authentication = {
  readonly keys: KeyDirectory;
  readonly scopes: Scopes;
  readonly rates: Rates;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/**
 * Middleware that authenticates a request: verifies its API key and the customer's entitlement, and counts it against the rate limit. No
 * route runs before it.
 *
 * @param freshness `fresh`: keys and entitlements are read without the cache, so a revocation takes effect at once
 * @param admitsExpired true to accept requests with an expired entitlement, with an empty scope
 */
export function requireApiKey(
  { keys, scopes, rates, now }: Authentication,
  freshness: Freshness = "recent",
  admitsExpired = false,
): RequestHandler {
  return async (req, res, next) => {
    const at = now();
    const context = findContext(req);
    const authenticate = async () => {
      const record = await keys.find(apiKeyOf(req), at, freshness);
      if (record === undefined) {
        rates.takeRefusal(context?.address ?? "");
        throw new Refused(
          (await endedByRemoval({ keys, scopes }, apiKeyOf(req), at)) ? "access_removed" : "unauthorized",
        );
      }
      const { scope, state }: AccountScope = admitsExpired
        ? await scopes.ofAccount(record.customer, at, freshness)
        : { scope: await scopes.of(record.customer, at, freshness), state: "active" };
      const caller = { keyId: record.id, scope, entitlementState: state };
      if (context !== undefined) context.caller = caller;
      rates.takeFor(caller, res);
    };
    await (context === undefined ? authenticate() : context.stages.timeAsync("authenticate", authenticate));
    next();
  };
}

/**
 * True if a key was in force until the operator removed its customer's entitlement. Only who has the whole key learns it; one that ended
 * before, such as one that was rotated out because it leaked, tells nothing.
 */
async function endedByRemoval(
  { keys, scopes }: Pick<Authentication, "keys" | "scopes">,
  apiKey: string,
  at: number,
): Promise<boolean> {
  const ended = await keys.findEnded(apiKey, at);
  if (ended === undefined) return false;
  const removed = await scopes.removedAt(ended.customer);
  return removed !== undefined && isInForce(ended, removed - 1);
}

/** Middleware that refuses callers whose entitlement does not grant the channel. */
export const requireChannelOf =
  (channel: Channel): Step =>
  (req) =>
    requireChannel(callerOf(req).scope, channel);
