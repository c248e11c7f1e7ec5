import { canonicalBytes, canonicalText, sha256, type UnsharedBytes } from "./canonical.ts";
import { ManifestError } from "./errors.ts";
import { exceedsLimits } from "./json-limits.ts";
import { type Manifest, manifestShape } from "./manifest.ts";
import { rules } from "./rules.ts";

/** A manifest with its canonical bytes. These are what is stored, hashed, signed and served; they are never serialized anew. */
export type SealedManifest = {
  readonly manifest: Manifest;
  readonly bytes: UnsharedBytes;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
};

/**
 * Validates a value as a manifest, by schema and rules. Unknown members are dropped.
 *
 * @throws {ManifestError} with the first failure and its path
 */
export function checkManifest(value: unknown): Manifest {
  const version =
    typeof value === "object" && value !== null && "schemaVersion" in value && value.schemaVersion;
  if (version !== 2) throw new ManifestError("manifest_schema_version", { path: "/schemaVersion" });
  const result = manifestShape.safeParse(value);
  if (!result.success) {
    const path = result.error.issues[0]?.path.map((step) => `/${String(step)}`).join("") ?? "";
    throw new ManifestError("manifest_invalid", { path });
  }
  for (const { code, faults } of rules)
    for (const path of faults(result.data)) throw new ManifestError(code, { path });
  return result.data;
}

/**
 * Parses the bytes of a manifest, which must be canonical, and validates it.
 *
 * @throws {ManifestError}
 */
export function readManifest(bytes: Uint8Array): Manifest {
  const { text, value } = decode(bytes);
  if (canonicalText(value) !== text) throw new ManifestError("manifest_not_canonical");
  return checkManifest(value);
}

/**
 * Returns a manifest with its canonical bytes and their hash.
 *
 * @throws {ManifestError} if it is not valid
 */
export async function sealManifest(manifest: Manifest): Promise<SealedManifest> {
  const bytes = canonicalBytes(manifest);
  return { manifest: readManifest(bytes), bytes, sha256: await sha256(bytes) };
}

function decode(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  if (exceedsLimits(bytes)) throw new ManifestError("manifest_too_large");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new ManifestError("manifest_not_json");
  }
}
