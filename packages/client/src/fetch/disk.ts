import { open, readFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ManifestError, manifestLimits } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";

/** Runs work on files, and turns errors of the file system into `disk_failed` with their code. */
export async function onDisk<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isErrorOfSystem(error) ? diskFailure(error, place) : error;
  }
}

/** Returns the `disk_failed` for an error of the file system, which names its file. */
export const diskFailure = ({ path, code }: NodeJS.ErrnoException, place = path ?? "a file"): ClientError =>
  new ClientError("disk_failed", { place, ...(code === undefined ? {} : { code }) });

/** Handles a failed file operation: returns undefined if the file does not exist, else throws the error. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** True for errors of the operating system: of files, and of connections. */
export const isErrorOfSystem = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error;

/** True if the file system reports the error of a file, rather than a database or the network that of a connection. */
export const isErrorOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  isErrorOfSystem(error) && typeof error.path === "string";

/** Reads the file of a manifest, or of its signature. @throws {ManifestError} if it is too large to be one, before it is read */
export async function readManifestFile(file: string): Promise<Buffer> {
  if ((await stat(file)).size > manifestLimits.bytes) throw new ManifestError("manifest_too_large");
  return readFile(file);
}

/** Writes a file atomically and durably: after a crash it is there with all of its content, or not at all. */
export async function writeAtomically(file: string, content: string | Uint8Array): Promise<void> {
  const half = `${file}.partial`;
  const handle = await open(half, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(half, file);
  await syncFolder(dirname(file));
}

/** Flushes the entries of a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and needs no such flush.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
