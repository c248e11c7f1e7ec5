/**
 * Verifies a signed entitlement, compiles it into a scope, and restricts bound queries to what it grants.
 *
 * @module
 */
export { type Disclosure, findDisclosures } from "./disclosure.ts";
export {
  type Capability,
  type Channel,
  type DatasetGrant,
  type Entitlement,
  type EntitlementLimits,
  type Product,
  parseEntitlement,
  type Region,
  type RegionKind,
  type ResourceGrant,
} from "./document.ts";
export {
  EntitlementError,
  type EntitlementErrorCode,
  type EntitlementErrorKind,
  type EntitlementPublicCode,
  entitlementErrors,
} from "./errors.ts";
export { type Key, readIssuerKeys } from "./key-set.ts";
export { type KeySource, type KeySourceOptions, openKeySource } from "./key-source.ts";
export type { Mask } from "./mask.ts";
export {
  datasetProperty,
  hiddenProperties,
  listingProperties,
  mediaPermissionProperty,
  type Privacy,
  provisionalIdProperty,
  type RegionProperties,
  type ResourceRule,
  type ResourceRules,
  resourceRules,
} from "./resources/index.ts";
export { type RestrictedQuery, restrict, scopeOf } from "./restrict.ts";
export {
  compileScope,
  requireCapability,
  requireChannel,
  type Scope,
  type ScopeOptions,
  scopeWithin,
  showsWhole,
  visibleEntitySet,
} from "./scope.ts";
export {
  generateKeyPair,
  inspectEntitlement,
  type KeyPair,
  type PublicKeys,
  type SigningKey,
  signEntitlement,
  type Verification,
  verifyEntitlement,
} from "./signature.ts";
