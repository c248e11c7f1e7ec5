import fc from "fast-check";
import {
  anyInstant,
  comparator,
  comparison,
  numberOperand,
  operandsByType,
  quotedText,
} from "../../src/testing/comparisons.ts";

const call = fc
  .tuple(
    fc.constantFrom("contains", "startswith", "endswith"),
    fc.constantFrom("City", "StandardStatus"),
    quotedText,
  )
  .map(([name, property, part]) => `${name}(${property},${part})`);

const lambda = fc.oneof(
  fc.constantFrom("Appliances/any()", "Appliances/any(a:a ne 'Oven')", "Appliances/all(a:a eq 'Oven')"),
  fc.constantFrom("'Oven' in Appliances", "City in Appliances", "Appliances has 'Dishwasher'"),
  quotedText.map((part) => `Appliances/any(a:contains(a,${part}) or a eq City)`),
  quotedText.map((part) => `Appliances/all(a:startswith(a,${part}) and contains(City,a))`),
  fc.constant("Appliances/any(a:Appliances/any(A:a eq 'Oven' and A eq 'Dishwasher'))"),
  fc.constant("Appliances/any(a:Appliances/all(a:a eq 'Oven') and a eq 'Oven')"),
  fc.constantFrom("Appliances/any(a:a eq type)", "Appliances/all(a:a ne type and type ne key)"),
  fc
    .tuple(
      fc.constantFrom("any", "all"),
      fc.constantFrom("Sizes", "Counts"),
      fc.constantFrom("eq", "gt"),
      numberOperand,
    )
    .map(([operator, name, comparator, n]) => `${name}/${operator}(x:x ${comparator} ${n})`),
  fc
    .tuple(fc.constantFrom("any", "all"), fc.constantFrom("le", "ne", "eq"), anyInstant)
    .map(([operator, comparator, at]) => `Visits/${operator}(Id:Id ${comparator} ${at} or year(Id) eq 9999)`),
  fc
    .tuple(
      fc.constantFrom("any", "all"),
      fc.constantFrom("not contains(a,'v')", "not (a eq City)", "contains(City,a)"),
    )
    .map(([operator, predicate]) => `Appliances/${operator}(a:${predicate})`),
  fc.constantFrom(
    "BedroomsTotal in Counts",
    "LivingArea in Sizes",
    "ModificationTimestamp in Visits",
    "Counts/any(c:c add 1 gt BedroomsTotal)",
    "Sizes/any(s:s mul ListPrice gt Score)",
    "View has Demo.Views'City'",
    "View has Demo.Views'Lake,City'",
    "View eq Demo.Views'City'",
    "Counts eq [1,2,3]",
    "Counts ne [2,2]",
    'Appliances eq ["Oven",null]',
    "[] eq Sizes",
    'Visits eq ["0001-01-01T00:00:00.000Z","2024-02-29T12:00:00.000Z"]',
    "Counts eq Sizes",
    "substring(Counts,Stories) eq [1]",
    "View eq 'City'",
    "View ne 'Lake,4'",
    "View has '5'",
    "View has '0'",
    "View in ('City','Lake,City',null)",
    "Ratio eq 1.1",
    "Ratio in (0.1,1.1)",
    "Stay add 'PT0.0000001S' gt 'PT36H'",
    "Photo eq binary'_-8'",
    "hassubset(Counts,[2,3])",
    "hassubset(Sizes,[0.10])",
    "Appliances/any(a:a eq 'Oven' and Id eq null)",
    "Counts/any(value:value eq BedroomsTotal)",
    "geo.distance(Place,geography'Point(-97.74 30.27)') lt 1000",
    "[Stories,Ratio] in [[3,1.5],[0,1]]",
  ),
);

/** Literals without prefix, which the other operand makes durations. */
const duration = fc
  .tuple(fc.constant("Stay"), comparator, operandsByType.duration.unprefixed)
  .map((parts) => parts.join(" "));

const call1 = (names: readonly string[], argument: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...names), argument).map(([name, text]) => `${name}(${text})`);

