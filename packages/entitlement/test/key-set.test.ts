import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { type EntitlementErrorCode, generateKeyPair, readIssuerKeys } from "@cadastre/entitlement";
import { describe, expect, test } from "vitest";
import { toPublicKey } from "../src/key-set.ts";

const { kid, publicKey, privateKey } = await generateKeyPair();
const { x = "" } = publicKey;
const read = (...keys: readonly object[]) => readIssuerKeys(JSON.stringify({ keys }));
const refusal = (code: EntitlementErrorCode, path: string): unknown =>
  expect.objectContaining({ name: "EntitlementError", code, details: { path } });

describe("a key of a set", () => {
  test("is read under its id, as the key that it says", () => {
    const [[id, key] = []] = read(publicKey);
    expect(id).toBe(kid);
    expect(key?.export({ format: "jwk" })).toEqual({ kty: "OKP", crv: "Ed25519", x });
  });

  test.each([
    { alg: "EdDSA" },
    { alg: "Ed25519" },
    { alg: undefined, use: undefined },
    { key_ops: ["verify"] },
    { x5t: "unknown" },
    { kid: "k".repeat(255) },
    { kid: "ключ 1" },
  ])("may have %j", (changes) => {
    expect(read({ ...publicKey, ...changes }).size).toBe(1);
  });

  test.each([
    { kty: "EC" },
    { crv: "Ed448" },
    { alg: "ES256" },
    { alg: "" },
    { use: "enc" },
    { key_ops: ["sign"] },
    { key_ops: [] },
    { key_ops: ["verify", "sign"] },
    { x: undefined },
    { x: x.slice(1) },
    { x: `A${x}` },
    { x: `${x}A` },
    { x: `${x}=` },
    { x: ` ${x}` },
    { x: `!${x.slice(1)}` },
    { x: `${x.slice(0, -1)}B` },
  ])("may not have %j", (changes) => {
    expect(() => read(publicKey, { ...publicKey, kid: "second", ...changes })).toThrow(
      refusal("key_set_foreign_key", "keys.1"),
    );
  });

  test.each(["d", "p", "q", "dp", "dq", "qi", "oth", "k"])("may not have the secret `%s`", (member) => {
    expect(() => read({ ...publicKey, [member]: "" })).toThrow(refusal("key_set_private_key", "keys.0"));
  });

  test.each([undefined, 1, "", "k".repeat(256), "\u0007", "a\u0007", "\u0007a"])(
    "has an id, and not %j",
    (id) => {
      expect(() => read(publicKey, { ...publicKey, kid: id })).toThrow(
        refusal("key_set_malformed", "keys.1.kid"),
      );
    },
  );
});

describe("a key set", () => {
  const set = (length: number) => Array.from({ length }, (_, i) => ({ ...publicKey, kid: String(i) }));

  test("has at most 64 keys, and may have none", () => {
    expect(read().size).toBe(0);
    expect(read(...set(64)).size).toBe(64);
    expect(() => read(...set(65))).toThrow(refusal("key_set_malformed", "keys"));
  });

  test("has no two keys of one id", () => {
    expect(() => read(...set(2), ...set(1))).toThrow(refusal("key_set_duplicate", "keys.2"));
  });

  test.each(["", "{", "[]", "null"])("is not the text `%s`", (text) => {
    expect(() => readIssuerKeys(text)).toThrow(refusal("key_set_malformed", "document"));
  });
});

test("a key that is given is refused unless it is public", () => {
  const key = createPublicKey({ key: { ...publicKey }, format: "jwk" });
  expect(toPublicKey(key)).toBe(key);
  expect(toPublicKey(publicKey).equals(key)).toBe(true);
  expect(() => toPublicKey(privateKey)).toThrow(refusal("key_set_private_key", "keys"));
  expect(() => toPublicKey({ ...publicKey, crv: "X25519" })).toThrow(refusal("key_set_foreign_key", "keys"));
  const foreign = generateKeyPairSync("x25519");
  expect(() => toPublicKey(foreign.privateKey)).toThrow(refusal("key_set_private_key", "keys"));
  expect(() => toPublicKey(foreign.publicKey)).toThrow(refusal("key_set_foreign_key", "keys"));
});
