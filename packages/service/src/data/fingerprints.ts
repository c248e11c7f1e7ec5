import { createHash, createHmac } from "node:crypto";
import { DataError } from "./data-error.ts";
import type { DerivingSecret } from "./derived-keys.ts";
import type { Registry } from "./registry.ts";
import type { SecretPlace } from "./secret-place.ts";

/*
 * The registry records a fingerprint of each secret that all nodes must have in common: it identifies the secret without disclosing it. The
 * first node records its own, and a node with another one refuses to start. Peppers have check values of their own.
 */

/** Names of the fingerprints in the registry. */
const fingerprintNames = { skipTokenKey: "skip-token-key", signingKey: "signing-key" } as const;

type Guarded = Pick<Registry, "guards">;

/** Public part of a key that signs manifests. */
export type PublicSigningKey = { readonly kid: string; readonly x: string };

const skipTokenFingerprint = ({ skipTokenKey }: DerivingSecret): string =>
  createHmac("sha256", skipTokenKey).update("cadastre skip token key fingerprint 1").digest("hex");

/** The key id is readable, so that a message can name it. */
const signingFingerprint = ({ kid, x }: PublicSigningKey): string =>
  `${kid} ${createHash("sha256").update(x).digest("hex")}`;

const remedy = (setting: string) =>
  `give every node the same, by ${setting} or a master key; if the change is meant, stop the other nodes and run \`cadastre secrets adopt\` here`;

/**
 * Requires the key of skip tokens that the registry is used with.
 *
 * @throws {DataError}
 */
export async function requireSameSkipTokenKey(
  { guards }: Guarded,
  { label }: Pick<SecretPlace, "label">,
  secrets: DerivingSecret,
): Promise<void> {
  const own = skipTokenFingerprint(secrets);
  if ((await guards.fingerprint(fingerprintNames.skipTokenKey, own)) === own) return;
  throw new DataError(
    `${label} has another key of skip tokens than the nodes that this registry is used with: ${remedy("CADASTRE_SECRETS")}`,
  );
}

/**
 * Requires that this node publishes the key that signs manifests on the other nodes, and records the key that signs here. So a new key is first
 * added after the current one on every node, and then put before it.
 *
 * @param keys the first one signs
 * @throws {DataError}
 */
export async function requireSameSigningKey(
  { guards }: Guarded,
  { label }: Pick<SecretPlace, "label">,
  keys: readonly [PublicSigningKey, ...PublicSigningKey[]],
): Promise<void> {
  const [own, ...others] = keys.map(signingFingerprint);
  if (own === undefined) return;
  const recorded = await guards.fingerprint(fingerprintNames.signingKey, own);
  if (recorded === own) return;
  if (!others.includes(recorded)) {
    const [kid] = recorded.split(" ", 1);
    throw new DataError(
      `${label} lacks the key \`${kid}\`, which signs manifests of this registry: ${remedy("CADASTRE_SIGNING_KEYS")}`,
    );
  }
  await guards.replaceFingerprint(fingerprintNames.signingKey, own);
}

/** Records the secrets of this node as those of the registry. */
export async function adoptFingerprints(
  { guards }: Guarded,
  secrets: DerivingSecret,
  signing: PublicSigningKey,
): Promise<void> {
  await guards.replaceFingerprint(fingerprintNames.skipTokenKey, skipTokenFingerprint(secrets));
  await guards.replaceFingerprint(fingerprintNames.signingKey, signingFingerprint(signing));
}
