import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  newExternalId,
  openDestinationSecret,
  sealDestinationSecret,
} from "../../src/destinations/destination-secret.ts";
import { type DestinationRequest, validateDestination } from "../../src/destinations/place.ts";
import { publicationPolicy, verificationPolicy } from "../../src/destinations/session-policy.ts";
import { defaultStorageRetry, retry } from "../../src/object-store/retry.ts";

const good: DestinationRequest = {
  bucket: "acme-exports",
  region: "us-west-2",
  prefix: "cadastre/listings",
  roleArn: "arn:aws:iam::111122223333:role/cadastre/file-delivery/exports",
  kmsKeyArn: "arn:aws:kms:us-west-2:111122223333:key/0c1e8a5e-3f5e-4f0e-9a55-6c1f2f0d7b11",
};

/** A request for a destination at a store other than AWS. */
const own: DestinationRequest = {
  bucket: "acme-exports",
  prefix: "cadastre/listings",
  endpoint: "https://s3.example.com",
  accessKeyId: "AK",
  secretAccessKey: "SK",
};

const terms = { platform: "cadastre", privateStores: ["http://10.0.0.7:9000"] };

const codeOf = (request: DestinationRequest): unknown => {
  try {
    validateDestination(request, terms);
    return "fine";
  } catch (error) {
    return (error as { code: unknown }).code;
  }
};

describe("what names a place", () => {
  test.each<[keyof DestinationRequest, readonly string[]]>([
    ["bucket", ["abc", "a.b-c.1", "1".repeat(63)]],
    ["prefix", ["a", "a/b/c", "date=2026-01-01/v1.2", "_x", "a/", "x".repeat(256)]],
    [
      "roleArn",
      [
        "arn:aws:iam::000000000000:role/cadastre/file-delivery/a/b/c",
        "arn:aws:iam::111122223333:role/cadastre/file-delivery/+=,.@-",
      ],
    ],
    ["kmsKeyArn", ["arn:aws:kms:us-west-2:999988887777:key/mrk-0123456789abcdef0123456789abcdef"]],
  ])("is accepted as %s: %j", (member, values) => {
    for (const value of values)
      expect([value, codeOf({ ...good, [member]: value })]).toEqual([value, "fine"]);
  });

  test.each([
    "us-east-1",
    "ap-southeast-4",
    "us-gov-west-1",
    "us-isob-east-1",
    "eusc-de-east-1",
    "me-central-1",
  ])("is accepted as region: %s", (region) =>
    expect(codeOf({ ...good, region, kmsKeyArn: null })).toBe("fine"),
  );

  test.each<[string, keyof DestinationRequest, readonly string[]]>([
    [
      "invalid_bucket",
      "bucket",
      [
        "",
        "ab",
        "Acme",
        "a_b_c",
        "-abc",
        "abc-",
        "abc.",
        "a..b",
        "192.168.5.4",
        "xn--abc",
        "sthree-abc",
        "amzn-s3-demo-abc",
        "abc-s3alias",
        "abc--ol-s3",
        "abc.mrap",
        "abc--x-s3",
        "a/b",
        "abc\n",
        "a".repeat(64),
      ],
    ],
    [
      "invalid_region",
      "region",
      ["", "us", "us-west", "US-WEST-2", "us-west-2.evil.example", "us-west-2\n", "us/west/2"],
    ],
    [
      "invalid_prefix",
      "prefix",
      [
        "",
        "/",
        "/a",
        "a//b",
        "a/../b",
        "..",
        ".probe-x",
        "a/.b",
        "a*",
        "a?b",
        "$x",
        "a b",
        "ä",
        "a\n",
        "a//",
        "x".repeat(257),
      ],
    ],
    [
      "invalid_role_arn",
      "roleArn",
      [
        "",
        "arn:aws:iam::11112222333:role/cadastre/file-delivery/x",
        "arn:aws:iam::111122223333:user/cadastre/file-delivery/x",
        "arn:aws:iam::111122223333:role/x",
        "arn:aws:iam::111122223333:role/cadastre/file-delivery/",
        "arn:aws:iam::111122223333:role/other/file-delivery/x",
        "arn:aws:iam::111122223333:role/cadastre/file-delivery/*",
        "arn:aws:iam::111122223333:role/x/cadastre/file-delivery/x",
        `arn:aws:iam::111122223333:role/cadastre/file-delivery/${"x".repeat(65)}`,
        "arn:aws:iam::111122223333:role/cadastre/file-delivery/x\n",
      ],
    ],
    [
      "invalid_kms_key_arn",
      "kmsKeyArn",
      [
        "",
        "arn:aws:kms:us-east-1:111122223333:key/0c1e8a5e-3f5e-4f0e-9a55-6c1f2f0d7b11",
        "arn:aws:kms:us-west-2:111122223333:alias/exports",
        "0c1e8a5e-3f5e-4f0e-9a55-6c1f2f0d7b11",
        "arn:aws:kms:us-west-2:111122223333:key/*",
      ],
    ],
  ])("%s: no %s is one of %j", (code, member, values) => {
    for (const value of values) expect([value, codeOf({ ...good, [member]: value })]).toEqual([value, code]);
  });

  test("a prefix is kept without the slash at its end", () => {
    expect(validateDestination({ ...good, prefix: "a/b/" }, terms).place.prefix).toBe("a/b");
  });

  test("a store other than AWS has an address and keys, and no role", () => {
    expect(validateDestination(own, terms)).toEqual({
      place: {
        bucket: "acme-exports",
        region: "us-east-1",
        prefix: "cadastre/listings",
        roleArn: null,
        kmsKeyArn: null,
        server: { endpoint: "https://s3.example.com", pathStyle: true, accessKeyId: "AK" },
      },
      keys: { accessKeyId: "AK", secretAccessKey: "SK" },
    });
  });

  test.each<[string, Partial<DestinationRequest>]>([
    ["fine", { endpoint: "https://s3.example.com/" }],
    ["fine", { endpoint: "https://s3.example.com:9000", region: "garage", pathStyle: false }],
    ["fine", { endpoint: "http://10.0.0.7:9000" }],
    ["invalid_endpoint", { endpoint: "http://10.0.0.8:9000" }],
    ["invalid_endpoint", { endpoint: "https://10.0.0.7:9000" }],
    ["invalid_endpoint", { endpoint: "http://s3.example.com" }],
    ["invalid_endpoint", { endpoint: "https://s3.example.com/path" }],
    ["invalid_endpoint", { endpoint: "https://user:pass@s3.example.com" }],
    ["invalid_endpoint", { endpoint: "https://s3.example.com?x" }],
    ["invalid_endpoint", { endpoint: "https://localhost" }],
    ["invalid_endpoint", { endpoint: "https://127.0.0.1:9000" }],
    ["invalid_endpoint", { endpoint: "https://[::1]:9000" }],
    ["invalid_endpoint", { endpoint: "https://169.254.169.254" }],
    ["invalid_endpoint", { endpoint: "https://metadata.google.internal" }],
    ["invalid_endpoint", { endpoint: "s3.example.com" }],
    ["invalid_endpoint", { endpoint: "" }],
    ["invalid_region", { region: "Two Words" }],
    ["invalid_role_arn", { roleArn: good.roleArn ?? null }],
    ["invalid_kms_key_arn", { kmsKeyArn: good.kmsKeyArn ?? null, region: "us-west-2" }],
    ["invalid_access_key", { accessKeyId: null }],
    ["invalid_access_key", { secretAccessKey: undefined }],
    ["invalid_access_key", { secretAccessKey: "" }],
    ["invalid_access_key", { accessKeyId: "a\nb" }],
    ["invalid_access_key", { secretAccessKey: "x".repeat(257) }],
  ])("%s: %j of a store other than AWS", (code, members) => {
    expect(codeOf({ ...own, ...members })).toBe(code);
  });

  test("AWS has a role, a region and no keys", () => {
    for (const [code, members] of [
      ["invalid_role_arn", { roleArn: undefined }],
      ["invalid_region", { region: undefined, kmsKeyArn: null }],
      ["invalid_access_key", { accessKeyId: "AK" }],
      ["invalid_access_key", { accessKeyId: "AK", secretAccessKey: "SK" }],
    ] as const)
      expect([members, codeOf({ ...good, ...members })]).toEqual([members, code]);
  });

  test("policies of sessions are no longer than STS takes", () => {
    const longest = { ...good, bucket: "b".repeat(63), prefix: "p".repeat(256) };
    const { place } = validateDestination(longest, terms);
    const folder = `subscriptions/${"0".repeat(36)}/00000001/00000000-${"0".repeat(36)}`;
    const pointer = `subscriptions/${"0".repeat(36)}/latest.json`;
    for (const policy of [publicationPolicy(place, { folder, pointer }), verificationPolicy(place)])
      expect(JSON.stringify(policy).length).toBeLessThan(2048);
  });
});

