import { parseResourcePath, QueryError } from "@cadastre/odata";
import type { PathArgument, PathSegment, SyntaxNode } from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";

/** Parsed path below the service root. */
export type ResourcePath =
  | { readonly kind: "ServiceDocument" }
  | { readonly kind: "Metadata" }
  | { readonly kind: "Collection"; readonly entitySet: string }
  | { readonly kind: "Count"; readonly entitySet: string }
  | ({ readonly kind: "Entity" } & EntityAddress)
  | ({ readonly kind: "Property"; readonly property: string } & EntityAddress)
  /** `$count` of a collection property. */
  | ({ readonly kind: "ItemCount"; readonly property: string } & EntityAddress)
  /** `$value` of a property. `property` is null for `$value` of the entity itself. */
  | ({ readonly kind: "Value"; readonly property: string | null } & EntityAddress);

export type EntityAddress = { readonly entitySet: string; readonly key: EntityKey };

/** Values of a key: `('1')` has one of the name null, `(ListingKey='1')` one of the name `ListingKey`. */
export type EntityKey = readonly KeyValue[];

/** A literal, or the decoded text of a path segment. */
type KeyValue = { readonly name: string | null; readonly value: SyntaxNode | string };

/**
 * Parses the path of a request below the service root, percent-encoded and without the query: empty, or with a slash at its start.
 *
 * @throws {QueryError} if the path does not have OData's syntax
 * @throws {ProtocolError} `not_found` if the service has no such path, `invalid_encoding`
 */
export function parseAddress(path: string): ResourcePath {
  // Any path may have a trailing slash.
  const below = path.replace(/\/$/, "");
  const [first, ...rest] = segmentsOf(below);
  if (first === undefined) return { kind: "ServiceDocument" };
  if (isSystem(first, "$metadata")) return { kind: "Metadata" };
  if (first.kind !== "Resource")
    throw new ProtocolError("not_found", {
      reason: `\`${segmentText(below, first)}\` is no address here`,
    });
  if (first.key !== null) throw new ProtocolError("not_found");
  const { name: entitySet, args } = first;
  if (args !== null) return belowEntity({ entitySet, key: entityKeyOf(args) }, rest);
  const [second, ...further] = rest;
  if (second === undefined) return { kind: "Collection", entitySet };
  if (isSystem(second, "$count")) return { kind: "Count", entitySet };
  if (second.kind !== "Resource")
    throw new ProtocolError("not_found", {
      reason: `\`${segmentText(below, second)}\` is no address of a collection`,
    });
  // The key is a path segment. Parentheses in it are part of the key.
  const value = decodeURIComponent(below.slice(second.start, second.end));
  return belowEntity({ entitySet, key: [{ name: null, value }] }, further);
}

/** Returns a segment as the client wrote it, without what its parentheses hold. */
const segmentText = (path: string, { start, end }: PathSegment): string =>
  decodeURIComponent(path.slice(start, end)).replace(/\(.*$/s, "");

function segmentsOf(path: string): readonly PathSegment[] {
  try {
    return parseResourcePath(path);
  } catch (error) {
    // The message of the query error is about the query string, and would be wrong for a path.
    if (error instanceof QueryError && error.code === "invalid_encoding")
      throw new ProtocolError("invalid_encoding");
    throw error;
  }
}

const isSystem = (segment: PathSegment, name: string): boolean =>
  segment.kind === "System" && segment.name === name;

function belowEntity(entity: EntityAddress, [first, second, ...rest]: readonly PathSegment[]): ResourcePath {
  if (first === undefined) return { kind: "Entity", ...entity };
  if (second === undefined && isSystem(first, "$value")) return { kind: "Value", property: null, ...entity };
  if (first.kind !== "Resource" || first.args !== null || rest.length > 0)
    throw new ProtocolError("not_found");
  if (second === undefined) return { kind: "Property", property: first.name, ...entity };
  if (isSystem(second, "$count")) return { kind: "ItemCount", property: first.name, ...entity };
  if (isSystem(second, "$value")) return { kind: "Value", property: first.name, ...entity };
  throw new ProtocolError("not_found");
}

/** Returns the values of a key predicate. @throws {ProtocolError} `not_found` if it is empty, or has anything but literals */
function entityKeyOf(args: readonly PathArgument[]): EntityKey {
  if (args.length === 0 || args.some(({ value: { kind } }) => kind !== "Literal" && kind !== "Enum"))
    throw new ProtocolError("not_found");
  return args;
}

/** Kind of a request: a read by its URL, a read with the query in the body (`/$query`), or a batch. */
export type Purpose = "read" | "query" | "batch";

const purposes: readonly (readonly [RegExp, Purpose])[] = [
  [/^\/(?:\$|%24)batch\/?$/, "batch"],
  [/\/(?:\$|%24)query\/?$/, "query"],
];

/** @param path percent-encoded, below the service root */
export const purposeOf = (path: string): Purpose =>
  purposes.find(([pattern]) => pattern.test(path))?.[1] ?? "read";

/** Removes the suffix `/$query`. */
export const withoutQuery = (path: string): string => path.replace(/\/(?:\$|%24)query\/?$/, "");

const methods: Readonly<Record<Purpose, readonly string[]>> = {
  read: ["GET", "HEAD", "OPTIONS"],
  query: ["POST", "OPTIONS"],
  batch: ["POST", "OPTIONS"],
};

/** Returns the header `Allow`. */
export const allowed = (purpose: Purpose): Readonly<Record<"allow", string>> => ({
  allow: methods[purpose].join(", "),
});

/** @throws {ProtocolError} `method_not_allowed` */
export function requireMethod(method: string, purpose: Purpose): void {
  if (!methods[purpose].includes(method))
    throw new ProtocolError("method_not_allowed", { headers: allowed(purpose) });
}
