import type { IToken } from "chevrotain";
import { parseGeo } from "../geo.ts";
import { checkEnum, checkLiteral, numeralTypeOf } from "../literal.ts";
import type { LiteralType, SyntaxNode } from "../tree.ts";
import { syntaxError } from "./fault.ts";
import { spanOf } from "./token-stream.ts";

const afterPrefix = (image: string): string => image.slice(image.indexOf("'") + 1, -1);

function geoOf(token: IToken, text: string): SyntaxNode {
  const span = spanOf(token);
  const family = token.image.toLowerCase().startsWith("geog") ? "geography" : "geometry";
  const geo = parseGeo(text, span.start + family.length + 1, span.end - 1, family);
  if ("fault" in geo) throw syntaxError(text, { start: geo.fault, end: geo.fault + 1 }, geo.expected);
  return { kind: "Geo", ...span, family, srid: geo.srid, shape: geo.shape };
}

function enumOf(token: IToken): SyntaxNode {
  const typeName = token.image.slice(0, token.image.indexOf("'"));
  const value = afterPrefix(token.image);
  checkEnum(typeName, value, spanOf(token));
  return { kind: "Enum", ...spanOf(token), typeName, value };
}

function literal(token: IToken, type: LiteralType, value: string | boolean | null): SyntaxNode {
  if (typeof value === "string") checkLiteral(type, value, spanOf(token));
  return { kind: "Literal", ...spanOf(token), type, value };
}

/** Functions that convert a literal token to a node, by token type. */
const readers: Readonly<Record<string, (token: IToken, text: string) => SyntaxNode>> = {
  Null: (token) => literal(token, "Null", null),
  Boolean: (token) => literal(token, "Boolean", token.image.toLowerCase() === "true"),
  Numeral: (token) => literal(token, numeralTypeOf(token.image), token.image),
  NegativeInfinity: (token) => literal(token, "Double", token.image),
  InfinityOrNaN: (token) => literal(token, "Double", token.image),
  String: (token) => literal(token, "String", afterPrefix(token.image).replaceAll("''", "'")),
  Date: (token) => literal(token, "Date", token.image),
  DateTimeOffset: (token) => literal(token, "DateTimeOffset", token.image),
  TimeOfDay: (token) => literal(token, "TimeOfDay", token.image),
  Guid: (token) => literal(token, "Guid", token.image),
  Duration: (token) => literal(token, "Duration", afterPrefix(token.image)),
  Binary: (token) => literal(token, "Binary", afterPrefix(token.image)),
  Enum: enumOf,
  Geo: geoOf,
};

/** Converts a literal token to a node. */
export function literalOf(token: IToken, text: string): SyntaxNode {
  const reader = readers[token.tokenType.name];
  if (reader === undefined) throw syntaxError(text, spanOf(token), "a literal");
  return reader(token, text);
}
