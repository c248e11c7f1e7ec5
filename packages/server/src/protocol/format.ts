import { QueryError } from "@cadastre/odata";
import { ProtocolError } from "../errors.ts";
import { type MediaType, parseMediaType, readAccept } from "./media-type.ts";

/** Format parameters of a JSON answer. Source: OData JSON Format 4.01, section 3. */
export type JsonFormat = {
  /** Amount of control information. */
  readonly metadata: "none" | "minimal" | "full";
  /** True if `Edm.Int64` and `Edm.Decimal` are written as strings, which a reader does not convert to a double. */
  readonly ieee754: boolean;
  /** True if the media type has `odata.streaming=true`. The members are in the order for streaming in any case. */
  readonly streaming: boolean;
};

export const minimalJson: JsonFormat = { metadata: "minimal", ieee754: false, streaming: false };

export const xmlType = "application/xml";
export const textType = "text/plain;charset=utf-8";

/** Media type of errors, whatever the request accepts. */
export const minimalJsonType = "application/json;odata.metadata=minimal";

/** Returns the media type of an answer in this format. */
export const jsonTypeOf = ({ metadata, ieee754, streaming }: JsonFormat): string =>
  [
    `application/json;odata.metadata=${metadata}`,
    ...(streaming ? ["odata.streaming=true"] : []),
    ...(ieee754 ? ["IEEE754Compatible=true"] : []),
  ].join(";");

/** Meaning of each media type parameter. Since 4.01 the prefix `odata.` is optional. */
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
  // Permits exponents in decimal strings, but does not require them.
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

/** Returns the format that a media type or range requests. Undefined if it is not supported. */
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
 * Parses the media type in `$format`.
 *
 * @throws {QueryError} `invalid_option` if the text is not a media type
 */
function readFormat(text: string): MediaType {
  const found = parseMediaType(text);
  if (found !== undefined) return { ...found, type: shortNames.get(found.type) ?? found.type };
  const details = { name: "$format", expected: "a media type", text: text.slice(0, 40) };
  throw new QueryError("invalid_option", { start: 0, end: text.length }, details, "$format");
}

const notAcceptable = (target: string): ProtocolError => new ProtocolError("not_acceptable", { target });

/**
 * Returns the JSON format that a request asks for. `$format` takes precedence over `Accept`. The default has minimal metadata.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {ProtocolError} `not_acceptable`
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
 * Returns the format of `$metadata`: XML unless `$format` requests JSON. `Accept` is ignored, because clients send one that is meant for
 * data.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {ProtocolError} `not_acceptable`
 */
export function metadataFormatOf(format: string | undefined): "xml" | "json" {
  if (format === undefined) return "xml";
  const asked = readFormat(format);
  if (isPlain(asked, xmlType)) return "xml";
  if (toJsonFormat(asked) === undefined) throw notAcceptable("$format");
  return "json";
}

/**
 * Refuses a `$format` other than text, for answers that are always text. `Accept` is ignored, because clients send one that is meant for
 * data.
 *
 * @throws {QueryError} `invalid_option`
 * @throws {ProtocolError} `not_acceptable`
 */
export function requireTextResponse(format: string | undefined): void {
  if (format !== undefined && !isPlain(readFormat(format), "text/plain")) throw notAcceptable("$format");
}

const isPlain = ({ type, parameters }: MediaType, wanted: string): boolean =>
  type === wanted && parameters.every((parameter) => parameter === "charset=utf-8");
