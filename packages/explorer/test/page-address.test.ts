import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstAddress, printFragment, readFragment, views } from "../src/address/page-address.ts";

const identifier = fc.stringMatching(/^[A-Za-z_]\w{0,12}$/);

const addresses = fc.record({
  entitySet: identifier,
  filter: fc.string({ unit: "grapheme" }),
  select: fc.array(identifier, { maxLength: 4 }),
  orderBy: fc.string({ unit: "grapheme" }),
  view: fc.constantFrom(...views),
  record: fc.string({ unit: "grapheme" }),
});

describe("the address of the page", () => {
  test("is read as it was printed", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(readFragment(printFragment(address))).toEqual(address);
      }),
    );
  });

  test("shows the query as people write it", () => {
    const address = { ...firstAddress, filter: "City eq 'Austin'", view: "map" as const };
    expect(printFragment(address)).toBe("#/Property?$filter=City%20eq%20'Austin'&view=map");
  });

  test("leaves out what is as at the start", () => {
    expect(printFragment(firstAddress)).toBe("#/Property");
  });

  test.each(["", "#", "#/", "#sign-in=abc.def", "#/../x", "#/Property?view=nothing"])(
    "%j is the first address",
    (fragment) => {
      expect(readFragment(fragment)).toEqual(firstAddress);
    },
  );

  test("takes text that is no UTF-8 in percent codes as it is", () => {
    expect(readFragment("#/Property?$filter=%E0%A4%A").filter).toBe("%E0%A4%A");
  });
});
