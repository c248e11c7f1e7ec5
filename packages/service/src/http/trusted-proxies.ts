import { isIP } from "node:net";

/** The last so many proxies before this service, or the proxies at these addresses. */
export type TrustedProxies = number | readonly string[];

/** Names that Express has for ranges of addresses. */
const ranges: ReadonlySet<string> = new Set(["loopback", "linklocal", "uniquelocal"]);

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Read a number of proxies, or addresses, networks and names of ranges with commas between; undefined for what is none of them. */
export function toTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(",").map((proxy) => proxy.trim());
  return proxies.every((proxy) => ranges.has(proxy) || isNetwork(proxy)) ? proxies : undefined;
}
