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
  const key = ((await textAt(place)) ?? "").trim();
  requireKey(key, keyPlaceText(place));
  return key;
}

async function textAt(place: ApiKeySource): Promise<string | undefined> {
  if ("env" in place) return process.env[place.env];
  if ("stdin" in place) return textOf(place.stdin);
  return readFile(place.file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new ClientError("file_unreadable", { file: place.file, code: cause.code ?? "" });
  });
}

/** Returns the source of an API key as messages name it. */
export function keyPlaceText(place: ApiKeySource): string {
  if ("env" in place) return `the variable ${place.env}`;
  return "stdin" in place ? "standard input" : place.file;
}

/** @throws {ClientError} `api_key_invalid` unless the text can be an API key */
export function requireKey(key: string, place: string): void {
  if (/^[!-~]+$/.test(key) && key.length <= maxLength) return;
  const fault = key === "" ? "there is none: set it, or give `--key-file` or `--key-stdin`" : faultIn(key);
  throw new ClientError("api_key_invalid", { place, fault });
}

const faultIn = (key: string): string =>
  key.length > maxLength ? "it is too long" : "it has spaces, line ends or other characters";

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (chunks.push(chunk) > maxLength) break;
  return Buffer.concat(chunks).toString("utf8");
}
