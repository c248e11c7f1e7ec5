import { QueryError } from "../errors.ts";
import { defaultLimits, type Limits, parseExpression } from "../syntax/index.ts";
import type { Span, SyntaxNode } from "../syntax/tree.ts";
import { decode } from "./decode.ts";

export type PathArgument = { readonly name: string | null; readonly value: SyntaxNode };

export type SystemSegmentName =
  | "$all"
  | "$batch"
  | "$count"
  | "$each"
  | "$entity"
  | "$metadata"
  | "$query"
  | "$ref"
  | "$value";

/** One segment of a resource path. Spans are offsets in the raw path. */
export type PathSegment = Span &
  (
    | {
        /**
         * An entity set, property, type cast, function, action, or key written as a segment. The model decides
         * which one it is.
         */
        readonly kind: "Resource";
        readonly name: string;
        /**
         * The contents of the parentheses: a key, or the parameters of a function. Null without parentheses.
         */
        readonly args: readonly PathArgument[] | null;
        /** The key after the parameters of a function: `F(a=1)(2)`. */
        readonly key: readonly PathArgument[] | null;
      }
    | { readonly kind: "System"; readonly name: SystemSegmentName }
    | { readonly kind: "Crossjoin"; readonly entitySets: readonly string[] }
    | { readonly kind: "Filter"; readonly predicate: SyntaxNode }
  );

/** Position rule of a system segment: `first` means it starts the path, `last` that nothing may follow it. */
type Rule = { readonly first: boolean; readonly last: boolean };

/** Source: OData 4.01 ABNF, `resourcePath`. */
const systemSegments: Readonly<Record<SystemSegmentName, Rule>> = {
  $all: { first: true, last: false },
  $batch: { first: true, last: true },
  $count: { first: false, last: true },
  $each: { first: false, last: false },
  $entity: { first: true, last: false },
  $metadata: { first: true, last: true },
  $query: { first: false, last: true },
  $ref: { first: false, last: true },
  $value: { first: false, last: true },
};

const identifier = String.raw`[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}`;
const plainName = new RegExp(`^${identifier}$`, "u");
const crossjoin = new RegExp(`^\\$crossjoin\\((${identifier}(?:,${identifier})*)\\)$`, "u");
const textKey = /^([A-Za-z_]\w{0,127})\('((?:[^'\0]|'')*)'\)$/;

const refusal = (span: Span, expected: string, found: string): QueryError =>
  new QueryError("syntax_error", span, {
    expected,
    found: found === "" ? "the end of the path" : `\`${found}\``,
  });

/**
 * Converts an offset in the decoded text to one in `raw`. Each percent-encoded byte counts as one character, so the
 * result is exact only if `raw` encodes no multi-byte characters before it.
 */
function rawOffset(raw: string, at: number): number {
  let decoded = 0;
  let offset = 0;
  while (offset < raw.length && decoded < at) {
    const run = /^(?:%[\dA-Fa-f]{2})/.test(raw.slice(offset, offset + 3)) ? 3 : 1;
    offset += run;
    decoded += 1;
  }
  return offset;
}

type Piece = { readonly raw: string; readonly start: number };

/** Splits a path at slashes, except those inside `$filter(…)`. An encoded slash is part of its segment. */
function split(path: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  while (start <= path.length) {
    let end = path.indexOf("/", start);
    if (end < 0) end = path.length;
    if (path.startsWith("$filter(", start)) {
      let depth = 0;
      let quoted = false;
      for (end = start; end < path.length; end += 1) {
        const character = path[end];
        if (character === "'") quoted = !quoted;
        else if (!quoted && character === "(") depth += 1;
        else if (!quoted && character === ")") depth -= 1;
        else if (!quoted && character === "/" && depth === 0) break;
      }
    }
    pieces.push({ raw: path.slice(start, end), start });
    start = end + 1;
  }
  return pieces;
}

const argumentKinds: ReadonlySet<SyntaxNode["kind"]> = new Set([
  "Literal",
  "Enum",
  "Geo",
  "Alias",
  "Array",
  "Object",
]);

function checkArguments(args: readonly PathArgument[]): readonly PathArgument[] {
  for (const { value } of args) {
    if (!argumentKinds.has(value.kind)) {
      throw new QueryError("syntax_error", value, {
        expected: "a literal or an alias",
        found: "an expression",
      });
    }
  }
  return args;
}

const positional = (args: readonly SyntaxNode[]): readonly PathArgument[] =>
  args.map((value) => ({ name: null, value }));

