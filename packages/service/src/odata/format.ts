import { QueryError } from "@cadastre/odata";
import { Refused } from "../errors.ts";

/** Short names of media types in `$format`. Source: OData Protocol 4.01, section 11.2.12. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["json", "application/json"],
  ["xml", "application/xml"],
]);

/** The parameters that say what every answer is anyhow. Source: OData JSON Format 4.01, section 3. */
const honoured: ReadonlySet<string> = new Set([
  "odata.metadata=minimal",
  "metadata=minimal",
  "odata.streaming=false",
  "streaming=false",
  "ieee754compatible=false",
  "charset=utf-8",
]);

const token = "[\\w!#$&^.+'*`|~-]+";
const typePattern = new RegExp(`^${token}(?:/${token})?$`);
const parameterPattern = new RegExp(`^${token}=${token}$`);

/**
 * The media type that `$format` asks for, in full and in lower case, and its parameters.
 *
 * @throws {QueryError} `invalid_option` for what is no media type.
 */
function readFormat(text: string): { readonly type: string; readonly parameters: readonly string[] } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  if (!typePattern.test(type) || !parameters.every((parameter) => parameterPattern.test(parameter))) {
    const details = { name: "$format", expected: "a media type", text: text.slice(0, 40) };
    throw new QueryError("invalid_option", { start: 0, end: text.length }, details, "$format");
  }
  return { type: shortNames.get(type) ?? type, parameters };
}

/** @throws {Refused} `not_acceptable` for a format that the answer would not have. */
export function requireJson(format: string | undefined): void {
  if (format === undefined) return;
  const { type, parameters } = readFormat(format);
  if (type === "application/json" && parameters.every((parameter) => honoured.has(parameter))) return;
  throw new Refused("not_acceptable", "$format");
}

/** As {@link requireJson}, for the metadata. @throws {Refused} `not_implemented` for JSON. */
export function requireXml(format: string | undefined): void {
  if (format === undefined) return;
  const { type, parameters } = readFormat(format);
  if (type === "application/json") throw new Refused("not_implemented", "$format");
  const isHonoured = parameters.every((parameter) => parameter === "charset=utf-8");
  if (type !== "application/xml" || !isHonoured) throw new Refused("not_acceptable", "$format");
}
