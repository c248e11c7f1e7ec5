import type { Readable } from "node:stream";

/** An object that is to be written. */
export type NewObject = {
  readonly byteLength: number;
  /** Of its bytes, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Its bytes from the start, again for each attempt. The stream is destroyed in any case. */
  readonly open: () => Readable | Promise<Readable>;
};

/** What is told of an object without reading it. */
export type ObjectFacts = {
  readonly byteLength: number;
  /** As the store has computed it, or else as its writer has noted it; null: neither. */
  readonly sha256: string | null;
  /** Key of KMS that it is encrypted with; null: none is named. */
  readonly kmsKeyArn: string | null;
};

export type ListedObject = { readonly key: string; readonly byteLength: number; readonly modified: Date };

/**
 * Objects of a bucket. What cannot be done for the moment is tried again for a while; then every method throws
 * {@link DeliveryError} `bucket_unavailable`, and at once `bucket_denied`, `kms_denied` or `region_mismatch`.
 */
export type ObjectStore = {
  /**
   * Write an object where there is none. What is there stays as it is.
   *
   * @throws {DeliveryError} `object_damaged`: the bytes are not those of the hash, and nothing was written
   */
  readonly put: (key: string, object: NewObject) => Promise<"created" | "exists">;
  /** Undefined: there is none, or whoever asks may not know. */
  readonly head: (key: string) => Promise<ObjectFacts | undefined>;
  /** The bytes of an object; undefined as for `head`. The stream is the caller's to destroy. */
  readonly open: (
    key: string,
  ) => Promise<{ readonly stream: Readable; readonly byteLength: number } | undefined>;
  /** An address by which whoever has it may read an object for so many seconds, if it is there. */
  readonly address: (key: string, seconds: number) => Promise<string>;
  readonly remove: (key: string) => Promise<void>;
  /** Those whose keys have a prefix, in the order of their keys. */
  readonly list: (prefix: string) => AsyncIterable<ListedObject>;
  /** Region of the bucket. */
  readonly region: () => Promise<string>;
  readonly close: () => void;
};
