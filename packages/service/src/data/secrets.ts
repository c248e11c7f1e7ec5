import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { z } from "zod";
import { checkOf, type Pepper, type Peppers } from "../access/pepper.ts";
import { parseDataFile, readDataFile } from "./data-error.ts";
import { type DataFolder, readOrCreate, writeAtomically } from "./data-folder.ts";
import type { Registry } from "./registry.ts";
import { requireSecrets, requireUnused } from "./registry-needs.ts";

const secretBytes = 32;
const secret = z
  .string()
  .regex(/^[\w-]{43}$/)
  .transform((text): Uint8Array => Buffer.from(text, "base64url"));
const pepper = z.strictObject({ version: z.int().positive(), secret });
const schema = z.strictObject({
  /** The current one first, and its version the highest. */
  peppers: z
    .tuple([pepper], pepper)
    .refine((peppers) => peppers.every(({ version }, i) => version < (peppers[i - 1]?.version ?? Infinity))),
  skipTokenKey: secret,
  /** Of the JSON text of the other members: a changed digit would lock out every key. Files of earlier versions have none. */
  sha256: z.string().optional(),
});

/** Secrets of 32 bytes that a running service needs. */
export type Secrets = { readonly peppers: Peppers; readonly skipTokenKey: Uint8Array };

/** @throws for a text that does not hold secrets */
export function parseSecrets(text: string): Secrets {
  const json: unknown = JSON.parse(text);
  const { sha256, ...secrets } = schema.parse(json);
  const { sha256: _, ...others } = json as z.input<typeof schema>;
  if (sha256 !== undefined && sha256 !== hashOf(others)) throw new RangeError("the secrets were changed");
  return secrets;
}

const hashOf = (json: object): string => createHash("sha256").update(JSON.stringify(json)).digest("hex");

/**
 * Reads the secrets of the folder. The first start creates them; they are never created for a registry that depends on others.
 *
 * @throws {DataError} if the registry depends on secrets that are missing
 */
export async function readSecrets(folder: DataFolder): Promise<Secrets> {
  const { secrets: file } = folder;
  const make = async () => {
    requireUnused(folder, "secrets");
    return textOf({ peppers: [createPepper(1)], skipTokenKey: randomBytes(secretBytes) } satisfies Secrets);
  };
  const secrets = parseDataFile(file, await readOrCreate(file, make), parseSecrets);
  requireSecrets(folder, secrets);
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
 * Reads the peppers as they are in the folder now. The file is read again when it is another one, or was written to.
 *
 * @throws {DataError} when it is asked, if they cannot be read
 */
export function pepperReader({ secrets }: DataFolder): () => Promise<Peppers> {
  let known: { readonly file: string | undefined; readonly peppers: Peppers } | undefined;
  return async () => {
    // Looked at before it is read: of what comes between the two the next one knows nothing, and reads again.
    const file = stateOf(secrets);
    if (known === undefined || file === undefined || known.file !== file)
      known = { file, peppers: (await readDataFile(secrets, parseSecrets)).peppers };
    return known.peppers;
  };
}

/** What tells a file from another one of its name, and from what it was before; undefined if it cannot be looked at. */
function stateOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}

export const writeSecrets = ({ secrets }: DataFolder, content: Secrets): Promise<void> =>
  writeAtomically(secrets, textOf(content));

export const createPepper = (version: number): Pepper => ({ version, secret: randomBytes(secretBytes) });

const textOf = ({ peppers, skipTokenKey }: Secrets): string => {
  const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const json = {
    peppers: peppers.map(({ version, secret: bytes }) => ({ version, secret: encoded(bytes) })),
    skipTokenKey: encoded(skipTokenKey),
  };
  return JSON.stringify({ ...json, sha256: hashOf(json) });
};
