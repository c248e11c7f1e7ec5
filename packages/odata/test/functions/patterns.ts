import fc from "fast-check";

const accepted = [
  ["a", "b", "é", "😀", " ", "-", "{", "}", "]", ".", "^", "$", "|", "(", "(?:", "(?<n>", ")"],
  ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?"],
  ["[a-f]", "[^a]", "[😀-😂b]", "[]", "[^]", "[\\w-]", "[-a]", "[\\s\\d]", "[^\\W_]", "[\\b]", "[a-\\d]"],
  ["\\n", "\\x61", "\\u0062", "\\u{1f600}", "\\ud83d\\ude00", "\\.", "\\cJ", "\\/"],
].flat();
const refused = ["(?=", "{2,1}", "{999}", "{1234}", "[b-a]", "[", "\\ud83d", "\\", "\\0", "\\p{L}"];

const joined = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((all) => all.join(""));

/** Text composed of pieces of patterns, which may or may not be a valid pattern. */
export const pattern: fc.Arbitrary<string> = fc.oneof(joined(accepted), joined([...accepted, ...refused]));

/** Text for such patterns to match. */
export const subject: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom("a", "b", "é", "😀", " ", "-", "1", "_", "\n", "{", "\b"),
  maxLength: 6,
});
