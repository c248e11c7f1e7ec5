import { isIP } from "node:net";
import { z } from "zod";

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

/** Read a number of proxies, or addresses, networks and names of ranges with commas between. */
export function toTrustedProxies(text: string, context: z.RefinementCtx): TrustedProxies {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(",").map((proxy) => proxy.trim());
  if (proxies.every((proxy) => ranges.has(proxy) || isNetwork(proxy))) return proxies;
  context.addIssue({ code: "custom", message: "not a proxy" });
  return z.NEVER;
}
