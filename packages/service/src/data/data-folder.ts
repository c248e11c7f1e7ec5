import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { GivenDocument } from "./given-document.ts";
import type { MasterKeys } from "./master-key.ts";

/** A PostgreSQL database, and how it is used. */
export type PostgresAddress = {
  readonly url: string;
  /** Standbys to read from, see `PostgresStoreOptions.replicas`. */
  readonly readUrls?: readonly string[] | undefined;
  /** Number of connections that read, see `PostgresStoreOptions`. */
  readonly connections?: number;
  readonly statements?: "named" | "unnamed";
};

/** Secrets that do not come from files of the data folder. */
export type SecretSources = {
  /** Keys of the secrets that are sealed in the registry. Undefined if none are. */
  readonly masterKeys: MasterKeys | undefined;
  /** Documents that settings give. */
  readonly given: {
    readonly secrets?: GivenDocument | undefined;
    readonly signingKeys?: GivenDocument | undefined;
  };
};

const noSources: SecretSources = { masterKeys: undefined, given: {} };

/** Paths of the data folder, which has all persistent data of the service. */
export type DataFolder = {
  readonly path: string;
  /** The PostgreSQL database that has the listings and the registry. Undefined if they are files of the folder. */
  readonly postgres: PostgresAddress | undefined;
  readonly secretSources: SecretSources;
  readonly database: string;
  /** API keys and signed entitlements, see `Registry`. */
  readonly registry: string;
  /** Peppers of the API keys and key of the skip tokens. */
  readonly secrets: string;
  /** Private key of the demo's issuer. It is read when the demo is prepared, and never to serve requests. */
  readonly issuer: string;
  /** Public keys that entitlements are verified with. */
  readonly publicKeys: string;
  /** Private keys that manifests are signed with. */
  readonly signingKeys: string;
  /** Folder for the copies of databases that are about to be migrated. */
  readonly backups: string;
  /** Default folder of the parts of deliveries. */
  readonly exports: string;
  /** The demo's keys in plain text, for the person who tries the service. */
  readonly demo: string;
  /** Audit trail. It is not part of a backup, and a restore does not change it. */
  readonly audit: string;
  /** When the databases were last checked, and what their files were like then, see `takeWholeStop`. */
  readonly checked: string;
  /** Locked by every program that uses the folder, see `useFolder`. */
  readonly lock: string;
};

// Names of the databases in the folder.
export const databaseName = "listings.sqlite";
export const registryName = "registry.sqlite";

/** Name of the audit trail in the data folder, and in the folder of an issuer's private key. */
export const auditName = "audit.jsonl";

/**
 * Returns the data folder at `path`. Creates it if it does not exist, readable only by its owner. With databases in PostgreSQL it need not be
 * possible to create it: what needs a file in it says so.
 */
export async function openDataFolder(
  path: string,
  postgres?: PostgresAddress,
  sources?: SecretSources,
): Promise<DataFolder> {
  const folder = dataFolderAt(path, postgres, sources);
  await mkdir(folder.path, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (postgres === undefined || !notWritable.has(error.code ?? "")) throw error;
  });
  return folder;
}

/** Settings of a data folder, of its databases and of its secrets. */
type FolderSettings = {
  readonly dataFolder: string;
  readonly postgres: PostgresAddress | undefined;
  readonly secretSources: SecretSources;
};

/** Returns the data folder of the settings, which need not exist. */
export const configuredFolder = ({ dataFolder, postgres, secretSources }: FolderSettings): DataFolder =>
  dataFolderAt(dataFolder, postgres, secretSources);

/** Returns the data folder of the settings, as {@link openDataFolder} does. */
export const openConfiguredFolder = ({
  dataFolder,
  postgres,
  secretSources,
}: FolderSettings): Promise<DataFolder> => openDataFolder(dataFolder, postgres, secretSources);

/** Codes of a folder that cannot be created because a folder above it is read-only. */
const notWritable: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

/** Returns the paths of a data folder at `path`, which need not exist. */
export function dataFolderAt(
  path: string,
  postgres?: PostgresAddress,
  secretSources: SecretSources = noSources,
): DataFolder {
  const absolute = resolve(path);
  const file = (name: string) => join(absolute, name);
  return {
    path: absolute,
    postgres,
    secretSources,
    database: file(databaseName),
    registry: file(registryName),
    secrets: file("secrets.json"),
    issuer: file("issuer.json"),
    publicKeys: file("public-keys.json"),
    signingKeys: file("signing-keys.json"),
    backups: file("backups"),
    exports: file("exports"),
    demo: file("demo.json"),
    audit: file(auditName),
    checked: file("checked.json"),
    lock: file("lock"),
  };
}

export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file atomically: a reader sees the old or the new text. Only the owner can read it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await rename(await writeBeside(file, text), file);
}

/** Returns the text of a file. Creates it with the text of `make` if it does not exist; if several processes do so at once, one wins. */
export async function readOrCreate(file: string, make: () => Promise<string>): Promise<string> {
  const known = await readIfExists(file);
  if (known !== undefined) return known;
  const made = await writeBeside(file, await make());
  try {
    await link(made, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(made, { force: true });
  }
  return readFile(file, "utf8");
}

/** Writes a new file next to `file`, flushes it to the disk, and returns its path. */
async function writeBeside(file: string, text: string): Promise<string> {
  const beside = `${file}.${randomUUID()}.new`;
  const handle = await open(beside, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return beside;
}
