import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { DeliveryError } from "../errors.ts";
import { defaultStorageRetry, type StorageRetryPolicy } from "./retry.ts";

/** Access keys that requests are signed with. */
export type AccessKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/** Settings for access to buckets and to STS. */
export type BucketAccess = {
  /** Access keys of the service. By default those that the AWS SDK finds: environment, profile, instance. */
  readonly keys?: AccessKeys | undefined;
  /** Addresses of servers other than those of AWS. */
  readonly endpoints?: { readonly s3?: string | undefined; readonly sts?: string | undefined } | undefined;
  /** True if an address has the bucket in its path, not in its host. By default false. */
  readonly pathStyle?: boolean | undefined;
  /** Resolves the hosts of buckets. By default as the operating system does. */
  readonly lookup?: LookupFunction | undefined;
  readonly retryPolicy?: StorageRetryPolicy | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly now?: (() => number) | undefined;
};

export const retryPolicyOf = ({ retryPolicy = defaultStorageRetry }: BucketAccess): StorageRetryPolicy =>
  retryPolicy;

/** Timeouts of sockets, in milliseconds. A request that times out is retried. */
export const requestHandler = { connectionTimeout: 5000, socketTimeout: 60_000 };

/** Returns the same, with connections by https to addresses that `lookup` gives. */
export const handlerWith = (lookup: LookupFunction) => ({
  ...requestHandler,
  httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 50, lookup }),
});

/** A logger that logs nothing: the SDK's errors say as much. */
export const silentSdkLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Loads a package of the AWS SDK when it is first needed. @throws {DeliveryError} `aws_sdk_missing` */
export const loadSdk = <Sdk>(load: () => Promise<Sdk>): Promise<Sdk> =>
  load().catch((error: unknown) => {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw isAbsent ? new DeliveryError("aws_sdk_missing", undefined, { cause: error }) : error;
  });
