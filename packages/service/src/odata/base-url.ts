import type { Request } from "express";

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The service's address for links: as configured, else as the client addressed it. */
export function baseUrlOf(req: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const host = req.get("host") ?? "";
  if (hostPattern.test(host)) return `http://${host}`;
  const { localAddress = "127.0.0.1", localPort = 80 } = req.socket;
  return `http://${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
