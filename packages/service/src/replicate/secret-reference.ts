import { readFile } from "node:fs/promises";
import { fileReason } from "../file-error.ts";
import { FeedError } from "./feed-error.ts";

/** Where a secret is: in a file or in an environment variable. The secret itself is neither an argument nor stored. */
export type SecretReference = { readonly file: string } | { readonly env: string };

/** Reads a secret. @throws {FeedError} whose message does not quote the content, which may be a secret */
export async function readSecretReference(reference: SecretReference): Promise<string> {
  const place = "env" in reference ? `the variable ${reference.env}` : reference.file;
  const text = "env" in reference ? process.env[reference.env] : await readSecretFile(reference.file);
  const secret = text?.trim() ?? "";
  if (/^[!-~]{1,4096}$/.test(secret)) return secret;
  throw new FeedError(`${place} must hold a key: printable ASCII on one line`);
}

const readSecretFile = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new FeedError(`${file} cannot be read: ${fileReason(cause)}`, { cause });
  });
