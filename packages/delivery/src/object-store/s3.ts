import { Readable } from "node:stream";
import type { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  type AccessKeys,
  type BucketAccess,
  handlerWith,
  loadSdk,
  requestHandler,
  retryPolicyOf,
  silentSdkLogger,
} from "./access.ts";
import { asBucketFault, type StorageFault, storageFaultOf } from "./fault.ts";
import type { ListedObject, NewObject, ObjectStore } from "./object-store.ts";
import { presignedAddress } from "./presigned.ts";
import { retry } from "./retry.ts";
import type { RoleSession } from "./role-session.ts";

export type S3Bucket = {
  readonly bucket: string;
  readonly region: string;
  /** KMS key that new objects are encrypted with; null if the bucket's default applies. */
  readonly kmsKeyArn: string | null;
};

export type S3Options = {
  readonly access: BucketAccess;
  /** Session whose keys sign requests; by default the service's own keys do. */
  readonly session?: RoleSession | undefined;
  /** Aborts requests in progress. */
  readonly signal?: AbortSignal | undefined;
};

/** Faults after which a retry may succeed. */
const momentary: readonly StorageFault[] = ["momentary", "expired"];

/** Name of the metadata entry in which the writer records the SHA-256 of an object. */
const noted = "sha256";

/**
 * Opens a bucket of S3, or of a server with a compatible API.
 *
 * @throws {DeliveryError} `aws_sdk_missing`
 */
