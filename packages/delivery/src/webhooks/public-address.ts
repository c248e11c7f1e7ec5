import { BlockList, isIP } from "node:net";

/**
 * Addresses of IPv4 that are no place of the public network. Source: IANA IPv4 Special-Purpose Address Registry; RFC 5771;
 * the last one is where Azure's machines reach their host.
 */
const specialV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["168.63.129.16", 32],
] as const;

/** Among global unicast, what is special, or stands for an address of IPv4. Source: IANA IPv6 Special-Purpose Address Registry. */
const specialV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const;

const listOf = (networks: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
};

const lists = {
  specialV4: listOf(specialV4, "ipv4"),
  specialV6: listOf(specialV6, "ipv6"),
  globalV6: listOf([["2000::", 3]], "ipv6"),
  loopbackV4: listOf([["127.0.0.0", 8]], "ipv4"),
  loopbackV6: listOf([["::1", 128]], "ipv6"),
};

/** Whether an IP address is one of the public network. Of IPv6 only global unicast is: no form that holds one of IPv4. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !lists.specialV4.check(address);
  return (
    isIP(address) === 6 && lists.globalV6.check(address, "ipv6") && !lists.specialV6.check(address, "ipv6")
  );
}

/** Whether an IP address is one of this machine's own, in its plain form. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) === 4
    ? lists.loopbackV4.check(address)
    : isIP(address) === 6 && lists.loopbackV6.check(address, "ipv6");
