import type { Request } from "express";
import { Refused } from "../errors.ts";
import { addressedBy } from "../http/forwarded.ts";
import { isHost } from "../http/host.ts";

/**
 * The service's address for links: as configured, else as the client addressed it.
 *
 * @throws {Refused} `invalid_host` if a trusted proxy names a host that is none.
 */
export function baseUrlOf(req: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const { scheme, host } = addressedBy(req);
  if (host === "") return `${scheme}://${ownHost(req)}`;
  if (!isHost(host)) throw new Refused("invalid_host");
  return `${scheme}://${host}`;
}

/** What HTTP/1.0 does not say. */
function ownHost({ socket: { localAddress = "127.0.0.1", localPort = 80 } }: Request): string {
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
