/** A media type or a range of them, in lower case. */
export type MediaType = {
  /** Such as `application/json`, or `json` where it is a short name. */
  readonly type: string;
  /** Such as `odata.metadata=full`, without quotes. */
  readonly parameters: readonly string[];
};

/** A media type that a client accepts, and how much it likes it: from 0, not at all, to 1. */
export type MediaRange = MediaType & { readonly quality: number };

const token = "[\\w!#$&^.+'*`|~-]+";
const typePattern = new RegExp(`^${token}(?:/${token})?$`);
const parameterPattern = new RegExp(`^(?<name>${token})=(?<quote>"?)(?<value>${token})\\k<quote>$`);

/** Undefined for what is no media type. Source: RFC 9110, section 8.3.1. */
export function parseMediaType(text: string): MediaType | undefined {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameters = rest.map((part) => part.replace(parameterPattern, "$<name>=$<value>"));
  const isMediaType = typePattern.test(type) && rest.every((part) => parameterPattern.test(part));
  return isMediaType ? { type, parameters } : undefined;
}

const qualityPattern = /^q=(?<quality>[01](?:\.\d{0,3})?)$/;

/** How exact a range is: of two that a client likes as much, the more exact one counts. */
const exactness = ({ type, parameters }: MediaType): number =>
  type === "*/*" ? -2 : type.endsWith("/*") ? -1 : parameters.length;

/** The ranges of an `Accept` header, the best first. What is no range is passed over. Source: RFC 9110, section 12.5.1. */
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
