import type { BoundNode, ConstantNode } from "../bound/tree.ts";
import { QueryError } from "../errors.ts";
import type { StructuredProperty } from "../model/types.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { aliasOf, type CompileContext, type RowContext } from "./compile-context.ts";
import { inList } from "./in-list.ts";
import { jsonAtPath, jsonMembers } from "./json-members.ts";
import type { Join, Mapping, MemberMapping, Path } from "./mapping.ts";

/** Non-null constants that a column is compared with, and their SQL in the form of the column's values. */
type Listed = { readonly constants: readonly ConstantNode[]; readonly sql: readonly SqlFragment[] };

/**
 * Compiles the condition that a dictionary-encoded column has one of some values, by comparing codes. It is null if
 * the column is null. Undefined if `node` is not such a column. Inside a lambda an index would not help, so codes
 * are not used there.
 */
export function compileCodes(
  node: BoundNode,
  listed: Listed,
  target: CompileContext,
): SqlFragment | undefined {
  const { place, variables, values } = target;
  if (node.kind !== "Property" || node.base !== undefined || variables.length > 0) return undefined;
  const { codes } = place.members.column(node.property);
  if (codes === undefined) return undefined;
  const { known = () => undefined, hint = (condition: SqlFragment) => condition } = codes;
  const isKnown = listed.constants.every((one) => values.examine([one], ([it]) => known(it) !== undefined));
  if (!isKnown) return hint(sql`${codes.sql} in (${codes.of(join(listed.sql, ", "))})`);
  const given = listed.constants.map((one) => value(values.derive([one], ([it]) => known(it))));
  return hint(inList(codes.sql, given, target));
}

/** Returns the context of a row that the statement is already at: the columns of a table or of an alias. */
export const currentRow = (members: MemberMapping, read: RowContext["read"], free = 0): RowContext => ({
  members,
  read,
  outside: (value) => value,
  prefix: "",
  optional: false,
  free,
});

/** The rows of a table as a subquery under an alias. Call `source` after all columns are read. */
export type Rows = { readonly read: RowContext["read"]; readonly source: () => SqlFragment };

/**
 * Returns the rows of a mapping as a subquery with only the columns that are read, each under a unique name.
 * Therefore no expression next to it needs a qualifier, and the caller's `from` may be any SQL.
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

/**
 * Returns the context of the row that `base` leads to; of the current entity without `base`. Each step of a path is
 * a subquery nested in that of the step before.
 */
export function rowContextOf(
  base: BoundNode | undefined,
  target: CompileContext,
  free: number = target.variables.length,
): RowContext {
  if (base === undefined) return { ...target.place, free };
  if (base.kind === "Variable") {
    const place =
      base.name === "$it" ? target.place : target.variables.findLast(({ name }) => name === base.name)?.place;
    if (place === undefined) throw unmappedPath(base.name);
    return { ...place, free };
  }
  if (base.kind !== "Structure") throw unmappedPath(base.kind);
  const parent = rowContextOf(base.base, target, free);
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
    ...currentRow(mapping, rows.read, parent.free + 1),
    optional: true,
    outside: (value) => parent.outside(sql`(select ${value} from ${rows.source()} where ${related} limit 1)`),
  };
}

/** Returns the path of a structured property of the row at `place`. */
export function pathOf(
  property: StructuredProperty,
  { members }: RowContext,
): Exclude<Path, { readonly kind: "items" }> {
  const path = members.path?.(property);
  if (path === undefined || path.kind === "items") throw unmappedPath(property.name);
  return path;
}

/** Returns the join condition: the columns of `rows` equal those of the parent row, which `read` returns. */
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

/** Like {@link joined}, but valid at the current point of the statement, which need not be at the row of `parent`. */
export const joinedTo = (parent: RowContext, rows: Rows, name: string, on: readonly Join[]): SqlFragment =>
  joined(rows, parent.prefix + name, on, (key, column) => parent.outside(parent.read(key, column)));

/**
 * Returns an expression that is null if the row or complex value that `node` leads to is missing; undefined if the
 * mapping does not tell.
 */
export function presenceOf(
  node: BoundNode & { kind: "Structure" },
  target: CompileContext,
): SqlFragment | undefined {
  const parent = rowContextOf(node.base, target);
  const path = pathOf(node.property, parent);
  if (path.kind === "rows") return rowContextOf(node, target).outside(sql`1`);
  const { dialect } = target;
  const present = path.kind === "json" ? dialect.nullIfJsonNull(jsonAtPath(path, dialect)) : path.present;
  if (present === undefined) return undefined;
  return parent.outside(parent.read(`${parent.prefix}${node.property.name} present`, present));
}

export const unmappedPath = (name: string) =>
  new QueryError("not_supported", null, { feature: `a path through \`${name}\`` });
