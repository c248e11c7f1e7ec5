/**
 * A text format, both as a regular expression and as a nondeterministic matcher: `advance` moves every offset in
 * `from` past all the matches that start there. The matcher finds the position at which a text violates the format.
 */
type Form = {
  readonly source: string;
  readonly advance: (text: string, from: ReadonlySet<number>) => ReadonlySet<number>;
};

/** The end of the longest partial match so far. */
let furthest = 0;

const reached = (offsets: ReadonlySet<number>): ReadonlySet<number> => {
  for (const at of offsets) furthest = Math.max(furthest, at);
  return offsets;
};

/** Matches one character of a class. */
function one(characters: string): Form {
  const pattern = new RegExp(`^${characters}$`, "u");
  return {
    source: characters,
    advance: (text, from) =>
      reached(new Set([...from].filter((at) => pattern.test(text.charAt(at))).map((at) => at + 1))),
  };
}

/** Matches a sequence of letters. They must not have a special meaning in a regular expression. */
const word = (letters: string): Form => ({
  source: letters,
  advance: (text, from) =>
    reached(new Set([...from].filter((at) => text.startsWith(letters, at)).map((at) => at + letters.length))),
});

const sequence = (...forms: readonly Form[]): Form => ({
  source: forms.map(({ source }) => source).join(""),
  advance: (text, from) => forms.reduce((at, form) => form.advance(text, at), from),
});

const either = (...forms: readonly Form[]): Form => ({
  source: `(?:${forms.map(({ source }) => source).join("|")})`,
  advance: (text, from) => new Set(forms.flatMap((form) => [...form.advance(text, from)])),
});

const repeated = (form: Form, least: number, most: number): Form => ({
  source: `(?:${form.source}){${least},${most === Number.POSITIVE_INFINITY ? "" : most}}`,
  advance: (text, from) => {
    const after = new Set(least === 0 ? from : []);
    let at = from;
    for (let times = 1; times <= most && at.size > 0; times += 1) {
      at = form.advance(text, at);
      if (times >= least) for (const offset of at) after.add(offset);
    }
    return after;
  },
});

const optional = (form: Form): Form => repeated(form, 0, 1);

const digit = one(String.raw`\d`);
const digits = repeated(digit, 1, Number.POSITIVE_INFINITY);
const sign = one("[+-]");
const hexadecimal = one(String.raw`[\dA-Fa-f]`);
const base64url = one(String.raw`[\w-]`);
const hyphen = word("-");
const colon = word(":");
const point = one(String.raw`\.`);

const year = sequence(
  optional(hyphen),
  either(
    sequence(word("0"), digit, digit, digit),
    sequence(one("[1-9]"), repeated(digit, 3, Number.POSITIVE_INFINITY)),
  ),
);
const month = either(sequence(word("0"), one("[1-9]")), sequence(word("1"), one("[0-2]")));
const day = either(
  sequence(word("0"), one("[1-9]")),
  sequence(one("[12]"), digit),
  sequence(word("3"), one("[01]")),
);
const hour = either(sequence(one("[01]"), digit), sequence(word("2"), one("[0-3]")));
const sixty = sequence(one("[0-5]"), digit);
const seconds = (second: Form): Form =>
  optional(sequence(colon, second, optional(sequence(point, repeated(digit, 1, 12)))));

const date = sequence(year, hyphen, month, hyphen, day);
const timeOfDay = sequence(hour, colon, sixty, seconds(sixty));
const dateTimeOffset = sequence(
  date,
  one("[Tt]"),
  sequence(hour, colon, sixty, seconds(either(sixty, word("60")))),
  either(one("[Zz]"), sequence(sign, hour, colon, sixty)),
);
const notFinite = either(word("NaN"), sequence(optional(hyphen), word("INF")));
const decimal = either(
  notFinite,
  sequence(
    optional(sign),
    digits,
    optional(sequence(point, digits)),
    optional(sequence(one("[eE]"), optional(sign), digits)),
  ),
);
const integer = (most: number): Form => sequence(optional(sign), repeated(digit, 1, most));
const unit = (letter: string): Form => optional(sequence(digits, one(letter)));
const duration = sequence(
  optional(hyphen),
  one("[Pp]"),
  unit("[Dd]"),
  optional(
    sequence(
      one("[Tt]"),
      unit("[Hh]"),
      unit("[Mm]"),
      optional(sequence(digits, optional(sequence(point, digits)), one("[Ss]"))),
    ),
  ),
);
const four = repeated(hexadecimal, 4, 4);
const guid = sequence(
  repeated(hexadecimal, 8, 8),
  repeated(sequence(hyphen, four), 3, 3),
  hyphen,
  four,
  four,
  four,
);
/** The last character before the padding has no bits beyond those of the last byte. */
const binary = sequence(
  repeated(repeated(base64url, 4, 4), 0, Number.POSITIVE_INFINITY),
  optional(
    either(
      sequence(base64url, one("[AQgw]"), optional(word("=="))),
      sequence(repeated(base64url, 2, 2), one("[AEIMQUYcgkosw048]"), optional(word("="))),
    ),
  ),
);
const identifier = sequence(
  one(String.raw`[\p{L}\p{Nl}_]`),
  repeated(one(String.raw`[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]`), 0, 127),
);
const enumMember = either(identifier, sequence(optional(sign), digits));
const enumeration = sequence(
  enumMember,
  repeated(sequence(word(","), enumMember), 0, Number.POSITIVE_INFINITY),
);
const boolean = either(word("true"), word("false"));

/**
 * Formats of values in payloads and in keys written as path segments: without prefix and quotes.
 *
 * Source: OData 4.01 ABNF, section 7.
 */
const forms = {
  Binary: binary,
  Boolean: boolean,
  Byte: repeated(digit, 1, 3),
  Date: date,
  DateTimeOffset: dateTimeOffset,
  Decimal: decimal,
  Double: decimal,
  Duration: duration,
  Enum: enumeration,
  Guid: guid,
  Identifier: identifier,
  Int16: integer(5),
  Int32: integer(10),
  Int64: integer(19),
  SByte: integer(3),
  Single: decimal,
  TimeOfDay: timeOfDay,
} as const satisfies Record<string, Form>;

export type PrimitiveForm = keyof typeof forms;

export const primitiveForms = Object.keys(forms) as readonly PrimitiveForm[];

const patterns = Object.fromEntries(
  primitiveForms.map((form) => [form, new RegExp(`^${forms[form].source}$`, "u")]),
) as Readonly<Record<PrimitiveForm, RegExp>>;

/** True if `text` is a value of the given form. */
export const isPrimitive = (form: PrimitiveForm, text: string): boolean => patterns[form].test(text);

/**
 * Returns the offset of the first character that keeps `text` from being a value of the given form; -1 if it is
 * one.
 */
export function primitiveFault(form: PrimitiveForm, text: string): number {
  if (isPrimitive(form, text)) return -1;
  furthest = 0;
  forms[form].advance(text, new Set([0]));
  return furthest;
}
