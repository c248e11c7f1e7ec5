import { Refused } from "../errors.ts";
import type { Step } from "./chain.ts";

/** A host name, an IPv4 address or an IPv6 address in brackets, with an optional port. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i;

/** True if a text is a valid `Host` header, so that links can be built from it. */
export function isHost(text: string): boolean {
  const found = hostPattern.exec(text);
  return found !== null && Number(found.groups?.["port"] ?? 0) <= 65_535;
}

/** Refuses a request with a malformed `Host` header. Source: RFC 9112, section 3.2. */
export const hostForm: Step = ({ headers: { host = "" } }) => {
  if (host !== "" && !isHost(host)) throw new Refused("invalid_host");
};

/** True if `host` is a loopback address, so that only this machine can reach a server that listens on it. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
