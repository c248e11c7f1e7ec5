import { isIP } from "node:net";
import type { Request } from "express";
import { forwardedFor } from "./forwarded.ts";

/**
 * Returns the IP address of the client as trusted proxies tell it: in `X-Forwarded-For`, else in `Forwarded`. Without either, or where a
 * proxy names no IP address, it is the address of the connection. Most proxies write `X-Forwarded-For` and pass a `Forwarded` of the
 * client on, so the former counts where both are sent.
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
