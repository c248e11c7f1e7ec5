import type { Column, Mapping, MemberMapping } from "../compile/mapping.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";

/** Maps the columns of a derived table, by their paths. */
export function derivedMapping(from: SqlFragment, columns: ReadonlyMap<string, Column>): Mapping {
  return { from, ...membersAt(columns, ""), ranges: false };
}

function membersAt(
  columns: ReadonlyMap<string, Column>,
  prefix: string,
): Pick<MemberMapping, "column" | "path"> & {
  readonly column: Mapping["column"];
} {
  return {
    column: ({ name }) => {
      const found = columns.get(prefix + name);
      if (found === undefined) throw new TypeError(`\`$apply\` has no column \`${prefix}${name}\``);
      return found;
    },
    path: (property) =>
      "type" in property
        ? undefined
        : { kind: "members", members: membersAt(columns, `${prefix}${property.name}/`), present: sql`1` },
  };
}
