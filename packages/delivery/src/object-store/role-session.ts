import { DeliveryError } from "../errors.ts";
import {
  type AccessKeys,
  type BucketAccess,
  loadSdk,
  requestHandler,
  retryPolicyOf,
  silent,
} from "./access.ts";
import { asBucketFault, faultOf } from "./fault.ts";
import { retry } from "./retry.ts";

/** Keys that end, and are replaced before they do. */
export type RoleSession = {
  /** Keys that are valid for a while yet. */
  readonly keys: () => Promise<AccessKeys>;
  /** Have the next keys be new ones, because those before were refused. */
  readonly renew: () => void;
};

export type RoleRequest = {
  readonly roleArn: string;
  /** Region whose STS is asked. */
  readonly region: string;
  readonly externalId?: string | undefined;
  /** What the customer's log of the account will show. */
  readonly sessionName: string;
  /** What the session may do of what the role may, as a policy of IAM. */
  readonly policy: object;
};

/** Life of a session in seconds: the least that STS gives. */
const duration = 900;

/** What says that the role does not trust who asks; servers other than AWS may give no code. */
const denials = ["AccessDenied", "Unknown"];

/** Part of their life after which keys are replaced. */
const used = 2 / 3;

/**
 * Assume a role, at once and whenever two thirds of the session's life are over.
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
      logger: silent,
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
      return { keys, until: now() + used * duration * 1000 };
    } finally {
      client.destroy();
    }
  };
  const attempt = () =>
    retry(assume, (error) => faultOf(error) === "momentary", retryPolicyOf(access)).catch(
      (error: unknown) => {
        if (error instanceof Error && denials.includes(error.name) && faultOf(error) === "denied")
          throw new DeliveryError("role_denied", undefined, { cause: error });
        throw asBucketFault(error);
      },
    );

  const first = await attempt();
  let current = Promise.resolve(first);
  let until = first.until;
  return {
    keys: async () => {
      if (now() >= until) {
        // Whoever asks meanwhile waits for the same keys.
        until = Number.POSITIVE_INFINITY;
        current = attempt().then(
          (next) => {
            until = next.until;
            return next;
          },
          (error: unknown) => {
            until = 0;
            throw error;
          },
        );
      }
      return (await current).keys;
    },
    renew: () => {
      if (until !== Number.POSITIVE_INFINITY) until = 0;
    },
  };
}

/** The SDK takes no member that is undefined. */
const plain = ({ accessKeyId, secretAccessKey, sessionToken }: AccessKeys) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken === undefined ? {} : { sessionToken }),
});
