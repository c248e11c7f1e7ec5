import { isIP } from "node:net";
import type { Request } from "express";
import { forwardedFor } from "./request-origin.ts";

/**
 * Returns the IP address of the client as reported by trusted proxies: in `X-Forwarded-For`, else in `Forwarded`. Without either, or if a
 * proxy reports no IP address, returns the address of the connection. `X-Forwarded-For` has precedence because most proxies write it and
 * pass on a `Forwarded` header of the client unchanged.
 */
export function clientAddress(req: Request): string {
  const connected = plainAddress(req.socket.remoteAddress ?? "");
  const told = req.get("x-forwarded-for") === undefined ? forwardedFor(req) : req.ip;
  const address = plainAddress(told ?? "");
  return isIP(address) === 0 ? connected : address;
}

/** `::ffff:192.0.2.1` and `192.0.2.1:4711` → `192.0.2.1` */
const plainAddress = (text: string): string =>
  text.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
