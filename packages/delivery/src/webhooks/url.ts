import { DeliveryError } from "../errors.ts";
import { hostOf } from "../outbound/pinned-address.ts";
import { isLoopbackAddress, isPublicAddress, isPublicHost } from "../outbound/public-address.ts";

/** Restriction on the hosts that webhooks may be sent to. */
export type WebhookReach = {
  /** True if webhooks may also go to this machine, there also over `http`: for development. By default false. */
  readonly loopback?: boolean | undefined;
};

/** Longest URL, in characters. */
const maxLength = 2048;

/** Lowest allowed port other than the default one of https. */
const leastPort = 1024;

/** True if webhooks may connect to the IP address. */
export const isReachable = (address: string, { loopback = false }: WebhookReach): boolean =>
  isPublicAddress(address) || (loopback && isLoopbackAddress(address));

/**
 * Parses and checks the URL of a webhook. The addresses of a host name are checked only when a message is sent.
 *
 * @throws {DeliveryError} `invalid_webhook_url`
 */
export function webhookUrl(text: string, reach: WebhookReach): URL {
  const url = text.length <= maxLength && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isAllowed(url, reach) || /[#\s]/.test(text))
    throw new DeliveryError("invalid_webhook_url");
  return url;
}

function isAllowed(url: URL, { loopback = false }: WebhookReach): boolean {
  if (url.username !== "" || url.password !== "") return false;
  const host = hostOf(url);
  const isLocal = host === "localhost" || isLoopbackAddress(host);
  if (isLocal) return loopback && /^https?:$/.test(url.protocol);
  return (
    url.protocol === "https:" && isPublicHost(host) && (url.port === "" || Number(url.port) >= leastPort)
  );
}
