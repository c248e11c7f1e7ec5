import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** Position in a text, from 1. A column counts UTF-16 code units. */
export type TextPosition = { readonly line: number; readonly column: number };

/** A fault of a JSON text itself. */
type JsonFault = TextPosition & { readonly path: string; readonly message: string };

/** A JSON text with the positions of its members. */
export type JsonText = {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  /** The first syntax error, or all names that an object has twice. */
  readonly faults: readonly JsonFault[];
  /** Returns the position of a member. For a missing one, the position of what should have it. */
  readonly positionOf: (path: readonly (string | number)[]) => TextPosition;
};

/** Parses a JSON text. */
export function readJsonText(text: string): JsonText {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const at = (offset: number) => textPositionAt(text, offset);
  const [first] = errors;
  if (tree === undefined || first !== undefined) {
    const message = first === undefined ? "the file is empty" : syntaxSentence(first);
    return {
      value: undefined,
      faults: [{ ...at(first?.offset ?? 0), path: "", message: `not JSON: ${message}` }],
      positionOf: () => at(0),
    };
  }
  const repeated = repeatedMembers(tree, []).map(({ offset, path }) => ({
    ...at(offset),
    path: path.join("."),
    message: "the object has this member twice: keep one",
  }));
  return {
    value: JSON.parse(text),
    faults: repeated,
    positionOf: (path) => at(offsetOf(tree, path)),
  };
}

function textPositionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}

/** Returns `comma expected` for the code `CommaExpected`. */
const syntaxSentence = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();

/** Returns the offset of a member's name or an item, or of the nearest ancestor that exists. */
function offsetOf(tree: Node, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return tree.offset;
}

type Repeated = { readonly offset: number; readonly path: readonly (string | number)[] };

function repeatedMembers(node: Node, path: readonly (string | number)[]): readonly Repeated[] {
  const children = node.children ?? [];
  if (node.type === "array") return children.flatMap((child, i) => repeatedMembers(child, [...path, i]));
  if (node.type !== "object") return [];
  const seen = new Set<string>();
  return children.flatMap((member) => {
    const [key, value] = member.children ?? [];
    const name = String(key?.value);
    const own = [...path, name];
    const isRepeated = seen.size === seen.add(name).size;
    return [
      ...(isRepeated ? [{ offset: member.offset, path: own }] : []),
      ...(value === undefined ? [] : repeatedMembers(value, own)),
    ];
  });
}
