import fc from "fast-check";
import { textLiteral } from "../syntax/print/literal.ts";

export const quotedText = fc
  .string({
    unit: fc.constantFrom("a", "Y", "y", "o", "r", "k", "\u212a", "'", "%", "_", " ", "é", "😀", "\uffee"),
    maxLength: 4,
  })
  .map(textLiteral);
export const numberOperand = fc.oneof(
  fc.integer({ min: -5, max: 300 }).map(String),
  fc.constantFrom(
    "0.07",
    "0.070",
    "250.5",
    "250.50",
    "0.075",
    "99.999",
    "900000",
    "9e5",
    "1e30",
    "-1e30",
    "INF",
    "-INF",
    "NaN",
    `-0.${"0".repeat(330)}1`,
  ),
);
const date = fc.constantFrom(
  "2024-02-29",
  "2023-12-31",
  "2024-01-01",
  "0000-01-01",
  "9999-12-31",
  "-0001-01-01",
  "-99999-01-01",
  "9999999-12-31",
);
const instant = fc
  .tuple(fc.integer({ min: 0, max: 8 }), fc.constantFrom(".123Z", ".1234Z", "Z", ".123-08:00", ".12300Z"))
  .map(([second, rest]) => `2024-01-15T08:30:0${second}${rest}`);
export const anyInstant = fc.oneof(
  { arbitrary: instant, weight: 4 },
  fc.constantFrom(
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.9999999Z",
    "-9999-01-01T00:00:00Z",
    "999999-01-01T00:00:00Z",
  ),
);

export const operandsByType = {
  text: { names: ["City", "StandardStatus", "ListingKey"], literal: quotedText },
  number: {
    names: ["ListPrice", "LivingArea", "Score", "BedroomsTotal", "Stories", "Ratio"],
    literal: numberOperand,
  },
  date: { names: ["CloseDate"], literal: date },
  instant: { names: ["ModificationTimestamp"], literal: anyInstant },
  boolean: { names: ["WaterfrontYN"], literal: fc.constantFrom("true", "false") },
  time: {
    names: ["OpenTime"],
    literal: fc.constantFrom(
      "08:30:00",
      "08:30:00.5",
      "08:30:00.500000000001",
      "23:59:59.999999",
      "00:00:00",
    ),
  },
  duration: {
    names: ["Stay"],
    literal: fc
      .constantFrom("'PT36H'", "'-PT36H'", "'PT0.0000001S'", "'P99999999DT0.000000000002S'")
      .map((literal) => `duration${literal}`),
    unprefixed: fc.constantFrom("'PT36H'", "'-PT36H'", "'PT0.0000001S'"),
  },
  enumeration: {
    names: ["View"],
    literal: fc.constantFrom(
      "'City'",
      "'Lake,City'",
      "'City, Lake'",
      "'5'",
      "'Mountain,4'",
      "Demo.Views'City'",
      "Demo.Views'2'",
      "Demo.Views'0'",
    ),
  },
  guid: {
    names: ["Id"],
    literal: fc.constantFrom(
      "00000000-0000-0000-0000-000000000000",
      "FFFFFFFF-ffff-ffff-ffff-fffffffffff0",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
  },
};

export const comparator = fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le");

export const comparison = fc.oneof(
  ...Object.values(operandsByType).map(({ names, literal }) => {
    const name = fc.constantFrom(...names);
    const value = fc.oneof(
      { arbitrary: literal, weight: 6 },
      { arbitrary: name, weight: 1 },
      fc.constant("null"),
    );
    return fc.oneof(
      fc.tuple(name, comparator, value).map((parts) => parts.join(" ")),
      fc.tuple(value, comparator, name).map((parts) => parts.join(" ")),
      fc
        .tuple(
          name,
          fc.array(fc.oneof({ arbitrary: literal, weight: 6 }, fc.constant("null")), {
            minLength: 1,
            maxLength: 4,
          }),
        )
        .map(([left, items]) => `${left} in (${items.join(",")})`),
    );
  }),
);
