import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Returns the host of a URL in the form for look-ups and connections: an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** The resolver of the operating system. */
const resolveByDefault: Resolve = (host) => lookup(host, { all: true });

/**
 * Resolves a host, and checks each of its addresses.
 *
 * @throws {RangeError} if the host has no address, or one that is not allowed
 */
export async function checkedAddresses(
  host: string,
  isAllowed: (address: string) => boolean,
  resolve: Resolve = resolveByDefault,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
    throw new RangeError("the address may not be connected to");
  return [...addresses];
}

/** Returns a look-up function that always gives the checked addresses, so that the name is not resolved again. */
export const pinnedTo =
  (checked: LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = checked;
    if (all === true) callback(null, checked);
    else callback(null, first?.address ?? "", first?.family);
  };

/** Returns a look-up function for the connections of an agent, which fails for a host with an address that is not allowed. */
export const checkedLookup =
  (isAllowed: (address: string) => boolean, resolve?: Resolve): LookupFunction =>
  (host, options, callback) => {
    checkedAddresses(host, isAllowed, resolve).then(
      (checked) => pinnedTo(checked)(host, options, callback),
      (error: unknown) => callback(error as NodeJS.ErrnoException, ""),
    );
  };
