import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isCanonical } from "../src/canonical.ts";

const isOwnForm = (text: string) => isCanonical(text, JSON.parse(text));

const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 0, -1, "", 'a "b"', "é\u2028"),
    fc.array(tie("json")),
    fc.dictionary(fc.stringMatching(/^[A-Za-z]\w{0,3}$/), tie("json")),
  ),
})).json;

test("a text is canonical exactly if it is the canonical text of what it says", () => {
  fc.assert(
    fc.property(value, (json) => {
      const text = JSON.stringify(json);
      expect(isOwnForm(canonicalJson(json))).toBe(true);
      expect(isOwnForm(text)).toBe(canonicalJson(json) === text);
    }),
  );
});

test.each([
  '{"b":1,"a":2}',
  '{"a":{"c":1,"b":2}}',
  '[{"b":1,"a":2}]',
  '{"a":1,"a":2}',
  '{"a": 1}',
  '{"a":1.0}',
  '{"a":-0}',
  '{"a":"\\u0041"}',
  '{"A":1,"__proto__":{}}',
  '{"":1}',
])("%s is not canonical", (text) => {
  expect(isOwnForm(text)).toBe(false);
});

test("the items of a list are in any order, however many", () => {
  expect(isOwnForm(JSON.stringify(Array.from({ length: 12 }, (_, i) => -i)))).toBe(true);
  expect(isOwnForm('[{"a":1},{"b":1,"a":2}]')).toBe(false);
});
