import { createDecipheriv } from "node:crypto";

const pattern = /\$(skip|delta)token=([\w-]+)/g;

/** Offsets in a token: of the nonce, after the version; of the tag; and of the encrypted text. */
const [nonceAt, tagAt, textAt] = [1, 13, 29];

/** Number of checkpoints that a token begins with, at most. */
const checkpoints: Readonly<Record<string, number>> = { skip: 1, delta: 2 };

/**
 * Decrypts tokens in an answer and removes their checkpoints, which also count hidden commits.
 *
 * @param kinds those to decrypt
 */
export const withOpenTokens = (text: string, key: Uint8Array, kinds: readonly string[]): string =>
  text.replace(pattern, (written, kind: string, token: string) => {
    if (!kinds.includes(kind)) return written;
    const bytes = Buffer.from(token, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(nonceAt, tagAt));
    const [expires, scope, ...values] = JSON.parse(
      decipher.update(bytes.subarray(textAt)).toString("utf8"),
    ) as unknown[];
    const after = values.slice(checkpoints[kind]);
    return JSON.stringify({ kind, length: token.length, expires, scope, after });
  });

/** Replaces each token by an invalid one of the same length. */
export const withForeignTokens = (text: string): string =>
  text.replace(
    pattern,
    (_, kind: string, token: string) => `$${kind}token=${token.slice(0, 20)}${"A".repeat(token.length - 20)}`,
  );

/** Replaces each token by its length. */
export const withoutTokens = (text: string): string =>
  text.replace(pattern, (_, kind: string, token: string) => `$${kind}token=${token.length}`);