export async function openS3Bucket(
  of: S3Bucket,
  { access, session, signal }: S3Options,
): Promise<ObjectStore> {
  const sdk = await loadSdk(() => import("@aws-sdk/client-s3"));
  const { bucket: Bucket, kmsKeyArn } = of;
  const { lookup } = access;
  const client: S3Client = new sdk.S3Client({
    region: of.region,
    forcePathStyle: access.pathStyle ?? false,
    // Retries are made here, because each one needs a newly opened body.
    maxAttempts: 1,
    requestHandler: lookup === undefined ? requestHandler : handlerWith(lookup),
    logger: silentSdkLogger,
    // The signature covers the body's hash (see `signedOver`). The SDK would send a trailing checksum instead, which is not signed.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(access.endpoints?.s3 === undefined ? {} : { endpoint: access.endpoints.s3 }),
    ...credentialsOf(session, access.keys),
  });
  const options = signal === undefined ? {} : { abortSignal: signal };

  const ask = <T>(attempt: () => Promise<T>): Promise<T> =>
    retry(
      attempt,
      (error) => {
        const fault = storageFaultOf(error);
        if (fault === "expired") session?.renew();
        return momentary.includes(fault);
      },
      retryPolicyOf(access),
      signal,
    ).catch((error: unknown) => {
      throw asBucketFault(error);
    });

  /** Like `ask`, but returns undefined if the object does not exist or may not be seen. */
  const askFor = <T>(attempt: () => Promise<T>): Promise<T | undefined> =>
    ask(() =>
      attempt().catch((error: unknown) => {
        const fault = storageFaultOf(error);
        if (fault === "absent" || fault === "denied") return undefined;
        throw error;
      }),
    );

  const putCommand = (
    key: string,
    { byteLength, sha256, mediaType }: NewObject,
    { body, overwrites }: { readonly body: Readable; readonly overwrites: boolean },
  ) =>
    signedOver(
      sha256,
      new sdk.PutObjectCommand({
        Bucket,
        Key: key,
        Body: body,
        ContentLength: byteLength,
        ContentType: mediaType,
        ...(overwrites ? {} : { IfNoneMatch: "*" }),
        ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64"),
        Metadata: { [noted]: sha256 },
        ...(kmsKeyArn === null ? {} : { ServerSideEncryption: "aws:kms", SSEKMSKeyId: kmsKeyArn }),
      }),
    );

  /** Makes one attempt to write an object. */
  const write = async (key: string, object: NewObject, overwrites: boolean): Promise<void> => {
    const body = await object.open();
    // If the body fails, the SDK would wait forever for the rest of it.
    const broken = new AbortController();
    body.on("error", (error) => broken.abort(error));
    const abortSignal = AbortSignal.any([broken.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      await client.send(putCommand(key, object, { body, overwrites }), { abortSignal });
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    } finally {
      body.destroy();
    }
  };

  return {
    put: (key, object) =>
      ask(async () => {
        try {
          await write(key, object, false);
          return "created";
        } catch (error) {
          if (storageFaultOf(error) === "exists") return "exists";
          throw error;
        }
      }),
    replace: (key, object) => ask(() => write(key, object, true)),
    head: (key) =>
      askFor(async () => {
        const asked = new sdk.HeadObjectCommand({ Bucket, Key: key, ChecksumMode: "ENABLED" });
        const { ContentLength, ChecksumSHA256, Metadata, SSEKMSKeyId } = await client.send(asked, options);
        const computed = ChecksumSHA256 && Buffer.from(ChecksumSHA256, "base64").toString("hex");
        return {
          byteLength: ContentLength ?? 0,
          sha256: computed ?? Metadata?.[noted] ?? null,
          kmsKeyArn: SSEKMSKeyId ?? null,
        };
      }),
    open: (key) =>
      askFor(async () => {
        const { Body, ContentLength } = await client.send(
          new sdk.GetObjectCommand({ Bucket, Key: key }),
          options,
        );
        if (!(Body instanceof Readable)) throw new TypeError("the SDK gives a stream of Node.js");
        return { stream: Body, byteLength: ContentLength ?? 0 };
      }),
    address: (key, seconds) =>
      ask(() => presignedAddress(client, new sdk.GetObjectCommand({ Bucket, Key: key }), seconds)),
    remove: async (key) => {
      await ask(() => client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key }), options));
    },
    list: async function* (prefix): AsyncGenerator<ListedObject> {
      for (let after: { ContinuationToken?: string } | undefined = {}; after !== undefined; ) {
        const asked: InstanceType<typeof sdk.ListObjectsV2Command> = new sdk.ListObjectsV2Command({
          Bucket,
          Prefix: prefix,
          ...after,
        });
        const { Contents = [], NextContinuationToken } = await ask(() => client.send(asked, options));
        for (const { Key: key = "", Size: byteLength = 0, LastModified: modified = new Date(0) } of Contents)
          yield { key, byteLength, modified };
        after =
          NextContinuationToken === undefined ? undefined : { ContinuationToken: NextContinuationToken };
      }
    },
    region: async () => {
      const { LocationConstraint: name } = await ask(() =>
        client.send(new sdk.GetBucketLocationCommand({ Bucket }), options),
      );
      return (name && oldNames[name]) || name || "us-east-1";
    },
    close: () => client.destroy(),
  };
}

/** Regions by those location constraints that are not region names. `us-east-1` has no location constraint. */
const oldNames: Readonly<Record<string, string>> = { EU: "eu-west-1" };

/** Makes the signature cover the body: the SDK uses a hash that is set already, and would not hash a stream itself. */
function signedOver(sha256: string, command: PutObjectCommand): PutObjectCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { request: { headers: Record<string, string> } };
      request.headers["x-amz-content-sha256"] = sha256;
      return next(args);
    },
    { step: "build" },
  );
  return command;
}

function credentialsOf(session: RoleSession | undefined, keys: AccessKeys | undefined) {
  // Marked as expired so that the SDK caches no keys: the session does that.
  const given = session?.keys ?? (keys && (async () => keys));
  if (given === undefined) return {};
  return {
    credentials: async () => {
      const { accessKeyId, secretAccessKey, sessionToken } = await given();
      const token = sessionToken === undefined ? {} : { sessionToken };
      return { accessKeyId, secretAccessKey, ...token, expiration: new Date(0) };
    },
  };
}
