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
