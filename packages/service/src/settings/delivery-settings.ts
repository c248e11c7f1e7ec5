import { z } from "zod";
import { toGivenDocument } from "../data/given-document.ts";
import { toBucketPlace } from "../delivery/bucket-place.ts";
import { anyText, isBaseUrl, readBy, type Setting, trueOrFalse, wholeNumber } from "./setting.ts";

/** Parses origins with commas between. Undefined if one of them has more than a scheme, a host and a port. */
function toOrigins(text: string): readonly string[] | undefined {
  const origins = text.split(",").map((one) => one.trim());
  const areOrigins = origins.every((one) => isBaseUrl(one) && new URL(one).origin === one);
  return areOrigins ? origins : undefined;
}

/** Settings of bulk delivery: files, signing keys, push and webhooks, and of the worker, which also runs the feeds. */
export const deliverySettings = {
  CADASTRE_PARTS: {
    member: "partsFolder",
    path: "parts.folder",
    isPath: true,
    ...anyText("the path of a folder"),
    absent: "`exports` of the data folder",
    means: "Folder of the files that are delivered; all workers must have it in common",
  },
  CADASTRE_PARTS_BUCKET: {
    member: "partsBucket",
    path: "parts.bucket",
    is: readBy(toBucketPlace),
    must: "`s3://<bucket>`, or `s3://<bucket>/<prefix>`",
    absent: "none",
    means:
      "Bucket of the files that are delivered, in place of the folder, which then holds what is being written: see [Deliveries](#deliveries)",
  },
  CADASTRE_PARTS_REGION: {
    member: "partsRegion",
    path: "parts.region",
    is: z.string().regex(/^[a-z0-9-]{1,64}$/),
    must: "the name of a region",
    default: "us-east-1",
    means: "Region of that bucket",
  },
  CADASTRE_PARTS_ENDPOINT: {
    member: "partsEndpoint",
    path: "parts.endpoint",
    is: z.string().refine(isBaseUrl),
    must: "an http or https address without a query",
    absent: "that of AWS",
    means: "Address of another server that speaks S3, with the bucket in the path",
  },
  CADASTRE_GRANTS: {
    member: "grants",
    path: "deliveries.grants",
    is: z.enum(["logical", "direct_https"]),
    must: "logical or direct_https",
    default: "logical",
    means:
      "How files are granted: to be redeemed here, or by their own address in the bucket, which is not for production: see [Deliveries](#deliveries)",
  },
  CADASTRE_RETENTION_DAYS: {
    member: "retentionDays",
    path: "deliveries.retention_days",
    ...wholeNumber(1, 365),
    default: "14",
    means: "How long a delivery may be fetched, in days from when it was asked for",
  },
  CADASTRE_EXPORT_PROFILES: {
    member: "exportProfiles",
    path: "deliveries.profiles",
    isPath: true,
    ...anyText("the path of a file of output profiles"),
    absent: "none",
    means: "File of output profiles, beside those that there are: see [Deliveries](#deliveries)",
  },
  CADASTRE_PART_BYTES: {
    member: "partBytes",
    path: "parts.bytes",
    ...wholeNumber(65_536, 1_073_741_824),
    absent: "67108864, of Parquet 134217728",
    means: "Bytes of JSON lines that make a file of a delivery",
  },
  CADASTRE_SIGNING_KEYS: {
    member: "signingKeys",
    path: "secrets.signing_keys",
    isPath: true,
    is: z.string().transform(toGivenDocument),
    must: "the path of a set of private keys, or its JSON text",
    isSecret: true,
    absent: "`signing-keys.json` of the data folder",
    means:
      "Private JWKS of Ed25519 keys, a file or its text; the first one signs manifests, all are published: see [Secrets](#secrets)",
  },
  CADASTRE_PUSH: {
    member: "push",
    path: "push.enabled",
    ...trueOrFalse,
    default: "false",
    means: "Whether deliveries are pushed to buckets of customers: see [Push](#push)",
  },
  CADASTRE_PUSH_ENDPOINT: {
    member: "pushEndpoint",
    path: "push.endpoint",
    is: z.string().refine(isBaseUrl),
    must: "an http or https address without a query",
    absent: "those of AWS",
    means:
      "Address of another server that speaks S3 and STS, with the bucket in the path, for all that is pushed",
  },
  CADASTRE_PUSH_STORES: {
    member: "pushStores",
    path: "push.stores",
    isList: true,
    is: readBy(toOrigins),
    must: "origins with commas between, such as `https://s3.example.internal:9000`",
    absent: "none",
    means:
      "Object stores in private networks that customers may name as the `endpoint` of a destination, beside those on the public Internet",
  },
  CADASTRE_WEBHOOK_LOOPBACK: {
    member: "webhookLoopback",
    path: "webhooks.loopback",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether webhooks may go to this machine, over http too: for development, and refused with `NODE_ENV=production`",
  },
  CADASTRE_WORKER: {
    member: "worker",
    path: "deliveries.worker",
    ...trueOrFalse,
    default: "true",
    means: "Whether the service builds deliveries itself; else `cadastre worker` must run",
  },
  CADASTRE_FEEDS: {
    member: "runsFeeds",
    path: "deliveries.feeds",
    ...trueOrFalse,
    default: "true",
    means:
      "Whether this process runs the [feeds](../../docs/feeds.md) that are due. The service does so only with `CADASTRE_WORKER`",
  },
  CADASTRE_FEED_RUNS: {
    member: "feedRuns",
    path: "deliveries.feed_runs",
    ...wholeNumber(1, 64),
    default: "4",
    means: "How many feeds this process runs at a time, so that a slow source keeps no other feed waiting",
  },
  CADASTRE_LEASE_SECONDS: {
    member: "leaseSeconds",
    path: "deliveries.lease_seconds",
    ...wholeNumber(3, 3600),
    default: "30",
    means: "How long a delivery or a feed waits for a worker that says nothing, until another one takes it",
  },
} as const satisfies Record<string, Setting>;
