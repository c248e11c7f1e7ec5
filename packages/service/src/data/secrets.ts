import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { z } from "zod";
import { parseDataFile, readDataFile } from "./data-error.ts";
import { type DataFolder, readOrCreate, replaceFile } from "./data-folder.ts";
import { checkOf, type Pepper, type Peppers } from "./pepper.ts";
import type { Registry } from "./registry.ts";
import { requireSecrets, requireUnused } from "./registry-dependencies.ts";

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
 * Reads the secrets of the folder, and creates them on the first start. They are not created if the registry depends on secrets that were
 * lost.
 *
 * @throws {DataError} if the registry depends on secrets that are missing
 */
export async function readSecrets(folder: DataFolder): Promise<Secrets> {
  const { secrets: file } = folder;
  const make = async () => {
    await requireUnused(folder, "secrets");
    return textOf({ peppers: [createPepper(1)], skipTokenKey: randomBytes(secretBytes) } satisfies Secrets);
  };
  const secrets = parseDataFile(file, await readOrCreate(file, make), parseSecrets);
  await requireSecrets(folder, secrets);
  return secrets;
}

/**
 * Reads the secrets of the folder, and records in its registry which peppers it is used with. From then on other peppers are refused.
 *
 * @throws {DataError} as {@link readSecrets}
 */
export async function readSecretsOf(
  folder: DataFolder,
  registry: Pick<Registry, "guards">,
): Promise<Secrets> {
  const secrets = await readSecrets(folder);
  await notePeppers(registry, secrets);
  return secrets;
}

/** Records in the registry which peppers it is used with. Call it only with secrets that {@link readSecrets} has accepted. */
export const notePeppers = ({ guards }: Pick<Registry, "guards">, { peppers }: Secrets): Promise<void> =>
  guards.notePeppers(peppers.map(checkOf));

/**
 * Returns a function that returns the current peppers of the folder. It reads the file again only if it was replaced or written to.
 *
 * The returned function throws a {@link DataError} if the file cannot be read.
 */
export function pepperReader({ secrets }: DataFolder): () => Promise<Peppers> {
  let known: { readonly file: string | undefined; readonly peppers: Peppers } | undefined;
  return async () => {
    // The state is taken before the content is read: if the file changes in between, the next call notices and reads it again.
    const file = stateOf(secrets);
    if (known === undefined || file === undefined || known.file !== file)
      known = { file, peppers: (await readDataFile(secrets, parseSecrets)).peppers };
    return known.peppers;
  };
}

/** Returns a text that changes when the file is replaced or written to. Undefined if the file is not accessible. */
function stateOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}

export const writeSecrets = ({ secrets }: DataFolder, content: Secrets): Promise<void> =>
  replaceFile(secrets, textOf(content));

export const createPepper = (version: number): Pepper => ({ version, secret: randomBytes(secretBytes) });

const textOf = ({ peppers, skipTokenKey }: Secrets): string => {
  const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const json = {
    peppers: peppers.map(({ version, secret: bytes }) => ({ version, secret: encoded(bytes) })),
    skipTokenKey: encoded(skipTokenKey),
  };
  return JSON.stringify({ ...json, sha256: hashOf(json) });
};
