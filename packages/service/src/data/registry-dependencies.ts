import { statSync } from "node:fs";
import { openText, type SealedText } from "@cadastre/delivery";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { type DerivingSecret, sealingKeys } from "./derived-keys.ts";
import { checkOf, type Peppers } from "./pepper.ts";
import { auditRegistry, type ServiceAudit } from "./registry.ts";

/*
 * A registry depends on other files of its folder: without them every API key gets 401, entitlements and manifests cannot be verified,
 * and encrypted texts cannot be read. The files are created with the registry, and not again once it depends on them.
 */

type Secrets = DerivingSecret & { readonly peppers: Peppers };

const restore =
  "copy the file that belongs to this registry from your last backup, or restore the whole backup with `cadastre restore --replace`";

/** Functions by file that return the kind of registry content that depends on the file. Undefined if there is none. */
const uses = {
  secrets: (audit) =>
    audit.peppers(0).length > 0 || first(audit.sealedTexts()) !== undefined
      ? "API keys or secrets"
      : undefined,
  issuer: (audit) => (first(audit.entitlements()) === undefined ? undefined : "entitlements"),
  signingKeys: (audit) => (first(audit.manifests()) === undefined ? undefined : "deliveries"),
} as const satisfies Partial<Record<keyof DataFolder, (audit: ServiceAudit) => string | undefined>>;

/**
 * Refuses to create a file that is missing and that the registry depends on.
 *
 * @throws {DataError} names the content of the registry that would be lost
 */
export function requireUnused(folder: DataFolder, file: keyof typeof uses): void {
  const used = withAudit(folder, uses[file]);
  if (used !== undefined)
    throw new DataError(
      `${folder[file]} does not exist, and ${folder.registry} holds ${used} that depend on it: ${restore}`,
    );
}

/**
 * Refuses secrets that do not belong to the registry.
 *
 * @throws {DataError} names the peppers that are missing or have another value
 */
export function requireSecrets(folder: DataFolder, secrets: Secrets): void {
  const faults = withAudit(folder, (audit) => {
    const lost = first(audit.sealedTexts());
    return [
      ...missingPeppers(audit, secrets, Date.now()).map(faultOfPepper),
      ...foreignPeppers(audit, secrets, Date.now()).map(faultOfForeignPepper),
      ...(lost === undefined || opens(lost, secrets) ? [] : [faultOfText(lost)]),
    ];
  });
  if (faults !== undefined && faults.length > 0)
    throw new DataError(
      `${folder.secrets} does not belong to this registry: ${faults.join(", ")}: ${restore}`,
    );
}

type UsedPepper = ReturnType<ServiceAudit["peppers"]>[number];

/** Peppers of keys in force that the secrets do not have. */
export const missingPeppers = (
  audit: ServiceAudit,
  { peppers }: Secrets,
  at: number,
): readonly UsedPepper[] =>
  audit.peppers(at).filter((used) => peppers.every(({ version }) => version !== used.version));

export const faultOfPepper = ({ version, keys }: UsedPepper): string =>
  `it lacks the pepper of version ${version}, with which ${keys} API keys in force were made`;

/** Peppers of keys in force that the secrets have with another value. Registries of earlier versions have no check values. */
export function foreignPeppers(audit: ServiceAudit, { peppers }: Secrets, at: number): readonly UsedPepper[] {
  const known = new Map(audit.pepperChecks().map(({ version, checkValue }) => [version, checkValue]));
  const foreign = peppers
    .map(checkOf)
    .filter(({ version, checkValue }) => (known.get(version) ?? checkValue) !== checkValue);
  return audit.peppers(at).filter((used) => foreign.some(({ version }) => version === used.version));
}

export const faultOfForeignPepper = ({ version, keys }: UsedPepper): string =>
  `its pepper of version ${version} is not the one with which ${keys} API keys in force were made`;

export const faultOfText = ({ kind, owner }: SealedText): string =>
  `it cannot decrypt the secret of the ${kind} ${owner}`;

/** True if the secrets decrypt a text that the registry keeps encrypted. */
export function opens({ kind, owner, text }: SealedText, secrets: Secrets): boolean {
  try {
    openText(text, owner, sealingKeys[kind](secrets));
    return true;
  } catch {
    return false;
  }
}

const first = <Item>(items: Iterable<Item>): Item | undefined => {
  for (const item of items) return item;
  return undefined;
};

/** Reads the registry of the folder without migrating it. Returns undefined if there is none. */
function withAudit<T>({ registry }: DataFolder, read: (audit: ServiceAudit) => T): T | undefined {
  if (statSync(registry, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const audit = auditRegistry(registry);
  try {
    return read(audit);
  } finally {
    audit.close();
  }
}
