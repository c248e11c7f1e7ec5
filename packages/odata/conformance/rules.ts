import { QueryError } from "../src/errors.ts";
import { decode } from "../src/options/decode.ts";
import {
  parseQueryOptions,
  parseRelativeUri,
  parseResourcePath,
  type QueryOptions,
  readAlias,
  readOption,
  systemOptionNames,
} from "../src/options/index.ts";
import { parseExpression, parseSearch } from "../src/syntax/index.ts";
import { type PrimitiveForm, primitiveFault, primitiveForms } from "../src/syntax/primitive.ts";
import { checkApply, checkPath, keyFault, type Names, undeclaredOption } from "./names.ts";

/** What came of an input: accepted, or refused at an offset of the raw input (null: the whole request). */
type Verdict = { readonly accepted: boolean; readonly at: number | null; readonly message: string };

type Rule = (input: string, names: Names) => Verdict;

const accepted: Verdict = { accepted: true, at: null, message: "" };
const refused = (at: number | null, message: string): Verdict => ({ accepted: false, at, message });

/** The offset in `raw` of the decoded offset `at`. */
function rawOffset(raw: string, at: number): number {
  let offset = 0;
  for (let decoded = 0; decoded < at && offset < raw.length; ) {
    const run = /^(?:%[\dA-Fa-f]{2})+/.exec(raw.slice(offset))?.[0];
    if (run === undefined) {
      offset += 1;
      decoded += 1;
      continue;
    }
    const text = decodeURIComponent(run);
    if (decoded + text.length <= at) {
      offset += run.length;
      decoded += text.length;
    } else {
      offset += encodeURIComponent(text.slice(0, at - decoded)).length || 3 * (at - decoded);
      decoded = at;
    }
  }
  return offset;
}

function judge(run: () => void, locate: (error: QueryError) => number | null): Verdict {
  try {
    run();
    return accepted;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return refused(locate(error), error.message);
  }
}

/**
 * What an error expected where the text has a construct that the grammar could still read as something else, if
 * more followed: a word as the namespace of an enumeration or of a custom function, `all()` as a call of a function. The
 * suites locate such a fault behind the construct, our messages at its start.
 */
const behind: ReadonlySet<unknown> = new Set([
  "a lambda variable",
  "a literal or an alias",
  "a transformation",
]);

/** The decoded offset of an error, as the suites count it: of the first character that the grammar cannot read. */
const faultOf = ({ span, details }: QueryError): number | null =>
  span && (behind.has(details["expected"]) ? span.end : span.start);

/** Expressions, decoded first. `prefix` and `suffix` make one of what is only a part of one. */
const expression =
  (prefix = "", suffix = ""): Rule =>
  (input) => {
    // `+` in an expression that stands alone is a plus sign.
    const { text } = decode(input.replaceAll("+", "%2B"), "query");
    return judge(
      () => parseExpression(prefix + text + suffix),
      (error) => {
        const fault = faultOf(error);
        return fault === null ? null : rawOffset(input, fault - prefix.length);
      },
    );
  };

function readAll(options: QueryOptions, names: Names): void {
  for (const name of systemOptionNames) readOption(options, name);
  const apply = readOption(options, "$apply");
  if (apply !== undefined) checkApply(apply, options.system.get("$apply")?.text ?? "", names);
  for (const name of options.aliases.keys()) readAlias(options, name);
}

/** The raw offset in a query string of an error that is located in one of its options. */
function locateInOptions(query: string) {
  return (error: QueryError): number | null => {
    const { code, option, details } = error;
    const fault = faultOf(error);
    if (code === "unknown_option")
      return query.indexOf(String(details["name"])) + String(details["name"]).trimEnd().length;
    if (fault === null) return null;
    if (option === null) return fault;
    const names = new Set([option.toLowerCase(), option.slice(1).toLowerCase()]);
    let at = 0;
    for (const part of query.split("&")) {
      const equals = part.indexOf("=");
      const name = equals < 0 ? part : part.slice(0, equals);
      if (names.has(decodeURIComponent(name).toLowerCase())) {
        return equals < 0 ? at + part.length : at + equals + 1 + rawOffset(part.slice(equals + 1), fault);
      }
      at += part.length + 1;
    }
    return null;
  };
}

const queryOptions: Rule = (input, names) => {
  const settings = { keepBlanks: true };
  const verdict = judge(() => readAll(parseQueryOptions(input, settings), names), locateInOptions(input));
  const noKey = verdict.accepted ? null : keyFault(input, names);
  if (noKey !== null && noKey < (verdict.at ?? 0)) return refused(noKey, "no key");
  const undeclared = verdict.accepted ? undeclaredOption(input, names) : null;
  return undeclared === null ? verdict : refused(undeclared, "no such custom query option");
};

/** One query option. */
const queryOption: Rule = (input, names) => {
  const end = input.indexOf("&");
  return end < 0 ? queryOptions(input, names) : refused(end, "more than one query option");
};

