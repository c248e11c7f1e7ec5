import { describe, expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../src/outbound/public-address.ts";
import { webhookUrl } from "../../src/webhooks/url.ts";

const outcome = (text: string, loopback: boolean): string => {
  try {
    return webhookUrl(text, { loopback }).href;
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const invalid = "invalid_webhook_url";

describe("the address of a webhook", () => {
  test.each([
    ["https://hooks.example/a?b=c", "https://hooks.example/a?b=c"],
    ["https://hooks.example:443/", "https://hooks.example/"],
    ["https://hooks.example:8443", "https://hooks.example:8443/"],
    ["https://93.184.216.34/", "https://93.184.216.34/"],
    ["https://[2606:2800:220:1:248:1893:25c8:1946]/", "https://[2606:2800:220:1:248:1893:25c8:1946]/"],
  ])("may be %s", (text, href) => {
    expect(outcome(text, false)).toBe(href);
  });

  test.each([
    "",
    "hooks.example",
    "http://hooks.example/",
    "ftp://hooks.example/",
    "javascript:alert(1)",
    "https://user@hooks.example/",
    "https://:secret@hooks.example/",
    "https://hooks.example/#",
    "https://hooks.example/#part",
    "https://hooks.example/ a",
    "https://hooks.example:22/",
    "https://hooks.example:0/",
    "https://intranet/",
    `https://hooks.example/${"x".repeat(2048)}`,
    // What stands for 127.0.0.1, 10.0.0.1 and 169.254.169.254.
    "https://localhost/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://10.0.0.1/",
    "https://167772161/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00:ec2::254]/",
    "https://0.0.0.0/",
    "https://①②⑦.0.0.1/",
  ])("may not be `%s`", (text) => {
    expect(outcome(text, false)).toBe(invalid);
  });

  test.each([
    ["http://localhost:80/", "http://localhost/"],
    ["http://127.0.0.1:22/a", "http://127.0.0.1:22/a"],
    ["https://[::1]:8080/", "https://[::1]:8080/"],
    ["http://hooks.example/", invalid],
    ["https://10.0.0.1/", invalid],
    ["https://[::ffff:127.0.0.1]/", invalid],
    ["https://0.0.0.0/", invalid],
  ])("where this machine may be told, %s is %s", (text, expected) => {
    expect(outcome(text, true)).toBe(expected);
  });
});

describe("an IP address", () => {
  test.each(["1.1.1.1", "100.63.255.255", "100.128.0.0", "172.32.0.1", "223.255.255.255", "2606:4700::1111"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  const local = "0.1.2.3 10.255.0.1 100.64.0.1 127.8.8.8 169.254.0.1 172.16.0.1 172.31.255.255 192.168.1.1";
  const reserved = "192.0.0.192 198.19.0.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 ff02::1 2001:db8::1";
  const clouds = "169.254.169.254 100.100.100.200 168.63.129.16 fd00:ec2::254";
  const standingForOthers = "::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::808:808 2002:808:808:: 2001::1 3fff::1";
  const ownV6 = ":: ::1 fe80::1 fe80::1%eth0 fc00::1";
  test.each([
    ...[local, reserved, clouds, standingForOthers, ownV6].flatMap((some) => some.split(" ")),
    "",
    "localhost",
    "1.1.1",
  ])("`%s` is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("is this machine's own in its plain form alone", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1"].map(isLoopbackAddress)).toEqual([true, true, true]);
    expect(["::ffff:127.0.0.1", "0.0.0.0", "::", "128.0.0.1", "localhost"].some(isLoopbackAddress)).toBe(
      false,
    );
  });
});
