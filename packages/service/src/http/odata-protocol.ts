import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import type { Step } from "./routes.ts";

/** A media type or media range, in lower case. */
export type MediaType = {
  /** Such as `application/json`, or a short name such as `json`. */
  readonly type: string;
  /** Such as `odata.metadata=full`, without quotes. */
  readonly parameters: readonly string[];
};

/** A media range of an `Accept` header with its quality, from 0 (not acceptable) to 1. */
export type MediaRange = MediaType & { readonly quality: number };

const token = "[\\w!#$&^.+'*`|~-]+";
const typePattern = new RegExp(`^${token}(?:/${token})?$`);
const parameterPattern = new RegExp(`^(?<name>${token})=(?<quote>"?)(?<value>${token})\\k<quote>$`);

/** Parses a media type. Undefined if the text is not one. Source: RFC 9110, section 8.3.1. */
export function parseMediaType(text: string): MediaType | undefined {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameters = rest.map((part) => part.replace(parameterPattern, "$<name>=$<value>"));
  const isMediaType = typePattern.test(type) && rest.every((part) => parameterPattern.test(part));
  return isMediaType ? { type, parameters } : undefined;
}

const qualityPattern = /^q=(?<quality>[01](?:\.\d{0,3})?)$/;

/** Specificity of a range: of two with the same quality, the more specific one is preferred. */
const exactness = ({ type, parameters }: MediaType): number =>
  type === "*/*" ? -2 : type.endsWith("/*") ? -1 : parameters.length;

/** Parses an `Accept` header. Returns the ranges, best first; invalid ones are ignored. Source: RFC 9110, section 12.5.1. */
export function readAccept(header: string): readonly MediaRange[] {
  return header
    .split(",")
    .flatMap((text) => parseMediaType(text) ?? [])
    .map(({ type, parameters }) => {
      const found = parameters.flatMap(
        (parameter) => qualityPattern.exec(parameter)?.groups?.["quality"] ?? [],
      );
      return {
        type,
        parameters: parameters.filter((parameter) => !parameter.startsWith("q=")),
        quality: Number(found[0] ?? 1),
      };
    })
    .toSorted((a, b) => b.quality - a.quality || exactness(b) - exactness(a));
}

/** Root path of the OData service. Source: interface specification, section 9. */
export const odataRoot = "/reso/odata";

/** Media type of errors, whatever the request accepts. */
export const jsonType = "application/json;odata.metadata=minimal";

export type OdataVersion = Config["odataVersion"];

/** Returns the value of a request header, by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

/** True if the URL path, as received, is at or under the OData root. */
export function isOdata(url: string): boolean {
  const end = url[odataRoot.length];
  return url.startsWith(odataRoot) && (end === undefined || end === "/" || end === "?");
}

const versions: readonly OdataVersion[] = ["4.0", "4.01"];

/** Returns the version in a header. Old clients append the name of their library: `4.0;NetFx`. */
const versionIn = (header: string | undefined): string | undefined => header?.split(";", 1)[0]?.trim();

/** Returns the highest supported version that is not above `maximum`. Undefined if there is none. */
const highestUpTo = (maximum: string): OdataVersion | undefined =>
  /^\d+(?:\.\d+)?$/.test(maximum)
    ? versions.findLast((version) => Number(version) <= Number(maximum))
    : undefined;

/**
 * Returns the version of the answer, or null if the request asks for an unsupported one.
 * Source: OData Protocol 4.01, sections 8.2.6 and 8.2.7.
 */
export function negotiatedVersion(header: HeaderReader, configured: OdataVersion): OdataVersion | null {
  const own = versionIn(header("odata-version"));
  const maximum = versionIn(header("odata-maxversion"));
  const spoken = versions.find((version) => version === own);
  if (own !== undefined && spoken === undefined) return null;
  return maximum === undefined ? (spoken ?? configured) : (highestUpTo(maximum) ?? null);
}

/**
 * Sets `OData-Version` on every answer under the OData root, including errors.
 * Source: OData Protocol 4.01, sections 8.1.5 and 8.2.7.
 */
export const announceVersion =
  (configured: OdataVersion): Step =>
  (req, res) => {
    if (!isOdata(req.originalUrl)) return;
    res.setHeader("OData-Version", negotiatedVersion((name) => req.get(name), configured) ?? configured);
  };

/** Refuses an unsupported version. */
export const requireVersion =
  (configured: OdataVersion): Step =>
  (req) => {
    if (negotiatedVersion((name) => req.get(name), configured) === null)
      throw new Refused("unsupported_version");
  };
