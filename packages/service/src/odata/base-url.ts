import type { Request } from "express";
import { Refused } from "../errors.ts";
import { isHost } from "../http/host.ts";
import { requestOrigin } from "../http/request-origin.ts";

/**
 * Returns the base URL for links: the configured one, or else the one that the client used.
 *
 * @throws {Refused} `invalid_host` if a trusted proxy sends an invalid host
 */
export function baseUrlOf(req: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const { scheme, host } = requestOrigin(req);
  if (host === "") return `${scheme}://${ownHost(req)}`;
  if (!isHost(host)) throw new Refused("invalid_host");
  return `${scheme}://${host}`;
}

/** Returns the host of the connection. HTTP/1.0 requests may have no `Host` header. */
function ownHost({ socket: { localAddress = "127.0.0.1", localPort = 80 } }: Request): string {
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
