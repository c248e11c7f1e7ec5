export type Attributes = Readonly<Record<string, string | number>>;

/** An XML element that holds either other elements or a text. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: readonly XmlElement[];
  readonly text?: string;
};

/** Returns an element that holds a text. */
export const textElement = (name: string, text: string): XmlElement => ({
  name,
  attributes: {},
  children: [],
  text,
});

export const element = (
  name: string,
  attributes: Attributes,
  children: readonly XmlElement[] = [],
): XmlElement => ({ name, attributes, children });

/** Prints a document with one element a line. Texts and values of attributes are escaped; names must be names of XML. */
export const printDocument = (root: XmlElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${print(root, "")}`;

function print({ name, attributes, children, text }: XmlElement, indent: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const start = `${indent}<${name}${written.join("")}`;
  if (text !== undefined) return `${start}>${escaped(text)}</${name}>`;
  if (children.length === 0) return `${start}/>`;
  const inner = children.map((child) => print(child, `${indent}  `));
  return [`${start}>`, ...inner, `${indent}</${name}>`].join("\n");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // Readers replace them by spaces if they are not escaped.
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

/** Characters that XML 1.0 does not allow, escaped or not. */
const notAllowed = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string =>
  text.replace(notAllowed, "\ufffd").replace(/[&<>"\t\n\r]/g, (character) => entities[character] as string);