const relativeUri: Rule = (whole, names) => {
  // The fragment of a context URL is never sent.
  const input = whole.startsWith("$metadata#") ? "$metadata" : whole;
  const mark = input.indexOf("?") + 1;
  const query = mark === 0 ? "" : input.slice(mark);
  return judge(
    () => {
      const { path, options } = parseRelativeUri(input);
      checkPath(path, names);
      readAll(options, names);
    },
    (error) => {
      if (error.option === null) return error.span?.start ?? null;
      if (error.code === "conflicting_options") return mark + query.indexOf(error.option);
      if (error.code === "invalid_option" && error.span === null) return input.length;
      const at = locateInOptions(query)(error);
      return at === null ? null : mark + at;
    },
  );
};

const resourcePath: Rule = (input) => judge(() => parseResourcePath(input), faultOf);

const host = /^https?:\/\/(?:\[[^\]]+\]|[\w.-]+)(?::\d+)?\//;

/** An absolute URI. Where the service root ends is the host's business: here, before the last segment. */
const absoluteUri: Rule = (input, names) => {
  const root = host.exec(input)?.[0];
  if (root === undefined) return refused(/^https?:?/.exec(input)?.[0].length ?? 0, "no host");
  const end = input.search(/[?#]|$/);
  const start = Math.max(root.length, input.lastIndexOf("/", end) + 1);
  const verdict = relativeUri(input.slice(start), names);
  return verdict.at === null ? verdict : { ...verdict, at: verdict.at + start };
};

/** A value without prefix and quotes. */
const value =
  (form: PrimitiveForm, decoded = false): Rule =>
  (input) => {
    const text = decoded ? decodeURIComponent(input) : input;
    const fault = primitiveFault(form, text);
    return fault < 0 ? accepted : refused(rawOffset(input, fault), `no ${form}`);
  };

const search: Rule = (input) => {
  const { text, encoded } = decode(input, "query");
  return judge(
    () => parseSearch(text, undefined, encoded),
    ({ span }) => span && rawOffset(input, span.start),
  );
};

/** Any primitive value: the form that reads furthest decides. */
const anyValue: Rule = (input, names) => {
  if (/^SRID=/i.test(input)) return expression("geometry'", "'")(input, names);
  const faults = primitiveForms.map((form) => primitiveFault(form, input));
  return faults.includes(-1) ? accepted : refused(Math.max(...faults), "no primitive value");
};

const parameter = expression("Ns.F(", ")");

/** A literal. What may be a name where a literal should begin is at fault as a whole. */
const literal: Rule = (input, names) => {
  const verdict = expression()(input, names);
  const named = !verdict.accepted && /^[A-Za-z_]\w*$/.test(input.slice(0, verdict.at ?? 0));
  return named ? { ...verdict, at: 0 } : verdict;
};

/** How each rule of the grammar is entered. A rule that is not here does not concern a URL's path or query. */
export const rules: Readonly<Record<string, Rule>> = {
  odataUri: absoluteUri,
  odataRelativeUri: relativeUri,
  resourcePath,
  queryOptions,
  systemQueryOption: queryOption,
  customQueryOption: queryOption,
  filter: queryOption,
  orderby: queryOption,
  orderBy: queryOption,
  select: queryOption,
  expand: queryOption,
  compute: queryOption,
  search: queryOption,
  skiptoken: queryOption,
  deltatoken: queryOption,
  searchExpr: search,
  commonExpr: expression(),
  boolCommonExpr: expression(),
  boolcommonExpr: expression(),
  notExpr: expression(),
  isofExpr: expression(),
  firstMemberExpr: expression(),
  propertyPathExpr: expression(),
  anyExpr: expression("Collection/"),
  functionParameter: parameter,
  entitySetName: value("Identifier"),
  odataIdentifier: value("Identifier"),
  primitiveValue: anyValue,
  primitiveLiteral: literal,
  binaryLiteral: literal,
  null: literal,
  boolean: (input, names) => value("Boolean")(input.toLowerCase(), names),
  booleanValue: value("Boolean"),
  date: value("Date"),
  dateValue: value("Date"),
  dateTimeOffsetValue: value("DateTimeOffset"),
  dateTimeOffsetLiteral: literal,
  dateTimeOffsetValueInUrl: value("DateTimeOffset", true),
  timeOfDayValue: value("TimeOfDay"),
  timeOfDayLiteral: literal,
  decimalValue: value("Decimal"),
  decimalLiteral: literal,
  doubleValue: value("Double"),
  doubleLiteral: literal,
  singleValue: value("Single"),
  singleLiteral: literal,
  byteValue: value("Byte"),
  sbyteValue: value("SByte"),
  sbyteLiteral: literal,
  int16Value: value("Int16"),
  int16Literal: literal,
  int32Value: value("Int32"),
  int32Literal: literal,
  int64Value: value("Int64"),
  int64Literal: literal,
  guid: value("Guid"),
  durationValue: value("Duration"),
  durationLiteral: literal,
  stringLiteral: literal,
  stringInUrl: expression("[", "]"),
  enumLiteral: literal,
  enumValue: value("Enum"),
  geographyCollection: literal,
  geographyLineString: literal,
  geographyMultiLineString: literal,
  geographyMultiPoint: literal,
  geographyMultiPolygon: literal,
  geographyPoint: literal,
  geographyPolygon: literal,
  geometryCollection: literal,
  geometryLineString: literal,
  geometryMultiLineString: literal,
  geometryMultiPoint: literal,
  geometryMultiPolygon: literal,
  geometryPoint: literal,
  geometryPolygon: literal,
};
