import { open, rm } from "node:fs/promises";
import { DataError, parseDataFile } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { withRegistryAudit } from "./registry.ts";
import { requireUnused } from "./registry-dependencies.ts";
import {
  type SecretDocument,
  type SecretPlace,
  type StoredDocument,
  secretDocuments,
} from "./secret-place.ts";

/**
 * Reads a document, and adds it if it does not exist and the registry does not depend on one that was lost. Of several processes that add it
 * at once, one wins.
 *
 * @throws {DataError}
 */
export async function readOrAddDocument<T>(
  folder: DataFolder,
  document: SecretDocument,
  place: SecretPlace,
  parse: (text: string) => T,
  make: () => Promise<string>,
): Promise<T> {
  if (place.kind === "folder") await requireNotSealed(folder, document);
  if (place.kind !== "setting" && (await place.read()) === undefined) {
    await requireUnused(folder, document, place);
    await place.add(await make());
  }
  return readSecretDocument(place, parse);
}

/** Refuses a file while the registry holds the document sealed: it may be of a time before it was changed there. */
async function requireNotSealed(folder: DataFolder, document: SecretDocument): Promise<void> {
  const { name } = secretDocuments[document];
  const sealed = await withRegistryAudit(folder, (audit) => audit.sealedDocuments());
  if (sealed?.includes(name))
    throw new DataError(
      `the registry holds \`${name}\` sealed, and this process has no master key: set CADASTRE_MASTER_KEY_FILE, as on the other nodes`,
    );
}

/**
 * Reads a document that must exist.
 *
 * @throws {DataError}
 */
export async function readSecretDocument<T>(place: SecretPlace, parse: (text: string) => T): Promise<T> {
  const { text } = await readExisting(place);
  return parseDataFile(place.label, text, parse, place.remedy);
}

async function readExisting({ read, label, remedy }: SecretPlace): Promise<StoredDocument> {
  const stored = await read();
  if (stored === undefined) throw new DataError(`${label} cannot be read, for it does not exist: ${remedy}`);
  return stored;
}

/** Shortest time between two looks at the revision in a registry, in milliseconds. */
const lookInterval = 100;

/**
 * Returns a function that returns the current content of a document. It reads and parses it again only if it was changed, by whatever
 * process.
 *
 * The returned function throws a {@link DataError} if the document cannot be read.
 */
export function followDocument<T>(place: SecretPlace, parse: (text: string) => T): () => Promise<T> {
  let known: { readonly state: string | undefined; readonly content: T } | undefined;
  const read = async (): Promise<T> => {
    // The state is taken before the content is read: if the document changes in between, the next call notices and reads it again.
    const state = await place.state();
    if (known === undefined || state === undefined || known.state !== state)
      known = { state, content: await readSecretDocument(place, parse) };
    return known.content;
  };
  if (place.kind !== "registry") return read;
  let looked: { readonly at: number; readonly content: Promise<T> } | undefined;
  return () => {
    const at = performance.now();
    if (looked === undefined || at - looked.at >= lookInterval) {
      const content = read();
      looked = { at, content };
      content.catch(() => {
        looked = undefined;
      });
    }
    return looked.content;
  };
}

/**
 * Replaces a document while no other process does.
 *
 * @throws {DataError} if another process changes it, or it is not for commands to change
 */
export function changeDocument<T>(
  place: SecretPlace,
  update: (text: string) => Promise<{ readonly text: string; readonly result: T }>,
): Promise<T> {
  const change = async () => {
    const stored = await readExisting(place);
    const { text, result } = await update(stored.text);
    if (!(await place.replace(text, stored.revision)))
      throw new DataError(`${place.label} was changed by another command meanwhile: run this one again`);
    return result;
  };
  return place.lockFile === undefined ? change() : alone(place.lockFile, change);
}

/** Calls `work` while holding a lock file. */
async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const handle = await open(lock, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
    throw new DataError(`${lock} says that another rotation is under way: if none is, delete it`, { cause });
  });
  try {
    return await work();
  } finally {
    await handle.close();
    await rm(lock, { force: true });
  }
}
