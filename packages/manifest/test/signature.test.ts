import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManifestError, readKeySet, sealManifest, signManifest, verifyManifest } from "@cadastre/manifest";
import fc from "fast-check";
import { FlattenedSign } from "jose";
import { describe, expect, test } from "vitest";
import { exampleKeySet, exampleSigningKey } from "../src/testing/index.ts";
import { seed } from "./support/manifests.ts";

const { bytes } = await sealManifest(seed);
const signature = await signManifest(bytes, exampleSigningKey);
const jwks = readKeySet(exampleKeySet);
/** An error of a code that names a member of the header. */
const refusal = (code: string, member = ""): object =>
  expect.toSatisfy(
    (error) => error instanceof ManifestError && error.code === code && error.message.includes(member),
  ) as object;

test("a signature verifies under the key that its header names", async () => {
  expect(await verifyManifest(bytes, signature, jwks)).toBe("example");
});

test("no byte of what was signed can be another", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ by;
      await expect(verifyManifest(changed, signature, jwks)).rejects.toEqual(refusal("signature_invalid"));
    }),
  );
});

const sign = async (header: object) => {
  const jws = await new FlattenedSign(bytes)
    .setProtectedHeader({
      alg: "EdDSA",
      b64: false,
      crit: ["b64"],
      kid: "example",
      typ: "manifest+jws",
      ...header,
    })
    .sign(exampleSigningKey.privateKey);
  return { protected: jws.protected, signature: jws.signature };
};
const headerOf = (header: object) => ({
  ...signature,
  protected: Buffer.from(JSON.stringify(header)).toString("base64url"),
});

test.each<readonly [string, () => unknown, string, string | undefined]>([
  ["nothing", () => undefined, "signature_malformed", undefined],
  ["a text", () => "abc", "signature_malformed", undefined],
  ["a header that is no JSON", () => ({ ...signature, protected: "abc" }), "signature_malformed", undefined],
  [
    "a signature of another length",
    () => ({ ...signature, signature: "abc" }),
    "signature_malformed",
    undefined,
  ],
  [
    "a signature with other spare bits",
    () => ({ ...signature, signature: `${signature.signature.slice(0, -1)}B` }),
    "signature_malformed",
    undefined,
  ],
  ["another type", () => sign({ typ: "entitlement+jws" }), "signature_header", "typ"],
  ["no type", () => sign({ typ: undefined }), "signature_header", "typ"],
  ["a key of its own", () => sign({ jwk: exampleKeySet.keys[0] }), "signature_header", "jwk"],
  ["no key id", () => sign({ kid: undefined }), "signature_header", "kid"],
  ["another key id", () => sign({ kid: "other" }), "signature_unknown_key", undefined],
  ["an encoded payload", () => sign({ b64: true }), "signature_header", "b64"],
  [
    "no algorithm",
    () => headerOf({ alg: "none", b64: false, crit: ["b64"], kid: "example", typ: "manifest+jws" }),
    "signature_header",
    "alg",
  ],
  [
    "no critical member",
    () => headerOf({ alg: "EdDSA", b64: false, kid: "example", typ: "manifest+jws" }),
    "signature_header",
    "crit",
  ],
])("%s is refused", async (_, made, code, member) => {
  await expect(verifyManifest(bytes, await made(), jwks)).rejects.toEqual(refusal(code, member));
});

describe("a key set", () => {
  const [key] = exampleKeySet.keys;
  test("may have keys of other kinds, which verify nothing", async () => {
    const others = { keys: [{ kty: "RSA", kid: "example", n: "x", e: "AQAB" }, { ...key, use: "enc" }, key] };
    expect(readKeySet(others).keys).toHaveLength(1);
    await expect(verifyManifest(bytes, signature, { keys: [] })).rejects.toThrow(
      refusal("signature_unknown_key"),
    );
  });
  test.each<readonly [string, unknown, string]>([
    ["no set", { key }, "key_set_malformed"],
    ["a set with a secret key", { keys: [exampleSigningKey.privateKey] }, "key_set_private_key"],
    ["a set with two keys of one id", { keys: [key, key] }, "key_set_malformed"],
  ])("%s is refused", (_, value, code) => {
    expect(() => readKeySet(value)).toThrow(expect.objectContaining({ code }));
  });
});

const openssl = spawnSync("openssl", ["version"]).status === 0;

test.runIf(openssl)("openssl verifies a signature", () => {
  const folder = mkdtempSync(join(tmpdir(), "manifest-"));
  try {
    const prefix = Buffer.from("302a300506032b6570032100", "hex");
    const files = {
      "key.der": Buffer.concat([prefix, Buffer.from(exampleSigningKey.privateKey.x, "base64url")]),
      "signed.bin": Buffer.concat([Buffer.from(`${signature.protected}.`), bytes]),
      "changed.bin": Buffer.concat([Buffer.from(`${signature.protected}.`), bytes, Buffer.from(" ")]),
      "signature.bin": Buffer.from(signature.signature, "base64url"),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const statusOf = (file: string) =>
      spawnSync(
        "openssl",
        `pkeyutl -verify -pubin -inkey key.der -keyform DER -rawin -in ${file} -sigfile signature.bin`.split(
          " ",
        ),
        { cwd: folder },
      ).status;
    expect(statusOf("signed.bin")).toBe(0);
    expect(statusOf("changed.bin")).not.toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
