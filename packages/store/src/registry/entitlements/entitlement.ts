/** The signed entitlement currently installed for a customer. */
export type InstalledEntitlement = {
  readonly customer: string;
  /** Its version, the highest that has been installed for the customer. */
  readonly version: number;
  /** The document as a compact JWS. The registry does not verify it. */
  readonly jws: string;
  /** Milliseconds since 1970. */
  readonly installed: number;
};

/** The signed entitlements. Every method throws {@link StoreError} `registry_unavailable`. */
export type EntitlementRegistry = {
  /**
   * Installs an entitlement if its version is higher than the installed one. Returns false if the identical document is already
   * installed.
   *
   * @throws {StoreError} `entitlement_older`, `entitlement_conflict`
   */
  readonly install: (entitlement: InstalledEntitlement) => Promise<boolean>;
  readonly find: (customer: string) => Promise<InstalledEntitlement | undefined>;
  /** All entitlements, ordered by customer. */
  readonly list: () => Promise<readonly InstalledEntitlement[]>;
};
