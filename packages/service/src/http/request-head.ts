import { maxUrlLength } from "@cadastre/server/parts";
import type { Request } from "express";
import { Refused } from "../errors.ts";
import type { Step } from "./routes.ts";

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

/** The scheme and host that the client used to address the service. */
export type RequestOrigin = { readonly scheme: string; readonly host: string };

/** One element of a `Forwarded` header, written by one proxy. */
type Hop = Partial<Readonly<Record<string, string>>>;

/** The lookbehind lets a name begin only where no character of a name precedes it: without it a long word takes quadratic time. */
const pair = /(?<comma>,)|(?<![\w-])(?<name>[\w-]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^\s",;]*))/g;

/** Parses a `Forwarded` header. Source: RFC 7239, section 4. */
function readForwarded(header: string): readonly Hop[] {
  const hops: Record<string, string>[] = [{}];
  for (const { groups = {} } of header.matchAll(pair)) {
    const { comma, name = "", quoted, plain = "" } = groups;
    if (comma !== undefined) hops.push({});
    else Object.assign(hops.at(-1) ?? {}, { [name.toLowerCase()]: quoted?.replace(/\\(.)/g, "$1") ?? plain });
  }
  return hops;
}

/** `"[2001:db8::1]:4711"` → `2001:db8::1`. */
const addressOf = (node: string): string =>
  /^\[(?<address>.+)\]/.exec(node)?.groups?.["address"] ?? node.replace(/:\d+$/, "");

/** True if the proxy at `address` is trusted. `distance` is the number of proxies between it and this service. */
type Trust = (address: string | undefined, distance: number) => boolean;

/** Returns the elements of the `Forwarded` header that trusted proxies have written, the nearest first. */
function trustedHops(req: Request, header: string): readonly Hop[] {
  const trust = req.app.get("trust proxy fn") as Trust;
  const hops: Hop[] = [];
  let address = req.socket.remoteAddress;
  for (const [distance, hop] of readForwarded(header).toReversed().entries()) {
    if (!trust(address, distance)) break;
    hops.push(hop);
    address = addressOf(hop["for"] ?? "");
  }
  return hops;
}

/** Returns the client's address as reported by trusted proxies in `Forwarded`: an IP address, or an identifier that a proxy chose. */
export function forwardedFor(req: Request): string | undefined {
  const header = req.get("forwarded");
  if (header === undefined) return undefined;
  const told = trustedHops(req, header).at(-1)?.["for"];
  return told === undefined ? undefined : addressOf(told);
}

/**
 * Returns the scheme and host as reported by trusted proxies: from `Forwarded`, as far back as proxies are trusted, else from
 * `X-Forwarded-Proto` and `X-Forwarded-Host`. Without these headers, returns those of the connection and of `Host`.
 */
export function requestOrigin(req: Request): RequestOrigin {
  const header = req.get("forwarded");
  const scheme = /^https$/i.test(req.protocol) ? "https" : "http";
  if (header === undefined) return { scheme, host: req.host ?? "" };
  let addressed: RequestOrigin = {
    scheme: "encrypted" in req.socket ? "https" : "http",
    host: req.get("host") ?? "",
  };
  for (const hop of trustedHops(req, header)) {
    const said = hop["proto"]?.toLowerCase();
    addressed = {
      scheme: said === "https" || said === "http" ? said : addressed.scheme,
      host: hop["host"] ?? addressed.host,
    };
  }
  return addressed;
}
