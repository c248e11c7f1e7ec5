import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { NewObject, ObjectStore } from "../object-store/object-store.ts";
import { onFiles } from "./fault.ts";
import type { PartStore } from "./part-store.ts";
import { heldPart, sendStream } from "./send.ts";
import { heldLength, verified } from "./verify.ts";

export type BucketPartsOptions = {
  readonly bucket: ObjectStore;
  /** Beginning of all keys, without a slash at either end. */
  readonly prefix: string;
  /** Folder of this machine in which parts are written before they are uploaded. */
  readonly staging: Pick<PartStore, "stage" | "sweep">;
};

const probedText = Buffer.from("cadastre");
const probed: NewObject = {
  byteLength: probedText.length,
  sha256: createHash("sha256").update(probedText).digest("hex"),
  mediaType: "text/plain",
  open: () => Readable.from([probedText], { objectMode: false }),
};

const sha256Text = /^[0-9a-f]{64}$/;

/** Stores parts in a bucket, each as one object `<prefix>/<two digits>/<sha256>`, so that a part is never there incompletely. */
export function bucketParts({ bucket, prefix, staging }: BucketPartsOptions): PartStore {
  const keyOf = (sha256: string) => {
    if (!sha256Text.test(sha256)) throw new RangeError("a part lies under its SHA-256");
    return `${prefix}/${sha256.slice(0, 2)}/${sha256}`;
  };
  const put: PartStore["put"] = (file, digest) =>
    inBucket(async () => {
      const key = keyOf(digest.sha256);
      const object = {
        ...digest,
        mediaType: "application/octet-stream",
        open: () => createReadStream(file),
      };
      if ((await bucket.put(key, object)) === "exists") {
        const found = await bucket.head(key);
        if (found?.byteLength !== digest.byteLength || found.sha256 !== digest.sha256)
          throw new DeliveryError("part_missing", `${digest.sha256} is another one's`);
      }
      await onFiles(() => rm(file, { force: true }));
    });
  return {
    stage: staging.stage,
    sweep: staging.sweep,
    put,
    replace: async (file, digest) => {
      await inBucket(() => bucket.remove(keyOf(digest.sha256)));
      await put(file, digest);
    },
    probe: () =>
      inBucket(async () => {
        const key = `${prefix}/probe/${randomUUID()}`;
        await bucket.put(key, probed);
        const opened = await bucket.open(key);
        await bucket.remove(key);
        if (opened === undefined) throw new DeliveryError("bucket_denied", "what is written cannot be read");
        opened.stream.destroy();
      }),
    open: (part) =>
      inBucket(async () => {
        const { sha256, byteLength } = part;
        const opened = await bucket.open(keyOf(sha256));
        if (opened === undefined) throw new DeliveryError("part_missing");
        if (opened.byteLength !== byteLength) {
          opened.stream.destroy();
          throw new DeliveryError("part_missing", `${sha256} has ${opened.byteLength} bytes`);
        }
        const stream = verified(opened.stream, part);
        if (byteLength <= heldLength) return heldPart(await buffer(stream));
        return {
          byteLength,
          stream: () => stream,
          sendTo: (to, range, gone) => sendStream(stream, byteLength, to, range, gone),
        };
      }),
    address: ({ sha256 }, seconds) => inBucket(() => bucket.address(keyOf(sha256), seconds)),
    remove: (sha256) => inBucket(() => bucket.remove(keyOf(sha256))),
  };
}

/** Error codes for the operator of the service, by the error code of the bucket. */
const codes: Readonly<Partial<Record<DeliveryErrorCode, DeliveryErrorCode>>> = {
  bucket_unavailable: "parts_unavailable",
  bucket_denied: "parts_not_writable",
  kms_denied: "parts_not_writable",
  region_mismatch: "parts_not_writable",
};

const inBucket = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof DeliveryError ? codes[error.code] : undefined;
    throw code === undefined ? error : new DeliveryError(code, undefined, { cause: error });
  }
};
