import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorObject, parseQueryOptions, QueryError, readOption } from "../src/index.ts";

/** The error of reading `$filter`, and the option's text. */
function failing(text: string): readonly [QueryError, string] {
  try {
    readOption(parseQueryOptions(`$filter=${encodeURIComponent(text)}`), "$filter");
  } catch (error) {
    if (error instanceof QueryError) return [error, text];
  }
  throw new Error(`${text} is well-formed`);
}

describe("an error object", () => {
  const [error, text] = failing("City eq 'York' and Price gtt 5");

  test("shows the option, the position and the text with a caret", () => {
    expect(errorObject(error, text)).toEqual({
      code: "syntax_error",
      message: error.message,
      target: "$filter",
      details: [
        { code: "position", message: "position 25 to 28", target: "$filter" },
        {
          code: "excerpt",
          message: "City eq 'York' and Price gtt 5\n                         ^^^",
          target: "$filter",
        },
      ],
    });
  });

  test("has no excerpt without the text", () => {
    expect(errorObject(error).details).toEqual([
      { code: "position", message: "position 25 to 28", target: "$filter" },
    ]);
  });

  test("has nothing that is not known", () => {
    expect(errorObject(new QueryError("unknown_option", null, { name: "$slect" }))).toEqual({
      code: "unknown_option",
      message: "unknown query option `$slect`",
    });
  });

  test("is at most 1 kB of JSON, whatever the text", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 4000 }), fc.nat(4000), (name, at) => {
      const option = new QueryError("unknown_property", { start: at, end: at + name.length }, { name }, name);
      expect(Buffer.byteLength(JSON.stringify(errorObject(option, name + name)))).toBeLessThanOrEqual(1024);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
