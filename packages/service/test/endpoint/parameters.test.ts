import { expect, test } from "vitest";
import { readParameters } from "../../src/endpoint/read-request.ts";

test.each([
  ["", {}],
  ["osn=Lone%20Star+MLS", { osn: "Lone Star MLS" }],
  ["source=a=b&&osn=", { source: "a=b", osn: "" }],
  ["%6Fsn=x", { osn: "x" }],
])("%j is read", (query, parameters) => {
  expect(Object.fromEntries(readParameters(query, ["osn", "source"]))).toEqual(parameters);
});

test.each([
  ["limit=1", "unknown_parameter"],
  ["OSN=x", "unknown_parameter"],
  ["osn[]=x", "unknown_parameter"],
  ["osn=x&osn=x", "duplicate_parameter"],
  ["osn=x&%6Fsn=y", "duplicate_parameter"],
  ["osn=%ff", "invalid_encoding"],
])("%j is %s", (query, code) => {
  expect(() => readParameters(query, ["osn", "source"])).toThrow(expect.objectContaining({ code }));
});
