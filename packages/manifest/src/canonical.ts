import { ManifestError, type ManifestErrorCode } from "./errors.ts";

/** Returns the SHA-256 of bytes as 64 lower-case hexadecimal digits. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Maximum depth of nesting. */
const maxDepth = 32;

const memberName = /^[A-Za-z][A-Za-z0-9]*$/;

/** Control characters including DEL, which serializers escape in different ways. */
const control = /\p{Cc}/u;

/** Texts whose JSON is themselves between quotation marks: most are. */
const plain = /^[ !#-[\]-~]*$/;

/**
 * Returns the canonical text of a value: members sorted, no white space. It follows RFC 8785, restricted to values for which common
 * serializers agree: ASCII names, integers from 0 to 2^53 - 1, and texts without control characters. Anything else is refused.
 *
 * @throws {ManifestError}
 */
export function canonicalText(value: unknown): string {
  return textOf(value, []);
}

/** Bytes in a buffer that is not shared: `Uint8Array<ArrayBuffer>`, in words that TypeScript before 5.7 knows too. */
export type UnsharedBytes = ReturnType<Uint8Array["slice"]>;

/** Returns {@link canonicalText} in UTF-8. */
export const canonicalBytes = (value: unknown): UnsharedBytes =>
  new TextEncoder().encode(canonicalText(value));

/** Names and positions on the way to a value. */
type Path = (string | number)[];

function textOf(value: unknown, path: Path): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return numberText(value, path);
  if (typeof value === "string") return stringText(value, path);
  if (path.length === maxDepth) throw refusal("canonical_depth", path);
  if (Array.isArray(value)) return arrayText(value, path);
  if (typeof value === "object" && isRecord(value)) return objectText(value, path);
  throw refusal("canonical_value", path);
}

/** The path in the form of RFC 6901. */
const refusal = (code: ManifestErrorCode, path: Path): ManifestError =>
  new ManifestError(code, {
    path: path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  });

function stringText(value: string, path: Path): string {
  if (plain.test(value)) return `"${value}"`;
  if (control.test(value) || !value.isWellFormed()) throw refusal("canonical_text", path);
  return JSON.stringify(value);
}

function numberText(value: number, path: Path): string {
  if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) return String(value);
  throw refusal("canonical_number", path);
}

// `Array.from` also visits the holes of an array, which are then refused because they have no JSON.
const arrayText = (items: readonly unknown[], path: Path): string =>
  `[${Array.from(items, (item, k) => textWithin(path, k, item)).join(",")}]`;

function objectText(value: object, path: Path): string {
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = members.map(([name, item]) => {
    if (!memberName.test(name)) throw refusal("canonical_member", [...path, name]);
    return `"${name}":${textWithin(path, name, item)}`;
  });
  return `{${texts.join(",")}}`;
}

/** Returns the text of a value one step behind a path. */
function textWithin(path: Path, step: string | number, value: unknown): string {
  path.push(step);
  const text = textOf(value, path);
  path.pop();
  return text;
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
