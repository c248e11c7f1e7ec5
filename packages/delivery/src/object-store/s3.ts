import { Readable } from "node:stream";
import type { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  type AccessKeys,
  type BucketAccess,
  loadSdk,
  requestHandler,
  retryPolicyOf,
  silent,
} from "./access.ts";
import { asBucketFault, type Fault, faultOf } from "./fault.ts";
import type { ListedObject, NewObject, ObjectStore } from "./object-store.ts";
import { presignedAddress } from "./presigned.ts";
import { retry } from "./retry.ts";
import type { RoleSession } from "./role-session.ts";

export type Bucket = {
  readonly bucket: string;
  readonly region: string;
  /** Key of KMS that what is written is encrypted with; null: the bucket decides. */
  readonly kmsKeyArn: string | null;
};

export type BucketOptions = {
  readonly access: BucketAccess;
  /** Whose keys requests are signed with; by default the service's own. */
  readonly session?: RoleSession | undefined;
  /** Ends what is under way. */
  readonly signal?: AbortSignal | undefined;
};

/** Faults of which another attempt may make a success. */
const momentary: readonly Fault[] = ["momentary", "expired"];

/** Name of the metadata that tells what whoever wrote an object has computed of it. */
const noted = "sha256";

/**
 * The objects of a bucket of S3, or of a server that speaks its language.
 *
 * @throws {DeliveryError} `aws_sdk_missing`
 */
export async function openBucket(
  of: Bucket,
  { access, session, signal }: BucketOptions,
): Promise<ObjectStore> {
  const sdk = await loadSdk(() => import("@aws-sdk/client-s3"));
  const { bucket: Bucket, kmsKeyArn } = of;
  const client: S3Client = new sdk.S3Client({
    region: of.region,
    forcePathStyle: access.pathStyle ?? false,
    // Attempts are made here, for a body has to be opened anew.
    maxAttempts: 1,
    requestHandler,
    logger: silent,
    // What is sent has its own hash; a trailer in its place would not be signed.
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
        const fault = faultOf(error);
        if (fault === "expired") session?.renew();
        return momentary.includes(fault);
      },
      retryPolicyOf(access),
      signal,
    ).catch((error: unknown) => {
      throw asBucketFault(error);
    });

  /** Undefined where there is nothing, or nothing to be seen. */
  const askFor = <T>(attempt: () => Promise<T>): Promise<T | undefined> =>
    ask(() =>
      attempt().catch((error: unknown) => {
        const fault = faultOf(error);
        if (fault === "absent" || fault === "denied") return undefined;
        throw error;
      }),
    );

  const putCommand = (key: string, { byteLength, sha256, mediaType }: NewObject, body: Readable) =>
    signedOver(
      sha256,
      new sdk.PutObjectCommand({
        Bucket,
        Key: key,
        Body: body,
        ContentLength: byteLength,
        ContentType: mediaType,
        IfNoneMatch: "*",
        ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64"),
        Metadata: { [noted]: sha256 },
        ...(kmsKeyArn === null ? {} : { ServerSideEncryption: "aws:kms", SSEKMSKeyId: kmsKeyArn }),
      }),
    );

  return {
    put: (key, object) =>
      ask(async () => {
        const body = await object.open();
        // The SDK would wait for ever for the rest of a body that fails.
        const broken = new AbortController();
        body.on("error", (error) => broken.abort(error));
        const abortSignal = AbortSignal.any([broken.signal, ...(signal === undefined ? [] : [signal])]);
        try {
          await client.send(putCommand(key, object, body), { abortSignal });
          return "created";
        } catch (error) {
          if (broken.signal.aborted) throw broken.signal.reason;
          if (faultOf(error) === "exists") return "exists";
          throw error;
        } finally {
          body.destroy();
        }
      }),
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

/** Regions that go by another name where a bucket tells its own; the first one has none. */
const oldNames: Readonly<Record<string, string>> = { EU: "eu-west-1" };

/** Have the signature cover the bytes: the SDK takes a hash that it finds, and would leave those of a stream out. */
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
  // Already expired, so that the SDK remembers none of them: the session does.
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
