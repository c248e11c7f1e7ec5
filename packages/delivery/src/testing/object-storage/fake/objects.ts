import { createHash } from "node:crypto";
import type { Policy } from "../policy.ts";

/** An object in a bucket. */
export type FakeObject = {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: Date;
  /** Base64, as the client sent it. */
  readonly checksumSha256: string | undefined;
  readonly kmsKeyArn: string | undefined;
  /** Headers that are returned unchanged. */
  readonly headers: Readonly<Record<string, string>>;
};

/** A bucket with its objects by key. */
export type FakeBucket = {
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

/** Returns a page of the keys with a prefix, after the last key of the page before. */
export function listPage({ objects }: FakeBucket, prefix: string, after: string, limit: number): ListPage {
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, limit);
  return { keys: page, next: keys.length > limit ? page.at(-1) : undefined };
}
