import { readFile } from "node:fs/promises";
import { CommandRefused } from "./outcome.ts";

/** Where the key of a feed is found: it is never an argument, which other users of the machine can read. */
export type KeyPlace = { readonly keyEnv?: string; readonly keyFile?: string };

/** @throws {CommandRefused} without a word of what was found there. */
export async function readFeedKey({ keyEnv, keyFile }: KeyPlace): Promise<string | undefined> {
  if (keyEnv !== undefined) return checked(process.env[keyEnv], `the variable ${keyEnv}`);
  if (keyFile === undefined) return undefined;
  const text = await readFile(keyFile, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${keyFile} cannot be read (${cause.code})`, { cause });
  });
  return checked(text, keyFile);
}

function checked(text: string | undefined, place: string): string {
  const key = text?.trim() ?? "";
  if (/^[!-~]{1,4096}$/.test(key)) return key;
  throw new CommandRefused(`${place} must hold a key: printable ASCII on one line`);
}
