import { createDecipheriv } from "node:crypto";

const pattern = /\$skiptoken=([\w-]+)/g;

/** Where the nonce, the tag and the text of a token begin: behind its version. */
const [nonceAt, tagAt, textAt] = [1, 13, 29];

/** The text of an answer with each token open and without its checkpoint, which counts hidden commits as well. */
export const withOpenTokens = (text: string, key: Uint8Array): string =>
  text.replace(pattern, (_, token: string) => {
    const bytes = Buffer.from(token, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(nonceAt, tagAt));
    const [expires, scope, , ...after] = JSON.parse(
      decipher.update(bytes.subarray(textAt)).toString("utf8"),
    ) as unknown[];
    return JSON.stringify({ length: token.length, expires, scope, after });
  });

/** The text with another token in the place of each, as long and as good as random. */
export const withForeignTokens = (text: string): string =>
  text.replace(
    pattern,
    (_, token: string) => `$skiptoken=${token.slice(0, 20)}${"A".repeat(token.length - 20)}`,
  );

/** The text with the length of each token in its place. */
export const withoutTokens = (text: string): string =>
  text.replace(pattern, (_, token: string) => `$skiptoken=${token.length}`);
