import type { IncomingHttpHeaders } from "node:http";
import { readPolicy } from "../policy.ts";
import { bucketRegion, escapeXml, kmsKeyArns } from "../server.ts";
import { sha256Hex } from "../signature.ts";
import { type FakeBucket, listPage, newObject } from "./objects.ts";

/** A request whose signature has been verified. */
export type S3Operation = {
  readonly bucket: string;
  /** Empty if the request is about the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the caller has the permission for an action on the bucket, one of its objects or a KMS key. */
  readonly may: (action: string, resource: string, context?: Readonly<Record<string, string>>) => boolean;
};

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** S3 error code; the reply then has no `body`. */
  readonly code?: string;
  readonly message?: string;
};

type Handler = (operation: S3Operation, buckets: Map<string, FakeBucket>) => Reply;

const denied: Reply = { status: 403, code: "AccessDenied" };
const noBucket: Reply = { status: 404, code: "NoSuchBucket" };
const text = (value: string | string[] | undefined) => (typeof value === "string" ? value : undefined);
const kmsKeyHeader = "x-amz-server-side-encryption-aws-kms-key-id";
/** Small, so that few objects make several pages. */
const pageSize = 3;
/** Headers that policies may have conditions on. */
const conditionHeaders = ["if-none-match", kmsKeyHeader];
const bucketArn = (bucket: string) => `arn:aws:s3:::${bucket}`;

/** The supported operations of S3, by method and by whether they are about a bucket or an object. */
export const handlers: Readonly<Record<string, Handler>> = {
  "PUT bucket": ({ bucket, query, body, may }, buckets) => {
    if (!may("s3:CreateBucket", bucketArn(bucket))) return denied;
    const policy = query.has("policy") ? readPolicy(body.toString()) : undefined;
    buckets.set(bucket, { region: bucketRegion, objects: new Map(), ...buckets.get(bucket), policy });
    return { status: 200 };
  },
  "GET bucket": (operation, buckets) => (operation.query.has("location") ? locate : list)(operation, buckets),
  "PUT object": put,
  "GET object": (operation, buckets) => find(operation, buckets, true),
  "HEAD object": (operation, buckets) => find(operation, buckets, false),
  "DELETE object": ({ bucket, key, may }, buckets) => {
    if (!may("s3:DeleteObject", `${bucketArn(bucket)}/${key}`)) return denied;
    buckets.get(bucket)?.objects.delete(key);
    return { status: 204 };
  },
};

function locate({ bucket, may }: S3Operation, buckets: Map<string, FakeBucket>): Reply {
  const found = buckets.get(bucket);
  if (found === undefined) return noBucket;
  if (!may("s3:GetBucketLocation", bucketArn(bucket))) return denied;
  return {
    status: 200,
    body: `<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${found.region}</LocationConstraint>`,
  };
}

function list({ bucket, query, may }: S3Operation, buckets: Map<string, FakeBucket>): Reply {
  const found = buckets.get(bucket);
  if (found === undefined) return noBucket;
  const prefix = query.get("prefix") ?? "";
  if (!may("s3:ListBucket", bucketArn(bucket), { "s3:prefix": prefix })) return denied;
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const { keys, next } = listPage(found, prefix, after, pageSize);
  const items = keys.map((key) => {
    const object = found.objects.get(key);
    return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${object?.modified.toISOString()}</LastModified><ETag>${escapeXml(object?.etag ?? "")}</ETag><Size>${object?.bytes.length}</Size></Contents>`;
  });
  const more = next === undefined ? "" : `<NextContinuationToken>${escapeXml(next)}</NextContinuationToken>`;
  return {
    status: 200,
    body: `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${items.join("")}${more}</ListBucketResult>`,
  };
}

function put({ bucket, key, headers, body, may }: S3Operation, buckets: Map<string, FakeBucket>): Reply {
  const found = buckets.get(bucket);
  if (found === undefined) return noBucket;
  const context = Object.fromEntries(
    conditionHeaders.flatMap((name) =>
      headers[name] === undefined ? [] : [[`s3:${name}`, String(headers[name])]],
    ),
  );
  if (!may("s3:PutObject", `${bucketArn(bucket)}/${key}`, context)) return denied;
  const kmsKeyArn = text(headers[kmsKeyHeader]);
  if (kmsKeyArn !== undefined && !kmsKeyArns.some((arn) => arn === kmsKeyArn))
    return { status: 400, code: "KMS.NotFoundException" };
  if (kmsKeyArn !== undefined && !may("kms:GenerateDataKey", kmsKeyArn))
    return { ...denied, message: `not authorized to perform: kms:GenerateDataKey on resource: ${kmsKeyArn}` };
  if (sha256Hex(body) !== headers["x-amz-content-sha256"])
    return { status: 400, code: "XAmzContentSHA256Mismatch" };
  const checksumSha256 = text(headers["x-amz-checksum-sha256"]);
  if (
    checksumSha256 !== undefined &&
    Buffer.from(sha256Hex(body), "hex").toString("base64") !== checksumSha256
  )
    return { status: 400, code: "BadDigest" };
  if (headers["if-none-match"] === "*" && found.objects.has(key))
    return { status: 412, code: "PreconditionFailed" };
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    name.startsWith("x-amz-meta-") || name === "content-type" ? [[name, String(value)]] : [],
  );
  const object = newObject(body, { checksumSha256, kmsKeyArn, headers: Object.fromEntries(kept) });
  found.objects.set(key, object);
  return { status: 200, headers: { etag: object.etag } };
}

function find(
  { bucket, key, headers, may }: S3Operation,
  buckets: Map<string, FakeBucket>,
  whole: boolean,
): Reply {
  const found = buckets.get(bucket);
  if (found === undefined) return noBucket;
  if (!may("s3:GetObject", `${bucketArn(bucket)}/${key}`)) return denied;
  const object = found.objects.get(key);
  // Like S3, does not reveal that the object is absent unless the caller may list the bucket.
  if (object === undefined)
    return may("s3:ListBucket", bucketArn(bucket)) ? { status: 404, code: "NoSuchKey" } : denied;
  const { kmsKeyArn, checksumSha256 } = object;
  const tellsChecksum = headers["x-amz-checksum-mode"] === "ENABLED" && checksumSha256 !== undefined;
  if (kmsKeyArn !== undefined && (whole || tellsChecksum) && !may("kms:Decrypt", kmsKeyArn)) return denied;
  return {
    status: 200,
    headers: {
      ...object.headers,
      etag: object.etag,
      "last-modified": object.modified.toUTCString(),
      "content-length": String(object.bytes.length),
      ...(tellsChecksum ? { "x-amz-checksum-sha256": checksumSha256 } : {}),
      ...(kmsKeyArn === undefined
        ? {}
        : {
            "x-amz-server-side-encryption": "aws:kms",
            [kmsKeyHeader]: kmsKeyArn,
          }),
    },
    ...(whole ? { body: object.bytes } : {}),
  };
}
