import { createHash } from "node:crypto";
import {
  compileScope,
  type Entitlement,
  EntitlementError,
  inspectEntitlement,
  type Scope,
  type ScopeOptions,
  verifyEntitlement,
} from "@cadastre/entitlement";
import { LruCache } from "@cadastre/odata/lru-cache";
import type { EntitlementRegistry, InstalledEntitlement } from "@cadastre/store/registry";
import type { EntitlementState } from "../http/request-context.ts";
import { type Freshness, TtlCache } from "../ttl-cache.ts";
import type { TrustedIssuer } from "./trust.ts";

/** A scope, and the state of its entitlement. The scope of an expired entitlement grants nothing. */
export type AccountScope = { readonly scope: Scope; readonly state: EntitlementState };

/** Finds the scopes of customers, which are proved by signed entitlements. */
export type Scopes = {
  /**
   * Returns the scope of `customer` at `at`, in milliseconds since 1970.
   *
   * @throws {EntitlementError} if the customer has no valid entitlement, or it has expired
   * @throws {StoreError} `registry_unavailable`
   */
  readonly of: (customer: string, at: number, freshness?: Freshness) => Promise<Scope>;
  /** Like `of`, but an expired entitlement is not an error. Only use it to show a customer the state of its account. */
  readonly ofAccount: (customer: string, at: number, freshness?: Freshness) => Promise<AccountScope>;
  /** See `EntitlementRegistry.removedAt`. @throws {StoreError} `registry_unavailable` */
  readonly removedAt: (customer: string) => Promise<number | undefined>;
};

/** A document whose signature has been verified, expired or not. */
type Verified = {
  readonly document: Entitlement;
  /** Compiles the scope on the first call. @throws {EntitlementError} */
  readonly scope: () => Scope;
};

/** Maximum number of verified documents that are cached. */
const capacity = 1024;

type Found = InstalledEntitlement & { readonly hash: string };

/**
 * Verifies and compiles each document once, and again when the issuer's keys change. Its expiry is checked at every request.
 *
 * @param clock monotonic clock in milliseconds, by which cached answers of the registry expire
 * @param revision returns a number that grows with each change of the registry that is announced: earlier answers are not used any more
 */
export function createScopes(
  entitlements: Pick<EntitlementRegistry, "find" | "lastVersion" | "removedAt">,
  trust: TrustedIssuer,
  options: ScopeOptions,
  clock?: () => number,
  revision?: () => number,
): Scopes {
  const answers = new TtlCache<Found | undefined>(clock, revision);
  const verified = new LruCache<string, Promise<Verified>>(capacity);

  async function verify({ jws, customer, version }: Found, at: number): Promise<Verified> {
    const document = await verifyEntitlement(jws, { ...trust, now: () => new Date(at) }).catch(
      (error: unknown) => expiredDocument(jws, error),
    );
    // The document must be of this customer, and of the version under which the registry stores it: the registry refuses older ones.
    if (document.sub !== customer) throw new EntitlementError("entitlement_invalid", { path: "sub" });
    if (document.ver !== version) throw new EntitlementError("entitlement_invalid", { path: "ver" });
    let compiled: Scope | undefined;
    return { document, scope: () => (compiled ??= compileScope(document, options)) };
  }

  async function verifiedOf(customer: string, at: number, freshness?: Freshness): Promise<Verified> {
    const found = await answers.get(customer, () => find(entitlements, customer), freshness);
    if (found === undefined)
      throw new EntitlementError(
        (await entitlements.lastVersion(customer)) > 0 ? "entitlement_removed" : "entitlement_malformed",
      );
    const proof = `${trust.keys.revision()} ${customer} ${found.hash}`;
    return verified.get(proof, () => {
      const verifying = verify(found, at);
      // Failures are not cached.
      verifying.catch(() => verified.delete(proof));
      return verifying;
    });
  }

  const isOver = ({ document }: Verified, at: number) => at / 1000 >= document.exp;

  return {
    async of(customer, at, freshness) {
      const known = await verifiedOf(customer, at, freshness);
      if (isOver(known, at)) throw new EntitlementError("entitlement_expired");
      return known.scope();
    },
    async ofAccount(customer, at, freshness) {
      const known = await verifiedOf(customer, at, freshness);
      return isOver(known, at)
        ? { scope: compileScope(withoutGrants(known.document), options), state: "expired" }
        : { scope: known.scope(), state: "active" };
    },
    removedAt: (customer) => entitlements.removedAt(customer),
  };
}

/** Returns the document if `error` is `entitlement_expired`; otherwise rethrows it. Expiry is checked after the signature. */
function expiredDocument(jws: string, error: unknown): Entitlement {
  if (error instanceof EntitlementError && error.code === "entitlement_expired")
    return inspectEntitlement(jws).document;
  throw error;
}

const withoutGrants = (document: Entitlement): Entitlement => ({
  ...document,
  products: [],
  channels: { api: false, odata: false, file_delivery: false },
  capabilities: [],
  regions: [],
  datasets: [],
});

async function find(
  entitlements: Pick<EntitlementRegistry, "find">,
  customer: string,
): Promise<Found | undefined> {
  const installed = await entitlements.find(customer);
  return installed && { ...installed, hash: createHash("sha256").update(installed.jws).digest("base64") };
}
