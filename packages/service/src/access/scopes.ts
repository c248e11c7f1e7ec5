import {
  compileScope,
  EntitlementError,
  type PublicKeys,
  type Scope,
  type ScopeOptions,
  verifyEntitlement,
} from "@cadastre/entitlement";

/** Whom the service trusts to sign, and what it is called in what they sign. */
export type Trust = { readonly keys: PublicKeys; readonly issuer: string; readonly audience: string };

/** The scope of each customer, proved by a signed entitlement. */
export type Scopes = {
  /**
   * What `customer` may see at `now`, in milliseconds since 1970.
   *
   * @throws {EntitlementError} if it cannot be proved, or is proved to be nothing.
   */
  readonly of: (customer: string, now: number) => Promise<Scope>;
};

type Verified = { readonly scope: Scope; readonly expires: number };

/** Each document is verified and compiled once; its end is checked at every request. */
export function createScopes(
  entitlements: Readonly<Record<string, string>>,
  trust: Trust,
  options: ScopeOptions,
): Scopes {
  const verified = new Map<string, Verified>();
  return {
    async of(customer, now) {
      const known = verified.get(customer);
      if (known !== undefined) {
        if (now / 1000 < known.expires) return known.scope;
        throw new EntitlementError("entitlement_expired");
      }
      const jws = Object.hasOwn(entitlements, customer) ? entitlements[customer] : undefined;
      if (jws === undefined) throw new EntitlementError("entitlement_malformed");
      const document = await verifyEntitlement(jws, { ...trust, now: () => new Date(now) });
      // A document of another customer proves nothing of this one.
      if (document.sub !== customer) throw new EntitlementError("entitlement_invalid", { path: "sub" });
      const scope = compileScope(document, options);
      verified.set(customer, { scope, expires: document.exp });
      return scope;
    },
  };
}
