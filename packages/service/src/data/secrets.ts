import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { DataFolder } from "./data-folder.ts";
import { requireSameSkipTokenKey } from "./fingerprints.ts";
import { checkOf, type Pepper, type Peppers } from "./pepper.ts";
import type { Registry } from "./registry.ts";
import { requireSecrets } from "./registry-dependencies.ts";
import { followDocument, readOrAddDocument } from "./secret-document.ts";
import { secretPlace } from "./secret-place.ts";

const secretBytes = 32;
const secret = z
  .string()
  .regex(/^[\w-]{43}$/)
  .transform((text): Uint8Array => Buffer.from(text, "base64url"));
const pepper = z.strictObject({ version: z.int().positive(), secret });
const schema = z.strictObject({
  /** In descending order of version. The first one is current. */
  peppers: z
    .tuple([pepper], pepper)
    .refine((peppers) => peppers.every(({ version }, i) => version < (peppers[i - 1]?.version ?? Infinity))),
  skipTokenKey: secret,
  /**
   * SHA-256 of the JSON text of the other members. It detects damage: with a changed pepper no API key would be found. Files of earlier
   * versions have none.
   */
  sha256: z.string().optional(),
});

/** Secrets of 32 bytes that a running service needs. */
export type Secrets = { readonly peppers: Peppers; readonly skipTokenKey: Uint8Array };

/** @throws if the text is not the content of a file of secrets */
export function parseSecrets(text: string): Secrets {
  const json: unknown = JSON.parse(text);
  const { sha256, ...secrets } = schema.parse(json);
  const { sha256: _, ...others } = json as z.input<typeof schema>;
  if (sha256 !== undefined && sha256 !== hashOf(others)) throw new RangeError("the secrets were changed");
  return secrets;
}

const hashOf = (json: object): string => createHash("sha256").update(JSON.stringify(json)).digest("hex");

/**
 * Reads the secrets, and creates them on the first start. They are not created if the registry depends on secrets that were lost.
 *
 * @param registry open registry; without it the registry of the folder is opened where the secrets are in it
 * @throws {DataError} if the registry depends on secrets that are missing
 */
export async function readSecrets(folder: DataFolder, registry?: Pick<Registry, "sealed">): Promise<Secrets> {
  const place = secretPlace(folder, "secrets", registry);
  const make = async () =>
    secretsText({ peppers: [createPepper(1)], skipTokenKey: randomBytes(secretBytes) } satisfies Secrets);
  const secrets = await readOrAddDocument(folder, "secrets", place, parseSecrets, make);
  await requireSecrets(folder, place, secrets);
  return secrets;
}

/**
 * Reads the secrets, and records in the registry with which ones it is used. From then on others are refused.
 *
 * @throws {DataError} as {@link readSecrets}; if the registry is used with others
 */
export async function readSecretsOf(
  folder: DataFolder,
  registry: Pick<Registry, "guards" | "sealed">,
): Promise<Secrets> {
  const secrets = await readSecrets(folder, registry);
  await requireSameSkipTokenKey(registry, secretPlace(folder, "secrets", registry), secrets);
  await registry.guards.notePeppers(secrets.peppers.map(checkOf));
  return secrets;
}

/**
 * Returns a function that returns the current peppers, which another process may change.
 *
 * The returned function throws a {@link DataError} if they cannot be read.
 */
export function pepperReader(
  folder: DataFolder,
  registry?: Pick<Registry, "sealed">,
): () => Promise<Peppers> {
  const read = followDocument(secretPlace(folder, "secrets", registry), parseSecrets);
  return async () => (await read()).peppers;
}

export const createPepper = (version: number): Pepper => ({ version, secret: randomBytes(secretBytes) });

/** Returns the text of the document. */
export const secretsText = ({ peppers, skipTokenKey }: Secrets): string => {
  const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const json = {
    peppers: peppers.map(({ version, secret: bytes }) => ({ version, secret: encoded(bytes) })),
    skipTokenKey: encoded(skipTokenKey),
  };
  return JSON.stringify({ ...json, sha256: hashOf(json) });
};
