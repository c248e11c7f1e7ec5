import { generateKeyPair } from "@cadastre/entitlement";
import { type ManifestSigningKey, readKeySet } from "@cadastre/manifest";
import { z } from "zod";
import type { Config } from "../config.ts";
import { parseDataFile, readDataFile } from "../data/data-error.ts";
import { type DataFolder, readOrCreate } from "../data/data-folder.ts";
import { requireUnused } from "../data/registry-dependencies.ts";

/** A private Ed25519 key. Source: RFC 8037, section 2. */
const key = z.object({
  kid: z.string(),
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});

/** The first key signs. The others still verify earlier manifests. */
const schema = z.object({ keys: z.tuple([key], key) });

/** Keys that sign and verify manifests. */
export type SigningKeys = {
  readonly signing: ManifestSigningKey;
  /** JWKS of all public keys, as JSON text. */
  readonly published: string;
};

/**
 * Reads the keys of the file in the settings, or else those of the data folder, which are created on the first start.
 *
 * @throws {DataError}
 */
export async function readSigningKeys(
  { signingKeys }: Pick<Config, "signingKeys">,
  folder: DataFolder,
): Promise<SigningKeys> {
  const file = folder.signingKeys;
  const make = async () => {
    await requireUnused(folder, "signingKeys");
    return JSON.stringify({ keys: [(await generateKeyPair()).privateKey] });
  };
  const { keys } =
    signingKeys === undefined
      ? parseDataFile(file, await readOrCreate(file, make), parse)
      : await readDataFile(signingKeys, parse);
  const [privateKey] = keys;
  return { signing: { privateKey, kid: privateKey.kid }, published: JSON.stringify(publicSetOf(keys)) };
}

/**
 * Reads the public keys that verify manifests. Does not create missing ones.
 *
 * @throws {DataError}
 */
export const readManifestKeys = async (
  { signingKeys }: Pick<Config, "signingKeys">,
  folder: DataFolder,
): Promise<ReturnType<typeof readKeySet>> =>
  publicSetOf((await readDataFile(signingKeys ?? folder.signingKeys, parse)).keys);

const publicSetOf = (keys: readonly z.output<typeof key>[]) => readKeySet({ keys: keys.map(publicKeyOf) });

const publicKeyOf = ({ kid, kty, crv, x }: z.output<typeof key>) => ({ kid, kty, crv, x });

const parse = (text: string) => schema.parse(JSON.parse(text));
