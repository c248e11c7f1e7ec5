import { createHash } from "node:crypto";
import {
  compileScope,
  EntitlementError,
  type Scope,
  type ScopeOptions,
  verifyEntitlement,
} from "@cadastre/entitlement";
import type { EntitlementRegistry, InstalledEntitlement } from "@cadastre/store/registry";
import { type Freshness, RecentAnswers } from "./recent-answers.ts";
import type { Trust } from "./trust.ts";
import { VerifiedScopes } from "./verified-scopes.ts";

/** The scope of each customer, proved by a signed entitlement. */
export type Scopes = {
  /**
   * What `customer` may see at `at`, in milliseconds since 1970.
   *
   * @throws {EntitlementError} if it cannot be proved, or is proved to be nothing.
   * @throws {StoreError} `registry_unavailable`
   */
  readonly of: (customer: string, at: number, freshness?: Freshness) => Promise<Scope>;
};

type Found = InstalledEntitlement & { readonly hash: string };

/**
 * Each document is verified and compiled once, and again when the issuer's keys change; its end is checked at every
 * request.
 */
export function createScopes(
  entitlements: Pick<EntitlementRegistry, "find">,
  trust: Trust,
  options: ScopeOptions,
  clock?: () => number,
): Scopes {
  const answers = new RecentAnswers<Found | undefined>(clock);
  const verified = new VerifiedScopes();

  async function verify({ jws, customer, version }: Found, at: number) {
    const document = await verifyEntitlement(jws, { ...trust, now: () => new Date(at) });
    // A document of another customer proves nothing of this one, and the registry guards the version that it was told.
    if (document.sub !== customer) throw new EntitlementError("entitlement_invalid", { path: "sub" });
    if (document.ver !== version) throw new EntitlementError("entitlement_invalid", { path: "ver" });
    return { scope: compileScope(document, options), expires: document.exp };
  }

  return {
    async of(customer, at, freshness) {
      const found = await answers.get(customer, () => find(entitlements, customer), freshness);
      if (found === undefined) throw new EntitlementError("entitlement_malformed");
      const proof = `${trust.keys.revision()} ${customer} ${found.hash}`;
      const { scope, expires } = await verified.get(proof, () => verify(found, at));
      if (at / 1000 >= expires) throw new EntitlementError("entitlement_expired");
      return scope;
    },
  };
}

async function find(
  entitlements: Pick<EntitlementRegistry, "find">,
  customer: string,
): Promise<Found | undefined> {
  const installed = await entitlements.find(customer);
  return installed && { ...installed, hash: createHash("sha256").update(installed.jws).digest("base64") };
}
