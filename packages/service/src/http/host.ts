import type { RequestHandler } from "express";
import { Refused } from "../errors.ts";

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i;

/** Whether links can be built on the text of a `Host` header. */
function isHost(text: string): boolean {
  const found = hostPattern.exec(text);
  return found !== null && Number(found.groups?.["port"] ?? 0) <= 65_535;
}

/** Refuses a request whose `Host` is no host. Source: RFC 9112, section 3.2. */
export const hostForm: RequestHandler = (req, _res, next) => {
  const { host = "" } = req.headers;
  next(host === "" || isHost(host) ? undefined : new Refused("invalid_host"));
};

/** Whether only this machine reaches what listens on `host`. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
