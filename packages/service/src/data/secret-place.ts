import { statSync } from "node:fs";
import { basename } from "node:path";
import { DataError, fromBackup } from "./data-error.ts";
import { type DataFolder, readIfExists, readOrCreate, replaceFile } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import { SecretText } from "./given-document.ts";
import type { MasterKeys } from "./master-key.ts";
import { type Registry, withRegistry } from "./registry.ts";
import { masterKeyIdOf, openDocument, sealDocument } from "./sealed-document.ts";

/** Documents of secrets, by the member of `DataFolder` that is their file, with their names in the registry. */
export const secretDocuments = {
  secrets: { name: "secrets", setting: "CADASTRE_SECRETS" },
  signingKeys: { name: "signing-keys", setting: "CADASTRE_SIGNING_KEYS" },
  issuer: { name: "issuer", setting: undefined },
  publicKeys: { name: "public-keys", setting: undefined },
} as const satisfies Partial<Record<keyof DataFolder, { name: string; setting: string | undefined }>>;

export type SecretDocument = keyof typeof secretDocuments;

/** Text of a document, and the revision that {@link SecretPlace.replace} must name. */
export type StoredDocument = { readonly text: string; readonly revision: number };

/**
 * Place of one document of secrets.
 *
 * | kind | if | created at the first start | replaced by commands |
 * |---|---|---|---|
 * | `setting` | its setting is set | no | no |
 * | `registry` | a master key is set | yes, sealed, once for all processes | yes |
 * | `folder` | otherwise | yes | yes |
 */
export type SecretPlace = {
  readonly kind: "setting" | "registry" | "folder";
  /** Name of the document in messages: the path of its file, its setting, or its registry. */
  readonly label: string;
  /** Short name of the document in findings of a check. */
  readonly subject: string;
  /** End of a message about a document that is missing or damaged. */
  readonly remedy: string;
  /** @throws {DataError} if the document cannot be decrypted */
  readonly read: () => Promise<StoredDocument | undefined>;
  /** Adds the document, unless it exists. */
  readonly add: (text: string) => Promise<void>;
  /** Replaces the document. Returns false if it has another revision meanwhile. */
  readonly replace: (text: string, revision: number) => Promise<boolean>;
  /** Returns a text that changes when the document does. Undefined if that cannot be told. */
  readonly state: () => Promise<string | undefined>;
  /** File that excludes other changes while it exists. Undefined if `replace` compares revisions. */
  readonly lockFile: string | undefined;
};

type Registered = Pick<Registry, "sealed">;

/** @param registry open registry; without it the registry of the folder is opened for each call */
export function secretPlace(
  folder: DataFolder,
  document: SecretDocument,
  registry?: Registered,
): SecretPlace {
  const { masterKeys, given } = folder.secretSources;
  const { setting } = secretDocuments[document];
  const own = setting === undefined ? undefined : given[document as keyof typeof given];
  if (own !== undefined)
    return own instanceof SecretText
      ? textPlace(own, String(setting))
      : givenFilePlace(own.file, String(setting));
  if (masterKeys === undefined) return folderPlace(folder, document);
  const use = <T>(work: (registry: Registered) => Promise<T>) =>
    registry === undefined ? withRegistry(folder, work) : work(registry);
  return registryPlace(folder, document, masterKeys, use);
}

/** Returns the place of a document in the folder, also if it is kept elsewhere. */
export function folderPlace(folder: DataFolder, document: SecretDocument): SecretPlace {
  const file = folder[document];
  return {
    ...filePlace(file),
    kind: "folder",
    remedy: fromBackup,
    add: async (text) => void (await readOrCreate(file, async () => text)),
    replace: async (text) => {
      await replaceFile(file, text);
      return true;
    },
    lockFile: `${file}.lock`,
  };
}

const filePlace = (file: string) => ({
  label: file,
  subject: basename(file),
  read: async () => {
    const text = await readIfExists(file).catch((cause: NodeJS.ErrnoException) => {
      throw new DataError(`${file} cannot be read: ${fromBackup} (${cause.code})`, { cause });
    });
    return text === undefined ? undefined : { text, revision: 0 };
  },
  state: async () => stateOfFile(file),
});

/** Returns a text that changes when the file is replaced or written to. Undefined if the file is not accessible. */
function stateOfFile(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}

/** Members of a place that only the operator changes. */
function operatorOnly(setting: string) {
  const refuse = async () => {
    throw new DataError(`${setting} is set: change what it gives yourself, on every node`);
  };
  const remedy = `correct what ${setting} gives`;
  return { kind: "setting", remedy, add: refuse, replace: refuse, lockFile: undefined } as const;
}

const givenFilePlace = (file: string, setting: string): SecretPlace => ({
  ...filePlace(file),
  ...operatorOnly(setting),
});

const textPlace = (text: SecretText, setting: string): SecretPlace => ({
  ...operatorOnly(setting),
  label: setting,
  subject: setting,
  read: async () => ({ text: text.reveal(), revision: 0 }),
  state: async () => "",
});

function registryPlace(
  folder: DataFolder,
  document: SecretDocument,
  masterKeys: MasterKeys,
  use: <T>(work: (registry: Registered) => Promise<T>) => Promise<T>,
): SecretPlace {
  const { name } = secretDocuments[document];
  const label = `the sealed \`${name}\` of ${databasesOf(folder).registryName}`;
  return {
    kind: "registry",
    label,
    subject: name,
    remedy: "restore the registry from your last backup",
    read: async () => {
      const stored = await use(({ sealed }) => sealed.find(name));
      return (
        stored && { text: openSealed(label, name, stored.sealed, masterKeys), revision: stored.revision }
      );
    },
    add: (text) => use(({ sealed }) => sealed.add(name, sealDocument(name, text, masterKeys))),
    replace: (text, revision) =>
      use(({ sealed }) => sealed.replace(name, sealDocument(name, text, masterKeys), revision)),
    state: async () => String(await use(({ sealed }) => sealed.revision(name))),
    lockFile: undefined,
  };
}

/** @throws {DataError} says which master key is needed, or that the document is damaged */
function openSealed(label: string, name: string, sealed: string, masterKeys: MasterKeys): string {
  const id = masterKeyIdOf(sealed);
  if (id === undefined) throw new DataError(`${label} was written by a later version: start that version`);
  const key = masterKeys.find((known) => known.id === id);
  if (key === undefined) {
    const given = masterKeys.map((known) => known.id).join(", ");
    throw new DataError(
      `${label} needs the master key ${id}, and this process has ${given}: set CADASTRE_MASTER_KEY_FILE or CADASTRE_MASTER_KEY to that key. To change the master key, give the earlier one on a second line until \`cadastre secrets seal\` has run`,
    );
  }
  try {
    return openDocument(name, sealed, key);
  } catch {
    // The cause is left out: it tells no more.
    throw new DataError(`${label} is damaged: restore the registry from your last backup`);
  }
}