describe("external ids", () => {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const key = random(32);

  test("have 256 random bits, in characters that STS takes", () => {
    const ids = Array.from({ length: 100 }, () => newExternalId(random));
    for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/);
    expect(new Set(ids).size).toBe(100);
  });

  test("open with their key for their destination, untouched, and not otherwise", () => {
    const sealed = sealDestinationSecret("secret", "d1", key, random);
    expect(sealed).not.toContain("secret");
    expect(sealDestinationSecret("secret", "d1", key, random)).not.toBe(sealed);
    expect(openDestinationSecret(sealed, "d1", key)).toBe("secret");
    const refusal = (text: string, destination = "d1", secret = key): unknown => {
      try {
        return openDestinationSecret(text, destination, secret);
      } catch (error) {
        return (error as { code: unknown }).code;
      }
    };
    expect(refusal(sealed, "d2")).toBe("external_id_unreadable");
    expect(refusal(sealed, "d1", random(32))).toBe("external_id_unreadable");
    expect(refusal("")).toBe("external_id_unreadable");
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = Buffer.from(sealed, "base64url");
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ change;
        expect(refusal(bytes.toString("base64url"))).toBe("external_id_unreadable");
      }),
    );
  });
});

describe("retries", () => {
  test("waits a random part of a time that doubles up to a limit, so many times", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (attempts, part) => {
          const waits: number[] = [];
          let made = 0;
          const working = retry(
            () => Promise.reject(new Error(String(++made))),
            () => true,
            {
              ...defaultStorageRetry,
              attempts,
              random: () => part,
              wait: async (milliseconds) => void waits.push(milliseconds),
            },
          );
          await expect(working).rejects.toThrow(String(attempts));
          expect(waits).toEqual(
            Array.from({ length: attempts - 1 }, (_, i) => part * Math.min(20_000, 250 * 2 ** i)),
          );
        },
      ),
    );
  });

  test("does not wait for what fails for good, or is given up", async () => {
    const failing = () => Promise.reject(new Error("x"));
    const policy = { ...defaultStorageRetry, wait: () => Promise.reject(new Error("waited")) };
    await expect(retry(failing, () => false, policy)).rejects.toThrow("x");
    await expect(retry(failing, () => true, policy, AbortSignal.abort())).rejects.toThrow("x");
  });
});
