import { Readable } from "node:stream";
import type { ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { ClientError } from "../errors.ts";
import { originOf } from "../http/connection.ts";
import {
  type InactivityTimeout,
  type RetryContext,
  readAnswer,
  silence,
  withRetry,
} from "../http/request.ts";
import { asTransientError, TransientError } from "../http/transient-error.ts";

/** Bytes of an object, from a position to its end. */
type ObjectBytes = { readonly from: number; readonly body: Readable };

export type BucketOptions = RetryContext & {
  /** By default the one that the AWS SDK finds: environment, profile. */
  readonly region?: string | undefined;
  /** Origin of a server other than those of AWS. The bucket is then part of the path. */
  readonly endpoint?: string | undefined;
};

/** The objects below a prefix, read with the credentials that the AWS SDK finds: environment, profile, instance. */
export type Bucket = RetryContext & {
  /** Lists the keys that begin with `prefix` and come after `after`, in order. Keys are relative to the prefix of the address. */
  readonly keys: (prefix: string, after: string) => Promise<readonly string[]>;
  /** Opens the bytes of an object from a position on, or all of them, without retries. */
  readonly open: (key: string, signal: AbortSignal, from: number) => Promise<ObjectBytes>;
  /** Reads a small object, with retries. */
  readonly read: (key: string) => Promise<Buffer>;
  readonly close: () => void;
};

/** Bucket and key prefix of objects. The prefix is empty, or ends with a slash. */
type BucketAddress = { readonly bucket: string; readonly prefix: string };

const addressPattern = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** Parses an address: `"s3://exports/deliveries"` → `{ bucket: "exports", prefix: "deliveries/" }`. */
function readBucketAddress(text: string): BucketAddress {
  const [, bucket, path = ""] = addressPattern.exec(text) ?? [];
  const steps = path.replace(/\/$/, "");
  if (bucket === undefined || /^\/|\/\/|\/$|[?#\s]/.test(steps)) throw new ClientError("bucket_invalid");
  return { bucket, prefix: steps === "" ? "" : `${steps}/` };
}

/** A logger that logs nothing: the SDK's errors say as much. */
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** @throws {ClientError} `bucket_invalid`, `url_invalid`, `aws_sdk_missing` */
export async function openBucket(address: string, options: BucketOptions): Promise<Bucket> {
  const { retryPolicy, signal, onRetry, region, endpoint } = options;
  const means = { retryPolicy, signal, onRetry };
  const { bucket, prefix } = readBucketAddress(address);
  const origin = endpoint === undefined ? undefined : originOf(endpoint).origin;
  const sdk = await loadSdk();
  const client = new sdk.S3Client({
    // Retries are made here, because each one needs a newly opened body.
    maxAttempts: 1,
    logger: silent,
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(region === undefined ? {} : { region }),
    ...(origin === undefined ? {} : { endpoint: origin, forcePathStyle: true }),
  });
  const get = async (key: string, until: AbortSignal, from = 0): Promise<ObjectBytes> => {
    const range = from === 0 ? {} : { Range: `bytes=${from}-` };
    const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...range });
    const { Body, ContentRange } = await client
      .send(command, { abortSignal: until })
      .catch((error: unknown) => {
        throw faultOf(error, key);
      });
    if (!(Body instanceof Readable)) throw new TypeError("the SDK gives a stream of Node.js");
    const isRange = ContentRange?.startsWith(`bytes ${from}-`) === true;
    return { from: isRange ? from : 0, body: Readable.from(withTransientErrors(Body)) };
  };
  /** Retries a request; each attempt has a timeout for inactivity. */
  const patiently = <T>(ask: (quiet: InactivityTimeout) => Promise<T>): Promise<T> =>
    withRetry(means, async (until) => {
      const quiet = silence(until, retryPolicy.timeout);
      try {
        return await ask(quiet);
      } finally {
        quiet.end();
      }
    });
  return {
    ...means,
    keys: async (below, after) => {
      const keys: string[] = [];
      for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
        const page: ListObjectsV2CommandOutput = await patiently(({ signal: until }) =>
          client
            .send(
              new sdk.ListObjectsV2Command({
                Bucket: bucket,
                Prefix: prefix + below,
                StartAfter: prefix + after,
                ContinuationToken: token,
              }),
              { abortSignal: until },
            )
            .catch((error: unknown) => {
              throw faultOf(error, below);
            }),
        );
        for (const { Key = "" } of page.Contents ?? []) keys.push(Key.slice(prefix.length));
        token = page.NextContinuationToken;
      }
      return keys;
    },
    open: get,
    read: (key) => patiently(async (quiet) => readAnswer((await get(key, quiet.signal)).body, key, quiet)),
    close: () => client.destroy(),
  };
}

/** Makes errors of a body transient, so that the object is requested again. Otherwise a socket error would be taken for a disk error. */
async function* withTransientErrors(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw asTransientError(error);
  }
}

async function loadSdk() {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_MODULE_NOT_FOUND") throw new ClientError("aws_sdk_missing");
    throw error;
  }
}

/** Errors of the SDK about its own configuration, which a retry cannot help. */
const ofSettings = /^(?:CredentialsProviderError|TokenProviderError)$|Region is missing/;

/** Returns the error of the client for an error of the SDK. */
function faultOf(error: unknown, key: string): Error {
  if (!(error instanceof Error)) return new TypeError("the SDK throws errors");
  const { name, message } = error;
  const status = statusOf(error);
  const code = /^[\w.]{1,64}$/.test(name) ? { code: name } : {};
  if (ofSettings.test(name) || ofSettings.test(message)) return new ClientError("bucket_refused", code);
  if (name === "AbortError") return new TransientError("it fell silent");
  if (status === undefined || status >= 500 || status === 408 || status === 429)
    return new TransientError(status === undefined ? `it could not be read (${name})` : `it gave ${status}`);
  if (name === "NoSuchKey") return new ClientError("file_missing", { file: key });
  return new ClientError("bucket_refused", code);
}

function statusOf(error: Error): number | undefined {
  const metadata = "$metadata" in error ? error.$metadata : undefined;
  const isTold = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return isTold && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
