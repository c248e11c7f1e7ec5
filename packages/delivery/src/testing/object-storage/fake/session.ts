import { randomBytes } from "node:crypto";
import { allows, assumption, type Policy, readPolicy } from "../policy.ts";
import type { Role, StorageKeys } from "../server.ts";

/** A caller. The owner may do everything, a session what both its role and its session policy allow. */
export type SigningCaller = {
  readonly keys: StorageKeys;
  readonly token?: string;
  readonly policies: readonly Policy[] | "all";
};

export type AssumedRole = SigningCaller & { readonly token: string; readonly expires: Date };

/** Returns a register of roles by ARN, and of the sessions that assumed them. Source: STS, AssumeRole. */
export function fakeRoles() {
  const roles = new Map<string, { readonly trust: Policy; readonly permissions: Policy }>();
  const sessions = new Map<string, AssumedRole>();
  return {
    add: (arn: string, { trust, permissions }: Role) =>
      void roles.set(arn, { trust: readPolicy(trust), permissions: readPolicy(permissions) }),
    session: (accessKeyId: string) => sessions.get(accessKeyId),
    /** Assumes a role; undefined if the role does not exist, or does not trust the caller. */
    assume(form: URLSearchParams, principal: string): AssumedRole | undefined {
      const role = roles.get(form.get("RoleArn") ?? "");
      const access = { ...assumption(form), principal };
      if (role === undefined || !allows(role.trust, access)) return undefined;
      const own = form.get("Policy");
      const policies = [role.permissions, ...(own === null ? [] : [readPolicy(own)])];
      const [accessKeyId, secretAccessKey, token] = [10, 30, 60].map((n) => randomBytes(n).toString("hex"));
      const session: AssumedRole = {
        keys: { accessKeyId: `ASIA${accessKeyId}`, secretAccessKey: secretAccessKey ?? "" },
        token: token ?? "",
        expires: new Date(Date.now() + 1000 * Number(form.get("DurationSeconds") ?? 3600)),
        policies,
      };
      sessions.set(session.keys.accessKeyId, session);
      return session;
    },
  };
}

export const sessionBody = ({ keys, token, expires }: AssumedRole): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${keys.accessKeyId}</AccessKeyId><SecretAccessKey>${keys.secretAccessKey}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${expires.toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
