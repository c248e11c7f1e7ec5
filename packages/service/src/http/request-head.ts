import { Refused } from "../errors.ts";
import type { Step } from "./routes.ts";

/** Longest path and query, in bytes. Source: the project's default limits. */
export const maxUrlLength = 65_536;

/** Refuses a URL that is too long, before anything parses it. */
export const urlLimit: Step = ({ originalUrl }) => {
  if (originalUrl.length > maxUrlLength) throw new Refused("uri_too_long");
};

/**
 * Headers that say where a request goes and who sends it. If one is repeated, Node keeps the first `Host` and `Authorization` and joins
 * `x-api-key`s; a proxy may have used another one than the service.
 */
const singleHeaders: ReadonlySet<string> = new Set(["host", "authorization", "x-api-key"]);

/** Lengths of those names, so that other headers are skipped without converting their names to lower case. */
const lengths: ReadonlySet<number> = new Set([...singleHeaders].map(({ length }) => length));

/** Refuses a request that repeats one of these headers, even with the same value. Source: RFC 9112, section 3.2. */
export const requireSingleHeaders: Step = ({ rawHeaders }) => {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? "";
    if (!lengths.has(raw.length)) continue;
    const name = raw.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name)) throw new Refused("duplicate_header", { target: name });
    seen.push(name);
  }
};

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