/** Parses a segment with parentheses as an expression and takes its name, arguments and key. */
function called(
  text: string,
  limits: Limits,
): { name: string; args: readonly PathArgument[]; key: readonly PathArgument[] | null } {
  const node = parseExpression(text, limits);
  if (node.kind === "Call")
    return { name: node.name, args: checkArguments(positional(node.args)), key: null };
  if (node.kind === "Method") return { name: node.name, args: checkArguments(node.args), key: null };
  if (node.kind !== "Key") throw refusal({ start: 0, end: text.length }, "a resource", text.slice(0, 40));
  const key = checkArguments(node.key);
  if (node.base.kind === "Name") return { name: node.base.name, args: key, key: null };
  return { ...called(text.slice(0, node.base.end), limits), key };
}

function resource(piece: Piece, text: string, limits: Limits): PathSegment {
  const span = { start: piece.start, end: piece.start + piece.raw.length };
  const quick = textKey.exec(text);
  if (quick !== null) {
    const [, name = "", quoted = ""] = quick;
    const value = quoted.replaceAll("''", "'");
    const at = { start: name.length + 1, end: text.length - 1 };
    const key: SyntaxNode = { kind: "Literal", ...at, type: "String", value };
    return { kind: "Resource", ...span, name, args: [{ name: null, value: key }], key: null };
  }
  if (!/^[^(]*[\p{L}\p{N}_]\(/u.test(text) || /^[^(]*['"]/.test(text)) {
    if (/^\.|\.\(/.test(text) || text.includes("\0")) {
      const at = text.startsWith(".") ? 0 : Math.max(text.indexOf(".("), 0);
      throw refusal({ start: span.start + at, end: span.end }, "a name", text.slice(at, at + 40));
    }
    return { kind: "Resource", ...span, name: text, args: null, key: null };
  }
  try {
    return { kind: "Resource", ...span, ...called(text, limits) };
  } catch (error) {
    if (!(error instanceof QueryError) || error.span === null) throw error;
    const start = piece.start + rawOffset(piece.raw, error.span.start);
    const end = piece.start + rawOffset(piece.raw, error.span.end);
    throw new QueryError(error.code, { start, end }, error.details);
  }
}

/**
 * Parses the raw (percent-encoded) path of a request below the service root. The path is split first and decoded
 * after that, so an encoded slash is part of a key. A key written as a segment (`Employees/A1245`) becomes a {@link
 * PathSegment} of kind `Resource`: only the model can tell it from a property.
 *
 * @throws {QueryError} `syntax_error` with the offsets in the raw path, or `invalid_encoding`.
 */
export function parseResourcePath(path: string, limits: Limits = defaultLimits): readonly PathSegment[] {
  const from = path.startsWith("/") ? 1 : 0;
  if (path.length === from) return [];
  const fragment = path.search(/[?#]/);
  if (fragment >= 0) throw refusal({ start: fragment, end: fragment + 1 }, "a path", path.charAt(fragment));
  const pieces = split(path.slice(from)).map(({ raw, start }) => ({ raw, start: start + from }));
  const segments: PathSegment[] = [];
  for (const [index, piece] of pieces.entries()) {
    const span = { start: piece.start, end: piece.start + piece.raw.length };
    const before = segments.at(-1);
    if (before?.kind === "System" && systemSegments[before.name].last) {
      throw refusal(
        { start: span.start - 1, end: span.end },
        "the end of the path",
        `/${piece.raw.slice(0, 40)}`,
      );
    }
    const { text } = decode(piece.raw, "path");
    if (text === "") throw refusal(span, "a path segment", piece.raw);
    segments.push(segmentOf(piece, text, span, index, pieces, limits));
  }
  return segments;
}

function segmentOf(
  piece: Piece,
  text: string,
  span: Span,
  index: number,
  pieces: readonly Piece[],
  limits: Limits,
): PathSegment {
  if (text.startsWith("$")) {
    const sets = crossjoin.exec(text)?.[1];
    if (sets !== undefined && index === 0) return { kind: "Crossjoin", ...span, entitySets: sets.split(",") };
    if (text.startsWith("$filter(") && text.endsWith(")") && index > 0) {
      return { kind: "Filter", ...span, predicate: parseExpression(text.slice(8, -1), limits) };
    }
    if (Object.hasOwn(systemSegments, text)) {
      const name = text as SystemSegmentName;
      const afterContainer = name === "$all" && index === 1;
      if (systemSegments[name].first === (index === 0) || afterContainer)
        return { kind: "System", ...span, name };
    }
    throw refusal(span, "a resource", text.slice(0, 40));
  }
  const segment = resource(piece, text, limits);
  if (index === 0 && segment.kind === "Resource" && !plainName.test(segment.name)) {
    const container = segment.args === null && pieces[1]?.raw === "$all";
    if (!container) {
      const bad = segment.name.search(/[^\p{L}\p{N}_]/u);
      throw refusal(
        { start: span.start + Math.max(bad, 0), end: span.end },
        "a name without dots",
        segment.name.slice(0, 40),
      );
    }
  }
  return segment;
}
