import { expect, test } from "vitest";

// A module that throws as it loads leaves other files without a test that could fail. Loaded outside of the test, so
// that what loading runs is not taken for a part of this test alone.
const loaded: unknown = await import("@cadastre/entitlement").catch((error: unknown) => error);

test("the package loads", () => {
  expect(loaded).toHaveProperty("restrict");
});
