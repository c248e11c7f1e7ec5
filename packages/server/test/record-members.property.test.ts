import fc from "fast-check";
import { expect, test } from "vitest";
import { readRecords } from "../src/answer/record-members.ts";

const records = fc.array(
  fc.dictionary(
    fc.stringMatching(/^[A-Z][a-z]{0,8}$/),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    {
      maxKeys: 6,
    },
  ),
  { maxLength: 4 },
);

test("records are taken apart without a loss", () => {
  fc.assert(
    fc.property(records, (all) => {
      const texts = all.map(
        (members) =>
          `{${Object.entries(members)
            .map(([name, value]) => `"${name}":${value}`)
            .join(",")}}`,
      );
      expect([...readRecords(texts.join(","))]).toEqual(
        all.map((members, i) => ({
          text: texts[i],
          members: Object.entries(members).map(([name, value]) => ({ name, value })),
        })),
      );
    }),
    { examples: [[[{}]], [[{}, { Key: '"k"' }]]] },
  );
});
