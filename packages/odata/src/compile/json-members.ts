import type { Dialect } from "../sql/dialect.ts";
import type { SqlFragment } from "../sql/fragment.ts";
import type { MemberMapping, Path } from "./mapping.ts";

type JsonPath = Extract<Path, { readonly kind: "json" }>;

/** Returns the members of a complex value that is a JSON object. */
export const jsonMembers = ({ json, at = [] }: JsonPath, dialect: Dialect): MemberMapping => ({
  column: ({ name, type, collection }) =>
    collection
      ? { sql: dialect.memberJson(json, [...at, name]) }
      : { sql: dialect.member(json, [...at, name], type), encoding: dialect.itemEncodings[type] },
  path: (property) => ("type" in property ? undefined : { kind: "json", json, at: [...at, property.name] }),
});

/** Returns the JSON that a path leads to. */
export const jsonAtPath = ({ json, at = [] }: JsonPath, dialect: Dialect): SqlFragment =>
  at.length === 0 ? json : dialect.memberJson(json, at);
