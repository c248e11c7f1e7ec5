import { createHash } from "node:crypto";
import type { AuditedManifest } from "@cadastre/delivery";
import { EntitlementError, verifyEntitlement } from "@cadastre/entitlement";
import { ManifestError, verifyManifest } from "@cadastre/manifest";
import type { AuditedEntitlement } from "@cadastre/store/registry";
import { openTrust, type TrustedIssuer } from "../access/trust.ts";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { ServiceAudit } from "../data/registry.ts";
import {
  faultOfForeignPepper,
  faultOfPepper,
  faultOfText,
  foreignPeppers,
  missingPeppers,
  opens,
} from "../data/registry-dependencies.ts";
import { secretPlace } from "../data/secret-place.ts";
import { parseSecrets } from "../data/secrets.ts";
import { readManifestKeys } from "../delivery/signing-keys.ts";
import { checkDemoKeys, checkIssuer } from "./check-demo.ts";
import type { Finding } from "./findings.ts";
import { parseOrFinding } from "./parse-or-finding.ts";

/** Compares the registry with the files that it depends on: peppers, keys and signatures. */
export async function* checkRegistry(
  audit: ServiceAudit,
  folder: DataFolder,
  config: Config,
): AsyncGenerator<Finding> {
  yield* checkSecrets(audit, folder);
  yield* checkIssuer(audit, folder, config);
  yield* checkEntitlements(audit, folder, config);
  yield* checkManifests(audit, folder);
}

/** Compares the secrets with the registry that they belong to. */
export async function* checkSecrets(audit: ServiceAudit, folder: DataFolder): AsyncGenerator<Finding> {
  const { subject, read } = secretPlace(folder, "secrets");
  const secrets = parseOrFinding((await read())?.text, parseSecrets);
  if (typeof secrets === "string") {
    yield { code: secrets, subject, detail: "it cannot be read" };
    return;
  }
  const now = Date.now();
  const missing = await missingPeppers(audit, secrets, now);
  const foreign = await foreignPeppers(audit, secrets, now);
  for (const pepper of missing) yield { code: "pepper_missing", subject, detail: faultOfPepper(pepper) };
  for (const pepper of foreign)
    yield { code: "pepper_foreign", subject, detail: faultOfForeignPepper(pepper) };
  for await (const text of audit.encryptedTexts())
    if (!opens(text, secrets)) yield { code: "secret_unreadable", subject, detail: faultOfText(text) };
  // With wrong peppers, every demo key would be reported as invalid.
  if (missing.length + foreign.length === 0) yield* checkDemoKeys(audit, folder, secrets.peppers);
}

/** Errors that say that a document is not in force now. The document itself is intact. */
const ofTime = ["entitlement_expired", "entitlement_not_yet_valid"];

async function* checkEntitlements(
  audit: ServiceAudit,
  folder: DataFolder,
  config: Config,
): AsyncGenerator<Finding> {
  const entitlements = audit.entitlements();
  let trust: TrustedIssuer | undefined;
  try {
    for await (const entitlement of entitlements) {
      trust ??= await openTrust(config, folder);
      const fault = await faultOfEntitlement(entitlement, trust);
      if (fault !== undefined)
        yield { code: "entitlement_unverifiable", subject: entitlement.customer, detail: fault };
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    yield { code: "file_damaged", subject: "key set", detail: error.message };
  } finally {
    trust?.keys.close();
  }
}

async function faultOfEntitlement(
  { customer, version, jws }: AuditedEntitlement,
  trust: TrustedIssuer,
): Promise<string | undefined> {
  try {
    const { sub, ver } = await verifyEntitlement(jws, { ...trust, now: () => new Date() });
    if (sub !== customer || ver !== version) return "the entitlement is of another customer or version";
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    if (!ofTime.includes(error.code)) return error.message;
  }
  return undefined;
}

async function* checkManifests(audit: ServiceAudit, folder: DataFolder): AsyncGenerator<Finding> {
  let keys: Awaited<ReturnType<typeof readManifestKeys>> | undefined;
  try {
    for await (const manifest of audit.manifests()) {
      const subject = `delivery ${manifest.delivery}`;
      if (!isWhole(manifest)) {
        yield {
          code: "manifest_damaged",
          subject,
          detail: "the manifest does not have the hash that was sealed",
        };
        continue;
      }
      keys ??= await readManifestKeys(folder);
      const fault = await faultOfSignature(manifest, keys);
      if (fault !== undefined) yield { code: "manifest_unverifiable", subject, detail: fault };
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    yield {
      code: "file_damaged",
      subject: secretPlace(folder, "signingKeys").subject,
      detail: error.message,
    };
  }
}

const isWhole = ({ text, sha256, deliverySha256 }: AuditedManifest): boolean =>
  createHash("sha256").update(text).digest("hex") === sha256 && (deliverySha256 ?? sha256) === sha256;

async function faultOfSignature(
  { text, signature }: AuditedManifest,
  keys: Awaited<ReturnType<typeof readManifestKeys>>,
): Promise<string | undefined> {
  try {
    await verifyManifest(Buffer.from(text), JSON.parse(signature), keys);
    return undefined;
  } catch (error) {
    if (error instanceof ManifestError || error instanceof SyntaxError) return error.message;
    throw error;
  }
}
