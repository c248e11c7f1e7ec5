import { isIP } from "node:net";

/** The number of trusted proxies directly before this service, or the addresses of trusted proxies. */
export type TrustedProxies = number | readonly string[];

/** Names that Express defines for ranges of addresses. */
const ranges: ReadonlySet<string> = new Set(["loopback", "linklocal", "uniquelocal"]);

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Parses a number of proxies, or a comma-separated list of addresses, networks and range names. Returns undefined for other texts. */
export function toTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(",").map((proxy) => proxy.trim());
  return proxies.every((proxy) => ranges.has(proxy) || isNetwork(proxy)) ? proxies : undefined;
}
