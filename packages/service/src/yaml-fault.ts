import { type Document, isScalar, type ParsedNode, type Scalar, visit, type YAMLError } from "yaml";

/** Returns a phrase for an error of a YAML document, with the name of a key that occurs twice. */
export function yamlFault(
  document: Document.Parsed<ParsedNode>,
  { code, message, pos: [offset] }: Pick<YAMLError, "code" | "message" | "pos">,
): string {
  if (code !== "DUPLICATE_KEY") return `is not valid YAML: ${message}`;
  let key = "";
  visit(document, {
    Pair: (_, pair) => {
      if (!isScalar(pair.key) || (pair.key as Scalar).range?.[0] !== offset) return undefined;
      key = String(pair.key.value);
      return visit.BREAK;
    },
  });
  return `\`${key}\` occurs twice in one section: keep one`;
}
