import { isIP } from "node:net";
import { DeliveryError } from "../errors.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

/** Where webhooks may go. */
export type WebhookReach = {
  /** Whether also to this machine, and there over http: for development. By default not. */
  readonly loopback?: boolean | undefined;
};

/** Longest address, in characters. */
const maxLength = 2048;

/** The lowest port beside that of https. */
const leastPort = 1024;

/** The host of an address as it is looked up or connected to. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** Whether an IP address may be connected to. */
export const isReachable = (address: string, { loopback = false }: WebhookReach): boolean =>
  isPublicAddress(address) || (loopback && isLoopbackAddress(address));

/**
 * The address of a webhook, in its plain form. What a name leads to is looked at when something is sent.
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
  const isPlace = isIP(host) === 0 ? host.includes(".") : isPublicAddress(host);
  return url.protocol === "https:" && isPlace && (url.port === "" || Number(url.port) >= leastPort);
}
