import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { allows, assumption, type Policy, readPolicy, withoutKms } from "./policy.ts";
import { type Asked, errorBody, type Fault, type ObjectServer, type StorageKeys } from "./server.ts";
import { readAuthorization, sha256Hex, signatureOf, writeAuthorization } from "./signature.ts";

export type GatewayProxy = Pick<ObjectServer, "endpoint" | "failWhen" | "stop"> & {
  /** Sets the trust policy of a role, which the proxy enforces, except for principals. */
  readonly trust: (roleArn: string, policy: Policy) => void;
};

/**
 * Starts a proxy on loopback that adds what Ceph's object gateway lacks: it checks the external id when a role is assumed, and removes KMS
 * actions from session policies, signing the request again. Everything else passes unchanged. It can also make requests fail.
 */
export async function startGatewayProxy(port: number, service: StorageKeys): Promise<GatewayProxy> {
  const trusted = new Map<string, Policy>();
  let faultOf: ((asked: Asked) => Fault) | undefined;

  const assume = async (from: IncomingMessage, to: ServerResponse) => {
    const body = await buffer(from);
    const form = new URLSearchParams(body.toString());
    if (failed(from, to, faultOf, form.get("Action"))) return;
    const roleArn = form.get("RoleArn") ?? "";
    const authorization = readAuthorization(from.headers);
    const asked = { method: "POST", url: from.url ?? "/", headers: from.headers };
    const isSigned =
      authorization?.accessKeyId === service.accessKeyId &&
      authorization.signature === signatureOf(asked, authorization, service.secretAccessKey, sha256Hex(body));
    const trust = trusted.get(roleArn);
    const isTrusted = trust !== undefined && allows(trust, assumption(form));
    if (!isSigned || !isTrusted)
      return answer(to, 403, "AccessDenied", `not authorized to perform: sts:AssumeRole on ${roleArn}`, true);
    const policy = form.get("Policy");
    if (policy !== null) form.set("Policy", JSON.stringify(withoutKms(readPolicy(policy))));
    const sent = Buffer.from(form.toString());
    const headers = { ...from.headers, "content-length": String(sent.length) };
    const signature = signatureOf(
      { ...asked, headers },
      authorization,
      service.secretAccessKey,
      sha256Hex(sent),
    );
    const signed = { ...headers, authorization: writeAuthorization(authorization, signature) };
    forward(port, { ...asked, headers: signed }, to).end(sent);
  };

  const server = createServer((from, to) => {
    if (from.method === "POST" && from.url === "/") return void assume(from, to);
    if (failed(from, to, faultOf, null)) return;
    // The proxy has answered `100 Continue` already.
    const { expect: _, ...headers } = from.headers;
    from.pipe(forward(port, { method: from.method ?? "GET", url: from.url ?? "/", headers }, to));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trust: (roleArn, policy) => void trusted.set(roleArn, policy),
    failWhen: (fault) => {
      faultOf = fault;
    },
    stop: () => close(server),
  };
}

function forward(
  port: number,
  { method, url, headers }: { method: string; url: string; headers: IncomingMessage["headers"] },
  to: ServerResponse,
) {
  const asked = request({ host: "127.0.0.1", port, method, path: url, headers }, (from) => {
    to.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(to);
  });
  asked.on("error", () => to.destroy());
  // An aborted upload must not look like a complete one.
  to.on("close", () => {
    if (!to.writableEnded) asked.destroy();
  });
  return asked;
}

/** Makes a request fail if the test wants it to. Returns true if the request has been answered. */
export function failed(
  from: IncomingMessage,
  to: ServerResponse,
  faultOf: ((asked: Asked) => Fault) | undefined,
  action: string | null,
): boolean {
  const fault = faultOf?.({ method: from.method ?? "", path: from.url ?? "", action });
  if (fault === undefined) return false;
  if (fault === "unanswered") {
    to.writeHead = () => {
      from.socket.destroy();
      return to;
    };
    return false;
  }
  if (fault === "broken") from.socket.destroy();
  else {
    from.resume();
    answer(to, fault.status, fault.code, "as the test wants it", action !== null);
  }
  return true;
}

export function answer(
  to: ServerResponse,
  status: number,
  code: string,
  message: string,
  isSts = false,
): void {
  to.writeHead(status, { "content-type": "application/xml" }).end(errorBody(code, message, isSts));
}

export const close = (server: ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
