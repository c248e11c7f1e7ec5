import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  canonicalManifest,
  type DetachedSignature,
  manifestKeyOf,
  sha256Digits,
} from "../src/delivery/manifest-proof.ts";

// The same files are what `@cadastre/manifest` is tested with.
const signed = new URL("../../manifest/fixtures/signed/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, signed), "utf8");
const text = read("manifest.json");
const signature = JSON.parse(read("signature.json")) as DetachedSignature;
const { keys } = JSON.parse(read("jwks.json")) as { readonly keys: readonly Record<string, unknown>[] };
const bytes = new TextEncoder().encode(text);

describe("the proof of a delivery", () => {
  test("writes the bytes that were hashed", async () => {
    const manifest: unknown = JSON.parse(text);
    expect(canonicalManifest(manifest)).toBe(text);
    expect(await sha256Digits(bytes)).toBe(read("manifest.sha256").slice(0, 64));
  });

  test("names the key that signed", async () => {
    expect(await manifestKeyOf(bytes, signature, keys)).toBe("example");
  });

  test("refuses other bytes, other keys and another kind of signature", async () => {
    const other = new TextEncoder().encode(text.replace("listing", "property"));
    expect(await manifestKeyOf(other, signature, keys)).toBeUndefined();
    expect(await manifestKeyOf(bytes, signature, [])).toBeUndefined();
    const header = Buffer.from(JSON.stringify({ alg: "EdDSA", kid: "example" })).toString("base64url");
    expect(await manifestKeyOf(bytes, { ...signature, protected: header }, keys)).toBeUndefined();
  });
});
