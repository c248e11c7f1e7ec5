import { readFile } from "node:fs/promises";
import { CommandRefused } from "./outcome.ts";

/** Source of a feed's API key. The key is never an argument, because other users of the machine can read those. */
export type FeedKeySource = { readonly keyEnv?: string; readonly keyFile?: string };

/** Reads the API key of a feed. @throws {CommandRefused} whose message does not quote the content, which may be a secret */
export async function readFeedKey({ keyEnv, keyFile }: FeedKeySource): Promise<string | undefined> {
  if (keyEnv !== undefined) return checkedKey(process.env[keyEnv], `the variable ${keyEnv}`);
  if (keyFile === undefined) return undefined;
  const text = await readFile(keyFile, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${keyFile} cannot be read (${cause.code})`, { cause });
  });
  return checkedKey(text, keyFile);
}

function checkedKey(text: string | undefined, place: string): string {
  const key = text?.trim() ?? "";
  if (/^[!-~]{1,4096}$/.test(key)) return key;
  throw new CommandRefused(`${place} must hold a key: printable ASCII on one line`);
}
