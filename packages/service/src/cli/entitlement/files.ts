import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileReason, isFileError } from "../../file-error.ts";
import { CommandRefused } from "../outcome.ts";

/** Longest input that is read, in characters. */
const maxLength = 4_194_304;

/** The text of a file, or of standard input where the name is `-`. */
export async function readInput(name: string): Promise<string> {
  const content = await refusing(`\`${name}\` cannot be read`, () =>
    name === "-" ? text(process.stdin) : readFile(name, "utf8"),
  );
  if (content.length > maxLength) throw new CommandRefused(`\`${name}\` is longer than any entitlement`);
  return content.trim();
}

/** The JSON value of {@link readInput}. What is wrong with it is not quoted: it may hold a secret. */
export async function readJson(name: string): Promise<unknown> {
  const content = await readInput(name);
  try {
    return JSON.parse(content);
  } catch {
    throw new CommandRefused(`\`${name}\` is not JSON`);
  }
}

/** A new file for its owner alone; what is there is never replaced. */
export const writePrivate = (file: string, content: string): Promise<void> =>
  refusing(`\`${file}\` cannot be made`, () => write(file, content, 0o600));

/** Replace a file that everyone may read in one step: a reader sees the old text or the new one. */
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
