import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { answer, close, failed } from "../gateway-proxy.ts";
import { allows, effectOf, type Policy, type RequestedAccess } from "../policy.ts";
import {
  type Asked,
  customerAccount,
  type Fault,
  type ObjectServer,
  rolePath,
  type StorageKeys,
  servicePrincipal,
} from "../server.ts";
import { readAuthorization, readPresignedUrl, sha256Hex, signatureOf } from "../signature.ts";
import type { FakeBucket } from "./objects.ts";
import { handlers, type Reply, type S3Operation } from "./operations.ts";
import { fakeRoles, type SigningCaller, sessionBody } from "./session.ts";

const service: StorageKeys = { accessKeyId: "SERVICE0", secretAccessKey: "service-secret" };
const owner: StorageKeys = { accessKeyId: "OWNER000", secretAccessKey: "owner-secret" };

/**
 * Starts a server in memory with the operations of S3 and STS that pushes need, for machines without a real one. It verifies signatures,
 * session tokens, policies and hashes of bodies. The same tests run against both.
 */
export async function startFakeObjectServer({
  overwrites = false,
}: {
  /** True for a server that does not know `If-None-Match`. */
  readonly overwrites?: boolean;
} = {}): Promise<ObjectServer> {
  const buckets = new Map<string, FakeBucket>();
  const roles = fakeRoles();
  let faultOf: ((asked: Asked) => Fault) | undefined;

  /** Returns the caller; undefined if the request is not correctly signed by a known caller. */
  const callerOf = (from: IncomingMessage, payloadSha256: string): SigningCaller | undefined => {
    const request = { method: from.method ?? "", url: from.url ?? "", headers: from.headers };
    const inHeaders = readAuthorization(from.headers);
    const signed =
      inHeaders === undefined
        ? readPresignedUrl(request, new Date())
        : { asked: request, authorization: inHeaders, token: from.headers["x-amz-security-token"] };
    if (signed === undefined) return undefined;
    const { asked, authorization, token } = signed;
    const session = roles.session(authorization.accessKeyId);
    const caller: SigningCaller | undefined =
      session ??
      [service, owner].filter((keys) => keys.accessKeyId === authorization.accessKeyId).map(known)[0];
    const isSigned =
      caller !== undefined &&
      token === caller.token &&
      authorization.signature ===
        signatureOf(asked, authorization, caller.keys.secretAccessKey, payloadSha256);
    return isSigned ? caller : undefined;
  };

  const assume = (from: IncomingMessage, to: ServerResponse, body: Buffer) => {
    const caller = callerOf(from, sha256Hex(body));
    const session =
      caller?.keys === service
        ? roles.assume(new URLSearchParams(body.toString()), servicePrincipal)
        : undefined;
    if (session === undefined)
      return answer(
        to,
        403,
        "AccessDenied",
        `${servicePrincipal} is not authorized to perform: sts:AssumeRole`,
        true,
      );
    to.writeHead(200, { "content-type": "text/xml" }).end(sessionBody(session));
  };

  const serve = async (from: IncomingMessage, to: ServerResponse) => {
    // Nothing of an aborted upload is stored.
    const body = await buffer(from).catch(() => undefined);
    if (body === undefined) return;
    const isSts = from.method === "POST" && from.url === "/";
    if (failed(from, to, faultOf, isSts ? new URLSearchParams(body.toString()).get("Action") : null)) return;
    if (isSts) return assume(from, to, body);
    const caller = callerOf(from, String(from.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD"));
    if (caller === undefined) return answer(to, 403, "SignatureDoesNotMatch", "");
    const { pathname, searchParams: query } = new URL(from.url ?? "", "http://localhost");
    const [, bucket = "", ...path] = pathname.split("/").map(decodeURIComponent);
    const operation: S3Operation = {
      bucket,
      key: path.join("/"),
      query,
      headers: overwrites ? { ...from.headers, "if-none-match": undefined } : from.headers,
      body,
      may: (action, resource, context = {}) =>
        isAllowed(caller, buckets.get(bucket)?.policy, { action, resource, context }),
    };
    const handler = handlers[`${from.method} ${operation.key === "" ? "bucket" : "object"}`];
    reply(to, handler?.(operation, buckets) ?? { status: 501, code: "NotImplemented" });
  };

  const server = createServer((from, to) => void serve(from, to));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    service,
    owner,
    makeRole: (role) => {
      const arn = `arn:aws:iam::${customerAccount}:role${rolePath}${role.name}`;
      roles.add(arn, role);
      return arn;
    },
    failWhen: (fault) => {
      faultOf = fault;
    },
    knowsIfNoneMatch: true,
    isOwnersWhatRolesWrite: true,
    stop: () => close(server),
  };
}

/** True if all policies of the caller allow it and the bucket's policy does not deny it. A bucket's policy allows nothing by itself. */
const isAllowed = (
  { policies }: SigningCaller,
  ofBucket: Policy | undefined,
  access: RequestedAccess,
): boolean =>
  (policies === "all" || policies.every((policy) => allows(policy, access))) &&
  (ofBucket === undefined || effectOf(ofBucket, { ...access, principal: "anybody" }) !== "Deny");

/** Returns the owner or the service. The service itself has no permission for buckets. */
const known = (keys: StorageKeys): SigningCaller => ({
  keys,
  policies: keys === owner ? "all" : [{ Version: "2012-10-17", Statement: [] }],
});

function reply(to: ServerResponse, { status, headers, body, code, message = "" }: Reply): void {
  if (code !== undefined) answer(to, status, code, message);
  else to.writeHead(status, headers).end(body);
}
