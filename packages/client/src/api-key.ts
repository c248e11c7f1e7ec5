import { readFile } from "node:fs/promises";
import { ClientError } from "./errors.ts";

/** Where an API key is found. It is never an argument, which other users of the machine can read. */
export type KeyPlace =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly stdin: AsyncIterable<Buffer> };

/** Longest text that is looked at, in bytes. */
const maxLength = 4096;

/** @throws {ClientError} without a word of what was found there. */
export async function readApiKey(place: KeyPlace): Promise<string> {
  if ("env" in place) return checked(process.env[place.env], `the variable ${place.env}`);
  if ("stdin" in place) return checked(await textOf(place.stdin), "standard input");
  const text = await readFile(place.file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new ClientError("file_unreadable", { file: place.file, code: cause.code ?? "" });
  });
  return checked(text, place.file);
}

function checked(text: string | undefined, place: string): string {
  const key = text?.trim() ?? "";
  if (/^[!-~]+$/.test(key) && key.length <= maxLength) return key;
  throw new ClientError("api_key_invalid", { place });
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (chunks.push(chunk) > maxLength) break;
  return Buffer.concat(chunks).toString("utf8");
}
