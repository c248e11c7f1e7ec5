import type { BoundQuery, Projection } from "../bound/tree.ts";
import { propertyNode } from "../bound/tree.ts";
import { jsonColumnName } from "../compile/json-select.ts";
import type { Mapping } from "../compile/mapping.ts";
import { compilePage } from "../compile/query.ts";
import { evaluate, type Row } from "../evaluate/evaluate.ts";
import { typeAnnotation, writeValue } from "../json/record-form.ts";
import { columnText, propertyText } from "../json/value-text.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import { appliedMapping } from "./applied-mapping.ts";
import { type AppliedField, type AppliedQuery, structureProperty } from "./bound-apply.ts";

/** Format of the records of `$apply`. */
export type AppliedForm = {
  /** True to write members without a value as null. */
  readonly nulls: boolean;
  /** True if numbers that may not fit in a double are strings. */
  readonly ieee754: boolean;
  /** Properties that are annotated with their types: those that `$metadata` does not declare, all, or none. */
  readonly annotated: "dynamic" | "all" | "none";
  /** JSON text of members that each record begins with, such as `"@odata.id":null`. */
  readonly control?: string;
};

/** A member of a record: the number of its field, or the members of a nested object. */
type MemberTree = Map<string, number | MemberTree>;

function memberTree(fields: readonly AppliedField[]): MemberTree {
  const root: MemberTree = new Map();
  for (const [i, { path }] of fields.entries()) {
    let tree = root;
    for (const name of path.slice(0, -1)) {
      const below = tree.get(name);
      const nested: MemberTree = below instanceof Map ? below : new Map();
      tree.set(name, nested);
      tree = nested;
    }
    tree.set(path.at(-1) ?? "", i);
  }
  return root;
}

/** Writes records of `$apply` whose rows are no entities, from the JSON texts of their fields. */
function recordWriter({ apply, fields }: AppliedQuery, form: AppliedForm) {
  const root = memberTree(fields);
  const { structures } = apply.output;
  return (texts: readonly string[], structure: number | undefined): string => {
    const paths = structure === undefined ? undefined : structures?.get(structure);
    const write = (tree: MemberTree, prefix: string): readonly string[] =>
      [...tree].flatMap(([name, member]) => {
        if (typeof member === "number") {
          const isAbsent = paths !== undefined && !paths.has(prefix + name) && isOfRows(member);
          return isAbsent ? [] : writeMember(name, member, texts);
        }
        const members = write(member, `${prefix}${name}/`);
        // An object none of whose members the row has is absent itself.
        const isAbsent =
          paths !== undefined && ![...paths].some((path) => path.startsWith(`${prefix}${name}/`));
        return isAbsent ? [] : [`"${name}":{${members.join()}}`];
      });
    const control = form.control === undefined ? [] : [form.control];
    return `{${[...control, ...write(root, "")].join()}}`;
  };

  /** False for a property that `$compute` adds to all rows of the result. */
  function isOfRows(i: number): boolean {
    const { path } = fields[i] as AppliedField;
    return apply.output.columns.some((column) => column.path.join("/") === path.join("/"));
  }

  function writeMember(name: string, i: number, texts: readonly string[]): readonly string[] {
    const { property, isDynamic } = fields[i] as AppliedField;
    const text = texts[i] ?? "null";
    if (text === "null" && !form.nulls) return [];
    const isAnnotated = form.annotated === "all" || (form.annotated === "dynamic" && isDynamic);
    const type = isAnnotated ? typeAnnotation(property, text) : undefined;
    const member = `"${name}":${writeValue(property, text, form)}`;
    return type === undefined ? [member] : [`"${name}@odata.type":"${type}"`, member];
  }
}

const structureProjection = { property: structureProperty, expression: propertyNode(structureProperty) };

/** Returns the query with the number of a row's structure as the last selected value, if rows are varied. */
export const selectedOf = ({ apply, query }: AppliedQuery): BoundQuery =>
  apply.output.structures === null ? query : { ...query, select: [...query.select, structureProjection] };

/**
 * Compiles a page of the result of `$apply` to one `select`, for {@link appliedRecords} or, if the rows are entities, `jsonRecords`. Also
 * selects the values of the order, as `compilePage` does with `{ order: true }`.
 */
export function compileAppliedPage(applied: AppliedQuery, dialect: Dialect, mapping: Mapping): CompiledSql {
  const { apply } = applied;
  const options = { json: true, order: true, key: apply.output.isEntities };
  return compilePage(selectedOf(applied), dialect, appliedMapping(apply, mapping, dialect), options);
}

/** Writes rows as JSON texts. @param textOf returns the text of a selected value @param structureOf returns the number of a row's structure */
function writeRows<R>(
  rows: readonly R[],
  applied: AppliedQuery,
  form: AppliedForm,
  textOf: (row: R, projection: Projection, i: number) => string,
  structureOf: (row: R) => unknown,
): readonly string[] {
  const { query, apply } = applied;
  const write = recordWriter(applied, form);
  const isVaried = apply.output.structures !== null;
  return rows.map((row) => {
    const texts = query.select.map((projection, i) => textOf(row, projection, i));
    return write(texts, isVaried ? Number(structureOf(row)) : undefined);
  });
}

/**
 * Returns the rows of a page of {@link compileAppliedPage} as JSON texts, with every digit of a number. For rows that are no entities.
 *
 * @throws {StoredValueError} if a column holds a value that is not of its property's type
 */
export const appliedRecords = (
  rows: readonly Readonly<Record<string, unknown>>[],
  applied: AppliedQuery,
  form: AppliedForm,
): readonly string[] =>
  writeRows(
    rows,
    applied,
    form,
    (row, { property }, i) => columnText(row[jsonColumnName(i)], property),
    (row) => row[jsonColumnName(applied.query.select.length)],
  );

/** Like {@link appliedRecords}, from the selected values in memory form, and the number of the row's structure after them if they are varied. */
export const valueRecords = (
  rows: readonly (readonly unknown[])[],
  applied: AppliedQuery,
  form: AppliedForm,
): readonly string[] =>
  writeRows(
    rows,
    applied,
    form,
    (row, { property }, i) => propertyText(row[i] ?? (property.collection ? [] : null), property),
    (row) => row[applied.query.select.length],
  );

/** Like {@link appliedRecords}, from rows of `evaluateApply`. */
export const evaluatedRecords = (
  rows: readonly Row[],
  applied: AppliedQuery,
  form: AppliedForm,
): readonly string[] =>
  writeRows(
    rows,
    applied,
    form,
    (row, { property, expression }) => propertyText(evaluate(expression, row), property),
    (row) => evaluate(structureProjection.expression, row),
  );
