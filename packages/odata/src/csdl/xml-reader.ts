import { CsdlError } from "./csdl-document.ts";

/** Maximum depth of elements. CSDL needs about ten. */
const maxDepth = 64;

/** An XML element. Names have no prefix; text between elements is left out. */
export type XmlNode = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
};

const name = "[\\p{L}_:][\\p{L}\\p{M}\\p{N}_:.·-]*";
const attribute = `${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`;

/** Pieces that a document consists of, outside of elements of text. */
const patterns = {
  skipped: /[^<]+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/uy,
  end: new RegExp(`</(?<name>${name})\\s*>`, "uy"),
  start: new RegExp(`<(?<name>${name})(?<attributes>(?:\\s+${attribute})*)\\s*(?<empty>/?)>`, "uy"),
} as const;

const attributes = new RegExp(`(?<name>${name})\\s*=\\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')`, "gu");

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads an XML document. It needs no document type, so that no entity is expanded and nothing is fetched. Source: XML 1.0.
 *
 * @throws {CsdlError} with line and column, if it is not XML, declares a document type, or nests elements too deeply
 */
export function readXml(text: string): XmlNode {
  const root: { readonly name: string; readonly children: XmlNode[] } = { name: "", children: [] };
  const open: { readonly name: string; readonly children: XmlNode[] }[] = [root];
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let at = 0;
  while (at < text.length) {
    const parent = open.at(-1) ?? root;
    const skipped = match(patterns.skipped, at);
    const end = skipped === null ? match(patterns.end, at) : null;
    const start = skipped === null && end === null ? match(patterns.start, at) : null;
    if (skipped !== null && parent === root && /^[^<]*[^<\s]/.test(skipped[0]))
      throw fault(text, at, "there is text outside of the root element");
    if (end !== null) {
      if (open.length === 1 || end.groups?.["name"] !== parent.name)
        throw fault(
          text,
          at,
          open.length === 1
            ? `nothing that \`${end[0]}\` could end is open`
            : `expected \`</${parent.name}>\`, which ends the element that is open`,
        );
      open.pop();
    }
    if (start !== null) {
      const node = { name: start.groups?.["name"] ?? "", children: [] as XmlNode[] };
      if (parent === root && root.children.length > 0)
        throw fault(text, at, "there is a second root element");
      parent.children.push({
        name: localName(node.name),
        attributes: readAttributes(text, at, start.groups?.["attributes"] ?? ""),
        children: node.children,
      });
      if (start.groups?.["empty"] === "") open.push(node);
      if (open.length > maxDepth + 1)
        throw new CsdlError(
          "invalid_xml",
          `the document nests elements deeper than ${maxDepth}: give the \`$metadata\` of an OData service`,
        );
    }
    const found = skipped ?? end ?? start;
    if (found === null) throw faultOfMarkup(text, at);
    at += found[0].length;
  }
  const unended = open.at(-1);
  if (unended !== undefined && unended !== root)
    throw fault(text, text.length, `the document ends before \`</${unended.name}>\``);
  const [only] = root.children;
  if (only === undefined) throw fault(text, text.length, "there is no element");
  return only;
}

const localName = (qualified: string): string => qualified.slice(qualified.indexOf(":") + 1);

function readAttributes(text: string, at: number, written: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { groups } of written.matchAll(attributes)) {
    const key = groups?.["name"] ?? "";
    if (found.has(key)) throw fault(text, at, `the attribute \`${key}\` is given twice`);
    found.set(key, unescaped(groups?.["double"] ?? groups?.["single"] ?? "", text, at));
  }
  return found;
}

const unescaped = (value: string, text: string, at: number): string =>
  value.replaceAll(/[\t\n\r]/g, " ").replaceAll(/&([^;\s]*;?)/g, (whole, reference: string) => {
    const [, hexadecimal, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(reference) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    if (code <= 0x10_ff_ff) return String.fromCodePoint(code);
    const known = reference.endsWith(";") ? entities[reference.slice(0, -1)] : undefined;
    if (known !== undefined) return known;
    throw fault(text, at, `\`${whole}\` is no reference to a character: write \`&\` as \`&amp;\``);
  });

function faultOfMarkup(text: string, at: number): CsdlError {
  const rest = text.slice(at, at + 40);
  if (/^<!(?:DOCTYPE|ENTITY)/i.test(rest))
    return new CsdlError(
      "invalid_xml",
      "the document declares a document type, which CSDL has not: remove `<!DOCTYPE …>` and what refers to it",
    );
  return fault(text, at, `\`${rest.split(/[\s>]/)[0]}\` is no complete tag`);
}

function fault(text: string, at: number, reason: string): CsdlError {
  const before = text.slice(0, at).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return new CsdlError("invalid_xml", `the document is not XML: ${place}: ${reason}`);
}
