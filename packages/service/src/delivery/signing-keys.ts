import { generateKeyPair } from "@cadastre/entitlement";
import { type ManifestSigningKey, readKeySet } from "@cadastre/manifest";
import { z } from "zod";
import { parseDataFile } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { requireSameSigningKey } from "../data/fingerprints.ts";
import type { Registry } from "../data/registry.ts";
import {
  changeDocument,
  followDocument,
  readOrAddDocument,
  readSecretDocument,
} from "../data/secret-document.ts";
import { type SecretPlace, secretPlace } from "../data/secret-place.ts";

/** A private Ed25519 key. Source: RFC 8037, section 2. */
const key = z.object({
  kid: z.string(),
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});

/** The first key signs. The others are published, to verify manifests of earlier or later times. */
const schema = z.object({ keys: z.tuple([key], key) });

type PrivateKeys = z.output<typeof schema>["keys"];

/** Keys that sign and verify manifests. */
type SigningKeys = {
  readonly signing: ManifestSigningKey;
  /** JWKS of all public keys, as JSON text. */
  readonly published: string;
};

/** Returns the current keys, which another process may change. */
export type FollowSigningKeys = () => Promise<SigningKeys>;

type Registered = Pick<Registry, "guards" | "sealed">;

/**
 * Opens the keys that sign manifests, which are created on the first start, and records in the registry which one signs.
 *
 * @throws {DataError} if they do not have the key that signs on the other nodes
 */
export async function openSigningKeys(folder: DataFolder, registry: Registered): Promise<FollowSigningKeys> {
  const place = secretPlace(folder, "signingKeys", registry);
  await requireSameSigningKey(registry, place, await readPrivateKeys(folder, place));
  return followDocument(place, (text) => toSigningKeys(parse(text)));
}

/** Reads the private keys, and creates them on the first start. The first one signs. */
export const readPrivateKeys = (folder: DataFolder, place: SecretPlace): Promise<PrivateKeys> =>
  readOrAddDocument(folder, "signingKeys", place, parse, async () => textOf([await createKey()]));

/**
 * Reads the public keys that verify manifests. Does not create missing ones.
 *
 * @throws {DataError}
 */
export const readManifestKeys = async (folder: DataFolder): Promise<ReturnType<typeof readKeySet>> =>
  publicSetOf(await readSecretDocument(secretPlace(folder, "signingKeys"), parse));

/** Result of {@link rotateSigningKey}: ids of keys. */
export type SigningKeyRotation = { readonly current: string; readonly earlier: readonly string[] };

/**
 * Creates a key and makes it the one that signs. It is published first, and signs after `published` has resolved, so that no node signs with
 * a key that another one does not publish yet. Earlier keys stay published.
 *
 * @param published waits until every node publishes the new key
 * @throws {DataError}
 */
export async function rotateSigningKey(
  folder: DataFolder,
  registry: Registered,
  published: () => Promise<void>,
): Promise<SigningKeyRotation> {
  const place = secretPlace(folder, "signingKeys", registry);
  await readPrivateKeys(folder, place);
  const added = await createKey();
  const change = (update: (keys: PrivateKeys) => PrivateKeys): Promise<PrivateKeys> =>
    changeDocument(place, async (text) => {
      const keys = update(parseDataFile(place.label, text, parse, place.remedy));
      return { text: textOf(keys), result: keys };
    });
  await change((keys) => [...keys, added]);
  await published();
  const keys = await change((known) => [added, ...known.filter(({ kid }) => kid !== added.kid)]);
  await requireSameSigningKey(registry, place, keys);
  return { current: added.kid, earlier: keys.slice(1).map(({ kid }) => kid) };
}

const toSigningKeys = (keys: PrivateKeys): SigningKeys => {
  const [privateKey] = keys;
  return { signing: { privateKey, kid: privateKey.kid }, published: JSON.stringify(publicSetOf(keys)) };
};

const publicSetOf = (keys: PrivateKeys) =>
  readKeySet({ keys: keys.map(({ kid, kty, crv, x }) => ({ kid, kty, crv, x })) });

const createKey = async () => key.parse((await generateKeyPair()).privateKey);

const textOf = (keys: PrivateKeys): string => JSON.stringify({ keys });

const parse = (text: string): PrivateKeys => schema.parse(JSON.parse(text)).keys;
