/** The signed entitlement that a customer has now. */
export type InstalledEntitlement = {
  readonly customer: string;
  /** Its version, which is the highest that was seen of the customer. */
  readonly version: number;
  /** The document as a compact JWS. Nothing here has verified it. */
  readonly jws: string;
  /** Milliseconds since 1970. */
  readonly installed: number;
};

/** The signed entitlements. Every method throws {@link StoreError} `registry_unavailable`. */
export type EntitlementRegistry = {
  /**
   * Put an entitlement in place of the customer's earlier one, if its version is higher. False: it is there already,
   * to the letter.
   *
   * @throws {StoreError} `entitlement_older`, `entitlement_conflict`
   */
  readonly install: (entitlement: InstalledEntitlement) => Promise<boolean>;
  readonly find: (customer: string) => Promise<InstalledEntitlement | undefined>;
  /** Those of all customers, by name. */
  readonly list: () => Promise<readonly InstalledEntitlement[]>;
};
