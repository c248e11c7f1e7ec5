/**
 * Verifies a signed entitlement, compiles it into a scope, and restricts bound queries to what it grants.
 *
 * @module
 */

// Verify: the signed document and the keys of its issuer

export {
  type Capability,
  type Channel,
  type DatasetGrant,
  type Entitlement,
  type Product,
  parseEntitlement,
  type Region,
  type ResourceGrant,
} from "./document.ts";
export { type DocumentPath, type EntitlementFault, type FaultOptions, findFaults } from "./faults.ts";
export { readIssuerKeys } from "./key-set.ts";
export { type KeySource, type KeySourceOptions, openKeySource } from "./key-source.ts";
export {
  generateKeyPair,
  inspectEntitlement,
  type KeyPair,
  type PublicKeys,
  type SigningKey,
  signEntitlement,
  verifyEntitlement,
} from "./signature.ts";

// Restrict: what a scope grants, and queries that read nothing else

export { type Disclosure, findDisclosures } from "./disclosure.ts";
export {
  type FieldCause,
  type FieldOutcome,
  type FieldView,
  type ViewField,
  viewFields,
} from "./field-view.ts";
export type { Mask } from "./mask.ts";
export { type RestrictedQuery, restrict, scopeOf } from "./restrict.ts";
export { type RestrictedApply, restrictApply } from "./restrict-apply.ts";
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

// Resources: when a row is visible, and what a store keeps to decide it

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

// Errors

export {
  EntitlementError,
  type EntitlementErrorCode,
  type EntitlementErrorKind,
  entitlementErrors,
} from "./errors.ts";
