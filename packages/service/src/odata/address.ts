import { type PathArgument, type PathSegment, parseResourcePath, QueryError } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import { odataRoot } from "./protocol.ts";

/** What an address under the OData root stands for. */
export type Address =
  | { readonly kind: "ServiceDocument" }
  | { readonly kind: "Metadata" }
  | { readonly kind: "Collection"; readonly entitySet: string }
  | { readonly kind: "Entity"; readonly entitySet: string; readonly key: EntityKey };

/** The key of a key predicate; `name` is null where the predicate does not say it. */
export type EntityKey = { readonly name: string | null; readonly value: string };

/**
 * Read the path of a request: `path` is what came in, percent-encoded, without the query.
 *
 * @throws {QueryError} for what is no path of OData.
 * @throws {Refused} `not_found` for what is none of this service, `invalid_encoding`.
 */
export function parseAddress(path: string): Address {
  // A slash may follow any address.
  const [first, ...rest] = segmentsOf(path.slice(odataRoot.length).replace(/\/$/, ""));
  if (first === undefined) return { kind: "ServiceDocument" };
  if (rest.length > 0) throw new Refused("not_found");
  return addressOf(first);
}

function segmentsOf(path: string): readonly PathSegment[] {
  try {
    return parseResourcePath(path);
  } catch (error) {
    // The sentence of the query error speaks of the query string.
    if (error instanceof QueryError && error.code === "invalid_encoding")
      throw new Refused("invalid_encoding");
    throw error;
  }
}

function addressOf(segment: PathSegment): Address {
  if (segment.kind === "System" && segment.name === "$metadata") return { kind: "Metadata" };
  if (segment.kind !== "Resource" || segment.key !== null) throw new Refused("not_found");
  const { name: entitySet, args } = segment;
  return args === null
    ? { kind: "Collection", entitySet }
    : { kind: "Entity", entitySet, key: entityKeyOf(args) };
}

/** Every key here is one string. */
function entityKeyOf([argument, ...rest]: readonly PathArgument[]): EntityKey {
  if (argument?.value.kind !== "Literal" || rest.length > 0) throw new Refused("not_found");
  const { type, value } = argument.value;
  if (type !== "String" || typeof value !== "string") throw new Refused("not_found");
  return { name: argument.name, value };
}
