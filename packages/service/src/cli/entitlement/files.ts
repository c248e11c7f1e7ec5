import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { EntitlementError } from "@cadastre/entitlement";
import { fileReason, isFileError } from "../../file-error.ts";
import { CommandRefused } from "../outcome.ts";

/** Maximum length of an input, in UTF-16 code units. */
const maxLength = 4_194_304;

/** Reads a file, or standard input if the name is `-`, without the blanks round its text. */
export const readInput = async (name: string): Promise<string> => (await readText(name)).trim();

/** Reads a file, or standard input if the name is `-`. */
export async function readText(name: string): Promise<string> {
  const content = await refusing(`\`${name}\` cannot be read`, () =>
    name === "-" ? text(process.stdin) : readFile(name, "utf8"),
  );
  if (content.length > maxLength) throw new CommandRefused(`\`${name}\` is longer than any entitlement`);
  return content;
}

/** Parses the JSON of {@link readInput}. The error does not quote the text, which may contain a secret. */
export async function readJson(name: string): Promise<unknown> {
  const content = await readInput(name);
  try {
    return JSON.parse(content);
  } catch {
    throw new CommandRefused(`\`${name}\` is not JSON`);
  }
}

/** Writes a new file that only its owner can read. An existing file is never replaced. */
export const writePrivate = (file: string, content: string): Promise<void> =>
  refusing(`\`${file}\` cannot be made`, () => write(file, content, 0o600));

/** Writes a new file. An existing file is never replaced. */
export const writeNew = (file: string, content: string): Promise<void> =>
  refusing(`\`${file}\` cannot be made`, () => write(file, content, 0o644));

/** Replaces a world-readable file atomically: a reader sees the old or the new text. */
export async function replacePublic(file: string, content: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.new`;
  try {
    await refusing(`\`${file}\` cannot be written`, async () => {
      await write(beside, content, 0o644);
      await rename(beside, file);
    });
  } finally {
    await rm(beside, { force: true });
  }
}

async function write(file: string, content: string, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(`${content}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function refusing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new CommandRefused(`${what}: ${fileReason(error)}`, { cause: error });
  }
}

/**
 * Calls `work` on a signed entitlement, and on the key set if there is one.
 *
 * @throws {CommandRefused} that names the file at fault, in place of an error of entitlements
 */
export async function namingInputs<T>(
  { entitlement, jwks }: { readonly entitlement: string; readonly jwks?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EntitlementError)) throw error;
    const { code, message } = error;
    const named = jwks !== undefined && code.startsWith("key_set_") ? `--jwks ${jwks}` : entitlement;
    throw new CommandRefused(`${named}: ${message}`, { cause: error, failureCode: code });
  }
}
