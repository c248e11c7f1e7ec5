import { QueryError } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import { type MediaType, parseMediaType, readAccept } from "./media-type.ts";

/** The form of an answer in JSON. Source: OData JSON Format 4.01, section 3. */
export type JsonFormat = {
  /** How much control information it has. */
  readonly metadata: "none" | "minimal" | "full";
  /** True if `Edm.Int64` and `Edm.Decimal` are strings, which no reader takes for a double. */
  readonly ieee754: boolean;
  /** Whether it says that its members come in the order for streaming, as they always do. */
  readonly streaming: boolean;
};

const minimalJson: JsonFormat = { metadata: "minimal", ieee754: false, streaming: false };

export const xmlType = "application/xml";
export const textType = "text/plain;charset=utf-8";

/** The media type of an answer in this format. */
export const jsonTypeOf = ({ metadata, ieee754, streaming }: JsonFormat): string =>
  [
    `application/json;odata.metadata=${metadata}`,
    ...(streaming ? ["odata.streaming=true"] : []),
    ...(ieee754 ? ["IEEE754Compatible=true"] : []),
  ].join(";");

/** What each parameter asks for. Since 4.01 the prefix may be left out. */
const jsonParameters: ReadonlyMap<string, Partial<JsonFormat>> = new Map<string, Partial<JsonFormat>>([
  ...["odata.", ""].flatMap((prefix): [string, Partial<JsonFormat>][] => [
    [`${prefix}metadata=none`, { metadata: "none" }],
    [`${prefix}metadata=minimal`, { metadata: "minimal" }],
    [`${prefix}metadata=full`, { metadata: "full" }],
    [`${prefix}streaming=true`, { streaming: true }],
    [`${prefix}streaming=false`, { streaming: false }],
  ]),
  ["ieee754compatible=true", { ieee754: true }],
  ["ieee754compatible=false", { ieee754: false }],
  // Allows exponents in decimals that are strings, and asks for none.
  ["exponentialdecimals=true", {}],
  ["exponentialdecimals=false", {}],
  ["charset=utf-8", {}],
]);

/** Short names of media types in `$format`. Source: OData Protocol 4.01, section 11.2.12. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["json", "application/json"],
  ["xml", xmlType],
]);

const jsonRanges: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** The format that a media type or a range asks for; undefined where it asks for what is not offered. */
function toJsonFormat({ type, parameters }: MediaType): JsonFormat | undefined {
  if (!jsonRanges.has(type)) return undefined;
  let format = minimalJson;
  for (const parameter of parameters) {
    const asked = jsonParameters.get(parameter);
    if (asked === undefined) return undefined;
    format = { ...format, ...asked };
  }
  return format;
}

/**
 * The media type that `$format` asks for.
 *
 * @throws {QueryError} `invalid_option` for what is no media type.
 */
function readFormat(text: string): MediaType {
  const found = parseMediaType(text);
  if (found !== undefined) return { ...found, type: shortNames.get(found.type) ?? found.type };
  const details = { name: "$format", expected: "a media type", text: text.slice(0, 40) };
  throw new QueryError("invalid_option", { start: 0, end: text.length }, details, "$format");
}

const notAcceptable = (target: string): Refused => new Refused("not_acceptable", target);

/**
 * The JSON that a request asks for; `$format` outranks `Accept`. Without either it is minimal.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {Refused} `not_acceptable`
 */
export function jsonFormatOf(format: string | undefined, accept: string | undefined): JsonFormat {
  if (format !== undefined) {
    const asked = toJsonFormat(readFormat(format));
    if (asked === undefined) throw notAcceptable("$format");
    return asked;
  }
  if (accept === undefined || accept.trim() === "") return minimalJson;
  const ranges = readAccept(accept);
  const isRefused = ranges.some(
    ({ type, parameters, quality }) =>
      type === "application/json" && parameters.length === 0 && quality === 0,
  );
  for (const range of ranges) {
    if (range.quality === 0 || (isRefused && range.type.endsWith("/*"))) continue;
    const asked = toJsonFormat(range);
    if (asked !== undefined) return asked;
  }
  throw notAcceptable("Accept");
}

/**
 * The form of `$metadata`: XML unless `$format` asks for JSON. `Accept` has no say: clients send one for data.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {Refused} `not_acceptable`
 */
export function metadataFormatOf(format: string | undefined): "xml" | "json" {
  if (format === undefined) return "xml";
  const asked = readFormat(format);
  if (isPlain(asked, xmlType)) return "xml";
  if (toJsonFormat(asked) === undefined) throw notAcceptable("$format");
  return "json";
}

/**
 * Refuses a format that is not text, for what is answered as text whatever `Accept` says: clients send one for data.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {Refused} `not_acceptable`
 */
export function requireText(format: string | undefined): void {
  if (format !== undefined && !isPlain(readFormat(format), "text/plain")) throw notAcceptable("$format");
}

const isPlain = ({ type, parameters }: MediaType, wanted: string): boolean =>
  type === wanted && parameters.every((parameter) => parameter === "charset=utf-8");
