import { Refused } from "../errors.ts";
import type { Step } from "./steps.ts";

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i;

/** Whether links can be built on a text as on that of a `Host` header. */
export function isHost(text: string): boolean {
  const found = hostPattern.exec(text);
  return found !== null && Number(found.groups?.["port"] ?? 0) <= 65_535;
}

/** Refuses a request whose `Host` is no host. Source: RFC 9112, section 3.2. */
export const hostForm: Step = ({ headers: { host = "" } }) => {
  if (host !== "" && !isHost(host)) throw new Refused("invalid_host");
};

/** Whether only this machine reaches what listens on `host`. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
