import { readSecretReference } from "../replicate/secret-reference.ts";

/** Source of a feed's API key. The key is never an argument, because other users of the machine can read those. */
export type FeedKeySource = { readonly keyEnv?: string; readonly keyFile?: string };

/** Reads the API key of a feed. @throws {FeedError} whose message does not quote the content, which may be a secret */
export async function readFeedKey({ keyEnv, keyFile }: FeedKeySource): Promise<string | undefined> {
  if (keyEnv !== undefined) return readSecretReference({ env: keyEnv });
  return keyFile === undefined ? undefined : readSecretReference({ file: keyFile });
}
