import { createHash } from "node:crypto";
import type { Policy } from "../policy.ts";

/** An object as it lies in a bucket. */
export type FakeObject = {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: Date;
  /** Base64, as it was given. */
  readonly checksumSha256: string | undefined;
  readonly kmsKeyArn: string | undefined;
  /** Headers that come back as they were given. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Objects by key, in the order of keys. */
export type Bucket = {
  readonly region: string;
  readonly objects: Map<string, FakeObject>;
  policy: Policy | undefined;
};

export const newObject = (
  bytes: Buffer,
  more: Omit<FakeObject, "bytes" | "etag" | "modified">,
): FakeObject => ({
  ...more,
  bytes,
  etag: `"${createHash("md5").update(bytes).digest("hex")}"`,
  modified: new Date(),
});

export type ListPage = { readonly keys: readonly string[]; readonly next: string | undefined };

/** Keys with a prefix, after the one that the page before ended with. */
export function pageOf({ objects }: Bucket, prefix: string, after: string, limit: number): ListPage {
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, limit);
  return { keys: page, next: keys.length > limit ? page.at(-1) : undefined };
}