/** Expressions of each type, computed from columns and constants. */
export const computed = fc.letrec<{
  text: string;
  number: string;
  instant: string;
  date: string;
  time: string;
  duration: string;
}>((tie) => ({
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("City", "StandardStatus", "ListingKey"),
    operandsByType.text.literal,
    call1(["tolower", "toupper", "trim"], tie("text")),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `concat(${a},${b})`),
    fc.tuple(tie("text"), fc.integer({ min: -3, max: 4 })).map(([a, n]) => `substring(${a},${n})`),
    ...(["number", "instant", "date", "time", "duration"] as const).map((type) =>
      tie(type).map((n) => `cast(${n},Edm.String)`),
    ),
    fc.constantFrom("cast(WaterfrontYN,Edm.String)", "cast(Id,Edm.String)", "cast(Photo,Edm.String)"),
  ),
  number: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "ListPrice",
      "LivingArea",
      "BedroomsTotal",
      "Score",
      "Stories",
      "Ratio",
      "Appliances/$count",
    ),
    fc.constantFrom("3", "-2", "0", "0.07", "250.5", "1e3", "9223372036854775807", "1e308", "5e-324", "-0e0"),
    fc
      .tuple(tie("number"), fc.constantFrom("add", "sub", "mul", "div", "divby", "mod"), tie("number"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie("number").map((n) => `-(${n})`),
    call1(["round", "floor", "ceiling"], tie("number")),
    call1(["length"], tie("text")),
    call1(["year", "month", "day"], fc.oneof(tie("date"), tie("instant"))),
    call1(["hour", "minute", "second", "fractionalseconds"], fc.oneof(tie("instant"), tie("time"))),
    call1(["totalseconds"], tie("duration")),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `indexof(${a},${b})`),
    fc
      .tuple(
        fc.oneof(tie("number"), tie("text")),
        fc.constantFrom("Byte", "SByte", "Int16", "Int32", "Int64", "Decimal", "Double", "Single"),
      )
      .map(([n, type]) => `cast(${n},Edm.${type})`),
    fc
      .tuple(comparison, tie("number"), fc.constantFrom("1", "null"))
      .map(([condition, n, other]) => `case(${condition}:${n},true:${other})`),
    quotedText.map((part) => `Appliances/$count($filter=contains($this,${part}))`),
  ),
  date: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("CloseDate", "2024-02-29", "99999-01-01"),
    call1(["date"], tie("instant")),
    tie("text").map((t) => `cast(${t},Edm.Date)`),
    fc
      .tuple(tie("date"), fc.constantFrom("add", "sub"), tie("duration"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
  ),
  time: fc.oneof(
    fc.constantFrom("OpenTime", "08:30:00.500000000001"),
    call1(["time"], tie("instant")),
    tie("text").map((t) => `cast(${t},Edm.TimeOfDay)`),
    tie("instant").map((at) => `cast(${at},Edm.TimeOfDay)`),
  ),
  duration: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("Stay", "duration'PT0.0001S'", "duration'P1DT1H'", "duration'PT0.000000000001S'"),
    fc.tuple(tie("instant"), tie("instant")).map(([a, b]) => `(${a} sub ${b})`),
    fc.tuple(tie("date"), tie("date")).map(([a, b]) => `(${a} sub ${b})`),
    fc
      .tuple(tie("duration"), fc.constantFrom("mul", "div", "divby"), tie("number"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(tie("duration"), fc.constantFrom("add", "sub"), tie("duration"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie("duration").map((d) => `-(${d})`),
    tie("text").map((t) => `cast(${t},Edm.Duration)`),
  ),
  instant: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("ModificationTimestamp", "2024-01-15T08:30:01.1235Z", "2024-01-15T08:30:01.1234567891Z"),
    tie("text").map((t) => `cast(${t},Edm.DateTimeOffset)`),
    fc
      .tuple(tie("instant"), fc.constantFrom("add", "sub"), tie("duration"))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
  ),
}));

const kinds = ["text", "number", "instant", "date", "time", "duration"] as const;

const computation = fc.oneof(
  fc
    .tuple(computed.number, fc.constantFrom("Byte", "Int32", "Int64", "Decimal", "Double", "Single"))
    .map(([n, type]) => `isof(${n},Edm.${type})`),
  ...kinds.map((type) =>
    fc.oneof(
      fc.tuple(computed[type], comparator, computed[type]).map((parts) => parts.join(" ")),
      fc.tuple(computed[type], fc.constantFrom("eq null", "ne null")).map((parts) => parts.join(" ")),
    ),
  ),
);

/** Texts of well-typed filters over the test listing. */
export const filterTexts: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    comparison,
    computation,
    duration,
    call,
    lambda,
    fc.constantFrom("WaterfrontYN", "true", "false", "null"),
    tie("filter").map((operandText) => `not (${operandText})`),
    fc
      .tuple(tie("filter"), fc.constantFrom("and", "or", "eq", "ne"), tie("filter"))
      .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
  ),
})).filter;

/** Texts of `$orderby` over the test listing: nullable, non-unique, computed, constant and mixed items. */
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
        "Stories",
        "Ratio",
        "OpenTime",
        "Stay",
        "Id",
        "View",
      ),
      fc.constantFrom("true and true", "not false", "null", "1", "'text'", "now()"),
      filterTexts,
      ...kinds.map((type) => computed[type]),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((items) =>
    fc
      .array(fc.constantFrom("asc", "desc"), { minLength: items.length, maxLength: items.length })
      .map((directions) => items.map((item, i) => `${item} ${directions[i]}`).join(",")),
  );
