import { BlockList, isIP } from "node:net";

/**
 * IPv4 networks that are not part of the public Internet. Source: IANA IPv4 Special-Purpose Address Registry; RFC 5771;
 * the last one is the address by which Azure's virtual machines reach their host.
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

/** Global unicast networks that are special, or embed IPv4 addresses. Source: IANA IPv6 Special-Purpose Address Registry. */
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

/** True if an IP address is on the public Internet. For IPv6, only global unicast addresses that embed no IPv4 address are. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !lists.specialV4.check(address);
  return (
    isIP(address) === 6 && lists.globalV6.check(address, "ipv6") && !lists.specialV6.check(address, "ipv6")
  );
}

/** True if a host, in the form for look-ups, may be on the public Internet: a public address, or a name with a point. */
export const isPublicHost = (host: string): boolean =>
  isIP(host) === 0 ? host.includes(".") : isPublicAddress(host);

/** True for a loopback address, except an IPv4 one in an IPv6 form. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) === 4
    ? lists.loopbackV4.check(address)
    : isIP(address) === 6 && lists.loopbackV6.check(address, "ipv6");
