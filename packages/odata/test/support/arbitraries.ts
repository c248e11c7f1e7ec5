import fc from "fast-check";

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const text = fc
  .string({
    unit: fc.constantFrom("a", "Y", "o", "r", "k", "'", "%", "_", " ", "é", "😀", "\uffee"),
    maxLength: 4,
  })
  .map(quoted);
const number = fc.oneof(
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
);
const instant = fc
  .tuple(fc.integer({ min: 0, max: 8 }), fc.constantFrom(".123Z", ".1234Z", "Z", ".123-08:00", ".12300Z"))
  .map(([second, rest]) => `2024-01-15T08:30:0${second}${rest}`);

const operand = {
  text: { names: ["City", "StandardStatus", "ListingKey"], literal: text },
  number: { names: ["ListPrice", "LivingArea", "Score", "BedroomsTotal"], literal: number },
  date: { names: ["CloseDate"], literal: date },
  instant: { names: ["ModificationTimestamp"], literal: instant },
  boolean: { names: ["WaterfrontYN"], literal: fc.constantFrom("true", "false") },
};

const comparator = fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le");

const comparison = fc.oneof(
  ...Object.values(operand).map(({ names, literal }) => {
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

const call = fc
  .tuple(
    fc.constantFrom("contains", "startswith", "endswith"),
    fc.constantFrom("City", "StandardStatus"),
    text,
  )
  .map(([name, property, part]) => `${name}(${property},${part})`);

const lambda = fc.oneof(
  fc.constantFrom("Appliances/any()", "Appliances/any(a:a ne 'Oven')", "Appliances/all(a:a eq 'Oven')"),
  fc.constantFrom("'Oven' in Appliances", "City in Appliances", "Appliances has 'Dishwasher'"),
  text.map((part) => `Appliances/any(a:contains(a,${part}) or a eq City)`),
  text.map((part) => `Appliances/all(a:startswith(a,${part}) and contains(City,a))`),
  fc.constant("Appliances/any(a:Appliances/any(A:a eq 'Oven' and A eq 'Dishwasher'))"),
  fc.constant("Appliances/any(a:Appliances/all(a:a eq 'Oven') and a eq 'Oven')"),
  fc.constantFrom("Appliances/any(a:a eq type)", "Appliances/all(a:a ne type and type ne key)"),
);

const call1 = (names: readonly string[], argument: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...names), argument).map(([name, text]) => `${name}(${text})`);

/** Expressions of each type, computed from columns and constants. */
const computed = fc.letrec<{ text: string; number: string; instant: string; date: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("City", "StandardStatus", "ListingKey"),
    operand.text.literal,
    call1(["tolower", "toupper", "trim"], tie("text")),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `concat(${a},${b})`),
    fc.tuple(tie("text"), fc.integer({ min: -3, max: 4 })).map(([a, n]) => `substring(${a},${n})`),
    tie("number").map((n) => `cast(${n},Edm.String)`),
  ),
  number: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("ListPrice", "LivingArea", "BedroomsTotal", "Score", "Appliances/$count"),
    fc.constantFrom("3", "-2", "0", "0.07", "250.5", "1e3", "9223372036854775807"),
    fc
      .tuple(tie("number"), fc.constantFrom("add", "sub", "mul", "div", "divby", "mod"), tie("number"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie("number").map((n) => `-(${n})`),
    call1(["round", "floor", "ceiling"], tie("number")),
    call1(["length"], tie("text")),
    call1(["year", "month", "day"], tie("date")),
    call1(["hour", "second"], tie("instant")),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `indexof(${a},${b})`),
    fc
      .tuple(tie("number"), fc.constantFrom("Edm.Int32", "Edm.Int64", "Edm.Decimal", "Edm.Double"))
      .map(([n, type]) => `cast(${n},${type})`),
    fc.tuple(comparison, tie("number")).map(([condition, n]) => `case(${condition}:${n},true:1)`),
    text.map((part) => `Appliances/$count($filter=contains($this,${part}))`),
  ),
  date: fc.oneof(
    fc.constantFrom("CloseDate", "2024-02-29"),
    call1(["date"], tie("instant")),
    tie("date").map((d) => `(${d} add duration'P1DT1H')`),
  ),
  instant: fc.oneof(
    fc.constantFrom("ModificationTimestamp", "2024-01-15T08:30:01.1235Z"),
    fc
      .tuple(
        tie("instant"),
        fc.constantFrom("add", "sub"),
        fc.constantFrom("duration'PT0.0001S'", "duration'P1D'"),
      )
      .map((parts) => `(${parts.join(" ")})`),
  ),
}));

const computation = fc.oneof(
  ...(["text", "number", "instant", "date"] as const).map((type) =>
    fc.oneof(
      fc.tuple(computed[type], comparator, computed[type]).map((parts) => parts.join(" ")),
      fc.tuple(computed[type], fc.constantFrom("eq null", "ne null")).map((parts) => parts.join(" ")),
    ),
  ),
);

/** Text of well-typed filters over the test listing. */
export const filterTexts: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    comparison,
    computation,
    call,
    lambda,
    fc.constantFrom("WaterfrontYN", "true", "false", "null"),
    tie("filter").map((operandText) => `not (${operandText})`),
    fc
      .tuple(tie("filter"), fc.constantFrom("and", "or", "eq", "ne"), tie("filter"))
      .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
  ),
})).filter;

/** Text of `$orderby` over the test listing: nullable, non-unique, computed and mixed. */
export const orderByTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "City",
        "ListPrice",
        "LivingArea",
        "Score",
        "CloseDate",
        "WaterfrontYN",
        "ModificationTimestamp",
      ),
      computed.number,
      computed.text,
      computed.instant,
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((items) =>
    fc
      .array(fc.constantFrom("asc", "desc"), { minLength: items.length, maxLength: items.length })
      .map((directions) => items.map((item, i) => `${item} ${directions[i]}`).join(",")),
  );
