import type { BoundNode } from "../bound/tree.ts";
import { QueryError } from "../errors.ts";
import type { StructuredProperty } from "../model/types.ts";
import { identifier, join, type SqlFragment, sql } from "../sql/fragment.ts";
import { jsonMembers, jsonOf } from "./json-members.ts";
import type { Join, Mapping, Members, Path } from "./mapping.ts";
import { aliasOf, type Target } from "./operand.ts";

/** A row whose columns an expression reads. */
export type Place = {
  readonly members: Members;
  /** A column of the row, as it is called where {@link Place.outside} puts what it is read for. */
  readonly read: (key: string, column: SqlFragment) => SqlFragment;
  /** A value of the row as it stands in the statement. To be called when all columns are read. */
  readonly outside: (value: SqlFragment) => SqlFragment;
  /** What the keys of columns begin with: the complex properties on the way. */
  readonly prefix: string;
  /** Whether there may be no row, or no complex value. */
  readonly optional: boolean;
  /** Aliases of this depth are free. */
  readonly free: number;
};

/** A row that the statement is at: columns of a table, or of an alias. */
export const placeHere = (members: Members, read: Place["read"], free = 0): Place => ({
  members,
  read,
  outside: (value) => value,
  prefix: "",
  optional: false,
  free,
});

/** The rows of a table under `alias`. */
export type Rows = { readonly read: Place["read"]; readonly source: () => SqlFragment };

/**
 * The rows of a mapping with only the columns that are read, each under a name that no other row has: what
 * stands beside them needs no qualifier, and a caller's `from` may be whatever he likes.
 */
export function rowsOf({ from, where }: Pick<Mapping, "from" | "where">, alias: string): Rows {
  const names = new Map<string, SqlFragment>();
  const columns: SqlFragment[] = [];
  const read = (key: string, column: SqlFragment): SqlFragment => {
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = identifier(`${alias}_${names.size}`);
    names.set(key, name);
    columns.push(sql`${column} as ${name}`);
    return name;
  };
  const rows = where === undefined ? from : sql`${from} where ${where}`;
  return { read, source: () => sql`(select ${join(columns, ", ")} from ${rows}) as ${identifier(alias)}` };
}

/** The row that `base` leads to, or the entity at hand. A path is a subquery in a subquery, one a step. */
export function placeOf(
  base: BoundNode | undefined,
  target: Target,
  free: number = target.variables.length,
): Place {
  if (base === undefined) return { ...target.place, free };
  if (base.kind === "Variable") {
    const place =
      base.name === "$it" ? target.place : target.variables.findLast(({ name }) => name === base.name)?.place;
    if (place === undefined) throw unmapped(base.name);
    return { ...place, free };
  }
  if (base.kind !== "Structure") throw unmapped(base.kind);
  const parent = placeOf(base.base, target, free);
  const path = pathOf(base.property, parent);
  if (path.kind !== "rows") {
    const prefix = `${parent.prefix}${base.property.name}/`;
    const members = path.kind === "json" ? jsonMembers(path, target.dialect) : path.members;
    return { ...parent, members, prefix, optional: true };
  }
  const mapping = path.mapping();
  const rows = rowsOf(mapping, aliasOf(parent.free));
  const related = joined(rows, parent.prefix + base.property.name, path.on, parent.read);
  return {
    ...placeHere(mapping, rows.read, parent.free + 1),
    optional: true,
    outside: (value) => parent.outside(sql`(select ${value} from ${rows.source()} where ${related} limit 1)`),
  };
}

/** Where a structured property of the row at `place` leads. */
export function pathOf(
  property: StructuredProperty,
  { members }: Place,
): Exclude<Path, { readonly kind: "items" }> {
  const path = members.path?.(property);
  if (path === undefined || path.kind === "items") throw unmapped(property.name);
  return path;
}

/** That `rows` are those which `name` of a row leads to, whose columns `read` gives. */
function joined(
  rows: Rows,
  name: string,
  on: readonly Join[],
  read: (key: string, column: SqlFragment) => SqlFragment,
): SqlFragment {
  const equalities = on.map(
    ({ parent, child }, i) => sql`${rows.read(`= ${i}`, child)} = ${read(`${name} = ${i}`, parent)}`,
  );
  return join(equalities, " and ");
}

/** {@link joined} from where the statement is, which need not be at the row of `parent`. */
export const joinedTo = (parent: Place, rows: Rows, name: string, on: readonly Join[]): SqlFragment =>
  joined(rows, parent.prefix + name, on, (key, column) => parent.outside(parent.read(key, column)));

/** Something that is null where there is no row, or no complex value, that `node` leads to. */
export function presenceOf(node: BoundNode & { kind: "Structure" }, target: Target): SqlFragment {
  const parent = placeOf(node.base, target);
  const path = pathOf(node.property, parent);
  if (path.kind === "rows") return placeOf(node, target).outside(sql`1`);
  const { dialect } = target;
  const present = path.kind === "json" ? dialect.present(jsonOf(path, dialect)) : path.present;
  if (present === undefined) throw unmapped(node.property.name);
  return parent.outside(parent.read(`${parent.prefix}${node.property.name} present`, present));
}

export const unmapped = (name: string) =>
  new QueryError("not_supported", null, { feature: `a path through \`${name}\`` });
