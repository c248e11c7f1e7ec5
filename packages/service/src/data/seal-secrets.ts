import { rm } from "node:fs/promises";
import { z } from "zod";
import { DataError, parseDataFile } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { requireSameSigningKey, requireSameSkipTokenKey } from "./fingerprints.ts";
import type { Registry } from "./registry.ts";
import { requireSecrets } from "./registry-dependencies.ts";
import { masterKeyIdOf } from "./sealed-document.ts";
import { changeDocument } from "./secret-document.ts";
import {
  folderPlace,
  type SecretDocument,
  type SecretPlace,
  secretDocuments,
  secretPlace,
} from "./secret-place.ts";
import { parseSecrets } from "./secrets.ts";

type Registered = Pick<Registry, "sealed" | "guards">;

const documents = Object.keys(secretDocuments) as readonly SecretDocument[];

/** Place of a document of secrets. */
export type ListedSecret = {
  readonly document: string;
  /** Kind of the place; `none` if the document does not exist. */
  readonly place: "setting" | "registry" | "folder" | "none";
  readonly label: string;
};

export const listSecrets = (folder: DataFolder, registry: Registered): Promise<readonly ListedSecret[]> =>
  Promise.all(
    documents.map(async (document) => {
      const { kind, label, read } = secretPlace(folder, document, registry);
      const place = (await read()) === undefined ? "none" : kind;
      return { document: secretDocuments[document].name, place, label };
    }),
  );

/** Names of documents, and paths of files. */
export type Sealing = {
  readonly sealed: readonly string[];
  readonly resealed: readonly string[];
  readonly deleted: readonly string[];
  /** Files that are no longer read. */
  readonly left: readonly string[];
};

/**
 * Adds the documents in the files of a folder to the registry, unless it has them, and seals those that it has anew if they were sealed under
 * another than the first master key.
 *
 * @throws {DataError} if the files do not belong to the registry, or differ from what it has
 */
export async function sealSecrets(
  folder: DataFolder,
  registry: Registered,
  { deletes }: { readonly deletes: boolean },
): Promise<Sealing> {
  const sealing = {
    sealed: [] as string[],
    resealed: [] as string[],
    deleted: [] as string[],
    left: [] as string[],
  };
  for (const document of documents) {
    const { name } = secretDocuments[document];
    const place = secretPlace(folder, document, registry);
    if (place.kind !== "registry") continue;
    const file = folderPlace(folder, document);
    const filed = await file.read();
    if (filed !== undefined && (await place.read()) === undefined) {
      await requireOwn[document](folder, registry, file, filed.text);
      await place.add(filed.text);
      sealing.sealed.push(name);
    } else if (await reseal(folder, document, registry)) sealing.resealed.push(name);
    if (filed === undefined) continue;
    if (deletes) await deleteFile(file.label, filed.text, place);
    sealing[deletes ? "deleted" : "left"].push(file.label);
  }
  return sealing;
}

type RequireOwn = (
  folder: DataFolder,
  registry: Registered,
  file: SecretPlace,
  text: string,
) => Promise<void>;

const keySet = z.object({
  keys: z.tuple([z.object({ kid: z.string(), x: z.string() })], z.object({ kid: z.string(), x: z.string() })),
});

/** Functions that require the content of a file to belong to the registry. */
const requireOwn: Readonly<Record<SecretDocument, RequireOwn>> = {
  secrets: async (folder, registry, file, text) => {
    const secrets = parseDataFile(file.label, text, parseSecrets);
    await requireSecrets(folder, file, secrets);
    await requireSameSkipTokenKey(registry, file, secrets);
  },
  signingKeys: async (_, registry, file, text) => {
    const { keys } = parseDataFile(file.label, text, (content) => keySet.parse(JSON.parse(content)));
    await requireSameSigningKey(registry, file, keys);
  },
  issuer: async () => {},
  publicKeys: async () => {},
};

/** Deletes a file if the registry has its content. */
async function deleteFile(path: string, text: string, place: SecretPlace): Promise<void> {
  if ((await place.read())?.text !== text)
    throw new DataError(
      `${path} differs from ${place.label}, which is in force: move the file away if you do not need it`,
    );
  await rm(path);
}

/** Seals a document of the registry under the first master key. Returns false if it was, or does not exist. */
async function reseal(folder: DataFolder, document: SecretDocument, registry: Registered): Promise<boolean> {
  const place = secretPlace(folder, document, registry);
  if ((await place.read()) === undefined) return false;
  const row = await registry.sealed.find(secretDocuments[document].name);
  if (row === undefined || masterKeyIdOf(row.sealed) === folder.secretSources.masterKeys?.[0].id)
    return false;
  return changeDocument(place, async (text) => ({ text, result: true }));
}
