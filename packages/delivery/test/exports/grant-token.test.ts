import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestOfToken, tokenOf } from "../../src/exports/grant-token.ts";

test("a token has a prefix, 256 bits and a checksum, and is known by its SHA-256", () => {
  const token = tokenOf(randomBytes(32));
  expect(token).toMatch(/^ldsg_[0-9A-Za-z]{49}$/);
  expect(digestOfToken(token)).toBe(createHash("sha256").update(token).digest("hex"));
  expect(tokenOf(new Uint8Array(32))).toBe(`ldsg_${"0".repeat(43)}${tokenOf(new Uint8Array(32)).slice(-6)}`);
});

test("no secret has the token of another one", () => {
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(secret, secret, (a, b) => {
      expect(tokenOf(a) === tokenOf(b)).toBe(Buffer.compare(a, b) === 0);
    }),
  );
});

test("a token with one character changed is none", () => {
  const token = tokenOf(randomBytes(32));
  fc.assert(
    fc.property(
      fc.nat(token.length - 1),
      fc.constantFrom("0", "A", "z", "_", " ", "é"),
      (place, character) => {
        const changed = token.slice(0, place) + character + token.slice(place + 1);
        if (changed !== token) expect(digestOfToken(changed)).toBeUndefined();
      },
    ),
  );
});

test.each(["", "ldsg_", `ldsg_${"0".repeat(48)}`, `ldsg_${"0".repeat(50)}`])("%j is none", (text) => {
  expect(digestOfToken(text)).toBeUndefined();
});
