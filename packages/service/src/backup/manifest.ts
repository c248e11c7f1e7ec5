import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { DataError } from "../data/data-error.ts";
import { fileReason } from "../file-error.ts";
import { release } from "../release.ts";
import { hashFile } from "./copy-file.ts";

// The manifest of a backup has the hash of the list of files.
const manifestName = "backup.json";
export const listName = "files.jsonl";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A relative path within the backup. */
const path = z
  .string()
  .regex(/^[\w.-]+(\/[\w.-]+)*$/)
  .refine((text) => !text.split("/").includes(".."));

/** A file of the backup, or a part that the registry lists and that could not be copied. */
const listed = z.union([
  z.strictObject({ path, bytes: z.int().min(0), sha256 }),
  z.strictObject({ path, missing: z.enum(["absent", "damaged"]), delivery: z.string() }),
]);

export type ListedFile = z.output<typeof listed>;
export type BackedUpFile = Extract<ListedFile, { readonly bytes: number }>;
export type MissingPart = Extract<ListedFile, { readonly missing: string }>;

const content = z.strictObject({
  format: z.literal("cadastre-backup"),
  version: z.literal(1),
  made: z.iso.datetime(),
  /** Version of the package that made the backup. */
  cadastre: z.string(),
  files: z.int().min(0),
  bytes: z.int().min(0),
  missing: z.int().min(0),
  /** Storage of the parts. Parts in a bucket are not in the backup. */
  parts: z.enum(["folder", "bucket"]),
  /** SHA-256 of the list of files. */
  list: sha256,
});
const schema = content.extend({
  /** SHA-256 of the other members. */
  sha256,
});

export type BackupContent = z.output<typeof content>;
export type BackupManifest = z.output<typeof schema>;

const digestOf = (members: BackupContent): string =>
  createHash("sha256")
    .update(JSON.stringify(content.parse(members)))
    .digest("hex");

/** Writes the manifest of a backup, after all other files. */
export async function writeManifest(
  folder: string,
  members: Omit<BackupContent, "format" | "version" | "cadastre" | "list">,
): Promise<void> {
  const { sha256: list } = await hashFile(join(folder, listName));
  const all: BackupContent = { format: "cadastre-backup", version: 1, cadastre: release, ...members, list };
  const handle = await open(join(folder, manifestName), "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ ...all, sha256: digestOf(all) }, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads the manifest of a backup, and verifies its hash and that of its list of files.
 *
 * @throws {DataError} if the folder is not a complete backup
 */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  const file = join(folder, manifestName);
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new DataError(
      `${folder} is not a complete backup: ${manifestName} cannot be read: ${fileReason(cause)}`,
      { cause },
    );
  });
  const manifest = parse(text);
  if (manifest === undefined)
    throw new DataError(`${file} is damaged, or of a newer version: use another backup`);
  const list = await hashFile(join(folder, listName)).catch((cause: NodeJS.ErrnoException) => {
    throw new DataError(
      `${join(folder, listName)} cannot be read: ${fileReason(cause)}; use another backup`,
      {
        cause,
      },
    );
  });
  if (list.sha256 !== manifest.list)
    throw new DataError(`${join(folder, listName)} is damaged: use another backup`);
  return manifest;
}

function parse(text: string): BackupManifest | undefined {
  try {
    const { sha256: told, ...members } = schema.parse(JSON.parse(text));
    return told === digestOf(members) ? { ...members, sha256: told } : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the files of a backup. Call `readManifest` first, which verifies the list. */
export async function* listFiles(folder: string): AsyncGenerator<ListedFile> {
  const input = createReadStream(join(folder, listName));
  for await (const line of createInterface({ input, crlfDelay: Infinity }))
    yield listed.parse(JSON.parse(line));
}
