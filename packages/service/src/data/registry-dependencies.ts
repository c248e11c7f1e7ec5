import { type EncryptedText, openText } from "@cadastre/delivery";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import { type DerivingSecret, sealingKeys } from "./derived-keys.ts";
import { checkOf, type Peppers } from "./pepper.ts";
import { type ServiceAudit, withRegistryAudit } from "./registry.ts";
import { folderPlace, type SecretDocument, type SecretPlace } from "./secret-place.ts";

/*
 * A registry depends on documents of secrets: without them every API key gets 401, entitlements and manifests cannot be verified,
 * and encrypted texts cannot be read. The documents are created with the registry, and not again once it depends on them.
 */

type Secrets = DerivingSecret & { readonly peppers: Peppers };

const restore =
  "copy the file that belongs to this registry from your last backup, or restore the whole backup with `cadastre restore --replace <backup>`";

/** Functions that return the kind of registry content that depends on a document. Undefined if there is none. */
const uses = {
  secrets: async (audit) =>
    (await audit.peppers(0)).length > 0 || (await hasAny(audit.encryptedTexts()))
      ? "API keys or secrets"
      : undefined,
  issuer: async (audit) => ((await hasAny(audit.entitlements())) ? "entitlements" : undefined),
  signingKeys: async (audit) => ((await hasAny(audit.manifests())) ? "deliveries" : undefined),
  publicKeys: async () => undefined,
} as const satisfies Record<SecretDocument, (audit: ServiceAudit) => Promise<string | undefined>>;

/**
 * Refuses to create a document that is missing and that the registry depends on, or whose file is still in the folder if it belongs into the
 * registry.
 *
 * @throws {DataError} names the content of the registry that would be lost
 */
export async function requireUnused(
  folder: DataFolder,
  document: SecretDocument,
  place: SecretPlace,
): Promise<void> {
  const used = await withRegistryAudit(folder, uses[document]);
  const own = folderPlace(folder, document);
  const remedy = place.kind === "registry" ? sealFileRemedy(own) : restore;
  const isFiled = place.kind === "registry" && (await own.read()) !== undefined;
  if (used !== undefined || isFiled)
    throw new DataError(
      `${place.label} does not exist, and ${isFiled ? `${own.label} does` : `${databasesOf(folder).registryName} holds ${used} that depend on it`}: ${remedy}`,
    );
}

const sealFileRemedy = ({ label }: SecretPlace): string =>
  `run \`cadastre secrets seal\` on the machine that has ${label}, with its data folder and the master key`;

/**
 * Refuses secrets that do not belong to the registry: compares the peppers of all keys in force, and decrypts the first encrypted text.
 *
 * @throws {DataError} names the peppers that are missing or have another value, or the text that cannot be decrypted
 */
export async function requireSecrets(
  folder: DataFolder,
  { label, kind, remedy }: SecretPlace,
  secrets: Secrets,
): Promise<void> {
  const faults = await withRegistryAudit(folder, async (audit) => {
    const now = Date.now();
    const faults = [
      ...(await missingPeppers(audit, secrets, now)).map(faultOfPepper),
      ...(await foreignPeppers(audit, secrets, now)).map(faultOfForeignPepper),
    ];
    for await (const text of audit.encryptedTexts()) {
      if (!opens(text, secrets)) faults.push(faultOfText(text));
      break;
    }
    return faults;
  });
  if (faults !== undefined && faults.length > 0)
    throw new DataError(
      `${label} does not belong to this registry: ${faults.join(", ")}: ${kind === "folder" ? restore : remedy}`,
    );
}

type UsedPepper = Awaited<ReturnType<ServiceAudit["peppers"]>>[number];

/** Peppers of keys in force that the secrets do not have. */
export const missingPeppers = async (
  audit: ServiceAudit,
  { peppers }: Secrets,
  at: number,
): Promise<readonly UsedPepper[]> =>
  (await audit.peppers(at)).filter((used) => peppers.every(({ version }) => version !== used.version));

export const faultOfPepper = ({ version, keys }: UsedPepper): string =>
  `it lacks the pepper of version ${version}, with which ${keys} API keys in force were made`;

/** Peppers of keys in force that the secrets have with another value. Registries of earlier versions have no check values. */
export async function foreignPeppers(
  audit: ServiceAudit,
  { peppers }: Secrets,
  at: number,
): Promise<readonly UsedPepper[]> {
  const checks = await audit.pepperChecks();
  const known = new Map(checks.map(({ version, checkValue }) => [version, checkValue]));
  const foreign = peppers
    .map(checkOf)
    .filter(({ version, checkValue }) => (known.get(version) ?? checkValue) !== checkValue);
  return (await audit.peppers(at)).filter((used) => foreign.some(({ version }) => version === used.version));
}

export const faultOfForeignPepper = ({ version, keys }: UsedPepper): string =>
  `its pepper of version ${version} is not the one with which ${keys} API keys in force were made`;

export const faultOfText = ({ kind, owner }: EncryptedText): string =>
  `it cannot decrypt the secret of the ${kind} ${owner}`;

/** True if the secrets decrypt a text that the registry keeps encrypted. */
export function opens({ kind, owner, text }: EncryptedText, secrets: Secrets): boolean {
  try {
    openText(text, owner, sealingKeys[kind](secrets));
    return true;
  } catch {
    return false;
  }
}

/** True if there is an item. Reads no further than the first one. */
export async function hasAny(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of items) return true;
  return false;
}
