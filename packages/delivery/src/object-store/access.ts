import { DeliveryError } from "../errors.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";

/** Keys that requests are signed with. */
export type AccessKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/** How buckets, and the roles that may write to them, are reached. */
export type BucketAccess = {
  /** Keys of the service's own principal. By default those that the AWS SDK finds: environment, profile, instance. */
  readonly keys?: AccessKeys | undefined;
  /** Addresses of other servers than those of AWS. */
  readonly endpoints?: { readonly s3?: string | undefined; readonly sts?: string | undefined } | undefined;
  /** Whether the bucket is in the path of an address and not in its host. By default not. */
  readonly pathStyle?: boolean | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
};

export const retryPolicyOf = ({ retryPolicy = defaultRetryPolicy }: BucketAccess): RetryPolicy => retryPolicy;

/** Sockets that nothing comes from: what was asked is asked again. */
export const requestHandler = { connectionTimeout: 5000, socketTimeout: 60_000 };

/** What the SDK would say is in the errors that it throws. */
export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The AWS SDK, which is loaded when it is needed. */
export const loadSdk = <Sdk>(load: () => Promise<Sdk>): Promise<Sdk> =>
  load().catch((error: unknown) => {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw isAbsent ? new DeliveryError("aws_sdk_missing", undefined, { cause: error }) : error;
  });
