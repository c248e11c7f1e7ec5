import { DeliveryError } from "../errors.ts";
import {
  type AccessKeys,
  type BucketAccess,
  loadSdk,
  requestHandler,
  retryPolicyOf,
  silentSdkLogger,
} from "./access.ts";
import { asBucketFault, storageFaultOf } from "./fault.ts";
import { retry } from "./retry.ts";

/** Temporary access keys of an assumed role, replaced before they expire. */
export type RoleSession = {
  /** Returns keys that stay valid for a while. */
  readonly keys: () => Promise<AccessKeys>;
  /** Makes the next call of `keys` get new ones, because the server refused the present ones. */
  readonly renew: () => void;
};

export type RoleRequest = {
  readonly roleArn: string;
  /** Region of the STS endpoint. */
  readonly region: string;
  readonly externalId?: string | undefined;
  /** Name of the session in the logs of the customer's account. */
  readonly sessionName: string;
  /** IAM session policy, which restricts what the role permits. */
  readonly policy: object;
};

/** Lifetime of a session, in seconds: the shortest that STS allows. */
const duration = 900;

/** Error codes that mean that the role does not trust the caller; servers other than AWS may give no code. */
const denials = ["AccessDenied", "Unknown"];

/** Fraction of their lifetime after which keys are replaced. */
const renewalFraction = 2 / 3;

/**
 * Assumes a role now, and again when keys are requested after two thirds of the session's lifetime.
 *
 * @throws {DeliveryError} `role_denied`, `bucket_unavailable`, `aws_sdk_missing`
 */
export async function assumeRole(request: RoleRequest, access: BucketAccess): Promise<RoleSession> {
  const { keys: own, endpoints, now = Date.now } = access;
  const { STSClient, AssumeRoleCommand } = await loadSdk(() => import("@aws-sdk/client-sts"));

  const assume = async () => {
    const client = new STSClient({
      region: request.region,
      maxAttempts: 1,
      requestHandler,
      logger: silentSdkLogger,
      ...(own === undefined ? {} : { credentials: plain(own) }),
      ...(endpoints?.sts === undefined ? {} : { endpoint: endpoints.sts }),
    });
    try {
      const { Credentials: given } = await client.send(
        new AssumeRoleCommand({
          RoleArn: request.roleArn,
          RoleSessionName: request.sessionName,
          DurationSeconds: duration,
          Policy: JSON.stringify(request.policy),
          ...(request.externalId === undefined ? {} : { ExternalId: request.externalId }),
        }),
      );
      if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken)
        throw new DeliveryError("role_denied", "no keys were given");
      const keys = {
        accessKeyId: given.AccessKeyId,
        secretAccessKey: given.SecretAccessKey,
        sessionToken: given.SessionToken,
      };
      return { keys, renewAt: now() + renewalFraction * duration * 1000 };
    } finally {
      client.destroy();
    }
  };
  const attempt = () =>
    retry(assume, (error) => storageFaultOf(error) === "momentary", retryPolicyOf(access)).catch(
      (error: unknown) => {
        if (error instanceof Error && denials.includes(error.name) && storageFaultOf(error) === "denied")
          throw new DeliveryError("role_denied", undefined, { cause: error });
        throw asBucketFault(error);
      },
    );

  const first = await attempt();
  let current = Promise.resolve(first);
  let renewAt = first.renewAt;
  return {
    keys: async () => {
      if (now() >= renewAt) {
        // Concurrent callers wait for the same keys.
        renewAt = Number.POSITIVE_INFINITY;
        current = attempt().then(
          (next) => {
            renewAt = next.renewAt;
            return next;
          },
          (error: unknown) => {
            renewAt = 0;
            throw error;
          },
        );
      }
      return (await current).keys;
    },
    renew: () => {
      if (renewAt !== Number.POSITIVE_INFINITY) renewAt = 0;
    },
  };
}

/** Leaves out members that are undefined, which the SDK does not accept. */
const plain = ({ accessKeyId, secretAccessKey, sessionToken }: AccessKeys) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken === undefined ? {} : { sessionToken }),
});
