/**
 * The manifest of a bulk delivery: its schema, canonical bytes, hash, signature, and position in a chain.
 * Runs in every environment with Web Crypto.
 *
 * @module
 */
export { canonicalBytes, canonicalText, sha256 } from "./canonical.ts";
export { type ChainLink, requireFollows } from "./chain.ts";
export {
  type Domain,
  type DomainDataset,
  type DomainEntry,
  datasetNames,
  domainNames,
  domainTable,
  mainDataset,
} from "./domains.ts";
export { ManifestError, type ManifestErrorCode, manifestErrors } from "./errors.ts";
export { exceedsLimits, manifestLimits } from "./json-limits.ts";
export { manifestJsonSchema } from "./json-schema.ts";
export { readKeySet } from "./key-set.ts";
export { isLater, type LatestPointer, latestPointer, latestText, readLatestPointer } from "./latest.ts";
export type {
  Manifest,
  ManifestDataset,
  ManifestDocument,
  ManifestPart,
  ManifestProfile,
} from "./manifest.ts";
export { checkManifest, readManifest, type SealedManifest, sealManifest } from "./read.ts";
export { mediaTypes } from "./rules.ts";
export {
  type ManifestSignature,
  type ManifestSigningKey,
  signManifest,
  verifyManifest,
} from "./signature.ts";
