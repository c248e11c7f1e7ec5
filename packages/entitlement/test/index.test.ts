import { expect, test } from "vitest";

// What throws before the tests of a file leaves none that could fail, but here. Loaded outside of the test, so that
// what loading runs is not taken for a part of this test alone.
const loaded = await import("@cadastre/entitlement").catch(() => undefined);

test("the package loads", () => {
  expect(loaded).toHaveProperty("restrict");
});

test("a key pair can be made", async () => {
  await expect(loaded?.generateKeyPair()).resolves.toHaveProperty("publicKey.alg", "EdDSA");
});
