import { readFile } from "node:fs/promises";
import { ClientError } from "./errors.ts";

/** Source of an API key. The key itself is never an argument, since other users of the machine can read arguments. */
export type ApiKeySource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly stdin: AsyncIterable<Buffer> };

/** Longest text that is accepted, in bytes. */
const maxLength = 4096;

/** Reads an API key. @throws {ClientError} `file_unreadable`, `api_key_invalid`; the error never quotes what was read */
export async function readApiKey(place: ApiKeySource): Promise<string> {
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
