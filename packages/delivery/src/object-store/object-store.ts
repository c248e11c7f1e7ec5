import type { Readable } from "node:stream";

/** An object to be written. */
export type NewObject = {
  readonly byteLength: number;
  /** SHA-256 of its bytes, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Opens the bytes from the start. Called once for each attempt; the stream is always destroyed. */
  readonly open: () => Readable | Promise<Readable>;
};

/** Metadata of an object, known without reading it. */
export type ObjectFacts = {
  readonly byteLength: number;
  /** As computed by the store, or else as recorded by the writer; null if neither is known. */
  readonly sha256: string | null;
  /** KMS key that it is encrypted with; null if the store names none. */
  readonly kmsKeyArn: string | null;
};

export type ListedObject = { readonly key: string; readonly byteLength: number; readonly modified: Date };

/**
 * The objects of a bucket. Every method retries transient errors for a while and then throws {@link DeliveryError}
 * `bucket_unavailable`. It throws `bucket_denied`, `kms_denied` and `region_mismatch` without a retry.
 */
export type ObjectStore = {
  /**
   * Writes an object unless the key exists. Never overwrites.
   *
   * @throws {DeliveryError} `object_damaged`: the bytes do not match the hash, and nothing was written
   */
  readonly put: (key: string, object: NewObject) => Promise<"created" | "exists">;
  /** Writes an object in one request, over the one that is there. */
  readonly replace: (key: string, object: NewObject) => Promise<void>;
  /** Returns undefined if there is no such object, or the caller may not see it. */
  readonly head: (key: string) => Promise<ObjectFacts | undefined>;
  /** Opens the bytes of an object; undefined as for `head`. The caller destroys the stream. */
  readonly open: (
    key: string,
  ) => Promise<{ readonly stream: Readable; readonly byteLength: number } | undefined>;
  /** Returns a presigned URL by which anyone can read the object, if it exists, for `seconds`. */
  readonly address: (key: string, seconds: number) => Promise<string>;
  readonly remove: (key: string) => Promise<void>;
  /** Lists the objects whose keys begin with `prefix`, in key order. */
  readonly list: (prefix: string) => AsyncIterable<ListedObject>;
  readonly region: () => Promise<string>;
  readonly close: () => void;
};
