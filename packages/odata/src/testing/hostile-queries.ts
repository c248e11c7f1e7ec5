import fc from "fast-check";

/*
 * Query strings designed to cost much more than their size: long, deeply nested, repeated or self-referential.
 */

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);

const atoms = pick(
  ..."ListPrice City Appliances CloseDate Coordinates Nope true null 1 -0 1.5e300 NaN @p0 @p1 @p9 $it".split(
    " ",
  ),
  "'a'",
  "'O''Fallon'",
  `'${"x".repeat(500)}'`,
  "9".repeat(70),
  `0.${"9".repeat(60)}`,
  "duration'P1D'",
  "2024-02-29",
  "now()",
  "geography'SRID=4326;Point(-97.7 30.2)'",
  "geography'SRID=4326;Polygon((0 0,0 1,1 1,1 0,0 0))'",
  "matchesPattern(City,'(a?){255}')",
  "matchesPattern('aaaaaaaaaaaa','(a*)*b')",
  "City in ('a','b')",
  "[City,ListPrice] in [['a',1],['b',2]]",
  "Appliances/any(x:x eq 'a')",
  "Appliances/$count",
  "é",
);

const operators = pick(
  ..." and | or | eq | ne | lt | add | sub | mul | div | divby | mod | in | has |,|, |/|;|&|".split("|"),
);

/** Prefix and suffix of a text; they can be applied repeatedly. */
const wraps = fc.constantFrom<readonly [string, string]>(
  ["(", ")"],
  ["not ", ""],
  ["-", ""],
  ["concat(", ",'b')"],
  ["tolower(", ")"],
  ["substring(", ",1)"],
  ["round(", ")"],
  ["cast(", ",Edm.String)"],
  ["case(true:", ")"],
  ["Appliances/any(x:", ")"],
  ["Appliances/$count($filter=", ")"],
  ["[", "]"],
  ['{"a":', "}"],
  ["geo.distance(", ",geography'SRID=4326;Point(0 0)')"],
  ["Rooms($expand=", ")"],
  ["Rooms($levels=9;$expand=", ")"],
  ["filter(", ")"],
  ["matchesPattern(City,'", "')"],
  ["geography'SRID=4326;LineString(", ")'"],
  ["'", "'"],
  ['"', '"'],
  ["%27", "%27"],
);

/** Mostly small, but occasionally as large as the limit of the text allows. */
const count = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 2, arbitrary: fc.integer({ min: 5, max: 80 }) },
  { weight: 1, arbitrary: fc.integer({ min: 81, max: 3000 }) },
);

const longest = 65_536;
const clipped = (text: string): string => text.slice(0, longest);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: atoms },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("expression"), operators, tie("expression"))
        .map(([a, operator, b]) => clipped(`${a}${operator}${b}`)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(wraps, count, tie("expression"))
        .map(([[open, close], times, inner]) =>
          clipped(open.repeat(Math.min(times, 500)) + inner + close.repeat(Math.min(times, 500))),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("expression"), operators, count)
        .map(([item, operator, times]) =>
          clipped(`${item}${(operator + item).repeat(Math.min(times, longest / (item.length + 1)))}`),
        ),
    },
  ),
}));

/** A chain of aliases: the value of each contains the next one. */
const aliasChain = fc
  .tuple(
    fc.constantFrom<(next: string) => string>(
      (next) => `${next} add ${next}`,
      (next) => `concat(${next},${next})`,
      (next) => `not ${next}`,
      (next) => `${"not ".repeat(50)}${next}`,
      (next) => `(${next}) and (${next})`,
      (next) => `[${next},${next}]`,
      (next) => `Appliances/any(x:${next})`,
      (next) => `case(${next}:${next})`,
      (next) => next,
      () => "@p0",
    ),
    count,
    expression,
  )
  .map(([value, times, last]) =>
    [...Array.from({ length: times }, (_, i) => `@p${i}=${value(`@p${i + 1}`)}`), `@p${times}=${last}`].join(
      "&",
    ),
  );

const optionNames = pick(
  ..."$filter $orderby $select $expand $apply $compute $search $count $top $skip $skiptoken $format $levels filter".split(
    " ",
  ),
  "$nope",
  "custom",
  "@p",
);

const encodings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text,
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => text.replaceAll(" ", "+"),
  (text) => text.replaceAll(" ", "%20"),
  (text) => text.replaceAll("a", "%"),
);

const option = fc
  .tuple(optionNames, expression, encodings)
  .map(([name, text, encode]) => `${name}=${encode(text)}`);

/** Damages a text: a part of it is repeated or removed, or something is inserted. */
const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          text,
          fc.nat(longest),
          fc.nat(200),
          pick("", "(", "'", "%", "&", "=", "@", "\u0000", "😀"),
          fc.boolean(),
        )
        .map(([whole, from, length, between, twice]) => {
          const start = whole.length === 0 ? 0 : from % whole.length;
          return (
            whole.slice(0, start + (twice ? length : 0)) + between + whole.slice(start + (twice ? 0 : length))
          );
        }),
    },
  );

/** A query string of at most 64 KiB. */
export const hostileQuery: fc.Arbitrary<string> = damaged(
  fc
    .tuple(
      fc.array(option, { maxLength: 4 }),
      fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 1, arbitrary: aliasChain }),
      fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: count }),
    )
    .map(([options, aliases, repeats]) =>
      [...options, aliases, ...Array<string>(repeats).fill("a=b")].join("&"),
    ),
).map(clipped);
